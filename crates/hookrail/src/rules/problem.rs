//! What is wrong with a rule, with its place in the settings text.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

/// Words longer than this are neither compared with known ones nor shown in full.
const LONGEST_WORD: usize = 64;

/// One finding about a rule or a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A stable code in kebab case, such as `unknown-fact`.
    pub code: &'static str,
    /// The bytes of the settings text that it is about.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Problem {
    /// A finding about the value or name at `at`.
    pub(super) fn new(code: &'static str, at: &impl Ranged, message: impl Into<String>) -> Self {
        Self { code, range: at.start()..at.end(), message: message.into(), help: None }
    }

    /// The same finding with advice.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with the known word that was probably meant, else with all of them.
    #[must_use]
    pub(super) fn suggest(self, word: &str, known: &[&str]) -> Self {
        match nearest(word, known) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help(format!("known are: {}", known.join(", "))),
        }
    }

    /// A value of another type than the one that can hold.
    pub(super) fn wrong_type(what: &str, expected: &str, value: &Value<'_>) -> Self {
        Self::new("wrong-type", value, format!("{what} must be {expected}, not {}", kind_of(value)))
            .help(format!("write {expected}; nothing is converted"))
    }
}

/// A value's type in words.
fn kind_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "`null`",
    }
}

/// The known word that `word` was probably meant to be: near in spelling, or the same but for its case.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let word = word.to_lowercase();
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&word, &known.to_lowercase()), *known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| *distance <= (known.len() / 3).max(1))
        .map(|(_, known)| known)
}

/// A word for a message, cut to a length that a message can bear.
pub(super) fn shortened(word: &str) -> String {
    match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_long_ones_are_not_compared() {
        let known = ["equals", "startsWith", "in"];
        for (word, expected) in [
            ("equal", Some("equals")),
            ("startswith", Some("startsWith")),
            ("im", Some("in")),
            ("matches", None),
        ] {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
        assert_eq!(nearest(&"equals".repeat(1_000_000), &known), None);
        assert_eq!(shortened(&"é".repeat(1000)).chars().count(), LONGEST_WORD + 1);
    }
}
