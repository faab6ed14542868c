//! Questions of other machines, over NATS.

use std::sync::Arc;

use anyhow::Context as _;
use hookrail::components::{HookExecutionRequest, HookExecutionResponse, ServiceUrl};
use hookrail_remote::Place;

use super::connection::answer_line;
use super::signals::{Phase, reached};
use super::{Server, print_message};
use crate::cli::ServeArgs;
use crate::services::nats_endpoint;
use crate::terminal::printer::escape_line;

/// Answers until a signal ends it, and then what was taken.
pub(super) async fn serve(server: &Arc<Server>, url: &ServiceUrl, args: &ServeArgs) -> anyhow::Result<()> {
    let endpoint = nats_endpoint(url, args.credentials.as_deref()).map_err(anyhow::Error::msg)?;
    let place = Place {
        subject: args.subject.clone(),
        queue: args.queue.clone(),
        most_at_once: usize::try_from(args.max_in_flight).unwrap_or(usize::MAX),
        shown: url.shown(),
    };
    let say = Arc::new(|text: &str| print_message(escape_line(text)));
    let stop = reached(server.phase.clone(), Phase::Stopping);
    let answer = |message| answer(Arc::clone(server), message);
    let ended = hookrail_remote::serve(&endpoint, &place, say, stop, answer).await;
    ended.map_err(anyhow::Error::msg).with_context(|| format!("cannot answer over {}", url.shown()))
}

/// Where no hooks are on, nobody can decide. Whoever asks has to know that it was not an "allow".
async fn answer(server: Arc<Server>, message: Vec<u8>) -> Vec<u8> {
    let hooks = server.engines.current();
    let answer = match (HookExecutionRequest::parse_remote(&message), hooks.hook_system()) {
        (Err(refusal), _) => refusal,
        (Ok(_), None) => HookExecutionResponse::internal_error(String::new(), "hooks are off at the service"),
        (Ok(request), Some(system)) if system.has_hooks_for(&request) => system.execute(request).await,
        (Ok(request), Some(_)) => request.answer_without_hooks(),
    };
    answer_line(answer).await
}
