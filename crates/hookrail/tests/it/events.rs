//! What hooks of all eleven events read from stdin, as real processes find it there.

use hookrail::components::{
    DEFAULT_HOOK_TRANSLATOR, Event, HookEventHandler, ProcessedHookResult, parse_input,
};
use hookrail::schemas::sample_input;
use hookrail::{
    EventName, JsonObject, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource,
};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{builder, command, handler, object, on, rich_request, rich_response};

/// Settings with one hook for every event: it keeps its stdin in a file and says that it has seen its end.
fn keep_stdin() -> Value {
    let hooks: JsonObject = EventName::ALL
        .iter()
        .map(|event| {
            let keep = command(&format!("cat > {event}.json && echo >> {event}.ends"));
            (event.to_string(), json!([{ "hooks": [keep] }]))
        })
        .collect();
    json!({ "enableHooks": true, "hooks": hooks })
}

async fn fire(handler: HookEventHandler<'_>, event: EventName) -> ProcessedHookResult {
    let tool_input = object(json!({ "path": "notes.txt", "content": "Grüße\n" }));
    let tool_response =
        object(json!({ "llmContent": "ok", "returnDisplay": "Wrote it", "metadata": { "bytes": 7 } }));
    match event {
        EventName::BeforeTool => {
            handler.fire(&Event::BeforeTool { tool_name: "write_file", tool_input: &tool_input }).await
        }
        EventName::AfterTool => {
            handler
                .fire(&Event::AfterTool {
                    tool_name: "write_file",
                    tool_input: &tool_input,
                    tool_response: &tool_response,
                })
                .await
        }
        EventName::BeforeAgent => handler.fire(&Event::BeforeAgent { prompt: "Do it." }).await,
        EventName::AfterAgent => {
            handler
                .fire(&Event::AfterAgent {
                    prompt: "Do it.",
                    prompt_response: "Done.",
                    stop_hook_active: true,
                })
                .await
        }
        EventName::BeforeModel => {
            handler
                .fire(&Event::BeforeModel {
                    llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&rich_request()),
                })
                .await
        }
        EventName::AfterModel => {
            handler
                .fire(&Event::AfterModel {
                    llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&rich_request()),
                    llm_response: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&rich_response()),
                })
                .await
        }
        EventName::BeforeToolSelection => {
            handler
                .fire(&Event::BeforeToolSelection {
                    llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&rich_request()),
                })
                .await
        }
        EventName::SessionStart => {
            handler.fire(&Event::SessionStart { source: SessionStartSource::Resume }).await
        }
        EventName::SessionEnd => {
            handler.fire(&Event::SessionEnd { reason: SessionEndReason::PromptInputExit }).await
        }
        EventName::PreCompress => {
            handler.fire(&Event::PreCompress { trigger: PreCompressTrigger::Auto }).await
        }
        EventName::Notification => {
            let details = object(json!({ "tool_name": "write_file" }));
            handler
                .fire(&Event::Notification {
                    notification_type: &NotificationType::ToolPermission,
                    message: "May I?",
                    details: &details,
                })
                .await
        }
    }
}

