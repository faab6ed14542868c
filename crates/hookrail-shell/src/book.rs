//! The book of programs: which words of their command lines are flags, values, files, folders and other commands.
//!
//! It is data: `programs/*.txt`, one entry for each program in the notation of manuals (CONTRIBUTING.md describes it).
//! Nothing is built up from it. An entry is found by its name and read line by line where a question is asked.

/// All entries, one after another.
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/book.txt"));

/// The names of all programs in order, each with the place of its entry.
const INDEX: &[(&str, usize, usize)] = &include!(concat!(env!("OUT_DIR"), "/index.rs"));

/// What is known about a program, or about one of its subcommands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its names: `|` between names of the same, a comma between programs that only share their flags.
    names: &'static str,
    body: &'static str,
    /// How far its own lines are indented; those of its subcommands are further in.
    indent: usize,
    /// How the flags are spelled, unless it says otherwise itself.
    inherited: Spelling,
}

/// How the flags of a program are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Bundles of short names, and long names that may be cut short: GNU's way, git's and Python's.
    Abbreviated,
    /// Bundles of short names, and long names in full.
    InFull,
    /// Words behind a single dash: `find -name`, `terraform apply -auto-approve`. Nothing is bundled.
    SingleDash,
}

/// One flag: its names, whether it takes a value, and what that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFlag {
    /// All its names with their dashes, joined by `|`.
    pub names: &'static str,
    /// Whether a value follows.
    pub takes: Takes,
    /// What the value is: a role such as `write`, or a word in capitals or nothing if it is none.
    pub(crate) role: &'static str,
}

/// Whether a flag takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// It does not.
    Nothing,
    /// In the same word or in the next one.
    Value,
    /// In the same word only.
    Optional,
}

/// A line that says what operands are: `with -i takes SCRIPT write...`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operands {
    /// The flags of which one in each group must be there, groups separated by blanks.
    pub(crate) conditions: &'static str,
    /// The roles, separated by blanks.
    pub(crate) roles: &'static str,
}

impl KnownFlag {
    fn read(entry: &'static str) -> Self {
        match entry.split_once('=') {
            None => Self { names: entry, takes: Takes::Nothing, role: "" },
            Some((names, role)) => match role.strip_prefix('?') {
                Some(role) => Self { names, takes: Takes::Optional, role },
                None => Self { names, takes: Takes::Value, role },
            },
        }
    }

    /// Whether `name` is one of its names.
    pub fn is_named(self, name: &str) -> bool {
        self.names.split('|').any(|known| known == name)
    }
}

impl Entry {
    /// The entry of a program. GNU's programs have a `g` before their names on some systems, and the dynamic loader has
    /// the name of a machine in its own.
    pub fn of(program: &str) -> Option<Self> {
        let loader = ["ld-linux", "ld-musl"].iter().any(|start| program.starts_with(start));
        Self::find(if loader { "ld.so" } else { program }).or_else(|| Self::find(program.strip_prefix('g')?))
    }

    fn find(program: &str) -> Option<Self> {
        let at = INDEX.binary_search_by(|(name, ..)| (*name).cmp(program)).ok()?;
        let (_, start, end) = INDEX.get(at)?;
        let (names, body) = TEXT.get(*start..*end)?.split_once('\n')?;
        Some(Self { names, body, indent: 2, inherited: Spelling::Abbreviated })
    }

    /// Its own lines, without indentation.
    fn lines(self) -> impl Iterator<Item = &'static str> + use<> {
        let is_own = move |line: &&str| {
            line.as_bytes().get(self.indent).is_some_and(|byte| *byte != b' ')
                && line.bytes().take(self.indent).all(|byte| byte == b' ')
        };
        self.body.lines().filter(is_own).filter_map(move |line| line.get(self.indent..))
    }

    /// The words behind lines that begin with `word`.
    fn words_behind(self, word: &'static str) -> impl Iterator<Item = &'static str> + use<> {
        self.lines()
            .filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
            .flat_map(str::split_ascii_whitespace)
    }

    /// Whether it has a property: `launcher`, `in-full` and so on.
    pub(crate) fn is(self, property: &str) -> bool {
        self.words_behind("is").any(|word| word == property)
    }

    /// The special treatment that it needs.
    pub(crate) fn does(self) -> Option<&'static str> {
        self.words_behind("does").next()
    }

    /// How its flags are spelled.
    pub fn spelling(self) -> Spelling {
        let own = self.words_behind("is").find_map(|word| match word {
            "abbreviated" => Some(Spelling::Abbreviated),
            "in-full" => Some(Spelling::InFull),
            "single-dash" => Some(Spelling::SingleDash),
            _ => None,
        });
        own.unwrap_or(self.inherited)
    }

    /// The first of the names that mean the same as `name`; `None` if that is not one of its names.
    fn first_name(names: &'static str, name: &str) -> Option<&'static str> {
        let same = names.split(',').find(|same| same.split('|').any(|known| known == name))?;
        same.split('|').next()
    }

    /// All its flags, those that it shares with another entry included.
    pub fn flags(self) -> impl Iterator<Item = KnownFlag> + use<> {
        let own = self.lines().filter(|line| line.starts_with(['-', '+']));
        let shared = self.lines().filter_map(|line| line.strip_prefix("as ")).filter_map(|path| {
            let mut names = path.split(' ');
            let first = Self::find(names.next()?)?;
            names.try_fold(first, |entry, name| entry.command(name).map(|(entry, _)| entry))
        });
        let shared = shared.flat_map(|entry| entry.lines().filter(|line| line.starts_with(['-', '+'])));
        own.chain(shared).flat_map(str::split_ascii_whitespace).map(KnownFlag::read)
    }

    /// The flag of this name.
    pub fn flag(self, name: &str) -> Option<KnownFlag> {
        self.flags().find(|flag| flag.is_named(name))
    }

    /// The flags that `prefix` may stand for where long names may be cut short.
    pub fn flags_from(self, prefix: &str) -> impl Iterator<Item = KnownFlag> + use<'_> {
        let abbreviates = self.spelling() == Spelling::Abbreviated && prefix.len() > 2;
        self.flags().filter(move |flag| {
            abbreviates
                && flag.names.split('|').any(|name| name.starts_with("--") && name.starts_with(prefix))
        })
    }

    /// The subcommand of this name, with the first of its names.
    pub fn command(self, name: &str) -> Option<(Self, &'static str)> {
        let mut rest = self.body;
        while let Some((line, behind)) = rest.split_once('\n') {
            rest = behind;
            let header = line.get(self.indent..).and_then(|line| line.strip_prefix(": "));
            let is_own = line.bytes().take(self.indent).all(|byte| byte == b' ');
            let Some(names) = header.filter(|_| is_own) else { continue };
            if let Some(first) = Self::first_name(names, name) {
                let is_inside = |line: &&str| line.bytes().take(self.indent + 2).all(|byte| byte == b' ');
                let length: usize = behind.split_inclusive('\n').take_while(is_inside).map(str::len).sum();
                let body = behind.get(..length)?;
                let entry = Self { names, body, indent: self.indent + 2, inherited: self.spelling() };
                return Some((entry, first));
            }
        }
        None
    }

    /// What its operands are, in the order of preference.
    pub(crate) fn operands(self) -> impl Iterator<Item = Operands> + use<> {
        self.lines().filter_map(|line| {
            if let Some(roles) = line.strip_prefix("takes") {
                return Some(Operands { conditions: "", roles });
            }
            let (conditions, roles) = line.strip_prefix("with ")?.split_once(" takes")?;
            Some(Operands { conditions, roles })
        })
    }
}

#[cfg(test)]
mod tests;
