//! The mediated path: requests on the bus are checked, executed and answered, whatever they look like.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::sync::Arc;

use hookrail::components::{
    BusErrorCode, BusMessage, HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, HookExecutionResponse,
    MessageBus, Subscription,
};
use hookrail::effects::ToolGate;
use hookrail::schemas::sample_input;
use hookrail::{EventName, HookSession};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::kit::{
    PATIENCE, Recorder, block_of, builder, command, object, on, rich_request, rich_response, says,
};
use crate::logs::listen;

/// A session on a bus, and a client that receives its responses.
struct Rig {
    project: TestProject,
    bus: Arc<MessageBus>,
    session: HookSession,
    responses: UnboundedReceiver<HookExecutionResponse>,
    _client: Subscription,
}

impl Rig {
    fn new(settings: &Value) -> Self {
        let project = TestProject::new();
        project.user_settings(settings);
        let bus = MessageBus::new();
        let session = builder(&project).bus(bus.clone()).build();
        let (sender, responses) = unbounded_channel();
        let client = bus.subscribe(move |message| {
            if let BusMessage::HookExecutionResponse(response) = message {
                sender.send(response.clone()).unwrap();
            }
        });
        Self { project, bus, session, responses, _client: client }
    }

    fn send(&self, message: Value) {
        self.bus.publish(&BusMessage::HookExecutionRequest(message));
    }

    async fn ask(&mut self, message: Value) -> HookExecutionResponse {
        self.send(message);
        tokio::time::timeout(PATIENCE, self.responses.recv()).await.unwrap().unwrap()
    }
}

fn ask(event: &str, input: &Value) -> Value {
    json!({ "type": HOOK_EXECUTION_REQUEST, "eventName": event, "input": input, "correlationId": "c-1" })
}

fn tool() -> Value {
    json!({ "tool_name": "ls", "tool_input": { "path": "." } })
}

#[tokio::test]
async fn a_request_is_answered_with_its_id_and_the_hooks_results() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("cat > seen.json; echo no >&2; exit 2")]));
    let response = rig.ask(ask("BeforeTool", &tool())).await;
    let wire = serde_json::to_value(&response).unwrap();
    let duration = wire["output"]["totalDuration"].clone();
    assert!(duration.is_u64());
    let expected = json!({
        "type": HOOK_EXECUTION_RESPONSE,
        "correlationId": "c-1",
        "success": false,
        "output": {
            "success": false,
            "finalOutput": { "decision": "deny", "reason": "no" },
            "allOutputs": [{ "decision": "deny", "reason": "no" }],
            "errors": [],
            "totalDuration": duration,
            "blocked": true,
            "blockCause": "policy",
            "ask": false,
            "reason": "no",
            "shouldStop": false,
            "stopReason": null,
            "systemMessage": null,
            "suppressOutput": false,
            "warnings": [],
        },
    });
    assert_eq!(wire, expected, "DELTA-HEVT-001, DELTA-HEVT-002, DELTA-HBUS-001");
    let seen: Value = serde_json::from_str(&rig.project.read("seen.json")).unwrap();
    assert_eq!(seen["session_id"], "session-1", "DELTA-HEVT-001: base fields are the session's");
    assert_eq!(seen["tool_input"]["path"], ".", "DELTA-HEVT-001");
}

#[tokio::test]
async fn both_paths_give_the_same_result() {
    let output = json!({ "decision": "block", "reason": "no", "continue": false, "systemMessage": "m" });
    let mut rig = Rig::new(&on("BeforeTool", &[command(&says(&output))]));
    let mediated = rig.ask(ask("BeforeTool", &tool())).await.outcome.unwrap();
    let input = object(json!({ "path": "." }));
    let direct = rig.session.fire_before_tool("ls", &input).await;
    assert_eq!(mediated.final_output, serde_json::to_value(&direct.notes.output).ok(), "DELTA-HBUS-002");
    let ToolGate::Block { block, stop: Some(stop) } = direct.gate else { panic!("{direct:?}") };
    assert_eq!(mediated.reason, Some(block.reason), "DELTA-HBUS-002");
    assert_eq!(mediated.stop_reason.as_deref(), Some(stop.as_str()), "DELTA-HBUS-002");
    assert!(mediated.success, "a block by decision is healthy");
}

