//! The model: clients that answer a request, and how the answer is put together.
//!
//! [`ModelClient`] is the agent's only interface to a model. [`GeminiClient`] uses Gemini's REST API,
//! [`ReplayModel`] plays a file, [`RecordingModel`] writes such a file beside another client. What they
//! exchange are the SDK's types; hooks and their stable format never come here.
//!
//! The path of a request: `wire` makes the body, `http` sends it (`retry` decides when to try again, `api_error`
//! reads refusals), `sse` cuts the bytes into events, `wire` reads each event as a chunk, and
//! [`ResponseStream`] hands chunks to the agent, which shows them as they come. [`ResponseCollector`]
//! makes the one complete response of them, only once the stream has come to its proper end.

mod api_error;
mod collect;
mod endpoint;
mod error;
mod http;
mod key;
mod record;
mod replay;
mod retry;
pub mod sse;
pub mod wire;

use std::fmt;

use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use serde_json::Value;

pub use collect::ResponseCollector;
pub use error::ModelError;
pub use http::{DEFAULT_BASE_URL, GeminiClient, GeminiOptions, http_client, use_ring};
pub use key::ApiKey;
pub use record::RecordingModel;
pub use replay::{ReplayError, ReplayModel};
pub use retry::{RetryNotice, RetryPolicy};

/// Something that answers model requests.
pub trait ModelClient: Send + Sync {
    /// Starts a call. Nothing happens before the stream is asked for its first chunk; what goes wrong,
    /// also before anything was sent, is reported there. Dropping the stream gives the call up.
    fn stream(&self, request: &GenerateContentParameters) -> ResponseStream;
}

/// The chunks of one model call, as they arrive.
///
/// For every client this holds: there is at least one chunk or an error, a prompt that was
/// refused is an error, and nothing comes after an error or the end.
pub struct ResponseStream {
    chunks: BoxStream<'static, Result<GenerateContentResponse, ModelError>>,
    state: StreamState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamState {
    Waiting,
    Flowing,
    Ended,
}

impl ResponseStream {
    /// The stream of a call whose chunks `chunks` yields.
    pub fn new(
        chunks: impl Stream<Item = Result<GenerateContentResponse, ModelError>> + Send + 'static,
    ) -> Self {
        Self { chunks: chunks.boxed(), state: StreamState::Waiting }
    }

    /// The stream of a call that failed before it began.
    pub fn failed(error: ModelError) -> Self {
        Self::new(stream::iter([Err(error)]))
    }

    /// The next chunk; `None` once the response is complete.
    ///
    /// Dropping the future loses nothing: the next call goes on where it was.
    pub async fn next(&mut self) -> Option<Result<GenerateContentResponse, ModelError>> {
        if self.state == StreamState::Ended {
            return None;
        }
        let item = match self.chunks.next().await {
            Some(item) => Some(item.and_then(refuse_blocked_prompt)),
            None if self.state == StreamState::Waiting => {
                Some(Err(ModelError::EmptyResponse { content_type: None }))
            }
            None => None,
        };
        self.state = if matches!(item, Some(Ok(_))) { StreamState::Flowing } else { StreamState::Ended };
        item
    }

    /// Reads to the end and gives the one complete response; `show` sees each chunk as it comes.
    ///
    /// A call that fails on the way gives its error and no response, however much of it had arrived.
    pub async fn complete(
        mut self,
        mut show: impl FnMut(&GenerateContentResponse),
    ) -> Result<GenerateContentResponse, ModelError> {
        let mut collector = ResponseCollector::new();
        while let Some(chunk) = self.next().await {
            let chunk = chunk?;
            show(&chunk);
            collector.push(chunk);
        }
        collector.finish().ok_or(ModelError::EmptyResponse { content_type: None })
    }
}

impl fmt::Debug for ResponseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseStream").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Turns the answer that means a refused prompt into an error.
fn refuse_blocked_prompt(chunk: GenerateContentResponse) -> Result<GenerateContentResponse, ModelError> {
    let feedback = chunk.extra.get("promptFeedback");
    let word = |field: &str| feedback?.get(field).and_then(Value::as_str).filter(|word| !word.is_empty());
    let Some(reason) = word("blockReason").filter(|_| chunk.candidates.is_empty()) else {
        return Ok(chunk);
    };
    Err(ModelError::PromptBlocked {
        reason: api_error::tidy(reason),
        message: word("blockReasonMessage").map(api_error::tidy),
        response: Box::new(chunk),
    })
}
