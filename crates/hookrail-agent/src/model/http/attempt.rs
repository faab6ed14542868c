//! One attempt whose response has begun: bytes, events, chunks, and what the end of the body means.
//!
//! Retries are not handled here: an attempt reports what went wrong and whether that may pass.

use std::collections::VecDeque;
use std::time::Duration;

use hookrail::genai::GenerateContentResponse;
use reqwest::Response;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use serde_json::Value;
use tokio::time::timeout;

use super::super::api_error::{ApiError, tidy};
use super::super::error::ModelError;
use super::super::key::ApiKey;
use super::super::sse::SseDecoder;
use super::super::wire::response_from_value;
use super::options::GeminiOptions;

/// An attempt whose response has begun.
pub(super) struct Attempt {
    response: Response,
    /// Taken out of the server's texts.
    key: ApiKey,
    model: String,
    idle_timeout: Duration,
    /// Whether HTTP itself marks the end of the body.
    framed: bool,
    decoder: SseDecoder,
    events: VecDeque<String>,
    delivered: bool,
    finish_reason_seen: bool,
}

impl Attempt {
    /// An attempt that has read nothing of its response but the head.
    pub(super) fn new(response: Response, options: &GeminiOptions, key: ApiKey, model: String) -> Self {
        let headers = response.headers();
        let framed = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
        Self {
            response,
            key,
            model,
            idle_timeout: options.idle_timeout,
            framed,
            decoder: SseDecoder::new(options.max_event_bytes),
            events: VecDeque::new(),
            delivered: false,
            finish_reason_seen: false,
        }
    }

    /// The next chunk; `None` at the proper end.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<GenerateContentResponse>, ModelError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                // Some servers keep a connection alive with empty events.
                if event.trim().is_empty() {
                    continue;
                }
                let value = serde_json::from_str(&event)
                    .map_err(|error| malformed(&format!("an event that is not JSON ({error})")))?;
                return self.read_event(value).map(Some);
            }
            let bytes = timeout(self.idle_timeout, self.response.chunk()).await;
            let bytes = bytes.map_err(|_| ModelError::IdleTimeout { idle: self.idle_timeout })?;
            let bytes = bytes.map_err(|source| {
                let source = Some(source.without_url());
                ModelError::CutOff { attempts: 1, source }
            })?;
            let Some(bytes) = bytes else { return self.end() };
            if let Err(too_large) = self.decoder.push(&bytes, &mut self.events) {
                return Err(ModelError::EventTooLarge { limit: too_large.limit });
            }
        }
    }

    /// Decides what the end of the body means.
    fn end(&mut self) -> Result<Option<GenerateContentResponse>, ModelError> {
        let cut_off = || ModelError::CutOff { attempts: 1, source: None };
        if let Some(last) = std::mem::take(&mut self.decoder).finish()
            && !last.trim().is_empty()
        {
            let value = serde_json::from_str(&last).map_err(|_| cut_off())?;
            return self.read_event(value).map(Some);
        }
        if !self.framed && !self.finish_reason_seen {
            return Err(cut_off());
        }
        if self.delivered {
            return Ok(None);
        }
        let content_type = self.response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let content_type = content_type.filter(|kind| !kind.starts_with("text/event-stream")).map(tidy);
        Err(ModelError::EmptyResponse { content_type })
    }

    /// Reads one event, which may be an error that the server found after it had sent its status.
    fn read_event(&mut self, value: Value) -> Result<GenerateContentResponse, ModelError> {
        let scrub = |text: &str| self.key.scrub(text);
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(ApiError::from_value(error, &scrub).into_model_error(&self.model));
        }
        let chunk = response_from_value(value)
            .map_err(|why| malformed(&scrub(&format!("an event that is not a response ({why})"))))?;
        self.delivered = true;
        self.finish_reason_seen |= chunk.candidates.iter().any(|candidate| candidate.finish_reason.is_some());
        Ok(chunk)
    }
}

/// The text is made one line first: it may quote what the server sent.
fn malformed(what: &str) -> ModelError {
    ModelError::Malformed { what: tidy(what) }
}
