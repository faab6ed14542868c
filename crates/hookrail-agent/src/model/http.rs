//! Gemini's REST API over HTTP: connection, retry, timeouts, the end of a stream.
//!
//! Decisions that the code alone does not explain:
//! - The key travels in a header, and redirects are not followed: they would carry the key to whatever
//!   host the server names.
//! - A call is tried again only as long as no chunk was handed on; after that the agent has shown text
//!   that cannot be taken back. A timeout is not tried again, because it was waited for long enough.
//! - Proxies named by the environment (`HTTPS_PROXY`, …) are used, except for a server on this machine.
//! - A response is complete when HTTP says that its body is, which a chunked body or one with a length
//!   does. A body that just ends with the connection is complete only if a finish reason came.
//! - An event that lacks its closing blank line counts if the body is complete and the event is whole
//!   JSON. Anything else at the end means that the response was cut off.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use futures_util::stream;
use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER, TRANSFER_ENCODING};
use reqwest::{Client, Request, Response, Url};
use serde_json::Value;
use tokio::time::timeout;

use super::api_error::{ApiError, tidy};
use super::endpoint::{endpoint, is_this_machine, server};
use super::error::ModelError;
use super::key::ApiKey;
use super::retry::{RetryNotice, RetryPolicy, chance, parse_retry_after};
use super::sse::{DEFAULT_MAX_EVENT_BYTES, SseDecoder, SseEvent};
use super::wire::{request_body, response_from_value};
use super::{ModelClient, ResponseStream};

/// Where Gemini's API is, if nobody says otherwise.
pub const DEFAULT_BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// How much of an error's body is read.
const LONGEST_ERROR_BODY: usize = 64 * 1024;

/// How long the body of an error is waited for: it only improves a message.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// How to reach Gemini.
#[derive(Debug, Clone)]
pub struct GeminiOptions {
    /// The key. Without one every call fails, and says so.
    pub api_key: Option<ApiKey>,
    /// What comes before `/v1beta/models/…`.
    pub base_url: String,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long the first byte may take. A model may think for a while before it says anything.
    pub first_byte_timeout: Duration,
    /// How long the stream may be silent.
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

/// A model behind Gemini's REST API.
#[derive(Clone)]
pub struct GeminiClient {
    shared: Arc<Shared>,
}

type OnRetry = Box<dyn Fn(&RetryNotice) + Send + Sync>;

struct Shared {
    options: GeminiOptions,
    on_retry: Option<OnRetry>,
    /// Made at the first call, because making it reads root certificates.
    client: OnceLock<Client>,
}

impl GeminiClient {
    /// A client. This touches neither network nor files.
    pub fn new(options: GeminiOptions) -> Self {
        Self { shared: Arc::new(Shared { options, on_retry: None, client: OnceLock::new() }) }
    }

    /// A client that calls `on_retry` before it waits for another attempt.
    pub fn with_retry_notice(
        options: GeminiOptions,
        on_retry: impl Fn(&RetryNotice) + Send + Sync + 'static,
    ) -> Self {
        let on_retry: OnRetry = Box::new(on_retry);
        Self { shared: Arc::new(Shared { options, on_retry: Some(on_retry), client: OnceLock::new() }) }
    }
}

impl fmt::Debug for GeminiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiClient").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl ModelClient for GeminiClient {
    fn stream(&self, request: &GenerateContentParameters) -> ResponseStream {
        let call = match Call::prepare(&self.shared, request) {
            Ok(call) => call,
            Err(error) => return ResponseStream::failed(error),
        };
        ResponseStream::new(stream::try_unfold(call, |mut call| async move {
            Ok(call.next_chunk().await?.map(|chunk| (chunk, call)))
        }))
    }
}

/// One model call with all its attempts.
struct Call {
    shared: Arc<Shared>,
    key: ApiKey,
    model: String,
    url: Url,
    body: Vec<u8>,
    attempts: u32,
    delivered: bool,
    attempt: Option<Attempt>,
}

/// An attempt whose response has begun.
struct Attempt {
    response: Response,
    /// Whether HTTP itself marks the end of the body.
    framed: bool,
    decoder: SseDecoder,
    events: VecDeque<SseEvent>,
    delivered: bool,
    finish_reason_seen: bool,
}

