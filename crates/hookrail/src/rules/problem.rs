//! What is wrong with a rule, with its place in the settings text.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::diagnostic::DiagnosticCode;
use crate::spelling::nearest;

/// One finding about a rule or a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleProblem {
    /// What it is about.
    pub code: DiagnosticCode,
    /// The bytes of the settings text that it is about.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl RuleProblem {
    /// A finding about the value or name at `at`.
    pub(super) fn new(code: DiagnosticCode, at: &impl Ranged, message: impl Into<String>) -> Self {
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
            None => self.help(format!("use one of: {}", known.join(", "))),
        }
    }

    /// A value of another type than the one that can hold.
    pub(super) fn wrong_type(what: &str, expected: &str, value: &Value<'_>) -> Self {
        Self::new(
            DiagnosticCode::WrongType,
            value,
            format!("{what} must be {expected}, not {}", kind_of(value)),
        )
        .help(format!("write {expected}; nothing is converted"))
    }
}

/// A value's type in words.
pub(crate) fn kind_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(boolean) if boolean.value => "`true`",
        Value::BooleanLit(_) => "`false`",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "`null`",
    }
}
