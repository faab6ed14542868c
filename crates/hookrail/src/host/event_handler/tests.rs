//! What comes of a failure of the hook system before any hook runs.

use serde_json::json;

use crate::event::Event;
use crate::formats::json_object::JsonObject;
use crate::host::effects::ToolGate;
use crate::host::session::HookSession;
use crate::plan::planner::tests::inject_failure;
use crate::run::injected_payload;
use crate::trust::TrustPolicy;
use crate::verdict::result::{BlockCause, ProcessedHookResult};

/// A session with one hook before tools.
fn session(command: &str, on_failure: &str) -> HookSession {
    let hook = json!({ "type": "command", "command": command, "onFailure": on_failure });
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
    HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll).settings(settings).build()
}

async fn fire(session: &HookSession) -> ProcessedHookResult {
    let system = session.hook_system().unwrap();
    system.initialize();
    let handler = system.event_handler().unwrap();
    handler.fire(&Event::BeforeTool { tool_name: "x", tool_input: &JsonObject::new() }).await
}

/// Whether the result is an explicit failure of this stage that decides nothing by itself.
fn assert_failed_in(stage: &str, result: &ProcessedHookResult) {
    assert!(!result.aggregated.success, "DELTA-HFAIL-001, DELTA-HFAIL-002");
    assert!(result.aggregated.final_output.is_none() && result.runs.is_empty(), "DELTA-HFAIL-001");
    let message = result.aggregated.errors[0].to_string();
    assert!(message.starts_with(&format!("{stage}: ")), "DELTA-HFAIL-002: {message}");
}

#[tokio::test]
async fn a_failure_of_planning_becomes_a_failure_envelope_and_blocks_where_a_hook_is_set_to() {
    let (open, closed) = (session("echo no >&2; exit 2", "allow"), session("true", "block"));
    assert_eq!(fire(&open).await.block.map(|block| block.reason).as_deref(), Some("no"));
    assert!(fire(&closed).await.aggregated.success);
    inject_failure();
    let result = fire(&open).await;
    assert_failed_in("planning", &result);
    assert_eq!(result.block, None, "HOOK-115");
    let result = fire(&closed).await;
    assert_failed_in("planning", &result);
    let block = result.block.unwrap();
    assert_eq!(block.cause, BlockCause::Failure, "F1");
    assert!(block.reason.contains("the hook system failed: planning"), "{}", block.reason);
}

#[tokio::test]
async fn a_trigger_sees_the_block_of_a_failed_planning() {
    let (open, closed) = (session("true", "allow"), session("true", "block"));
    inject_failure();
    for (session, blocks) in [(&open, false), (&closed, true)] {
        let input = JsonObject::new();
        let result = session.fire_before_tool("x", &input).await;
        assert_eq!(matches!(result.gate, ToolGate::Block { .. }), blocks, "F1: {result:?}");
    }
}

/// The programs of this project ask for it: nobody knows what the hooks would have said.
#[tokio::test]
async fn a_host_may_have_every_failure_of_the_hook_system_block() {
    let hook = json!({ "type": "rule", "when": {}, "context": "x" });
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
    let builder = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll).settings(settings);
    let session = builder.block_on_own_failure().build();
    assert_eq!(fire(&session).await.block, None);
    inject_failure();
    let block = fire(&session).await.block.unwrap();
    assert_eq!(block.cause, BlockCause::Failure);
    assert!(block.reason.contains("planning"), "{}", block.reason);
}

#[tokio::test]
async fn a_disabled_hook_does_not_block_a_failed_planning() {
    let closed = session("true", "block");
    closed.hook_system().unwrap().initialize();
    closed.hook_system().unwrap().set_hook_enabled("true", false);
    inject_failure();
    assert_eq!(fire(&closed).await.block, None, "F1");
}

#[tokio::test]
async fn a_failure_of_the_payload_becomes_a_failure_envelope_and_blocks_where_a_hook_is_set_to() {
    let (open, closed) = (session("true", "allow"), session("true", "block"));
    assert!(fire(&open).await.aggregated.success && fire(&closed).await.aggregated.success);
    injected_payload::fail_from_now_on();
    let result = fire(&open).await;
    assert_failed_in("payload", &result);
    assert_eq!(result.block, None, "HOOK-115");
    let result = fire(&closed).await;
    assert_failed_in("payload", &result);
    let block = result.block.unwrap();
    assert_eq!(block.cause, BlockCause::Failure);
    assert!(block.reason.contains("the hook system failed: payload"), "{}", block.reason);
}