/// Why an attempt failed, and whether another one may help.
struct Failure {
    error: ModelError,
    passing: bool,
    /// The wait that the server asked for.
    retry_after: Option<Duration>,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self { error, passing: false, retry_after: None }
    }
}

impl Failure {
    fn passing(error: ModelError) -> Self {
        Self { error, passing: true, retry_after: None }
    }
}

impl Call {
    fn prepare(shared: &Arc<Shared>, request: &GenerateContentParameters) -> Result<Self, ModelError> {
        let key = shared.options.api_key.clone().ok_or(ModelError::MissingKey)?;
        let url = endpoint(&shared.options.base_url, &request.model)?;
        Ok(Self {
            shared: Arc::clone(shared),
            key,
            model: request.model.clone(),
            url,
            body: request_body(request).to_string().into_bytes(),
            attempts: 0,
            delivered: false,
            attempt: None,
        })
    }

    /// The next chunk, after as many attempts as the policy grants.
    async fn next_chunk(&mut self) -> Result<Option<GenerateContentResponse>, ModelError> {
        loop {
            let failure = match self.try_next_chunk().await {
                Ok(chunk) => {
                    self.delivered |= chunk.is_some();
                    return Ok(chunk);
                }
                Err(failure) => failure,
            };
            self.attempt = None;
            let error = failure.error.after_attempts(self.attempts);
            if self.delivered || !failure.passing {
                return Err(error);
            }
            let policy = &self.shared.options.retry;
            let Some(delay) = policy.delay(self.attempts, failure.retry_after, chance()) else {
                return Err(error);
            };
            let notice = RetryNotice {
                failed_attempts: self.attempts,
                max_attempts: policy.max_attempts,
                delay,
                why: error.after_attempts(1).to_string(),
            };
            tracing::debug!(%notice, "the model call is tried again");
            if let Some(tell) = &self.shared.on_retry {
                tell(&notice);
            }
            tokio::time::sleep(delay).await;
        }
    }

    async fn try_next_chunk(&mut self) -> Result<Option<GenerateContentResponse>, Failure> {
        if self.attempt.is_none() {
            self.attempts += 1;
            self.attempt = Some(self.open().await?);
        }
        let Some(attempt) = &mut self.attempt else { return Ok(None) };
        let scrub = |text: &str| self.key.scrub(text);
        attempt.next_chunk(&self.shared.options, &self.model, &scrub).await
    }

    /// Sends the request and waits for the response to begin.
    async fn open(&self) -> Result<Attempt, Failure> {
        let options = &self.shared.options;
        let client = self.shared.client(&self.url)?;
        let mut request = Request::new(reqwest::Method::POST, self.url.clone());
        let headers = request.headers_mut();
        headers.insert("x-goog-api-key", self.key.header().ok_or(ModelError::UnusableKey)?);
        headers.insert(CONTENT_TYPE, reqwest::header::HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(self.body.clone().into());
        let response = timeout(options.first_byte_timeout, client.execute(request)).await;
        let response = response.map_err(|_| ModelError::IdleTimeout { idle: options.first_byte_timeout })?;
        let response = response.map_err(|source| {
            let (server, source) = (server(&self.url), source.without_url());
            Failure::passing(ModelError::Unreachable { server, attempts: 1, source })
        })?;
        let status = response.status();
        tracing::debug!(server = server(&self.url), status = status.as_u16(), "the model's server answered");
        if status.is_success() {
            return Ok(Attempt::new(response, options.max_event_bytes));
        }
        if status.is_redirection() {
            return Err(self.redirected(&response).into());
        }
        Err(self.refused(response).await)
    }

    fn redirected(&self, response: &Response) -> ModelError {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        let target = target.map_or_else(|| "nowhere".to_owned(), |target| self.key.scrub(&server(&target)));
        ModelError::Redirected { server: server(&self.url), target }
    }

    async fn refused(&self, mut response: Response) -> Failure {
        let status = response.status().as_u16();
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let asked = header.and_then(|value| parse_retry_after(value, SystemTime::now()));
        let mut body = Vec::new();
        let read = async {
            while let Ok(Some(bytes)) = response.chunk().await {
                body.extend_from_slice(&bytes);
                if body.len() > LONGEST_ERROR_BODY {
                    break;
                }
            }
        };
        // What came in time is used: an error is worth telling without its explanation, too.
        let _in_time = timeout(ERROR_BODY_TIMEOUT, read).await;
        let error = ApiError::from_body(status, &body, &|text| self.key.scrub(text));
        Failure {
            passing: error.is_passing(),
            retry_after: asked.or(error.retry_after),
            error: error.into_model_error(&self.model),
        }
    }
}

impl Attempt {
    fn new(response: Response, max_event_bytes: usize) -> Self {
        let headers = response.headers();
        let framed = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
        Self {
            response,
            framed,
            decoder: SseDecoder::new(max_event_bytes),
            events: VecDeque::new(),
            delivered: false,
            finish_reason_seen: false,
        }
    }

