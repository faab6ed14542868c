//! Debug logs on stderr, when asked for: `DEBUG=llxprt:core:hooks:*` or `RUST_LOG`.
//!
//! They are the engine's `tracing` events. Without either variable no subscriber is installed.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Starts logging if the environment asks for it.
/// Lines have no colours, because they are most often redirected.
pub(crate) fn start() {
    let Some(filter) =
        filter(std::env::var("DEBUG").ok().as_deref(), std::env::var("RUST_LOG").ok().as_deref())
    else {
        return;
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(true)
        .with_filter(filter);
    tracing_subscriber::registry().with(lines).init();
}

/// Every hook target begins like this.
const HOOKS: &str = "llxprt:core:hooks";

/// `RUST_LOG` takes `target=level` directives; `DEBUG` takes patterns such as `llxprt:core:hooks:*`,
/// separated by commas or spaces, a leading `-` excludes.
/// `None` if nothing is asked for. Both variables can be set; `DEBUG` then adds to `RUST_LOG`.
fn filter(debug: Option<&str>, rust_log: Option<&str>) -> Option<Targets> {
    let from_rust_log = rust_log.filter(|text| !text.is_empty()).map(|text| {
        // A plain level or unreadable directives turn everything on at that level, or at debug.
        text.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::DEBUG))
    });
    let mut targets: Targets = from_rust_log.clone().unwrap_or_default();
    let mut any = from_rust_log.is_some();
    for pattern in debug.unwrap_or_default().split([',', ' ']).filter(|pattern| !pattern.is_empty()) {
        let (pattern, level) = match pattern.strip_prefix('-') {
            Some(excluded) => (excluded, LevelFilter::OFF),
            None => (pattern, LevelFilter::DEBUG),
        };
        let prefix = pattern.trim_end_matches('*').trim_end_matches(':');
        if HOOKS.starts_with(prefix) || prefix.starts_with(HOOKS) {
            // A pattern wider than ours means ours; the rest of the program logs nothing.
            let target = if prefix.len() < HOOKS.len() { HOOKS } else { prefix };
            targets = targets.with_target(target.to_owned(), level);
            any |= level != LevelFilter::OFF;
        }
    }
    any.then_some(targets)
}

#[cfg(test)]
mod tests;
