//! The arguments of a call, as the model sent them: unknown ones are ignored, `null` counts as absent,
//! and anything else of the wrong type is named in the error.

use hookrail::JsonObject;
use serde_json::Value;

use super::failure::{INVALID_PARAMS, ToolFailure};
use super::text;

/// Reads arguments by name and type.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(pub(super) &'a JsonObject);

impl<'a> Args<'a> {
    fn given(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A string that must be there.
    pub(super) fn string(self, name: &str) -> Result<&'a str, ToolFailure> {
        self.optional_string(name)?.ok_or_else(|| missing(name, "a string"))
    }

    /// A string that must be there and must not be blank.
    pub(super) fn non_empty(self, name: &str) -> Result<&'a str, ToolFailure> {
        match self.string(name)? {
            text if text.trim().is_empty() => {
                Err(ToolFailure::new(INVALID_PARAMS, format!("argument `{name}` must not be empty")))
            }
            text => Ok(text),
        }
    }

    /// A string, if there is one.
    pub(super) fn optional_string(self, name: &str) -> Result<Option<&'a str>, ToolFailure> {
        self.given(name).map(|value| value.as_str().ok_or_else(|| wrong(name, "a string", value))).transpose()
    }

    /// A whole number that is not negative, if there is one. Models also write `3.0` for 3.
    pub(super) fn optional_count(self, name: &str) -> Result<Option<u64>, ToolFailure> {
        self.given(name)
            .map(|value| count(value).ok_or_else(|| wrong(name, "a whole number of at least 0", value)))
            .transpose()
    }

    /// How long a text is, in bytes, for a title.
    pub(super) fn length(self, name: &str) -> u64 {
        self.given(name).and_then(Value::as_str).map_or(0, str::len) as u64
    }

    /// An argument as it may appear in a title; titles are made before arguments are checked.
    pub(super) fn shown(self, name: &str) -> String {
        match self.given(name) {
            Some(Value::String(given)) => text::one_line(given),
            Some(other) => text::one_line(&other.to_string()),
            None => "?".to_owned(),
        }
    }

    /// Like [`Args::shown`] for the folder a tool looks into; nothing for the project itself.
    pub(super) fn shown_place(self, name: &str) -> String {
        match self.given(name).and_then(Value::as_str) {
            None | Some("" | ".") => String::new(),
            Some(_) => format!(" in {}", self.shown(name)),
        }
    }
}

/// A whole number, also one that is written as a float.
fn count(value: &Value) -> Option<u64> {
    // Above 2⁵³ a float no longer identifies one whole number.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        let float = value.as_f64()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
        (float.fract() == 0.0 && (0.0..=LARGEST).contains(&float)).then_some(float as u64)
    })
}

fn missing(name: &str, expected: &str) -> ToolFailure {
    ToolFailure::new(INVALID_PARAMS, format!("argument `{name}` is missing; expected {expected}"))
}

/// The value's kind is named, but not a long value itself: the message goes back to the model.
fn wrong(name: &str, expected: &str, found: &Value) -> ToolFailure {
    let found = match found {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    ToolFailure::new(INVALID_PARAMS, format!("argument `{name}` must be {expected}, not {found}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wrong_arguments_are_named_with_the_expected_type() {
        for (value, string, count) in [
            (json!("x"), "x", "argument `a` must be a whole number of at least 0, not a string"),
            (json!(3), "argument `a` must be a string, not the number 3", "3"),
            (json!(3.0), "argument `a` must be a string, not the number 3.0", "3"),
            (
                json!(2.5),
                "argument `a` must be a string, not the number 2.5",
                "argument `a` must be a whole number of at least 0, not the number 2.5",
            ),
            (
                json!(-1),
                "argument `a` must be a string, not the number -1",
                "argument `a` must be a whole number of at least 0, not the number -1",
            ),
            (
                json!([1]),
                "argument `a` must be a string, not an array",
                "argument `a` must be a whole number of at least 0, not an array",
            ),
            (json!(null), "argument `a` is missing; expected a string", "none"),
        ] {
            let mut args = JsonObject::new();
            args.insert("a".to_owned(), value.clone());
            let args = Args(&args);
            let found = args.string("a").map_or_else(|failure| failure.message, ToOwned::to_owned);
            assert_eq!(found, string, "{value} as a string");
            let found = match args.optional_count("a") {
                Ok(Some(number)) => number.to_string(),
                Ok(None) => "none".to_owned(),
                Err(failure) => failure.message,
            };
            assert_eq!(found, count, "{value} as a count");
        }
    }
}
