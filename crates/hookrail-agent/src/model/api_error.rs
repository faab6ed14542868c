//! Errors as Google's APIs report them, in an HTTP body or inside a stream. Pure.

use std::time::Duration;

use serde_json::Value;

use super::error::ModelError;
use super::retry::parse_retry_info;

/// How much of a server's text a message shows.
const LONGEST_MESSAGE: usize = 600;

/// An error as the API reports it, reduced to what decides about messages and retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    /// The HTTP status that the error has, or would have outside of a stream.
    pub(crate) status: u16,
    /// The API's own code, such as `INVALID_ARGUMENT`.
    pub(crate) code: Option<String>,
    /// The server's message, on one line and without secrets.
    pub(crate) message: String,
    /// The wait that the API asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Whether the API names the key as the reason.
    pub(crate) key_invalid: bool,
}

impl ApiError {
    /// Reads the body of a response that has an error status, whatever it is.
    ///
    /// `scrub` takes secrets out of the server's texts. It comes before a text is cut, because half of a
    /// secret would no longer be found.
    pub(crate) fn from_body(status: u16, body: &[u8], scrub: &dyn Fn(&str) -> String) -> Self {
        let parsed: Option<Value> = serde_json::from_slice(body).ok();
        // Without `alt=sse`, and through some gateways, errors come as a list of one.
        let object = parsed.as_ref().map(|value| value.get(0).unwrap_or(value));
        if let Some(error) = object.and_then(|object| object.get("error")) {
            return Self { status, ..Self::from_value(error, scrub) };
        }
        let text = tidy(&scrub(&String::from_utf8_lossy(body)));
        let message = if text.is_empty() { "the server gave no reason".to_owned() } else { text };
        Self { status, code: None, message, retry_after: None, key_invalid: false }
    }

    /// Reads the value of an `error` field.
    pub(crate) fn from_value(error: &Value, scrub: &dyn Fn(&str) -> String) -> Self {
        let tidy = |text: &str| tidy(&scrub(text));
        let text = |field: &str| error.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let code = text("status").map(tidy);
        let message = text("message").or(error.as_str()).map_or_else(|| tidy(&error.to_string()), tidy);
        let number = error.get("code").and_then(Value::as_u64).and_then(|number| u16::try_from(number).ok());
        let reasons = error.get("details").and_then(Value::as_array).into_iter().flatten();
        let key_invalid =
            reasons.filter_map(|detail| detail.get("reason")).any(|reason| reason == "API_KEY_INVALID")
                || message.contains("API key not valid");
        Self {
            status: number.unwrap_or_else(|| status_of(code.as_deref())),
            code,
            message,
            retry_after: parse_retry_info(error),
            key_invalid,
        }
    }

    /// The error for the caller, with the model's name where the model is the reason.
    pub(crate) fn into_model_error(self, model: &str) -> ModelError {
        let Self { status, code, message, retry_after, key_invalid } = self;
        match status {
            400 if key_invalid => ModelError::KeyRefused { status, message },
            401 | 403 => ModelError::KeyRefused { status, message },
            404 => ModelError::ModelNotFound { model: model.to_owned(), message },
            429 => ModelError::QuotaExceeded { message, attempts: 1, retry_after },
            500.. => ModelError::ServerFailed { status, message, attempts: 1, retry_after },
            _ => ModelError::Refused { status, code, message },
        }
    }
}

/// The HTTP status that belongs to one of Google's codes, for errors that come without a number.
fn status_of(code: Option<&str>) -> u16 {
    match code {
        Some("INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE") => 400,
        Some("UNAUTHENTICATED") => 401,
        Some("PERMISSION_DENIED") => 403,
        Some("NOT_FOUND") => 404,
        Some("RESOURCE_EXHAUSTED") => 429,
        Some("UNAVAILABLE") => 503,
        Some("DEADLINE_EXCEEDED") => 504,
        _ => 500,
    }
}

/// One line of bounded length, without characters that a terminal acts on.
pub(crate) fn tidy(text: &str) -> String {
    let line = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let mut line = line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST_MESSAGE) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
