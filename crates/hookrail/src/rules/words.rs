//! The words of one command, classified: flags with their values, operands, and what cannot be determined.
//!
//! Patterns and commands are read by the same reader, so that both mean the same by a word. For a program or a flag
//! that no table knows the reader keeps every reading: the word behind such a flag may be its value or an operand, and
//! several letters behind one dash may be one name or a bundle.

mod bundle;

use super::flags::{KnownFlag, Spelling, Syntax, Takes};

/// A command's words, read once and asked about by many patterns.
#[derive(Debug, Clone)]
pub(crate) struct CommandWords {
    /// Flags and operands in their order.
    pub(crate) items: Vec<Item>,
    /// Whether the program has a table.
    pub(crate) is_known: bool,
}

/// One flag or operand.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A flag.
    Flag(Flag),
    /// A word that is no flag.
    Operand(Operand),
    /// A word that cannot be determined: any number of flags and operands.
    Unknown,
}

/// A flag as it was given.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    /// Which flag.
    pub(crate) name: FlagName,
    /// Its value.
    pub(crate) value: FlagValue,
    /// How many subcommands stand before it, if flags of that level are apart from those of the program.
    pub(crate) level: usize,
}

/// Which flag was given.
#[derive(Debug, Clone)]
pub(crate) enum FlagName {
    /// One of a table.
    Known(KnownFlag),
    /// A long name cut short, for which a table has several.
    Abbreviated(String, &'static Syntax),
    /// One letter that no table knows.
    Letter(char),
    /// A whole name that no table knows, with its dashes.
    Other(String),
}

/// The value of a flag.
#[derive(Debug, Clone)]
pub(crate) enum FlagValue {
    /// It has none.
    None,
    /// It has this one.
    Given(String),
    /// It has one, which cannot be determined.
    Unknown,
    /// It is not known whether the flag takes a value. If so, it is the word that follows.
    Perhaps(String),
}

/// A word that is no flag.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    /// The word as written.
    pub(crate) text: String,
    /// The first name of the subcommand that it names.
    pub(crate) subcommand: Option<&'static str>,
    /// Whether it may as well be the value of the flag before it.
    pub(crate) may_be_value: bool,
}

/// The last component of a program's name.
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').find(|name| !name.is_empty()).unwrap_or(program)
}

impl CommandWords {
    /// Reads the words of a command, the first of which is its program.
    pub(crate) fn read(argv: &[Option<String>]) -> Self {
        let program = argv.first().and_then(Option::as_deref).map(base_name);
        let syntax = program.and_then(Syntax::of);
        let mut reader = WordReader {
            rest: argv.get(1..).unwrap_or_default(),
            items: Vec::with_capacity(argv.len()),
            path: syntax.into_iter().collect(),
            may_be_value: false,
        };
        reader.read();
        Self { items: reader.items, is_known: syntax.is_some() }
    }
}

/// Reads words from left to right. What a word means depends on the tables of those before it.
struct WordReader<'w> {
    rest: &'w [Option<String>],
    items: Vec<Item>,
    /// The program's table and those of the subcommands read so far.
    path: Vec<&'static Syntax>,
    /// Whether the next word may be the value of a flag that no table knows.
    may_be_value: bool,
}

