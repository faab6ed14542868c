//! How Gemini is reached: key, address, time limits.

use std::time::Duration;

use super::super::key::ApiKey;
use super::super::retry::RetryPolicy;
use super::super::sse::DEFAULT_MAX_EVENT_BYTES;

/// Where Gemini's API is, unless another address is given.
pub const DEFAULT_BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// How to reach Gemini.
#[derive(Debug, Clone)]
pub struct GeminiOptions {
    /// The key. Without one every call fails with [`ModelError::MissingKey`](crate::model::ModelError::MissingKey).
    pub api_key: Option<ApiKey>,
    /// What comes before `/v1beta/models/…`.
    pub base_url: String,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long the first byte may take. A model may work for a while before it sends anything.
    pub first_byte_timeout: Duration,
    /// How long the stream may pause between two pieces.
    pub idle_timeout: Duration,
    /// The largest event that is accepted, in bytes.
    pub max_event_bytes: usize,
    /// When a call is tried again.
    pub retry: RetryPolicy,
}

impl Default for GeminiOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: DEFAULT_BASE_URL.to_owned(),
            connect_timeout: Duration::from_secs(15),
            first_byte_timeout: Duration::from_mins(3),
            idle_timeout: Duration::from_mins(1),
            max_event_bytes: DEFAULT_MAX_EVENT_BYTES,
            retry: RetryPolicy::default(),
        }
    }
}

impl GeminiOptions {
    /// Takes the key from `GEMINI_API_KEY`, and the base URL from `base_url`, else from
    /// `GOOGLE_GEMINI_BASE_URL`. A variable that is set to nothing counts as not set.
    pub fn from_env(base_url: Option<&str>, env: impl Fn(&str) -> Option<String>) -> Self {
        let base_url = base_url.map(str::to_owned).or_else(|| env("GOOGLE_GEMINI_BASE_URL"));
        let base_url = base_url.filter(|url| !url.trim().is_empty());
        let defaults = Self::default();
        Self {
            api_key: env("GEMINI_API_KEY").as_deref().and_then(ApiKey::new),
            base_url: base_url.unwrap_or(defaults.base_url),
            ..defaults
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GeminiClient;

    #[test]
    fn options_come_from_argument_then_environment() {
        for (argument, variable, expected) in [
            (Some("https://a"), Some("https://b"), "https://a"),
            (None, Some("https://b"), "https://b"),
            (None, Some(""), DEFAULT_BASE_URL),
            (None, None, DEFAULT_BASE_URL),
        ] {
            let options = GeminiOptions::from_env(argument, |name| match name {
                "GOOGLE_GEMINI_BASE_URL" => variable.map(str::to_owned),
                "GEMINI_API_KEY" => Some("s3cret\n".to_owned()),
                _ => None,
            });
            assert_eq!(options.base_url, expected);
            assert_eq!(options.api_key, ApiKey::new("s3cret"));
            let debug = format!("{:?}", GeminiClient::new(options));
            assert!(!debug.contains("s3cret"), "{debug}");
        }
    }
}
