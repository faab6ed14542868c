//! Gemini's REST API over HTTP: connection, retry, timeouts, the end of a stream.
//!
//! Decisions that the code alone does not explain:
//! - The key is sent in a header, and redirects are not followed: they would send the key to whatever
//!   host the server names.
//! - A call is tried again only as long as no chunk was handed on; after that the agent has shown text
//!   that cannot be taken back. A timeout is not tried again, because it was waited for long enough.
//! - Proxies named by the environment (`HTTPS_PROXY`, …) are used, except for a server on this machine.
//! - A response is complete when HTTP marks the end of its body, as it does for a chunked body or one with a
//!   length. A body that just ends with the connection is complete only if a finish reason came.
//! - An event that lacks its closing blank line counts if the body is complete and the event is whole
//!   JSON. Anything else at the end means that the response was cut off.

mod attempt;
mod call;
mod options;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::stream;
use hookrail::genai::GenerateContentParameters;
use reqwest::{Client, Url};

use self::call::HttpCall;
pub use self::options::{DEFAULT_BASE_URL, GeminiOptions};
use super::endpoint::is_this_machine;
use super::error::ModelError;
use super::retry::RetryNotice;
use super::{ModelClient, ResponseStream};

/// A model behind Gemini's REST API.
#[derive(Clone)]
pub struct GeminiClient {
    shared: Arc<SharedClient>,
}

type OnRetry = Box<dyn Fn(&RetryNotice) + Send + Sync>;

struct SharedClient {
    options: GeminiOptions,
    on_retry: Option<OnRetry>,
    /// Made at the first call, because making it reads root certificates.
    client: OnceLock<Client>,
}

impl GeminiClient {
    /// A client. This touches neither network nor files.
    pub fn new(options: GeminiOptions) -> Self {
        Self { shared: Arc::new(SharedClient { options, on_retry: None, client: OnceLock::new() }) }
    }

    /// A client that calls `on_retry` before it waits for another attempt.
    pub fn with_retry_notice(
        options: GeminiOptions,
        on_retry: impl Fn(&RetryNotice) + Send + Sync + 'static,
    ) -> Self {
        let on_retry: OnRetry = Box::new(on_retry);
        Self { shared: Arc::new(SharedClient { options, on_retry: Some(on_retry), client: OnceLock::new() }) }
    }
}

impl fmt::Debug for GeminiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiClient").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl ModelClient for GeminiClient {
    fn stream(&self, request: &GenerateContentParameters) -> ResponseStream {
        let call = match HttpCall::prepare(&self.shared, request) {
            Ok(call) => call,
            Err(error) => return ResponseStream::failed(error),
        };
        ResponseStream::new(stream::try_unfold(call, |mut call| async move {
            Ok(call.next_chunk().await?.map(|chunk| (chunk, call)))
        }))
    }
}

impl SharedClient {
    /// The HTTP client, made once and kept: connections are used again. It is made for the first address, whose server
    /// is that of all calls.
    fn client(&self, url: &Url) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = http_client(url, self.options.connect_timeout).map_err(ModelError::Setup)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Chooses the cryptography of this program: `reqwest` is built without its own. A host that has chosen already keeps its
/// choice; the error of that case is dropped.
pub fn use_ring() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client for the server at this address. It follows no redirects.
pub fn http_client(url: &Url, connect_timeout: Duration) -> reqwest::Result<Client> {
    use_ring();
    let mut builder = Client::builder()
        .user_agent(concat!("hookrail-agent/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none());
    if is_this_machine(url) {
        builder = builder.no_proxy();
        if url.scheme() == "http" {
            // Nothing will be encrypted, so a system without root certificates is fine.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build()
}
