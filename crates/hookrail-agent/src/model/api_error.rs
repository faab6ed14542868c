//! Errors as Google's APIs report them, in an HTTP body or inside a stream. Pure.

use std::time::Duration;

use serde_json::Value;

use super::error::ModelError;
use super::retry::parse_retry_info;

/// How much of a server's text a message shows.
const LONGEST_MESSAGE: usize = 600;

/// An error object, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    /// The API's own word, such as `INVALID_ARGUMENT`.
    pub(crate) code: Option<String>,
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

    /// Whether the same call may succeed a little later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.status, 429 | 500 | 502 | 503 | 504)
    }

    /// What the caller is told.
    pub(crate) fn into_model_error(self, model: &str) -> ModelError {
        let Self { status, code, message, key_invalid, .. } = self;
        match status {
            400 if key_invalid => ModelError::KeyRefused { status, message },
            401 | 403 => ModelError::KeyRefused { status, message },
            404 => ModelError::ModelNotFound { model: model.to_owned(), message },
            429 => ModelError::QuotaExceeded { message, attempts: 1 },
            500.. => ModelError::ServerFailed { status, message, attempts: 1 },
            _ => ModelError::Refused { status, code, message },
        }
    }
}

/// The HTTP status that belongs to one of Google's words, for errors that come without a number.
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

/// One line of bounded length that no terminal takes for a command.
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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_of_all_kinds_become_clear_errors() {
        let google = |code: u16, status: &str, message: &str| {
            json!({ "error": { "code": code, "status": status, "message": message } }).to_string()
        };
        let bad_key = json!({ "error": { "code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT",
            "details": [{ "reason": "API_KEY_INVALID" }] } });
        for (status, body, passing, expected) in [
            (
                400,
                bad_key.to_string(),
                false,
                "the server refused the API key (HTTP 400): Bad.; check `GEMINI_API_KEY`",
            ),
            (
                400,
                google(400, "INVALID_ARGUMENT", "No\n such\tfield"),
                false,
                "the server refused the request (HTTP 400 INVALID_ARGUMENT): No such field",
            ),
            (
                401,
                String::new(),
                false,
                "the server refused the API key (HTTP 401): the server gave no reason; check `GEMINI_API_KEY`",
            ),
            (
                403,
                google(403, "PERMISSION_DENIED", "No."),
                false,
                "the server refused the API key (HTTP 403): No.; check `GEMINI_API_KEY`",
            ),
            (
                404,
                google(404, "NOT_FOUND", "No."),
                false,
                "the server does not know the model `m`: No.; name another one with `--model`",
            ),
            (
                429,
                format!("[{}]", google(429, "RESOURCE_EXHAUSTED", "Slow down.")),
                true,
                "the quota is used up: Slow down.; wait, or use another key or model",
            ),
            (
                500,
                "<h1>\u{1b}[31mOops</h1>".to_owned(),
                true,
                "the server failed with HTTP 500: <h1> [31mOops</h1>; try again later",
            ),
            (
                501,
                "{\"error\":\"no\"}".to_owned(),
                false,
                "the server failed with HTTP 501: no; try again later",
            ),
            (503, "[]".to_owned(), true, "the server failed with HTTP 503: []; try again later"),
            (418, "{\"error\":{}}".to_owned(), false, "the server refused the request (HTTP 418): {}"),
        ] {
            let error = ApiError::from_body(status, body.as_bytes(), &str::to_owned);
            assert_eq!(error.is_passing(), passing, "{body}");
            assert_eq!(error.into_model_error("m").to_string(), expected);
        }
    }

    #[test]
    fn long_texts_are_cut_after_secrets_were_scrubbed() {
        let scrub = |text: &str| text.replace("s3cret", "*");
        let text = format!("{}s3cret{}", "ä".repeat(LONGEST_MESSAGE - 3), "ö".repeat(100));
        for body in [text.clone(), json!({ "error": { "message": text } }).to_string()] {
            let error = ApiError::from_body(400, body.as_bytes(), &scrub);
            assert_eq!(error.message, format!("{}*öö…", "ä".repeat(LONGEST_MESSAGE - 3)));
        }
    }
}
