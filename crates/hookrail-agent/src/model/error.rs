//! What can go wrong with a model call, worded so that the message names the next step.
//!
//! No variant can hold the API key: texts that come from a server pass through
//! [`ApiKey::scrub`](super::ApiKey::scrub) first, and addresses are shown as scheme, host and port only.

use std::path::PathBuf;
use std::time::Duration;

use hookrail::genai::GenerateContentResponse;

use super::replay::ReplayError;

/// Why a model call gave no complete response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No API key was given.
    #[error(
        "no API key: set `GEMINI_API_KEY` (keys are made at https://aistudio.google.com/apikey), or play a \
         recorded run with `--replay FILE`"
    )]
    MissingKey,
    /// The API key has characters that no key has.
    #[error("the API key contains characters that cannot be sent: check `GEMINI_API_KEY`")]
    UnusableKey,
    /// The server does not accept the API key.
    #[error("the server refused the API key (HTTP {status}): {message}; check `GEMINI_API_KEY`")]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// The server's message.
        message: String,
    },
    /// The base URL cannot be used.
    #[error("the base URL is not usable: {why}; check `--base-url` or `GOOGLE_GEMINI_BASE_URL`")]
    BadBaseUrl {
        /// What is wrong with it.
        why: String,
    },
    /// The request names no model, or something that is not a name.
    #[error("`{model}` is not the name of a model; name one with `--model`")]
    BadModelName {
        /// The name as given.
        model: String,
    },
    /// The server does not have the model.
    #[error("the server does not have the model `{model}`: {message}; name another one with `--model`")]
    ModelNotFound {
        /// The name as given.
        model: String,
        /// The server's message.
        message: String,
    },
    /// The server refused the request for another reason.
    #[error("the server refused the request (HTTP {status}{}): {message}", behind(" ", .code.as_ref(), ""))]
    Refused {
        /// The HTTP status, or the code of an error that came inside the stream.
        status: u16,
        /// The API's own code, such as `INVALID_ARGUMENT`.
        code: Option<String>,
        /// The server's message.
        message: String,
    },
    /// Too many requests, or the quota is used up.
    #[error("the quota is used up{}: {message}; wait, or use another key or model", tried(*.attempts))]
    QuotaExceeded {
        /// The server's message.
        message: String,
        /// How often the call was tried.
        attempts: u32,
        /// The wait that the server asked for.
        retry_after: Option<Duration>,
    },
    /// The server failed; the request may be fine.
    #[error("the server failed with HTTP {status}{}: {message}; try again later", tried(*.attempts))]
    ServerFailed {
        /// The HTTP status, or the code of an error that came inside the stream.
        status: u16,
        /// The server's message.
        message: String,
        /// How often the call was tried.
        attempts: u32,
        /// The wait that the server asked for.
        retry_after: Option<Duration>,
    },
    /// No connection could be made.
    #[error("cannot reach `{server}`{}; check the network and the base URL", tried(*.attempts))]
    Unreachable {
        /// Scheme, host and port.
        server: String,
        /// How often the call was tried.
        attempts: u32,
        /// The network's message.
        #[source]
        source: reqwest::Error,
    },
    /// The HTTP client could not be set up.
    #[error("cannot set up HTTPS; check that the system has root certificates")]
    Setup(#[source] reqwest::Error),
    /// The server sends the client elsewhere. The key is not taken along.
    #[error(
        "`{server}` redirects to `{target}`, which is not followed; if that is right, use it as base URL"
    )]
    Redirected {
        /// Scheme, host and port that were asked.
        server: String,
        /// Scheme, host and port that were named.
        target: String,
    },
    /// Nothing came for too long.
    #[error("the server sent nothing for {} s; try again", .idle.as_secs_f64())]
    IdleTimeout {
        /// How long was waited.
        idle: Duration,
    },
    /// The connection ended before the response did.
    #[error("the response was cut off{}; try again", tried(*.attempts))]
    CutOff {
        /// How often the call was tried.
        attempts: u32,
        /// The network's message, unless it reported a proper end.
        #[source]
        source: Option<reqwest::Error>,
    },
    /// One event of the stream is too large to be held.
    #[error("the server sent an event of more than {limit} bytes; the response was given up")]
    EventTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// What the server sent is not what a model sends.
    #[error("the server sent {what}; check that the base URL is that of a Gemini API")]
    Malformed {
        /// What came instead.
        what: String,
    },
    /// The response ended properly, without anything in it.
    #[error("the model's response is empty{}; try again or use another model", behind(" (the server sent `", .content_type.as_ref(), "`, not an event stream)"))]
    EmptyResponse {
        /// The response's content type, where it is not that of an event stream.
        content_type: Option<String>,
    },
    /// The provider's filter refused the prompt.
    #[error("the prompt was blocked by the model's provider ({reason}{}); change the prompt", behind(": ", .message.as_ref(), ""))]
    PromptBlocked {
        /// The provider's code for the reason, such as `SAFETY`.
        reason: String,
        /// The provider's message.
        message: Option<String>,
        /// The response with the refusal.
        response: Box<GenerateContentResponse>,
    },
    /// The replay file has no answer.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The call succeeded and could not be recorded.
    #[error("cannot write to the recording `{}`", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The system's message.
        #[source]
        source: std::io::Error,
    },
}

impl ModelError {
    /// Whether the same request may succeed a little later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::QuotaExceeded { .. } | Self::Unreachable { .. } | Self::CutOff { .. } => true,
            Self::ServerFailed { status, .. } => matches!(status, 500 | 502..=504),
            _ => false,
        }
    }

    /// The wait that the server asked for.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::QuotaExceeded { retry_after, .. } | Self::ServerFailed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Adds how often the call was tried, in variants that have a field for it.
    #[must_use]
    pub(crate) fn after_attempts(mut self, count: u32) -> Self {
        match &mut self {
            Self::QuotaExceeded { attempts, .. }
            | Self::ServerFailed { attempts, .. }
            | Self::Unreachable { attempts, .. }
            | Self::CutOff { attempts, .. } => *attempts = count,
            _ => {}
        }
        self
    }
}

/// ` (tried 5 times)`, or nothing after a single attempt.
fn tried(attempts: u32) -> String {
    if attempts > 1 { format!(" (tried {attempts} times)") } else { String::new() }
}

/// A text behind another one, if there is one.
fn behind(before: &str, text: Option<&String>, after: &str) -> String {
    text.map_or_else(String::new, |text| format!("{before}{text}{after}"))
}
