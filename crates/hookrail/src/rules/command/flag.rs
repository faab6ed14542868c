//! One flag of a pattern, and which flags of a command are the same.

use hookrail_shell::{CommandWords, Flag, FlagName, FlagValue, Item, KnownFlag, Takes};

use super::word_glob;
use crate::rules::glob::Glob;
use crate::rules::truth::Truth;

/// Values with which a flag is as if it were not given.
const NO: [&str; 6] = ["false", "f", "none", "no", "off", "0"];

/// A flag that a command must have.
#[derive(Debug, Clone)]
pub(super) struct FlagPattern {
    /// One of its names, with dashes.
    name: String,
    /// What its name must match, if that is a glob.
    glob: Option<Glob>,
    /// What its value must be; `None` if any or none will do.
    value: Option<Glob>,
    /// How many subcommands stand before it in the pattern. A flag of `git` itself is not one of `git commit`.
    level: usize,
}

impl FlagPattern {
    /// A flag of a pattern, under the first of its names if a table knows it.
    pub(super) fn new(flag: &Flag, value: Option<Glob>) -> Result<Self, String> {
        let name = match &flag.name {
            FlagName::Known(known) => known.names.split('|').next().unwrap_or_default().to_owned(),
            FlagName::Abbreviated(name, _) | FlagName::Other(name) => name.clone(),
            FlagName::Letter(letter) => format!("-{letter}"),
        };
        let is_glob = name.starts_with("--") && name.contains(['*', '?', '[', '{']);
        let glob = if is_glob { Some(word_glob(&name)?) } else { None };
        Ok(Self { name, glob, value, level: flag.level })
    }

    /// Texts of which its value must contain one; `None` if that cannot be told.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(super) fn required_texts(&self) -> Option<Vec<String>> {
        self.value.as_ref()?.plain_parts()
    }

    /// Whether the command has the flag.
    pub(super) fn matches(&self, words: &CommandWords) -> Truth {
        let given = words.items.iter().map(|item| match item {
            Item::Flag(flag) if flag.level >= self.level => {
                self.is_named(flag, words.is_known()).and(self.has_value(flag))
            }
            Item::Unknown(word) if word.may_be_flag => Truth::Unknown,
            Item::Flag(_) | Item::Operand(_) | Item::Unknown(_) => Truth::No,
        });
        let given = Truth::any(given);
        if given == Truth::Yes || words.is_known() {
            return given;
        }
        given.or(self.is_bundled(&words.items))
    }

    /// Whether the command may take the flag back: negated, or with a value that means no, or another one than is asked for.
    pub(super) fn is_taken_back(&self, words: &CommandWords) -> bool {
        let flags = || {
            words.items.iter().filter_map(|item| match item {
                Item::Flag(flag) => Some((flag, self.is_named(flag, words.is_known()) == Truth::Yes)),
                Item::Operand(_) | Item::Unknown(_) => None,
            })
        };
        let known = flags().filter(|(_, is_it)| *is_it).filter_map(|(flag, _)| match &flag.name {
            FlagName::Known(known) => Some(known.names),
            _ => None,
        });
        let names = known.flat_map(|names| names.split('|')).chain([self.name.as_str()]);
        let negations: Vec<String> =
            names.filter_map(|name| name.strip_prefix("--")).map(|name| format!("--no-{name}")).collect();
        let is_negation = |flag: &Flag| match &flag.name {
            FlagName::Other(given) if given.len() > 6 => negations.iter().any(|name| name.starts_with(given)),
            FlagName::Known(known) => negations.iter().any(|name| known.is_named(name)),
            _ => false,
        };
        let has_other_value = |flag: &Flag| match (&flag.value, &self.value) {
            (FlagValue::Given(value), Some(glob)) => !glob.is_match(value, false),
            (FlagValue::Given(value), None) => {
                NO.contains(&value.trim_start_matches('=').to_ascii_lowercase().as_str())
            }
            (FlagValue::Unknown, _) => {
                !matches!(flag.name, FlagName::Known(KnownFlag { takes: Takes::Value, .. }))
            }
            (FlagValue::None, value) => value.is_some(),
            (FlagValue::Perhaps(_), _) => false,
        };
        flags().any(|(flag, is_it)| is_negation(flag) || (is_it && has_other_value(flag)))
    }

    /// Whether a flag of a command is this one.
    fn is_named(&self, flag: &Flag, is_known: bool) -> Truth {
        if let Some(glob) = &self.glob {
            let is_one = |names: &str| names.split('|').any(|name| glob.is_match(name, false));
            return match &flag.name {
                FlagName::Known(known) => is_one(known.names),
                FlagName::Abbreviated(prefix, entry) => {
                    entry.flags_from(prefix).any(|known| is_one(known.names))
                }
                FlagName::Other(name) => is_one(name),
                FlagName::Letter(_) => false,
            }
            .into();
        }
        let is_long = self.name.starts_with("--");
        match &flag.name {
            FlagName::Known(known) => known.is_named(&self.name).into(),
            // A name that stands for several flags is refused by the program. The tables may be behind it, though,
            // so it counts as each of them.
            FlagName::Abbreviated(prefix, syntax) => {
                let is_one = syntax.flags_from(prefix).any(|known| known.is_named(&self.name));
                (is_one || (is_long && self.name.starts_with(prefix))).into()
            }
            FlagName::Letter(letter) => {
                let mut name = self.name.chars();
                (name.next() == Some('-') && name.next() == Some(*letter) && name.next().is_none()).into()
            }
            FlagName::Other(name) if *name == self.name => Truth::Yes,
            // Some programs let long names be cut short, and it is not known whether this one does.
            FlagName::Other(prefix) if !is_known && is_long && prefix.len() > 2 => {
                if self.name.starts_with(prefix) { Truth::Unknown } else { Truth::No }
            }
            FlagName::Other(_) => Truth::No,
        }
    }

    /// A value that may also be the next operand counts: a rule must not be evaded by a flag that no table knows.
    fn has_value(&self, flag: &Flag) -> Truth {
        let Some(glob) = &self.value else { return Truth::Yes };
        match &flag.value {
            FlagValue::Given(value) | FlagValue::Perhaps(value) => glob.is_match(value, false).into(),
            FlagValue::Unknown => Truth::Unknown,
            FlagValue::None => Truth::No,
        }
    }

    /// Whether each letter of `-rf` is given somewhere, for programs without a table.
    fn is_bundled(&self, items: &[Item]) -> Truth {
        let letters = self.name.strip_prefix('-').unwrap_or_default();
        if self.value.is_some()
            || letters.len() < 2
            || !letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return Truth::No;
        }
        let is_given = |letter: char| {
            items.iter().any(|item| match item {
                Item::Flag(Flag { name: FlagName::Letter(given), .. }) => *given == letter,
                Item::Flag(Flag { name: FlagName::Other(name), .. }) => {
                    name.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter]))
                }
                _ => false,
            })
        };
        letters.chars().all(is_given).into()
    }
}
