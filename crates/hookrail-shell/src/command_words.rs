//! The words of one command, classified with the book of programs: flags with their values, operands, subcommands, and what
//! cannot be determined.
//!
//! Launchers, paths and the patterns of rules are all read by this one reader, so that they mean the same by a word. For a
//! program or a flag that is not in the book the reader keeps every reading: the word behind such a flag may be its value
//! or an operand, and several letters behind one dash may be one name or a bundle.

use super::book::{Entry, KnownFlag, Spelling, Takes};
use super::facts::CommandFact;

/// A command's words, read once and asked about often.
#[derive(Debug, Clone)]
pub struct CommandWords {
    /// Flags and operands in their order.
    pub items: Vec<Item>,
    /// The entries of the program and of the subcommands that were named.
    pub(crate) path: Vec<Entry>,
}

/// One flag or operand.
#[derive(Debug, Clone)]
pub enum Item {
    /// A flag.
    Flag(Flag),
    /// A word that is not a flag.
    Operand(Operand),
    /// A word that cannot be determined: any number of flags and operands.
    Unknown(UnknownWord),
}

/// A flag as it was given.
#[derive(Debug, Clone)]
pub struct Flag {
    /// Which flag.
    pub name: FlagName,
    /// Its value.
    pub value: FlagValue,
    /// How many subcommands precede it, if flags of that level are apart from those of the program.
    pub level: usize,
    /// Whether it may as well be no flag: the value of the flag before it, which the book does not know
    /// (`--hostname --help`), or an operand, where the first operand ends the flags on some systems (`rm x --help`).
    pub may_be_value: bool,
    /// The place of its word among those behind the program.
    pub(crate) at: usize,
    /// The place of its value, if that is a word of its own.
    pub(crate) value_at: Option<usize>,
}

/// Which flag was given.
#[derive(Debug, Clone)]
pub enum FlagName {
    /// One of the book.
    Known(KnownFlag),
    /// A long name cut short, for which the book has several.
    Abbreviated(String, Entry),
    /// One letter that the book does not know.
    Letter(char),
    /// A whole name that the book does not know, with its dashes.
    Other(String),
}

/// The value of a flag.
#[derive(Debug, Clone)]
pub enum FlagValue {
    /// It has none.
    None,
    /// It has this one.
    Given(String),
    /// It has one, which cannot be determined.
    Unknown,
    /// It is not known whether the flag takes a value. If so, it is the word that follows.
    Perhaps(String),
}

/// A word that is not a flag.
#[derive(Debug, Clone)]
pub struct Operand {
    /// The word as written.
    pub text: String,
    /// The first name of the subcommand that it names.
    pub subcommand: Option<&'static str>,
    /// Whether it may as well be the value of the flag before it.
    pub may_be_value: bool,
    pub(crate) at: usize,
}

/// A word that cannot be determined.
#[derive(Debug, Clone, Copy)]
pub struct UnknownWord {
    /// Whether it may be a flag. It is not behind `--`, and not if its beginning is known.
    pub may_be_flag: bool,
    pub(crate) at: usize,
}

/// A word as the reader is given it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenWord<'w> {
    /// The word; `None` if it cannot be determined.
    pub(crate) text: Option<&'w str>,
    /// What it begins with, if only that is known.
    pub(crate) beginning: Option<&'w str>,
}

/// The last name of a program's path.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').find(|name| !name.is_empty()).unwrap_or(program)
}

impl CommandWords {
    /// Reads the words of a command, the first of which is its program.
    pub fn read(argv: &[Option<String>]) -> Self {
        Self::with_program(argv, |_| None)
    }

    /// Reads the words of a command of a line.
    pub fn of(fact: &CommandFact) -> Self {
        Self::with_program(&fact.argv, |at| fact.operands.contains(&at).then_some("."))
    }

    fn with_program(argv: &[Option<String>], beginning: impl Fn(usize) -> Option<&'static str>) -> Self {
        let program = argv.first().and_then(Option::as_deref).map(base_name);
        let words = argv.iter().enumerate().skip(1);
        let words = words.map(|(at, word)| GivenWord { text: word.as_deref(), beginning: beginning(at) });
        Self::with_entry(program.and_then(Entry::of), words.collect())
    }

