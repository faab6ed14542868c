//! A custom observer: every hook that runs, as data, for a progress line, statistics or a log of one's own.
//!
//! Run it with `cargo run -p hookrail --example observer`. It needs no network and no files.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookrail::effects::AgentGate;
use hookrail::observer::{HookBatch, HookCall, HookObserver};
use hookrail::{EventName, Hook, HookSession, SessionStartSource, TrustPolicy};
use serde_json::json;

/// Tells what hooks do and counts those that failed.
#[derive(Default)]
struct Watcher {
    failures: AtomicUsize,
}

impl HookObserver for Watcher {
    fn hook_started(&self, event: EventName, hook: &Hook) {
        println!("{event}: `{}` starts", hook.name);
    }

    fn hook_call(&self, call: &HookCall<'_>) {
        let health = if call.run.success() { "fine" } else { "not fine" };
        println!(
            "{}: `{}` is {health}, it said {:?}",
            call.event,
            call.run.hook.name,
            call.run.stdout.trim()
        );
    }

    fn hook_batch(&self, batch: &HookBatch) {
        self.failures.fetch_add(batch.failure_count, Ordering::Relaxed);
        println!("{}: {} of {} hooks were fine", batch.event, batch.success_count, batch.hook_count);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let watcher = Arc::new(Watcher::default());
    let session = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll)
        .settings(json!({
            "enableHooks": true,
            "hooksConfig": { "agentEvents": "apply" },
            "hooks": {
                "SessionStart": [{
                    "sequential": true,
                    "hooks": [
                        { "type": "command", "name": "greeting", "command": "echo Be brief." },
                        { "type": "command", "name": "broken", "command": "exit 7" },
                    ],
                }],
            },
        }))
        .observer(watcher.clone())
        .build();

    let result = session.fire_session_start(SessionStartSource::Startup).await;
    match result.gate {
        AgentGate::Proceed { .. } => println!("go on; the model is told {:?}", result.notes.system_message),
        AgentGate::Block { .. } | AgentGate::Stop { .. } => println!("the session does not start"),
    }
    println!("failures: {}", watcher.failures.load(Ordering::Relaxed));
    session.drain().await;
}
