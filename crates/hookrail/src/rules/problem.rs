//! What is wrong with a rule, with its place in the settings text.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use crate::diagnostic::{DiagnosticCode, Severity};
use crate::spelling::{nearest, shortened};

/// One finding about a rule or a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleProblem {
    /// An error keeps what it is about from being read, or is about an example; a warning is probably not meant.
    pub severity: Severity,
    /// What it is about.
    pub code: DiagnosticCode,
    /// The bytes of the settings text that it is about.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub help: String,
}

/// Everything that was found while a rule was read, instead of the first problem only.
#[derive(Debug, Default)]
pub(crate) struct RuleFindings(pub(crate) Vec<RuleProblem>);

impl RuleFindings {
    /// What keeps the value or name at `at` from being read.
    pub(super) fn error(&mut self, code: DiagnosticCode, at: &impl Ranged, message: &str, help: &str) {
        self.add(Severity::Error, code, at, message, help);
    }

    /// The same, where nothing takes the place of what was to be read.
    pub(super) fn refuse<T>(
        &mut self,
        code: DiagnosticCode,
        at: &impl Ranged,
        message: &str,
        help: &str,
    ) -> Option<T> {
        self.error(code, at, message, help);
        None
    }

    /// What is probably not meant; it counts all the same.
    pub(super) fn warn(&mut self, code: DiagnosticCode, at: &impl Ranged, message: &str, help: &str) {
        self.add(Severity::Warning, code, at, message, help);
    }

    fn add(&mut self, severity: Severity, code: DiagnosticCode, at: &impl Ranged, message: &str, help: &str) {
        let (message, help, range) = (message.to_owned(), help.to_owned(), at.start()..at.end());
        self.0.push(RuleProblem { severity, code, range, message, help });
    }

    /// A value of another type than the one that can hold.
    pub(super) fn wrong_type<T>(&mut self, what: &str, expected: &str, value: &Value<'_>) -> Option<T> {
        let message = format!("{what} must be {expected}, not {}", kind_of(value));
        let help = format!("write {expected}; nothing is converted");
        self.refuse(DiagnosticCode::WrongType, value, &message, &help)
    }

    /// Keys that are given more than once. Both look as if they counted, and JSON drops the first.
    pub(super) fn repeated_keys(&mut self, object: &Object<'_>, help: impl Fn(&str) -> String) {
        for (index, prop) in object.properties.iter().enumerate() {
            let name = prop.name.as_str();
            if object.properties.iter().take(index).any(|other| other.name.as_str() == name) {
                let message = format!("`{}` is given more than once", shortened(name));
                self.error(DiagnosticCode::RepeatedKey, &prop.name, &message, &help(name));
            }
        }
    }

    /// Whether something could not be read.
    pub(super) fn has_errors(&self) -> bool {
        self.0.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// The known word that was probably meant, else all of them.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of: {}", known.join(", ")),
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
