//! One model call with all its attempts.
//!
//! The request is made once and sent again as it is. Until the first chunk is handed on, a failure that may pass leads
//! to another attempt; afterwards every failure is final.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Request, Response, Url};
use tokio::time::timeout;

use super::super::api_error::ApiError;
use super::super::endpoint::{endpoint, server};
use super::super::error::ModelError;
use super::super::key::ApiKey;
use super::super::retry::{RetryNotice, chance, parse_retry_after};
use super::super::wire::request_body;
use super::SharedClient;
use super::attempt::Attempt;

/// How much of an error's body is read.
const LONGEST_ERROR_BODY: usize = 64 * 1024;

/// How long the body of an error is waited for: it only improves a message.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// One model call with all its attempts.
pub(super) struct HttpCall {
    shared: Arc<SharedClient>,
    key: ApiKey,
    model: String,
    url: Url,
    body: Vec<u8>,
    attempts: u32,
    /// Whether the agent has got a chunk, after which nothing is tried again.
    delivered: bool,
    attempt: Option<Attempt>,
}

impl HttpCall {
    /// Makes everything that does not need the network, so that a missing key or a bad address is reported before
    /// anything is sent.
    pub(super) fn prepare(
        shared: &Arc<SharedClient>,
        request: &GenerateContentParameters,
    ) -> Result<Self, ModelError> {
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
    pub(super) async fn next_chunk(&mut self) -> Result<Option<GenerateContentResponse>, ModelError> {
        loop {
            let error = match self.try_next_chunk().await {
                Ok(chunk) => {
                    self.delivered |= chunk.is_some();
                    return Ok(chunk);
                }
                Err(error) => error.after_attempts(self.attempts),
            };
            self.attempt = None;
            let policy = &self.shared.options.retry;
            let delay = policy.delay(self.attempts, error.retry_after(), chance());
            let Some(delay) = delay.filter(|_| !self.delivered && error.is_transient()) else {
                return Err(error);
            };
            let notice = RetryNotice {
                failed_attempts: self.attempts,
                max_attempts: policy.max_attempts,
                delay,
                why: error.after_attempts(1).to_string(),
            };
            tracing::debug!(%notice, "the model call is tried again");
            if let Some(on_retry) = &self.shared.on_retry {
                on_retry(&notice);
            }
            tokio::time::sleep(delay).await;
        }
    }

    /// The next chunk of the attempt that runs, or of a new one. `None` is the proper end of the response.
    async fn try_next_chunk(&mut self) -> Result<Option<GenerateContentResponse>, ModelError> {
        if self.attempt.is_none() {
            self.attempts += 1;
            self.attempt = Some(self.open().await?);
        }
        let Some(attempt) = &mut self.attempt else { return Ok(None) };
        attempt.next_chunk().await
    }

    /// Sends the request and waits for the response to begin.
    async fn open(&self) -> Result<Attempt, ModelError> {
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
            ModelError::Unreachable { server, attempts: 1, source }
        })?;
        let status = response.status();
        tracing::debug!(server = server(&self.url), status = status.as_u16(), "the model's server answered");
        if status.is_success() {
            return Ok(Attempt::new(response, options, self.key.clone(), self.model.clone()));
        }
        if status.is_redirection() {
            return Err(self.redirected(&response));
        }
        Err(self.refused(response).await)
    }

    /// The error of a redirect. Of the place it leads to only scheme, host and port are named.
    fn redirected(&self, response: &Response) -> ModelError {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        let target = target.map_or_else(|| "nowhere".to_owned(), |target| self.key.scrub(&server(&target)));
        ModelError::Redirected { server: server(&self.url), target }
    }

    /// Reads the body of a response that has an error status. A wait that the header asks for comes before one in the
    /// body.
    async fn refused(&self, mut response: Response) -> ModelError {
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
        // What came in time is used: an error is reported without its explanation, too.
        let _in_time = timeout(ERROR_BODY_TIMEOUT, read).await;
        let error = ApiError::from_body(status, &body, &|text| self.key.scrub(text));
        ApiError { retry_after: asked.or(error.retry_after), ..error }.into_model_error(&self.model)
    }
}
