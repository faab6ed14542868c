//! Why a payload cannot be used.

use std::borrow::Cow;

use crate::formats::field::TranslationError;

/// A payload whose shape is wrong: which field, what was expected there, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected {expected}, found {found}", field_in_words(.field))]
#[non_exhaustive]
pub struct ValidationError {
    /// The field's path, such as `tool_input`; empty for the payload as a whole.
    pub field: String,
    /// What belongs there.
    pub expected: Cow<'static, str>,
    /// What stands there.
    pub found: String,
}

fn field_in_words(field: &str) -> Cow<'static, str> {
    if field.is_empty() { Cow::Borrowed("input") } else { Cow::Owned(format!("`{field}`")) }
}

impl From<TranslationError> for ValidationError {
    fn from(TranslationError { field, expected, found }: TranslationError) -> Self {
        Self { field, expected, found }
    }
}

/// Why a payload cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Its shape is wrong.
    #[error(transparent)]
    Validation(#[from] ValidationError),
    /// A model payload in the SDK's form cannot be translated.
    #[error(transparent)]
    Translation(#[from] TranslationError),
}

impl InputError {
    /// The stable code that bus responses carry.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Validation(_) => "validation_failure",
            Self::Translation(_) => "translation_failure",
        }
    }

    /// The path of the field that is wrong.
    pub fn field(&self) -> &str {
        match self {
            Self::Validation(error) => &error.field,
            Self::Translation(error) => &error.field,
        }
    }
}
