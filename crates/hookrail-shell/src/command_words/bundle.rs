//! Several flags in one word: `-rf`, `-XPOST`, `tar xzf`.

use super::{FlagName, FlagValue, Word, WordReader};
use crate::book::{Spelling, Takes};

impl<W: Word> WordReader<'_, W> {
    /// The value in the same word as a short flag. Programs that require long names in full, most of them
    /// written in Go or Rust, leave out an equals sign before it; GNU's way makes it part of the value.
    pub(super) fn attached<'t>(&self, rest: &'t str) -> Option<&'t str> {
        let in_full = self.spelling == Some(Spelling::InFull);
        let rest = if in_full { rest.strip_prefix('=').unwrap_or(rest) } else { rest };
        (!rest.is_empty()).then_some(rest)
    }

    /// Letters behind one dash, in a program that has a table.
    pub(super) fn bundle(&mut self, word: &str) {
        if word.bytes().skip(1).all(|byte| byte.is_ascii_digit()) {
            // `head -20`
            let level = self.level();
            return self.push(FlagName::Other(word.to_owned()), FlagValue::None, level);
        }
        for (at, letter) in word.char_indices().skip(1) {
            let after = word.get(at + letter.len_utf8()..).unwrap_or_default();
            let attached = self.attached(after);
            match self.lookup(&format!("-{letter}")) {
                Some((flag, level)) if flag.takes == Takes::Nothing => self.known(flag, None, level),
                Some((flag, level)) => return self.known(flag, attached, level),
                None if attached.is_none() => self.unknown(FlagName::Letter(letter), None),
                None => {
                    let level = self.level();
                    self.push(FlagName::Letter(letter), FlagValue::None, level);
                }
            }
        }
    }

    /// A word behind one dash, of a program without a table: one name, or a bundle of letters.
    pub(super) fn unknown_bundle(&mut self, name: &str, value: Option<&str>) {
        let letters = name.get(1..).unwrap_or_default();
        if name.chars().count() > 2 && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            for letter in letters.chars() {
                self.push(FlagName::Letter(letter), FlagValue::None, 0);
            }
        }
        self.unknown(FlagName::Other(name.to_owned()), value);
    }

    /// The bundle of `tar xzf FILE`: each letter that takes a value takes the next word.
    pub(super) fn dashless(&mut self, bundle: &str) {
        for letter in bundle.chars() {
            match self.lookup(&format!("-{letter}")) {
                Some((flag, level)) => self.known(flag, None, level),
                None => self.push(FlagName::Letter(letter), FlagValue::None, 0),
            }
        }
    }
}
