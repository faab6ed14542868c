use std::sync::Arc;

use serde_json::{Value, json};

use crate::host::bus::message::*;
use crate::host::effects::ToolGate;
use crate::host::observer::{HookCall, HookObserver};
use crate::host::session::HookSession;
use crate::trust::TrustPolicy;

/// A session whose `BeforeTool` hook for `guarded` blocks.
fn session(observer: Option<Arc<dyn HookObserver>>) -> HookSession {
    let hook = json!({ "type": "command", "command": "echo no >&2; exit 2", "onFailure": "block" });
    let settings = json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [{ "matcher": "guarded", "hooks": [hook] }] },
    });
    let builder = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll).settings(settings);
    match observer {
        Some(observer) => builder.observer(observer),
        None => builder,
    }
    .build()
}

fn message(tool: &str) -> Value {
    json!({
        "type": HOOK_EXECUTION_REQUEST, "eventName": "BeforeTool", "correlationId": "7",
        "input": { "tool_name": tool, "tool_input": {} },
    })
}

fn code(response: &HookExecutionResponse) -> Option<BusErrorCode> {
    response.outcome.as_ref().err().map(|error| error.code)
}

#[tokio::test]
async fn any_message_gets_an_answer() {
    let config = session(None);
    let system = &config;
    let blocked = system.execute_request(message("guarded")).await;
    assert_eq!(blocked.correlation_id, "7", "DELTA-HEVT-002");
    assert!(blocked.outcome.is_ok_and(|output| output.blocked && output.reason.as_deref() == Some("no")));
    let free = system.execute_request(message("free")).await;
    assert_eq!(free, HookExecutionRequest::parse(message("free")).unwrap().answer_without_hooks());
    for (given, expected) in [
        (json!(5), BusErrorCode::InvalidRequest),
        (
            json!({ "type": HOOK_EXECUTION_REQUEST, "eventName": "Other", "input": {} }),
            BusErrorCode::UnsupportedEvent,
        ),
        (
            json!({ "type": HOOK_EXECUTION_REQUEST, "eventName": "BeforeTool", "input": {} }),
            BusErrorCode::ValidationFailure,
        ),
    ] {
        assert_eq!(code(&system.execute_request(given).await), Some(expected), "DELTA-HFAIL-002");
    }
}

#[test]
fn only_matching_calls_need_to_be_executed() {
    let config = session(None);
    let system = &config;
    let has_hooks_for = |message| system.has_hooks_for(&HookExecutionRequest::parse(message).unwrap());
    assert!(has_hooks_for(message("guarded")));
    assert!(!has_hooks_for(message("free")));
    let request = json!({ "model": "m", "messages": [] });
    assert!(!has_hooks_for(json!({
        "type": HOOK_EXECUTION_REQUEST, "eventName": "BeforeModel", "input": { "llm_request": request },
    })));
}

/// X2: hooks of the shell's tool are asked about a tool in no table that seems to run a shell line, wherever it is called.
#[tokio::test]
async fn a_tool_in_no_table_that_takes_a_command_is_a_shell_too() {
    let rule = json!({ "type": "rule", "when": { "command": "rm" }, "block": "no" });
    let groups = json!([{ "matcher": "^run_shell_command$", "hooks": [rule] }]);
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": groups } });
    let session =
        HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll).settings(settings).build();
    let system = &session;
    for (tool, input, is_blocked) in [
        ("bash", json!({ "command": "cd x && rm y" }), true),
        ("exec", json!({ "cmd": ["rm", "y"] }), true),
        ("Bash", json!({ "command": "it's text", "cmd": "rm y" }), true),
        ("mcp__box__run", json!({ "command": "sudo rm y" }), true),
        ("run_shell_command", json!({ "command": "rm y" }), true),
        ("bash", json!({ "command": "ls" }), false),
        ("bash", json!({ "command": "it's rm y" }), false),
        ("bash", json!({ "script": "rm y" }), false),
        ("bash", json!({ "command": [] }), false),
        ("write_file", json!({ "file_path": "a", "command": "rm y" }), false),
    ] {
        let mut request = message(tool);
        request["input"]["tool_input"] = input.clone();
        let answer = system.execute_request(request.clone()).await;
        assert_eq!(answer.outcome.unwrap().blocked, is_blocked, "{tool} {input}");
        assert!(!is_blocked || system.has_hooks_for(&HookExecutionRequest::parse(request).unwrap()));
        let gate = session.fire_before_tool(tool, input.as_object().unwrap()).await.gate;
        assert_eq!(matches!(gate, ToolGate::Block { .. }), is_blocked, "{tool} {input}");
    }
}

/// Whatever way a line is read, the request and the refusal are the same.
#[test]
fn a_request_is_the_same_as_text_and_as_a_value() {
    for text in [
        r#"{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"7","input":{"tool_name":"a","tool_input":{"b":[1.50,"\u00e9"]}}}"#,
        r#" {"input":{"prompt":"x"}, "correlationId":"", "eventName":"BeforeAgent", "type":"hook-execution-request"} "#,
        r#"{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"7","input":{}}"#,
        r#"{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"\u0037","input":{"prompt":"x"}}"#,
        r#"{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":7,"input":{"prompt":"x"}}"#,
        r#"{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"7","correlationId":"8","input":{"prompt":"x"}}"#,
        r#"{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"7","input":{"prompt":"x"},"more":1}"#,
        r#"{"type":"HOOK_EXECUTION_REQUEST","payload":{"eventName":"BeforeAgent","correlationId":"7","input":{"prompt":"x"}}}"#,
        r#"{"type":"other","eventName":"BeforeAgent","correlationId":"7","input":{"prompt":"x"}}"#,
        r#"{"type":"hook-execution-request","eventName":"Other","correlationId":"7","input":{"prompt":"x"}}"#,
        r#"{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"7","input":[]}"#,
    ] {
        let by_value = HookExecutionRequest::parse(serde_json::from_str(text).unwrap());
        assert_eq!(HookExecutionRequest::parse_text(text.as_bytes()), by_value, "{text}");
    }
}

