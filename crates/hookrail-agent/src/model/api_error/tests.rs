use serde_json::json;

use super::*;

#[test]
fn bodies_of_all_kinds_become_clear_errors() {
    let google = |code: u16, status: &str, message: &str| {
        json!({ "error": { "code": code, "status": status, "message": message } }).to_string()
    };
    let bad_key = json!({ "error": { "code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT",
            "details": [{ "reason": "API_KEY_INVALID" }] } });
    for (status, body, transient, expected) in [
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
            "the server does not have the model `m`: No.; name another one with `--model`",
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
        (501, "{\"error\":\"no\"}".to_owned(), false, "the server failed with HTTP 501: no; try again later"),
        (503, "[]".to_owned(), true, "the server failed with HTTP 503: []; try again later"),
        (418, "{\"error\":{}}".to_owned(), false, "the server refused the request (HTTP 418): {}"),
    ] {
        let error = ApiError::from_body(status, body.as_bytes(), &str::to_owned).into_model_error("m");
        assert_eq!(error.is_transient(), transient, "{body}");
        assert_eq!(error.to_string(), expected);
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