/// HOOK-155: this text is what existing scripts rely on, field names and order included.
#[tokio::test]
async fn stdin_of_all_events() {
    let project = TestProject::new();
    project.user_settings(&keep_stdin());
    let session = builder(&project).transcript_path("/logs/session.jsonl").build();
    let mut all = String::new();
    for event in EventName::ALL {
        let result = fire(handler(&session), event).await;
        assert!(result.aggregated.success, "HOOK-203, HOOK-143: {event}: {:?}", result.aggregated.errors);
        assert_eq!(result.runs.len(), 1, "HOOK-203, HOOK-143: {event}");
        let text = project.read(&format!("{event}.json"));
        assert_eq!(project.read(&format!("{event}.ends")), "\n", "HOOK-061: {event}: stdin ends");
        let read: Value = serde_json::from_str(&text).unwrap();
        let fields = read.as_object().unwrap();
        let base = ["session_id", "transcript_path", "cwd", "timestamp", "hook_event_name"];
        for field in base {
            assert!(fields.contains_key(field), "HOOK-062, HOOK-144: {event}: {field}");
        }
        assert_eq!(read["session_id"], "session-1", "HOOK-215: {event}");
        assert_eq!(read["cwd"], project.dir().to_str().unwrap(), "HOOK-215: {event}");
        assert_eq!(read["hook_event_name"], event.as_str(), "HOOK-215: {event}");
        assert_eq!(read["transcript_path"], "/logs/session.jsonl", "HOOK-161: {event}: as the host names it");
        let timestamp: jiff::Timestamp = read["timestamp"].as_str().unwrap().parse().unwrap();
        let age = jiff::Timestamp::now().duration_since(timestamp);
        assert!(age.as_secs().abs() < 600, "HOOK-215: {event}: the time of the event, not {timestamp}");
        all.push_str(&text);
        all.push('\n');
    }
    let dir = project.dir().to_str().unwrap().to_owned();
    insta::with_settings!({
        filters => vec![
            (dir.as_str(), "[project]"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[time]"),
        ],
        description => "HOOK-015, HOOK-026, HOOK-034, HOOK-044, HOOK-054, HOOK-155",
        omit_expression => true,
    }, {
        insta::assert_snapshot!(all);
    });
}

#[tokio::test]
async fn model_events_carry_the_stable_format_of_the_real_request() {
    let project = TestProject::new();
    project.user_settings(&keep_stdin());
    let session = builder(&project).build();
    let expected = json!({
        "model": "gemini-2.5-pro",
        "messages": [
            { "role": "user", "content": "What is in this picture?" },
            { "role": "user", "content": "So?" },
        ],
        "config": { "temperature": 0.5, "maxOutputTokens": 100 },
        "toolConfig": { "mode": "AUTO" },
    });
    for (event, requirement) in [
        (EventName::BeforeModel, "HOOK-034, HOOK-035, DELTA-HPAY-003"),
        (EventName::AfterModel, "HOOK-044, HOOK-050, DELTA-HPAY-003"),
        (EventName::BeforeToolSelection, "HOOK-054, HOOK-205, DELTA-HPAY-003"),
    ] {
        let _ = fire(handler(&session), event).await;
        let read: Value = serde_json::from_str(&project.read(&format!("{event}.json"))).unwrap();
        assert_eq!(read["llm_request"], expected, "{requirement}");
        assert_eq!(read["transcript_path"], "", "HOOK-161: no transcript, no path");
        if event == EventName::AfterModel {
            assert_eq!(read["llm_response"]["text"], "A cat.", "HOOK-044, HOOK-045");
            assert!(!read["llm_response"].to_string().contains("functionCall"), "HOOK-045: text only");
        }
    }
}

#[tokio::test]
async fn a_client_may_set_base_fields_and_add_fields() {
    let project = TestProject::new();
    project.user_settings(&keep_stdin());
    let session = builder(&project).build();
    for event in EventName::ALL {
        let mut sent = sample_input(event);
        sent.extend(object(json!({ "session_id": "theirs", "timestamp": "then", "x_field": [1] })));
        let input = parse_input(event, Value::Object(sent.clone())).unwrap();
        let result = handler(&session).fire_with(&input.event(), &input.base, &input.extra).await;
        assert!(result.aggregated.success, "{event}");
        let read: JsonObject = serde_json::from_str(&project.read(&format!("{event}.json"))).unwrap();
        for (field, value) in &sent {
            assert_eq!(read.get(field), Some(value), "HOOK-062: {event}: {field}");
        }
    }
}

#[tokio::test]
async fn events_outside_the_five_run_their_hooks_and_give_back_what_they_say() {
    for event in [
        EventName::BeforeAgent,
        EventName::AfterAgent,
        EventName::SessionStart,
        EventName::SessionEnd,
        EventName::PreCompress,
        EventName::Notification,
    ] {
        let project = TestProject::new();
        project.user_settings(&on(event.as_str(), &[command("echo heard; echo aside >&2")]));
        let session = builder(&project).build();
        let result = fire(handler(&session), event).await;
        assert_eq!(result.system_message.as_deref(), Some("heard"), "HOOK-203: {event}");
        assert_eq!(result.runs[0].stderr, "aside\n", "HOOK-203: {event}");
        assert!(result.block.is_none() && result.stop.is_none(), "HOOK-203: {event}");
    }
}

#[tokio::test]
async fn session_events_match_their_word_exactly() {
    let project = TestProject::new();
    let touch = |matcher: &str, file: &str| json!({ "matcher": matcher, "hooks": [command(&format!("touch {file}"))] });
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SessionStart": [touch("resume", "start"), touch("res", "never"), touch("startup", "never")],
        "SessionEnd": [touch("prompt_input_exit", "end"), touch("exit", "never")],
        "PreCompress": [touch("auto", "compress"), touch("manual", "never")],
        "Notification": [touch("ToolPermission", "notify"), touch("Tool", "never")],
        "BeforeModel": [touch("no tool has this name", "model")],
    } }));
    let session = builder(&project).build();
    for event in EventName::ALL {
        let _ = fire(handler(&session), event).await;
    }
    for file in ["start", "end", "compress", "notify"] {
        assert!(project.dir().join(file).exists(), "DELTA-HPAY-006: {file}");
    }
    assert!(project.dir().join("model").exists(), "HOOK-041, HOOK-163: model events ignore matchers");
    assert!(!project.dir().join("never").exists());
}