#[tokio::test]
async fn all_eleven_events_can_be_asked_for() {
    let hooks: serde_json::Map<String, Value> = EventName::ALL
        .iter()
        .map(|event| (event.to_string(), on("x", &[command("true")])["hooks"]["x"].clone()))
        .collect();
    let mut rig = Rig::new(&json!({ "enableHooks": true, "hooks": hooks }));
    for event in EventName::ALL {
        let response = rig.ask(ask(event.as_str(), &Value::Object(sample_input(event)))).await;
        assert!(response.success(), "DELTA-HEVT-001: {event}: {response:?}");
        // Nothing of an event can be left out.
        let (mut rest, mut asked) = (sample_input(event), 0);
        for field in sample_input(event).keys().filter(|field| *field != "details") {
            let taken = rest.shift_remove(field).unwrap();
            let response = rig.ask(ask(event.as_str(), &Value::Object(rest.clone()))).await;
            let error = response.outcome.unwrap_err();
            assert_eq!(
                error.code,
                BusErrorCode::ValidationFailure,
                "DELTA-HPAY-001, DELTA-HPAY-005: {event}.{field}"
            );
            assert!(error.message.contains(field.as_str()), "DELTA-HPAY-005: {}", error.message);
            rest.insert(field.clone(), taken);
            asked += 1;
        }
        assert!(asked > 0);
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_answered_and_nothing_runs() {
    let project_hooks = json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [command("touch ran")] }],
        "BeforeModel": [{ "hooks": [command("touch ran")] }],
        "SessionStart": [{ "hooks": [command("touch ran")] }],
    } });
    let mut rig = Rig::new(&project_hooks);
    let with = |field: &str, value: Value| {
        let mut message = ask("BeforeTool", &tool());
        message[field] = value;
        message
    };
    let model = |request: Value| ask("BeforeModel", &json!({ "llm_request": request }));
    for (requirement, message, code, says) in [
        (
            "DELTA-HEVT-003, DELTA-HFAIL-005",
            ask("BeforeTools", &tool()),
            BusErrorCode::UnsupportedEvent,
            "did you mean `BeforeTool`",
        ),
        ("DELTA-HEVT-003", ask("", &tool()), BusErrorCode::UnsupportedEvent, "unknown hook event"),
        ("DELTA-HFAIL-005", with("eventName", json!(7)), BusErrorCode::InvalidRequest, "`eventName`"),
        (
            "DELTA-HBUS-001",
            with("type", json!("something-else")),
            BusErrorCode::InvalidRequest,
            "`something-else`",
        ),
        ("DELTA-HBUS-001", with("input", json!([])), BusErrorCode::InvalidRequest, "`input`"),
        (
            "DELTA-HPAY-002",
            with("input", json!({ "tool_name": "ls" })),
            BusErrorCode::ValidationFailure,
            "tool_input",
        ),
        (
            "DELTA-HPAY-002",
            with("input", json!({ "tool_name": 5, "tool_input": {} })),
            BusErrorCode::ValidationFailure,
            "tool_name",
        ),
        (
            "DELTA-HPAY-002",
            ask("SessionStart", &json!({ "source": "boredom" })),
            BusErrorCode::ValidationFailure,
            "source",
        ),
        (
            "DELTA-HPAY-004",
            model(json!({ "contents": [{ "parts": 5 }] })),
            BusErrorCode::TranslationFailure,
            "parts",
        ),
        ("DELTA-HPAY-002", model(json!({ "messages": 5 })), BusErrorCode::ValidationFailure, "messages"),
    ] {
        let response = rig.ask(message.clone()).await;
        assert_eq!(response.correlation_id, "c-1", "DELTA-HEVT-002, DELTA-HPAY-004: {message}");
        assert!(!response.success(), "DELTA-HFAIL-002");
        let error = response.outcome.clone().unwrap_err();
        assert_eq!(error.code, code, "DELTA-HFAIL-002, {requirement}: {message}");
        assert!(error.message.contains(says), "DELTA-HFAIL-002, {requirement}: {}", error.message);
        assert!(error.details.is_object(), "{requirement}");
        let wire = serde_json::to_value(&response).unwrap();
        assert_eq!((&wire["success"], wire.get("output")), (&json!(false), None), "DELTA-HFAIL-002");
        assert!(wire["error"]["code"].is_string(), "{wire}");
    }
    assert!(!rig.project.dir().join("ran").exists(), "DELTA-HPAY-002");
    for message in [json!(null), json!([1]), json!("text"), json!({})] {
        let error = rig.ask(message.clone()).await.outcome.unwrap_err();
        assert_eq!(error.code, BusErrorCode::InvalidRequest, "{message}");
    }
    let codes: Vec<_> = [
        BusErrorCode::InvalidRequest,
        BusErrorCode::UnsupportedEvent,
        BusErrorCode::ValidationFailure,
        BusErrorCode::TranslationFailure,
        BusErrorCode::InternalError,
    ]
    .iter()
    .map(|code| serde_json::to_value(code).unwrap())
    .collect();
    let words = [
        "invalid_request",
        "unsupported_event",
        "validation_failure",
        "translation_failure",
        "internal_error",
    ];
    assert_eq!(codes, words, "DELTA-HFAIL-002");
}

