//! The book of programs: which words of their command lines are flags, values, files, folders and other commands.
//!
//! It is data: `programs/*.txt`, one entry for each program in the notation of manuals (CONTRIBUTING.md describes it).
//! Nothing is built up from it. An entry is found by its name and read line by line where a question is asked.

/// All entries, one after another.
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/book.txt"));

/// The names of all programs, and of their subcommands behind those of their programs, in order, each with the place of
/// its entry.
#[allow(clippy::unreadable_literal, reason = "a generated file")]
const INDEX: &[(&str, u32, u32)] = &include!(concat!(env!("OUT_DIR"), "/index.rs"));

/// What is known about a program, or about one of its subcommands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The first names of its program, of the subcommands before it, and of itself.
    path: &'static str,
    /// Its names: `|` between names of the same, a comma between programs that only share their flags.
    names: &'static str,
    /// `launcher`, `in-full` and so on, separated by blanks.
    properties: &'static str,
    body: &'static str,
    has_commands: bool,
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
    /// What the value is: a role such as `write`, or a word in capitals or nothing if it has no role.
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
    fn read_all(line: &'static str) -> impl Iterator<Item = Self> {
        line.split_ascii_whitespace().map(Self::read)
    }

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

    /// The name of a program without the `g` that GNU's programs have on some systems: `rm` for `grm`.
    pub(crate) fn name_without_g(program: &str) -> Option<&'static str> {
        let bare = program.strip_prefix('g')?;
        let names = Self::of(program)?.names;
        let first = Self::first_name(names, program).or_else(|| Self::first_name(names, bare))?;
        (first == bare).then_some(first)
    }

    /// The entry with these names.
    fn find(path: &str) -> Option<Self> {
        let at = INDEX.binary_search_by_key(&path, |(known, ..)| *known).ok()?;
        let (_, start, end) = *INDEX.get(at)?;
        let (head, body) = TEXT.get(start as usize..end as usize)?.split_once('\n')?;
        let (path, head) = head.split_once('\t')?;
        let (names, head) = head.split_once('\t')?;
        let (properties, sign) = head.split_once('\t')?;
        Some(Self { path, names, properties, body, has_commands: !sign.is_empty() })
    }

    /// The entry of a name that is not a program's: of `cd` in the list `shell/builtin`.
    pub(crate) fn among(kind: &str, name: &str) -> Option<Self> {
        Self::find(&format!("{kind} {name}"))
    }

    fn lines(self) -> impl Iterator<Item = &'static str> + use<> {
        self.body.lines()
    }

    /// Whether it has a property.
    pub(crate) fn is(self, property: &str) -> bool {
        self.properties.split(' ').any(|word| word == property)
    }

    /// The special treatment that it needs.
    pub(crate) fn does(self) -> Option<&'static str> {
        self.lines().find_map(|line| line.strip_prefix("does "))
    }

    /// The role of its only operand; empty if there is none.
    pub(crate) fn role(self) -> &'static str {
        self.operands().next().map_or("", |line| line.roles.trim())
    }

    /// How its flags are spelled.
    pub fn spelling(self) -> Spelling {
        // The last property is its spelling.
        if self.properties.ends_with("in-full") {
            Spelling::InFull
        } else if self.properties.ends_with("single-dash") {
            Spelling::SingleDash
        } else {
            Spelling::Abbreviated
        }
    }

    /// The first of the names that mean the same as `name`; `None` if that is not one of its names.
    fn first_name(names: &'static str, name: &str) -> Option<&'static str> {
        let same = names.split(',').find(|same| same.split('|').any(|known| known == name))?;
        same.split('|').next()
    }

    /// All its flags, those that it shares with another entry included.
    pub fn flags(self) -> impl Iterator<Item = KnownFlag> + use<> {
        self.flag_lines().flat_map(KnownFlag::read_all)
    }

    fn flag_lines(self) -> impl Iterator<Item = &'static str> + use<> {
        let own = self.lines().filter(|line| line.starts_with(['-', '+']));
        let shared = self.lines().filter_map(|line| Self::find(line.strip_prefix("as ")?));
        own.chain(shared.flat_map(|entry| entry.lines().filter(|line| line.starts_with(['-', '+']))))
    }

    /// The flag of this name.
    pub fn flag(self, name: &str) -> Option<KnownFlag> {
        // Most entries do not have it in any line, which is quickly seen.
        let lines = self.flag_lines().filter(|line| line.contains(name));
        lines.flat_map(KnownFlag::read_all).find(|flag| flag.is_named(name))
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
        if !self.has_commands || name.contains(' ') {
            return None;
        }
        let entry = Self::find(&format!("{} {name}", self.path))?;
        Some((entry, Self::first_name(entry.names, name)?))
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

/// Whether a flag takes no value by its name, whatever the program.
pub(crate) fn is_switch(name: &str) -> bool {
    let is_it = |flag: KnownFlag| match flag.names.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => flag.names == name,
    };
    Entry::find("any/flag").is_some_and(|entry| entry.flags().any(is_it))
}

/// Every further name of the subcommands of a program, with its first one; of all programs if none is given.
#[cfg(any(test, feature = "shipped-index"))]
pub fn further_names(program: Option<&str>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = program.map(|program| Entry::of(program).map(|entry| entry.path));
    INDEX.iter().filter_map(move |(path, ..)| {
        let (before, name) = path.rsplit_once(' ')?;
        let is_meant = known.is_none_or(|known| before.split(' ').next() == known);
        if !is_meant {
            return None;
        }
        let first = Entry::first_name(Entry::find(path)?.names, name)?;
        (name != first).then_some((name, first))
    })
}

#[cfg(test)]
mod tests;