#[test]
fn text_is_read_as_javascript_reads_it() {
    let text = |prompt: &str| {
        format!(
            r#"{{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"7","input":{{"prompt":"x","extra":{prompt}}}}}"#
        )
    };
    let nested = |depth: usize| text(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    for fine in [text(r#""\ud800""#), text("1e999"), nested(500), format!("\u{feff}{}", text("1"))] {
        assert!(HookExecutionRequest::parse_text(fine.as_bytes()).is_ok(), "{fine}");
    }
    for (wrong, said) in [
        (text("tru").into_bytes(), "not JSON"),
        (nested(100_000).into_bytes(), "nested deeper"),
        (b"\"\xff\"".to_vec(), "not UTF-8"),
        (Vec::new(), "not JSON"),
    ] {
        let answer = HookExecutionRequest::parse_text(&wrong).unwrap_err();
        assert_eq!(code(&answer), Some(BusErrorCode::InvalidRequest), "{said}");
        assert!(answer.outcome.is_err_and(|error| error.message.contains(said)), "{said}");
    }
}

#[tokio::test]
async fn a_panic_is_answered() {
    struct Panics;
    impl HookObserver for Panics {
        fn hook_call(&self, _: &HookCall<'_>) {
            panic!("an injected panic");
        }
    }
    let config = session(Some(Arc::new(Panics)));
    let answer = config.execute_request(message("guarded")).await;
    assert_eq!(answer.correlation_id, "7", "DELTA-HFAIL-002");
    let error = answer.outcome.unwrap_err();
    assert_eq!(error.code, BusErrorCode::InternalError, "DELTA-HFAIL-002");
    assert!(error.message.contains("an injected panic"), "DELTA-HFAIL-002: {}", error.message);
    assert_eq!(error.details["blocked"], true, "a guard that blocks on failure blocks");
}

#[test]
fn a_long_message_is_read_in_bounded_memory() {
    let message = |extra: &str| {
        format!(
            r#"{{"type":"hook-execution-request","eventName":"BeforeAgent","correlationId":"7","input":{{"prompt":"x","extra":{extra}}}}}"#
        )
    };
    let long = message(&format!("\"{}\"", "y".repeat(2 * LONG_MESSAGE)));
    assert!(HookExecutionRequest::parse_text(long.as_bytes()).is_ok());
    let numbers = message(&format!("[0{}]", ",0".repeat(LONG_MESSAGE)));
    let refusal = HookExecutionRequest::parse_text(numbers.as_bytes()).unwrap_err();
    let BusError { code, message, .. } = refusal.outcome.unwrap_err();
    assert_eq!(
        (code, &*message),
        (BusErrorCode::InvalidRequest, "the message has more values than hookrail reads")
    );
}

#[test]
fn a_request_is_read_from_any_spelling_of_its_text() {
    let usual = message("write_file").to_string();
    let expected = HookExecutionRequest::parse(message("write_file")).unwrap();
    for text in [
        usual.clone(),
        usual.replace("\"7\"", "\"\\u0037\""),
        usual.replace("\"7\"", "7"),
        usual.replace("BeforeTool", "Before\\u0054ool"),
        usual.replace(HOOK_EXECUTION_REQUEST, "HOOK_EXECUTION_REQUEST"),
        usual.replacen('{', r#"{"eventName":"AfterTool","#, 1),
        usual.replacen('{', r#"{"payload":{"correlationId":"8"},"#, 1),
        usual.replacen('{', r#"{"unknown":[1,{"a":"\ud800"}],"#, 1),
        format!(" {usual}\r"),
        format!(r#"{{"type":"{HOOK_EXECUTION_REQUEST}","payload":{usual}}}"#),
    ] {
        assert_eq!(HookExecutionRequest::parse_text(text.as_bytes()), Ok(expected.clone()), "{text}");
    }
    for text in [
        usual.replace("BeforeTool", "Other"),
        usual.replace(HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE),
        format!("{usual}x"),
    ] {
        assert!(HookExecutionRequest::parse_text(text.as_bytes()).is_err(), "{text}");
    }
}

#[tokio::test]
async fn the_empty_output_has_the_fields_of_any_other() {
    let answer = HookExecutionRequest::parse(message("free")).unwrap().answer_without_hooks();
    let text = serde_json::to_string(&answer).unwrap();
    let session = session(None);
    let executed = session.execute_request(message("free")).await;
    assert_eq!(serde_json::to_string(&executed).unwrap(), text);
    let head = format!(r#"{{"type":"{HOOK_EXECUTION_RESPONSE}","correlationId":"7","success":true,"#);
    let output = r#""output":{"success":true,"finalOutput":null,"allOutputs":[],"errors":[],"totalDuration":0,"blocked":false,"#;
    assert!(text.starts_with(&format!("{head}{output}")), "{text}");
}
