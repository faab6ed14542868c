//! Options, their values and operands of a program that names files.

use super::{KnownProgram, Operands};
use crate::field::Field;

/// The arguments of a program, divided into options with their values and operands.
pub(super) struct ProgramArguments<'a> {
    /// Names (one letter, or the long name) and values.
    pub(super) options: Vec<(String, Option<Field>)>,
    /// What is neither an option nor the value of one.
    pub(super) operands: Vec<&'a Field>,
}

impl<'a> ProgramArguments<'a> {
    /// Separates options, their values and operands. Options may stand anywhere before `--`.
    pub(super) fn of(args: &'a [Field], program: &KnownProgram) -> Self {
        let mut words = Self { options: Vec::new(), operands: Vec::new() };
        let mut rest = args.iter();
        let mut is_ended = false;
        while let Some(arg) = rest.next() {
            let option = arg.as_str().filter(|text| !is_ended && text.len() > 1 && text.starts_with('-'));
            match option {
                None => words.operands.push(arg),
                Some("--") => is_ended = true,
                Some(text) => match text.strip_prefix("--") {
                    Some(long) => {
                        let (name, value) = match long.split_once('=') {
                            Some((name, value)) => {
                                (name, Some(Field { tilde: false, ..Field::known(value) }))
                            }
                            None => (long, None),
                        };
                        let full = program.long_values.iter().find(|known| known.starts_with(name));
                        let value = value.or_else(|| full.and_then(|_| rest.next().cloned()));
                        words.options.push((full.map_or(name, |full| full).to_owned(), value));
                    }
                    None => words.short(text.get(1..).unwrap_or_default(), program, &mut rest),
                },
            }
        }
        words
    }

    /// Reads a bundle of short options; a letter with a value ends it.
    fn short(&mut self, bundle: &str, program: &KnownProgram, rest: &mut std::slice::Iter<'_, Field>) {
        let mut letters = bundle.chars();
        while let Some(letter) = letters.next() {
            if program.values.contains(letter) {
                let attached = letters.as_str();
                let value =
                    if attached.is_empty() { rest.next().cloned() } else { Some(Field::known(attached)) };
                self.options.push((letter.to_string(), value));
                return;
            }
            self.options.push((letter.to_string(), None));
            if letter == 'i' && program.operands == Operands::WriteAfterFirst {
                // `sed -i.bak`: what is attached is a suffix.
                return;
            }
        }
    }

    /// Whether one of the options `names` was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The value of the first option that is one of `names`.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Field> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .find_map(|(_, value)| value.as_ref())
    }
}