#[tokio::test]
async fn a_request_without_an_id_gets_one() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("true")]));
    let mut seen = std::collections::HashSet::new();
    for id in [None, Some(Value::Null), None] {
        let mut message = object(ask("BeforeTool", &tool()));
        message.shift_remove("correlationId");
        message.extend(id.map(|id| ("correlationId".to_owned(), id)));
        let response = rig.ask(Value::Object(message)).await;
        assert!(response.success());
        let id = response.correlation_id;
        assert!(id.len() == 36 && id.matches('-').count() == 4, "DELTA-HBUS-003: {id}");
        assert!(seen.insert(id), "DELTA-HBUS-003: each its own");
    }
    let mut message = ask("BeforeTool", &tool());
    message["correlationId"] = json!({});
    let response = rig.ask(message).await;
    assert_eq!(response.outcome.unwrap_err().code, BusErrorCode::InvalidRequest);
}

#[tokio::test]
async fn older_spellings_are_understood() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("true")]));
    for message in [
        json!({ "type": "HOOK_EXECUTION_REQUEST", "eventName": "BeforeTool", "input": tool(), "correlationId": "c-1" }),
        json!({ "type": HOOK_EXECUTION_REQUEST, "payload": { "eventName": "BeforeTool", "input": tool(), "correlationId": "c-1" } }),
        json!({ "type": "HOOK_EXECUTION_REQUEST", "correlationId": "c-1", "payload": { "eventName": "BeforeTool", "input": tool() } }),
    ] {
        let response = rig.ask(message.clone()).await;
        assert!(response.success() && response.correlation_id == "c-1", "DELTA-HBUS-001: {message}");
    }
    rig.bus.publish(&BusMessage::request(EventName::BeforeTool, &object(tool()), "typed"));
    let response = tokio::time::timeout(PATIENCE, rig.responses.recv()).await.unwrap().unwrap();
    assert!(response.success() && response.correlation_id == "typed", "DELTA-HBUS-001");
}

#[tokio::test]
async fn scripts_receive_the_stable_form_whatever_form_was_sent() {
    let keep = |file: &str| json!([{ "hooks": [command(&format!("cat > {file}"))] }]);
    let hooks =
        json!({ "BeforeModel": keep("m"), "AfterModel": keep("a"), "BeforeToolSelection": keep("s") });
    let mut rig = Rig::new(&json!({ "enableHooks": true, "hooks": hooks }));
    let stable = json!({
        "model": "gemini-2.5-pro",
        "messages": [{ "role": "user", "content": "What is in this picture?" }, { "role": "user", "content": "So?" }],
        "config": { "temperature": 0.5, "maxOutputTokens": 100 },
        "toolConfig": { "mode": "AUTO" },
    });
    let sdk = serde_json::to_value(rich_request()).unwrap();
    for request in [&sdk, &stable] {
        for (event, file) in [("BeforeModel", "m"), ("AfterModel", "a"), ("BeforeToolSelection", "s")] {
            let mut input = json!({ "llm_request": request });
            if event == "AfterModel" {
                input["llm_response"] = serde_json::to_value(rich_response()).unwrap();
            }
            assert!(rig.ask(ask(event, &input)).await.success(), "{event}");
            let seen: Value = serde_json::from_str(&rig.project.read(file)).unwrap();
            assert_eq!(seen["llm_request"], stable, "DELTA-HPAY-003: {event}");
            if event == "AfterModel" {
                assert_eq!(seen["llm_response"]["text"], "A cat.", "DELTA-HPAY-003");
            }
        }
    }
}

#[tokio::test]
async fn no_matching_hook_is_a_success_with_nothing_in_it() {
    let mut rig = Rig::new(&json!({ "enableHooks": true }));
    let output = rig.ask(ask("BeforeTool", &tool())).await.outcome.unwrap();
    assert!(output.success && output.final_output.is_none(), "DELTA-HFAIL-003");
    assert!(output.all_outputs.is_empty() && output.errors.is_empty(), "DELTA-HFAIL-003");
    assert_eq!(output.total_duration, 0, "DELTA-HFAIL-003");
}

