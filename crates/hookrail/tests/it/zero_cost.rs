//! What hooks cost where there are none: no process, no payload, no waiting.
#![expect(clippy::panic, reason = "helpers of tests fail them by panicking")]

use std::borrow::Cow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookrail::effects::{AfterToolHookResult, AgentHookResult, BeforeToolSelectionHookResult, ModelGate};
use hookrail::model::{ModelEnd, ModelOutcome, OutgoingCall, ResponseChange};
use hookrail::{
    HookSession, JsonObject, PreCompressTrigger, SessionStartSource, ToolResult, permit_unless_asked,
};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{
    Recorder, builder, execute_tool_with_hooks, object, rich_request, rich_response, untouched,
};

/// Polls a future once and expects it to be ready.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits for something"),
    }
}

/// Calls every trigger outside of any runtime; all of them answer at once and want nothing.
fn check_silent(session: &HookSession, requirement: &str) {
    let (input, request) = (object(json!({ "path": "x" })), rich_request());
    let before = at_once(session.fire_before_tool("write_file", &input));
    assert!(untouched(&before), "{requirement}");
    let after = at_once(session.fire_after_tool("write_file", &input, &input));
    assert_eq!(after, AfterToolHookResult::default(), "{requirement}");
    let before = at_once(session.fire_before_model(&request));
    assert_eq!(before.gate, ModelGate::Send { request: Cow::Borrowed(&request) }, "{requirement}");
    let after = at_once(session.fire_after_model(&request, rich_response()));
    assert_eq!(after.change, ResponseChange::Unchanged, "{requirement}");
    assert_eq!(after.response, rich_response(), "{requirement}");
    let selection = at_once(session.fire_before_tool_selection(&request));
    assert_eq!(selection, BeforeToolSelectionHookResult::default(), "{requirement}");
    for result in [
        at_once(session.fire_session_start(SessionStartSource::Startup)),
        at_once(session.fire_before_agent("Do it.")),
        at_once(session.fire_after_agent("Do it.", "Done.", false)),
        at_once(session.fire_pre_compress(PreCompressTrigger::Auto)),
    ] {
        assert_eq!(result, AgentHookResult::default(), "{requirement}");
    }
    let tool = execute_tool_with_hooks(
        session,
        "write_file",
        input.clone(),
        permit_unless_asked,
        async |given: &JsonObject| {
            assert_eq!(*given, input, "{requirement}");
            ToolResult::text("done")
        },
    );
    assert_eq!(at_once(tool).result, ToolResult::text("done"), "{requirement}");
    let call = session.call_model(rich_request(), permit_unless_asked, async |call: OutgoingCall<'_>| {
        assert_eq!(*call.request, request, "{requirement}");
        assert!(call.may_stream, "{requirement}");
        Ok::<_, ()>(rich_response())
    });
    match at_once(call) {
        Ok(ModelOutcome { end: ModelEnd::Answered(answer), .. }) => {
            assert_eq!(answer.response, rich_response(), "{requirement}");
        }
        other => panic!("{requirement}: {other:?}"),
    }
}

/// Hooks that would leave a file in the project.
fn touching(event: &str, matcher: &str) -> Value {
    json!({ event: [{ "matcher": matcher, "hooks": [{ "type": "command", "command": "touch ran" }] }] })
}

#[test]
fn nothing_happens_where_no_hook_wants_to_run() {
    let all: Value = ["BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"]
        .iter()
        .flat_map(|event| object(touching(event, "*")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let both = |matcher: &str| {
        let mut hooks = object(touching("BeforeTool", matcher));
        hooks.extend(object(touching("AfterTool", matcher)));
        Value::Object(hooks)
    };
    for (requirement, settings, started) in [
        ("HOOK-010, HOOK-013: hooks are off", json!({ "enableHooks": false, "hooks": all }), None),
        ("HOOK-010: nobody turned them on", json!({ "hooks": all }), None),
        ("HOOK-011: no hooks at all", json!({ "enableHooks": true }), Some(0)),
        (
            "HOOK-011: other events",
            json!({ "enableHooks": true, "hooks": touching("SessionEnd", "*") }),
            Some(1),
        ),
        ("HOOK-012: other tools", json!({ "enableHooks": true, "hooks": both("^(?!write_)") }), Some(2)),
        (
            "HOOK-012: disabled",
            json!({ "enableHooks": true, "hooks": all, "hooksConfig": { "disabled": ["touch ran"] } }),
            Some(5),
        ),
    ] {
        let project = TestProject::new();
        project.user_settings(&settings);
        let observer = Recorder::new();
        let session = builder(&project).observer(observer.clone()).build();
        for _ in 0..2 {
            check_silent(&session, requirement);
        }
        let status = session.hook_system().map(|system| system.status().total_hooks);
        assert_eq!(status, started, "{requirement}");
        assert_eq!(observer.lines(), Vec::<String>::new(), "{requirement}: no payload was made");
        assert!(!project.dir().join("ran").exists(), "{requirement}: no process");
    }
}

#[tokio::test]
async fn the_same_hooks_do_run_where_they_match() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": touching("BeforeTool", "^write_") }));
    let session = builder(&project).build();
    let _ = session.fire_before_tool("write_file", &object(json!({}))).await;
    assert!(project.dir().join("ran").exists(), "HOOK-012 would prove nothing if hooks left no file");
}

#[test]
fn nothing_in_the_engine_asks_for_a_terminal() {
    // Behaviour cannot depend on what is never asked.
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|end| end != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            files += 1;
            for word in ["is_terminal", "isatty", "IsTerminal", "/dev/tty", "tcgetattr"] {
                assert!(!text.contains(word), "HOOK-125: `{word}` in {}", path.display());
            }
        }
    }
    assert!(files > 50, "the engine's files were found");
}
