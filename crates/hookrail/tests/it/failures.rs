//! Trouble: hooks that give no verdict, a hook system that breaks, callers that give up.
#![expect(clippy::indexing_slicing, reason = "helpers of tests fail them by panicking")]

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hookrail::components::Event;
use hookrail::effects::{AfterToolHookResult, AgentGate, ModelGate, ToolSelection};
use hookrail::observer::{HookBatch, HookCall, HookObserver};
use hookrail::{BlockCause, EventName, Hook, HookSession, JsonObject, ToolResult, permit_unless_asked};
use hookrail_testkit::{TestProject, process_is_alive, wait_until};
use serde_json::{Value, json};

use crate::kit::{
    PATIENCE, block_of, builder, command, execute_tool_with_hooks, model_block, object, on, rich_request,
    says, session, untouched, with_hooks,
};
use crate::logs::listen;

fn empty() -> JsonObject {
    object(json!({}))
}

fn blocking_on_failure(text: &str) -> Value {
    let mut hook = command(text);
    hook["onFailure"] = "block".into();
    hook["name"] = "guard".into();
    hook
}

#[tokio::test]
async fn a_hook_set_to_block_on_failure_blocks_when_it_gives_no_verdict() {
    for (command, why) in [
        ("exit 1", "exited with code 1"),
        ("echo broken >&2; exit 1", "exited with code 1: broken"),
        ("kill -9 $$", "was ended by signal 9"),
        ("sleep 60", "timed out after 300 ms"),
        ("/no/such/guard", "exited with code 127"),
        ("head -c 3000000 /dev/zero | tr '\\0' x", "wrote more to stdout than is kept"),
        ("head -c 200000 /dev/zero | tr '\\0' '['", "wrote an answer that could not be read"),
    ] {
        for event in ["BeforeTool", "BeforeModel", "AfterTool"] {
            let project = TestProject::new();
            let mut hook = blocking_on_failure(command);
            if command.starts_with("sleep") {
                hook["timeout"] = 300.into();
            }
            let mut settings = on(event, &[hook]);
            settings["hooksConfig"] = json!({ "maxOutputBytes": 1_000_000 });
            project.user_settings(&settings);
            let session = session(&project);
            match event {
                "BeforeTool" => {
                    let block = block_of(&session, "x").await.unwrap();
                    assert_eq!(block.cause, BlockCause::Failure, "{why}");
                    assert!(block.reason.contains("hook `guard` gave no verdict"), "{}", block.reason);
                    assert!(block.reason.contains(why), "{} should say: {why}", block.reason);
                }
                "BeforeModel" => {
                    let asked = rich_request();
                    let result = session.fire_before_model(&asked).await;
                    assert!(model_block(&result).unwrap().reason.contains(why), "{why}");
                    assert!(matches!(result.gate, ModelGate::Answer { .. }), "it does not stop");
                }
                _ => {
                    let result = session.fire_after_tool("x", &empty(), &empty()).await;
                    assert!(result.stop.is_none(), "nothing is left to block");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_verdict_is_never_a_failure() {
    for (text, cause) in [
        ("echo no >&2; exit 2".to_owned(), Some(BlockCause::Policy)),
        ("true".to_owned(), None),
        ("echo fine".to_owned(), None),
        (says(&json!({ "decision": "allow" })), None),
    ] {
        let project = TestProject::new();
        project.user_settings(&on("BeforeTool", &[blocking_on_failure(&text)]));
        let block = block_of(&session(&project), "x").await;
        assert_eq!(block.map(|block| block.cause), cause, "{text}");
    }
}

/// Panics at one of its calls.
struct Breaks(&'static str);

impl HookObserver for Breaks {
    fn hook_started(&self, _: EventName, _: &Hook) {
        assert_ne!(self.0, "start", "broken at start");
    }

    fn hook_call(&self, _: &HookCall<'_>) {
        assert_ne!(self.0, "call", "broken at call");
    }

    fn hook_batch(&self, _: &HookBatch) {
        assert_ne!(self.0, "batch", "broken at batch");
    }
}

fn broken(at: &'static str, project: &TestProject) -> HookSession {
    builder(project).observer(Arc::new(Breaks(at))).build()
}

#[tokio::test]
async fn a_panic_inside_becomes_a_failure_envelope_and_the_operation_proceeds() {
    for at in ["start", "call", "batch"] {
        for sequential in [false, true] {
            let project = TestProject::new();
            let group = json!([{ "sequential": sequential, "hooks": [command("true"), command("exit 0")] }]);
            project.user_settings(&json!({
                "enableHooks": true,
                "hooks": { "BeforeTool": group, "AfterTool": group, "BeforeModel": group, "BeforeToolSelection": group },
            }));
            let session = broken(at, &project);
            let log = listen();
            assert!(untouched(&session.fire_before_tool("x", &empty()).await), "HOOK-111, HOOK-115: {at}");
            let asked = rich_request();
            let result = session.fire_before_model(&asked).await;
            assert!(matches!(result.gate, ModelGate::Send { .. }), "HOOK-111, HOOK-116: {at}");
            let result = session.fire_before_tool_selection(&rich_request()).await;
            assert_eq!(result.gate, ToolSelection::Unchanged, "HOOK-111: {at}");
            let execution =
                execute_tool_with_hooks(&session, "x", empty(), permit_unless_asked, async |_| {
                    ToolResult::text("done")
                })
                .await;
            assert_eq!(execution.result, ToolResult::text("done"), "HOOK-110, HOOK-111: {at}");

            let handler = session.hook_system().unwrap().event_handler().unwrap();
            let result = handler.fire(&Event::BeforeTool { tool_name: "x", tool_input: &empty() }).await;
            let envelope = result.aggregated;
            assert!(!envelope.success, "DELTA-HFAIL-001, HOOK-113, HOOK-147: {at}");
            assert!(
                envelope.final_output.is_none() && envelope.all_outputs.is_empty(),
                "DELTA-HFAIL-001: {at}"
            );
            let message = envelope.errors[0].to_string();
            assert!(message.contains(&format!("broken at {at}")), "DELTA-HFAIL-001: {message}");
            let warned =
                log.warnings().iter().any(|warning| warning.message.contains("hook system failed during"));
            assert!(warned, "HOOK-113, HOOK-147: {at}");
        }
    }
}

/// Panics when a hook starts, and counts the records of events.
#[derive(Default)]
struct CountsBatches(std::sync::atomic::AtomicUsize);

impl HookObserver for CountsBatches {
    fn hook_started(&self, event: EventName, _: &Hook) {
        assert_eq!(event, EventName::AfterTool, "broken at start");
    }

    fn hook_batch(&self, batch: &HookBatch) {
        assert_eq!((batch.event, batch.hook_count, batch.success_count), (EventName::BeforeTool, 0, 0));
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_failed_event_has_a_record_too() {
    let project = TestProject::new();
    project.user_settings(&on("BeforeTool", &[command("true")]));
    let observer = Arc::new(CountsBatches::default());
    let session = builder(&project).observer(observer.clone()).build();
    assert!(untouched(&session.fire_before_tool("x", &empty()).await));
    assert_eq!(observer.0.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_start_that_panics_is_survived_and_tried_again() {
    let (_project, session) = with_hooks("BeforeTool", &["true"]);
    let system = session.hook_system().unwrap();
    let log = listen().break_at("");
    system.initialize();
    assert!(!system.status().initialized && system.event_handler().is_err(), "the start failed");
    drop(log);
    system.initialize();
    assert!(system.status().initialized && system.event_handler().is_ok());
}

#[tokio::test]
async fn a_start_that_panics_blocks_where_the_host_wants_that() {
    let project = TestProject::new();
    let hooks = json!([{ "hooks": [command("true")] }]);
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": hooks } }));
    let session = builder(&project).block_on_own_failure().build();
    let log = listen().break_at("");
    let block = block_of(&session, "x").await.expect("nobody knows what the hooks would have said");
    assert_eq!(block.cause, BlockCause::Failure, "C10");
    assert!(block.reason.contains("could not run its hooks"), "{}", block.reason);
    assert!(model_block(&session.fire_before_model(&rich_request()).await).is_some());
    assert!(matches!(session.fire_before_agent("hi").await.gate, AgentGate::Block { .. }));
    let ended = session.fire_after_agent("hi", "done", false).await.gate;
    assert_eq!(ended, AgentGate::default(), "only guarded events are blocked");
    drop(log);
    assert!(untouched(&session.fire_before_tool("x", &empty()).await), "the next event starts it");
    assert_eq!(session.fire_before_agent("hi").await.gate, AgentGate::default(), "no hook listens");
}

#[tokio::test]
async fn a_panic_blocks_where_a_planned_hook_blocks_on_failure() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [command("true"), blocking_on_failure("exit 0")] }],
        "BeforeModel": [{ "hooks": [blocking_on_failure("exit 0")] }],
        "AfterTool": [{ "hooks": [blocking_on_failure("exit 0")] }],
    } }));
    let session = broken("call", &project);
    let block = block_of(&session, "x").await.unwrap();
    assert_eq!(block.cause, BlockCause::Failure, "HOOK-115 yields to the hook's own wish");
    assert!(block.reason.contains("the hook system failed"), "{}", block.reason);
    assert!(model_block(&session.fire_before_model(&rich_request()).await).is_some());
    assert_eq!(session.fire_after_tool("x", &empty(), &empty()).await, AfterToolHookResult::default());
}

#[tokio::test]
async fn a_panic_beside_the_hooks_undoes_no_decision_of_theirs() {
    for at in ["call", "batch"] {
        for sequential in [false, true] {
            let project = TestProject::new();
            let stop = says(&json!({ "continue": false, "stopReason": "enough" }));
            let group =
                |hook: &str| json!([{ "sequential": sequential, "hooks": [command(hook), command("true")] }]);
            project.user_settings(&json!({
                "enableHooks": true,
                "hooks": { "BeforeTool": group("echo no >&2; exit 2"), "AfterTool": group(&stop) },
            }));
            let session = broken(at, &project);
            assert_eq!(block_of(&session, "x").await.unwrap().reason, "no", "HOOK-110: {at}");
            let after = session.fire_after_tool("x", &empty(), &empty()).await;
            assert_eq!(after.stop.unwrap().as_str(), "enough", "HOOK-028: {at}");
        }
    }
}

#[tokio::test]
async fn a_log_that_breaks_takes_nothing_down() {
    let odd = says(&json!({ "hookSpecificOutput": { "llm_request": { "messages": 5 } } }));
    let (_project, model) = with_hooks("BeforeModel", &[&odd]);
    let log = listen().break_at("is not applied");
    let asked = rich_request();
    let result = model.fire_before_model(&asked).await;
    let unchanged = ModelGate::Send { request: Cow::Borrowed(&asked) };
    assert_eq!(result.gate, unchanged, "HOOK-116: while a change is read");
    drop(log);

    let (_project, tool) = with_hooks("BeforeTool", &["true"]);
    let log = listen().break_at("");
    assert!(untouched(&tool.fire_before_tool("x", &empty()).await), "HOOK-115: at the start and later");
    drop(log);
    assert!(!tool.hook_system().unwrap().status().initialized, "the start failed");
    let _ = tool.fire_before_tool("x", &empty()).await;
    assert!(tool.hook_system().unwrap().status().initialized, "and is tried again");

    let log = listen().break_at("");
    assert!(untouched(&tool.fire_before_tool("x", &empty()).await), "HOOK-115: while hooks run");
    drop(log);
}

#[tokio::test]
async fn a_caller_that_gives_up_ends_the_hooks_with_all_their_children() {
    for chained in [false, true] {
        let project = TestProject::new();
        let script = project.script("slow.sh", "sleep 600 & echo $! > child; echo $$ > parent; wait");
        let mut settings = on("BeforeTool", &[command(script.to_str().unwrap())]);
        settings["hooks"]["BeforeTool"][0]["sequential"] = chained.into();
        project.user_settings(&settings);
        let session = session(&project);
        let pid = |file: &str| {
            let text = std::fs::read_to_string(project.dir().join(file)).unwrap_or_default();
            text.trim().parse::<u32>().ok().filter(|_| text.ends_with('\n'))
        };
        let input = empty();
        tokio::select! {
            _ = session.fire_before_tool("x", &input) => panic!("the hook sleeps"),
            () = async {
                while pid("parent").is_none() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            } => {}
        }
        for file in ["parent", "child"] {
            let pid = pid(file).unwrap();
            wait_until(PATIENCE, "the group is gone", || !process_is_alive(pid));
        }
        session.hook_system().unwrap().drain().await;
    }
}