#[tokio::test]
async fn failures_inside_are_answered() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("true")]));
    let log = listen().break_at("hook system started");
    let response = rig.ask(ask("BeforeTool", &tool())).await;
    drop(log);
    assert_eq!(response.correlation_id, "c-1", "DELTA-HFAIL-002: at the start");
    let error = response.outcome.unwrap_err();
    assert_eq!(error.code, BusErrorCode::InternalError, "DELTA-HFAIL-002");
    assert!(error.message.contains("the log is full"), "DELTA-HFAIL-002: {}", error.message);

    let mut hook = command("true");
    hook["onFailure"] = "block".into();
    let mut rig = Rig::new(&on("BeforeTool", &[hook]));
    let log = listen().break_at("hook finished");
    let response = rig.ask(ask("BeforeTool", &tool())).await;
    drop(log);
    let error = response.outcome.unwrap_err();
    assert_eq!(error.code, BusErrorCode::InternalError, "DELTA-HFAIL-002: while hooks run");
    assert_eq!(error.details["eventName"], "BeforeTool", "DELTA-HFAIL-002");
    assert_eq!(error.details["blocked"], true, "a guard that blocks on failure blocks here, too");
}

#[test]
fn without_a_runtime_the_answer_says_so() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("touch ran")]));
    rig.send(ask("BeforeTool", &tool()));
    let response = rig.responses.try_recv().unwrap();
    let error = response.outcome.unwrap_err();
    assert_eq!(error.code, BusErrorCode::InternalError, "DELTA-HFAIL-002");
    assert!(error.message.contains("tokio runtime"), "DELTA-HFAIL-002: {}", error.message);
    assert!(!rig.project.dir().join("ran").exists());
}

#[tokio::test]
async fn a_disposed_system_is_silent_on_the_bus() {
    let mut rig = Rig::new(&on("BeforeTool", &[command("true")]));
    assert!(rig.ask(ask("BeforeTool", &tool())).await.success());
    rig.session.hook_system().unwrap().dispose();
    assert_eq!(rig.bus.subscriber_count(), 1, "DELTA-HEVT-004: the client alone is left");
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    rig.send(ask("BeforeTool", &tool()));
    assert_eq!(tasks(), before, "DELTA-HEVT-004: no task works on the request");
    assert!(rig.responses.try_recv().is_err(), "DELTA-HEVT-004");
}

#[tokio::test]
async fn a_session_that_is_gone_takes_no_request_but_answers_the_last_one() {
    let waiting = "touch started; while [ ! -e go ]; do sleep 0.02; done";
    let Rig { project, bus, session, mut responses, _client } =
        Rig::new(&on("BeforeTool", &[command(waiting)]));
    bus.publish(&BusMessage::HookExecutionRequest(ask("BeforeTool", &tool())));
    let started = async {
        while !project.dir().join("started").exists() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, started).await.unwrap();
    drop(session);
    assert_eq!(bus.subscriber_count(), 1, "DELTA-HEVT-004: no ghost subscription while a hook still runs");
    project.file("go", "");
    let response = tokio::time::timeout(PATIENCE, responses.recv()).await.unwrap().unwrap();
    assert!(response.success(), "DELTA-HEVT-002: {response:?}");
}

#[tokio::test]
async fn requests_are_answered_at_the_same_time() {
    let meet = |mine: &str, other: &str| {
        command(&format!(
            "touch {mine}; for i in $(seq 500); do [ -e {other} ] && exit 0; sleep 0.02; done; exit 1"
        ))
    };
    let hooks = json!({
        "BeforeTool": [{ "hooks": [meet("a", "b")] }],
        "SessionStart": [{ "hooks": [meet("b", "a")] }],
    });
    let mut rig = Rig::new(&json!({ "enableHooks": true, "hooks": hooks }));
    rig.send(ask("BeforeTool", &tool()));
    let second = rig.ask(ask("SessionStart", &json!({ "source": "startup" }))).await;
    let first = tokio::time::timeout(PATIENCE, rig.responses.recv()).await.unwrap().unwrap();
    assert!(first.success() && second.success(), "DELTA-HEVT-001: {first:?} {second:?}");
}

#[tokio::test]
async fn hooks_work_without_a_bus() {
    let project = TestProject::new();
    let observer = Recorder::new();
    project.user_settings(&on("BeforeTool", &[command("echo no >&2; exit 2")]));
    let session = builder(&project).observer(observer.clone()).build();
    assert_eq!(block_of(&session, "ls").await.unwrap().reason, "no", "DELTA-HBUS-002");
    assert_eq!(observer.lines().len(), 3, "DELTA-HBUS-002");
}