    /// Reads the words behind a program with this entry.
    pub(crate) fn with_entry(entry: Option<Entry>, words: Vec<GivenWord<'_>>) -> Self {
        let mut reader = WordReader {
            items: Vec::with_capacity(words.len()),
            words,
            at: 0,
            path: entry.into_iter().collect(),
            may_be_value: false,
            doubtful_at: None,
        };
        reader.read();
        Self { items: reader.items, path: reader.path }
    }

    /// The same words without what may be the value of a flag: such a word cannot be determined here. `None` if there are
    /// none. What lets a command pass has to hold for these, too.
    pub fn without_possible_values(&self) -> Option<Self> {
        let doubt = |item: &Item| match item {
            Item::Flag(flag) if flag.may_be_value => Some(UnknownWord { may_be_flag: true, at: flag.at }),
            Item::Operand(operand) if operand.may_be_value => {
                Some(UnknownWord { may_be_flag: false, at: operand.at })
            }
            _ => None,
        };
        self.items.iter().any(|item| doubt(item).is_some()).then(|| {
            let certain = |item: &Item| doubt(item).map_or_else(|| item.clone(), Item::Unknown);
            Self { items: self.items.iter().map(certain).collect(), path: self.path.clone() }
        })
    }

    /// Whether the program is in the book.
    pub fn is_known(&self) -> bool {
        !self.path.is_empty()
    }
}

/// Reads words from left to right. What a word means depends on the entries of those before it.
struct WordReader<'w> {
    words: Vec<GivenWord<'w>>,
    at: usize,
    items: Vec<Item>,
    /// The program's entry and those of the subcommands read so far.
    path: Vec<Entry>,
    /// Whether the next word may be the value of a flag that is not in the book.
    may_be_value: bool,
    /// The place of a word that looks like a flag and may be such a value.
    doubtful_at: Option<usize>,
}

