//! Rules that cannot be used.

use std::fmt;

use crate::diagnostic::{DiagnosticCode, Place};

/// Why a rule cannot be used. `hookrail check` reports the same with the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadableRule {
    /// Its settings have a mistake.
    Malformed {
        /// Where the rule begins, if it stands in a file.
        place: Option<Place>,
        /// What its first mistake is about.
        code: DiagnosticCode,
        /// What is wrong there.
        message: String,
    },
    /// Settings turn on a shipped rule that does not exist.
    UnknownName {
        /// The name, of which a long one is cut.
        name: String,
        /// Where it stands, if that is in a file.
        place: Option<Place>,
    },
}

impl fmt::Display for UnreadableRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { place: Some(place), message, .. } => {
                write!(f, "the rule at {place} cannot be read: {message}")
            }
            Self::Malformed { place: None, message, .. } => write!(f, "a rule cannot be read: {message}"),
            Self::UnknownName { name, place } => {
                write!(f, "there is no shipped rule `{name}`")?;
                place.as_ref().map_or(Ok(()), |place| write!(f, " (named at {place})"))
            }
        }
    }
}