impl<'w> WordReader<'w> {
    fn next(&mut self) -> Option<&'w Option<String>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Reads all words. `--`, and the first operand of a program that runs another one, end the flags.
    fn read(&mut self) {
        if self.path.first().is_some_and(|syntax| syntax.is_dashless)
            && let Some(Some(bundle)) = self.rest.first()
            && !bundle.is_empty()
            && bundle.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            self.next();
            self.dashless(bundle);
        }
        while let Some(word) = self.next() {
            let Some(word) = word else {
                self.items.push(Item::Unknown);
                continue;
            };
            match word.strip_prefix('-') {
                Some("-") => return self.operands_only(),
                Some("") | None => {
                    if self.operand(word) {
                        return self.operands_only();
                    }
                }
                Some(_) => self.flag(word),
            }
        }
    }

    /// All words that are left are operands, whatever they look like.
    fn operands_only(&mut self) {
        while let Some(word) = self.next() {
            self.items.push(match word {
                Some(text) => {
                    Item::Operand(Operand { text: text.clone(), subcommand: None, may_be_value: false })
                }
                None => Item::Unknown,
            });
        }
    }

    /// Reads an operand and says whether it ends the flags.
    fn operand(&mut self, text: &str) -> bool {
        if text.starts_with('+')
            && let Some((flag, level)) = self.lookup("+*")
        {
            self.known(flag, None, level);
            return false;
        }
        let command = self.path.last().and_then(|syntax| syntax.command(text));
        let may_be_value = std::mem::take(&mut self.may_be_value);
        let operand =
            Operand { text: text.to_owned(), subcommand: command.map(|(_, name)| name), may_be_value };
        self.items.push(Item::Operand(operand));
        match command {
            Some((command, _)) => {
                self.path.push(command);
                false
            }
            None => !may_be_value && self.path.last().is_some_and(|syntax| syntax.ends_at_operand),
        }
    }

    fn push(&mut self, name: FlagName, value: FlagValue, level: usize) {
        self.items.push(Item::Flag(Flag { name, value, level }));
    }

    /// The flag of this name in the innermost table that may have it, and the level of that table.
    fn lookup(&self, name: &str) -> Option<(KnownFlag, usize)> {
        self.tables().find_map(|(syntax, level)| Some((syntax.flag(name)?, level)))
    }

    /// The tables in which flags may stand now, the innermost first.
    fn tables(&self) -> impl Iterator<Item = (&'static Syntax, usize)> + '_ {
        let last = self.path.len().saturating_sub(1);
        self.path
            .iter()
            .enumerate()
            .rev()
            .filter(move |(level, syntax)| *level == last || syntax.is_global)
            .map(|(level, syntax)| (*syntax, level))
    }

    /// How many subcommands stand before the next word.
    fn level(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// Reads a word that begins with a dash: a name in a table, a long name, or a bundle of letters.
    fn flag(&mut self, word: &str) {
        self.may_be_value = false;
        let spelling = self.path.last().map(|syntax| syntax.spelling);
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
        if is_long {
            return self.long(name, value);
        }
        if spelling.is_none() {
            self.unknown_bundle(name, value);
        } else {
            self.bundle(word);
        }
    }

    /// A flag of a table, with its value where it takes one.
    fn known(&mut self, flag: KnownFlag, attached: Option<&str>, level: usize) {
        let value = match (attached, flag.takes) {
            (Some(value), _) => FlagValue::Given(value.to_owned()),
            (None, Takes::Value) => self.next_value(),
            (None, Takes::Nothing | Takes::Optional) => FlagValue::None,
        };
        self.push(FlagName::Known(flag), value, level);
    }

    /// Takes the next word as a value, whatever it looks like: a program does the same.
    fn next_value(&mut self) -> FlagValue {
        match self.next() {
            Some(Some(value)) => FlagValue::Given(value.clone()),
            Some(None) => FlagValue::Unknown,
            None => FlagValue::None,
        }
    }

    /// A long name that is in no table as it stands: cut short, or unknown.
    fn long(&mut self, name: &str, value: Option<&str>) {
        let found = self.tables().find_map(|(syntax, level)| {
            let mut flags = syntax.flags_from(name);
            let first = flags.next()?;
            let mut take_values = first.takes == Takes::Value;
            let mut is_only = true;
            for other in flags {
                is_only = false;
                take_values &= other.takes == Takes::Value;
            }
            Some((syntax, level, is_only.then_some(first), take_values))
        });
        match found {
            Some((_, level, Some(only), _)) => self.known(only, value, level),
            Some((syntax, level, None, take_values)) => {
                let value = match value {
                    Some(value) => FlagValue::Given(value.to_owned()),
                    None if take_values => self.next_value(),
                    None => FlagValue::None,
                };
                self.push(FlagName::Abbreviated(name.to_owned(), syntax), value, level);
            }
            None => self.unknown(FlagName::Other(name.to_owned()), value),
        }
    }

    /// A flag that no table knows: the next word may be its value.
    fn unknown(&mut self, name: FlagName, value: Option<&str>) {
        let value = match (value, self.rest.first()) {
            (Some(value), _) => FlagValue::Given(value.to_owned()),
            (None, Some(Some(next))) if !next.starts_with('-') || next == "-" => {
                self.may_be_value = true;
                FlagValue::Perhaps(next.clone())
            }
            (None, Some(None)) => FlagValue::Unknown,
            (None, _) => FlagValue::None,
        };
        let level = self.level();
        self.push(name, value, level);
    }
}