impl<'w> WordReader<'w> {
    fn next(&mut self) -> Option<GivenWord<'w>> {
        let next = *self.words.get(self.at)?;
        self.at += 1;
        Some(next)
    }

    /// Reads all words. `--`, and the first operand of a program that runs another one, end the flags.
    fn read(&mut self) {
        if self.path.first().is_some_and(|entry| entry.is("dashless"))
            && let Some(bundle) = self.words.first().and_then(|word| word.text)
            && !bundle.is_empty()
            && bundle.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            self.at += 1;
            self.dashless(bundle);
        }
        while let Some(word) = self.next() {
            let Some(text) = word.text else {
                if !self.unknown_value(word.beginning) {
                    let may_be_flag = word.beginning.is_none_or(|text| text.starts_with('-'));
                    self.items.push(Item::Unknown(UnknownWord { may_be_flag, at: self.at - 1 }));
                }
                continue;
            };
            match text.strip_prefix('-') {
                // An expression of `find` follows its folders in any case.
                Some("-") if self.path.first().is_some_and(|entry| entry.does() == Some("find")) => {}
                Some("-") => return self.operands_only(),
                Some("") | None => {
                    if self.operand(text) {
                        return self.operands_only();
                    }
                }
                Some(_) => self.flag(text),
            }
        }
    }

    /// `--name=$X`: the flag is known, its value is not.
    fn unknown_value(&mut self, beginning: Option<&str>) -> bool {
        let name = beginning.and_then(|text| text.split_once('=')).map(|(name, _)| name);
        let found = name.filter(|name| name.starts_with('-')).and_then(|name| self.lookup(name));
        let Some((flag, level)) = found else { return false };
        self.push(FlagName::Known(flag), FlagValue::Unknown, level);
        true
    }

    /// All words that are left are operands, whatever they look like.
    fn operands_only(&mut self) {
        while let Some(word) = self.next() {
            match word.text {
                Some(text) => self.push_operand(text, None, false),
                None => self.items.push(Item::Unknown(UnknownWord { may_be_flag: false, at: self.at - 1 })),
            }
        }
    }

    fn push_operand(&mut self, text: &str, subcommand: Option<&'static str>, may_be_value: bool) {
        let (text, at) = (text.to_owned(), self.at - 1);
        self.items.push(Item::Operand(Operand { text, subcommand, may_be_value, at }));
    }

    /// Reads an operand and says whether it ends the flags.
    fn operand(&mut self, text: &str) -> bool {
        if text.starts_with('+')
            && text.len() > 1
            && let Some((flag, level)) = self.lookup("+*")
        {
            self.known(flag, text.get(1..), level);
            return false;
        }
        let may_be_value = std::mem::take(&mut self.may_be_value);
        let command = self.path.last().and_then(|entry| entry.command(text));
        self.push_operand(text, command.map(|(_, name)| name), may_be_value);
        self.path.extend(command.map(|(command, _)| command));
        command.is_none() && !may_be_value && self.path.last().is_some_and(|entry| entry.is("launcher"))
    }

    fn push(&mut self, name: FlagName, value: FlagValue, level: usize) {
        self.push_with_value_at(name, value, level, (self.at - 1, None));
    }

    /// Adds a flag of which the places of its word and of its value are known.
    fn push_with_value_at(
        &mut self,
        name: FlagName,
        value: FlagValue,
        level: usize,
        (at, value_at): (usize, Option<usize>),
    ) {
        let ends_flags = |item: &Item| matches!(item, Item::Operand(_));
        let is_behind =
            self.path.last().is_some_and(|entry| entry.is("ordered")) && self.items.iter().any(ends_flags);
        let may_be_value = self.doubtful_at == Some(at) || is_behind;
        self.items.push(Item::Flag(Flag { name, value, level, may_be_value, at, value_at }));
    }

    /// The flag of this name in the innermost entry that may have it, and the level of that entry.
    fn lookup(&self, name: &str) -> Option<(KnownFlag, usize)> {
        self.entries().find_map(|(entry, level)| Some((entry.flag(name)?, level)))
    }

    /// The entries whose flags may come here, the innermost first.
    fn entries(&self) -> impl Iterator<Item = (Entry, usize)> + '_ {
        let last = self.path.len().saturating_sub(1);
        self.path
            .iter()
            .enumerate()
            .rev()
            .filter(move |(level, entry)| *level == last || entry.is("global"))
            .map(|(level, entry)| (*entry, level))
    }

    /// How many subcommands precede the next word.
    fn level(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// Reads a word that begins with a dash: a name in the book, a long name, or a bundle of letters.
    fn flag(&mut self, word: &str) {
        self.may_be_value = false;
        let spelling = self.path.last().map(|entry| entry.spelling());
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_long = word.starts_with("--") || spelling == Some(Spelling::SingleDash);
        if let Some((known, level)) = self.lookup(name).filter(|_| is_long || name.len() == 2) {
            // A short flag takes what follows it in its word, the equals sign included.
            let value = if is_long || known.takes == Takes::Nothing {
                value
            } else {
                word.get(2..).and_then(|rest| self.attached(rest))
            };
            return self.known(known, value, level);
        }
        // `gcc -o/etc/x`: a letter with a path behind it.
        if let Some((letter, path)) = word.split_at_checked(2).filter(|_| !word.starts_with("--") && is_long)
            && path.starts_with(['/', '.', '~'])
            && let Some((known, level)) = self.lookup(letter).filter(|(known, _)| known.takes == Takes::Value)
        {
            return self.known(known, Some(path), level);
        }
        if is_long {
            return self.long(name, value);
        }
        if spelling.is_none() {
            self.unknown_bundle(name, value);
        } else {
            self.bundle(word);
        }
    }

    /// A flag of the book, with its value where it takes one.
    fn known(&mut self, flag: KnownFlag, attached: Option<&str>, level: usize) {
        self.taking(FlagName::Known(flag), flag.takes, attached, level);
    }

    fn taking(&mut self, name: FlagName, takes: Takes, attached: Option<&str>, level: usize) {
        match (attached, takes) {
            (Some(value), _) => self.push(name, FlagValue::Given(value.to_owned()), level),
            (None, Takes::Value) => self.with_next_value(name, level),
            (None, Takes::Nothing | Takes::Optional) => self.push(name, FlagValue::None, level),
        }
    }

    /// Takes the next word as the value of a flag, whatever it looks like: a program does the same.
    fn with_next_value(&mut self, name: FlagName, level: usize) {
        let at = self.at - 1;
        if matches!(name, FlagName::Known(KnownFlag { role, .. }) if role.starts_with('2')) {
            // Of two values the last one has the role.
            self.next();
        }
        let value_at = Some(self.at);
        let (value, value_at) = match self.next().map(|word| word.text) {
            Some(Some(value)) => (FlagValue::Given(value.to_owned()), value_at),
            Some(None) => (FlagValue::Unknown, value_at),
            None => (FlagValue::None, None),
        };
        if matches!(name, FlagName::Known(KnownFlag { role, .. }) if role.ends_with("...")) {
            // All words that follow are its value: the words of a command.
            self.at = self.words.len();
        }
        self.push_with_value_at(name, value, level, (at, value_at));
    }

    /// A long name that is not in the book as it is: cut short, or unknown.
    fn long(&mut self, name: &str, value: Option<&str>) {
        let meant = |(entry, level): (Entry, usize)| {
            let flags: Vec<KnownFlag> = entry.flags_from(name).collect();
            (!flags.is_empty()).then_some((entry, level, flags))
        };
        let Some((entry, level, flags)) = self.entries().find_map(meant) else {
            return self.unknown(FlagName::Other(name.to_owned()), value);
        };
        if let [only] = flags.as_slice() {
            return self.known(*only, value, level);
        }
        let take_values = flags.iter().all(|flag| flag.takes == Takes::Value);
        let takes = if take_values { Takes::Value } else { Takes::Nothing };
        self.taking(FlagName::Abbreviated(name.to_owned(), entry), takes, value, level);
    }

    /// A flag that is not in the book: the next word may be its value.
    fn unknown(&mut self, name: FlagName, value: Option<&str>) {
        let value = match (value, self.words.get(self.at).map(|word| word.text)) {
            (Some(value), _) => FlagValue::Given(value.to_owned()),
            (None, Some(Some(next))) if !next.starts_with('-') || next == "-" => {
                self.may_be_value = true;
                FlagValue::Perhaps(next.to_owned())
            }
            (None, Some(None)) => FlagValue::Unknown,
            (None, Some(Some(_)) | None) => FlagValue::None,
        };
        let takes_next =
            matches!(&name, FlagName::Other(name) if name.starts_with("--") && !crate::book::is_switch(name));
        let is_doubtful = takes_next && matches!(value, FlagValue::None);
        self.push(name, value, self.level());
        self.doubtful_at = is_doubtful.then_some(self.at);
    }

    /// The value in the same word as a short flag. Programs that require long names in full, most of them
    /// written in Go or Rust, leave out an equals sign before it; GNU's way makes it part of the value.
    fn attached<'t>(&self, rest: &'t str) -> Option<&'t str> {
        let in_full = self.path.last().is_some_and(|entry| entry.spelling() == Spelling::InFull);
        let rest = if in_full { rest.strip_prefix('=').unwrap_or(rest) } else { rest };
        (!rest.is_empty()).then_some(rest)
    }

    /// Letters behind one dash, in a program that has a table.
    fn bundle(&mut self, word: &str) {
        if word.bytes().skip(1).all(|byte| byte.is_ascii_digit()) {
            // `head -20`
            return self.push(FlagName::Other(word.to_owned()), FlagValue::None, self.level());
        }
        for (at, letter) in word.char_indices().skip(1) {
            let after = word.get(at + letter.len_utf8()..).unwrap_or_default();
            let attached = self.attached(after);
            match self.lookup(&format!("-{letter}")) {
                Some((flag, level)) if flag.takes == Takes::Nothing => self.known(flag, None, level),
                Some((flag, level)) => return self.known(flag, attached, level),
                None if attached.is_none() => self.unknown(FlagName::Letter(letter), None),
                None => self.push(FlagName::Letter(letter), FlagValue::None, self.level()),
            }
        }
    }

    /// A word behind one dash, of a program without a table: one name, or a bundle of letters.
    fn unknown_bundle(&mut self, name: &str, value: Option<&str>) {
        let letters = name.get(1..).unwrap_or_default();
        if name.chars().count() > 2 && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            for letter in letters.chars() {
                self.push(FlagName::Letter(letter), FlagValue::None, 0);
            }
        }
        self.unknown(FlagName::Other(name.to_owned()), value);
    }

    /// The bundle of `tar xzf FILE`: each letter that takes a value takes the next word.
    fn dashless(&mut self, bundle: &str) {
        for letter in bundle.chars() {
            match self.lookup(&format!("-{letter}")) {
                Some((flag, level)) => self.known(flag, None, level),
                None => self.push(FlagName::Letter(letter), FlagValue::None, 0),
            }
        }
    }
}