    async fn next_chunk(
        &mut self,
        options: &GeminiOptions,
        model: &str,
        scrub: &(dyn Fn(&str) -> String + Sync),
    ) -> Result<Option<GenerateContentResponse>, Failure> {
        loop {
            if let Some(event) = self.events.pop_front() {
                // Some servers keep a connection alive with events that say nothing.
                if event.data.trim().is_empty() {
                    continue;
                }
                let value = serde_json::from_str(&event.data)
                    .map_err(|error| malformed(&format!("an event that is not JSON ({error})")))?;
                return self.read_event(value, model, scrub).map(Some);
            }
            let bytes = timeout(options.idle_timeout, self.response.chunk()).await;
            let bytes = bytes.map_err(|_| ModelError::IdleTimeout { idle: options.idle_timeout })?;
            let bytes = bytes.map_err(|source| {
                let source = Some(source.without_url());
                Failure::passing(ModelError::CutOff { attempts: 1, source })
            })?;
            let Some(bytes) = bytes else { return self.end(model, scrub) };
            if let Err(too_large) = self.decoder.push(&bytes, &mut self.events) {
                return Err(ModelError::EventTooLarge { limit: too_large.limit }.into());
            }
        }
    }

    /// Decides what the end of the body means.
    fn end(
        &mut self,
        model: &str,
        scrub: &(dyn Fn(&str) -> String + Sync),
    ) -> Result<Option<GenerateContentResponse>, Failure> {
        let cut_off = || Failure::passing(ModelError::CutOff { attempts: 1, source: None });
        if let Some(last) = std::mem::take(&mut self.decoder).finish()
            && !last.data.trim().is_empty()
        {
            let value = serde_json::from_str(&last.data).map_err(|_| cut_off())?;
            return self.read_event(value, model, scrub).map(Some);
        }
        if !self.framed && !self.finish_reason_seen {
            return Err(cut_off());
        }
        if self.delivered {
            return Ok(None);
        }
        let content_type = self.response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let content_type = content_type.filter(|kind| !kind.starts_with("text/event-stream")).map(tidy);
        Err(ModelError::EmptyResponse { content_type }.into())
    }

    fn read_event(
        &mut self,
        value: Value,
        model: &str,
        scrub: &(dyn Fn(&str) -> String + Sync),
    ) -> Result<GenerateContentResponse, Failure> {
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let error = ApiError::from_value(error, &scrub);
            let (passing, retry_after) = (error.is_passing(), error.retry_after);
            return Err(Failure { error: error.into_model_error(model), passing, retry_after });
        }
        let chunk = response_from_value(value)
            .map_err(|why| malformed(&scrub(&format!("an event that is not a response ({why})"))))?;
        self.delivered = true;
        self.finish_reason_seen |= chunk.candidates.iter().any(|candidate| candidate.finish_reason.is_some());
        Ok(chunk)
    }
}

impl Shared {
    fn client(&self, url: &Url) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // `reqwest` is built without cryptography of its own. A host that has chosen a provider keeps it, which is what the
        // error says that is dropped here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("hookrail-agent/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.options.connect_timeout)
            .redirect(reqwest::redirect::Policy::none());
        if is_this_machine(url) {
            builder = builder.no_proxy();
            if url.scheme() == "http" {
                // Nothing will be encrypted, so a system without root certificates is fine.
                builder = builder.tls_certs_only([]);
            }
        }
        let client = builder.build().map_err(ModelError::Setup)?;
        Ok(self.client.get_or_init(|| client))
    }
}

fn malformed(what: &str) -> ModelError {
    ModelError::Malformed { what: tidy(what) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
