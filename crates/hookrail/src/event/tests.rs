use serde_json::{Value, json};

use super::*;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::translator::DEFAULT_HOOK_TRANSLATOR;

fn base() -> BaseFields<'static> {
    let time = "2025-02-18T16:30:00.000999Z".parse().unwrap();
    BaseFields {
        session_id: Cow::Borrowed("abc123"),
        transcript_path: Cow::Borrowed(""),
        cwd: Cow::Borrowed(Path::new("/home/user/project")),
        timestamp: iso_timestamp(time),
    }
}

/// What is written to a hook's stdin.
fn stdin(event: &Event<'_>) -> String {
    let extra = JsonObject::new();
    serde_json::to_string_pretty(&HookInput { base: &base(), event, extra: &extra }).unwrap()
}

fn object(value: &Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

fn request() -> GenerateContentParameters {
    serde_json::from_value(json!({
        "model": "gemini-2.5-pro",
        "contents": [
            { "role": "user", "parts": [{ "text": "Read " }, { "text": "a.txt" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "read_file", "args": { "path": "a.txt" } } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "read_file", "response": { "output": "x" } } }] },
        ],
        "config": {
            "systemInstruction": "You are helpful.",
            "temperature": 0.7,
            "maxOutputTokens": 1024,
            "tools": [{ "functionDeclarations": [{ "name": "read_file" }] }],
            "toolConfig": { "functionCallingConfig": { "mode": "AUTO", "allowedFunctionNames": ["read_file"] } },
        },
    }))
    .unwrap()
}

#[test]
fn every_event_writes_the_documented_json() {
    let tool_input = object(&json!({ "path": "file.txt", "content": "Hello" }));
    let tool_response = object(&json!({ "llmContent": "ok", "returnDisplay": "ok", "metadata": {} }));
    let details = object(&json!({ "tool_name": "write_file" }));
    let request = request();
    let response: GenerateContentResponse = serde_json::from_value(json!({
        "candidates": [{
            "content": { "role": "model", "parts": [{ "text": "x" }, { "functionCall": { "name": "f" } }] },
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [{ "category": "HARM", "probability": "LOW", "blocked": false }],
        }],
        "usageMetadata": { "promptTokenCount": 5, "candidatesTokenCount": 1, "totalTokenCount": 6 },
    }))
    .unwrap();
    // HOOK-015, HOOK-026, HOOK-034, HOOK-044, HOOK-054, HOOK-062, HOOK-155, HOOK-161, HOOK-205, HOOK-215: every
    // field of every event, the base fields first.
    for event in [
        Event::BeforeTool { tool_name: "write_file", tool_input: &tool_input },
        Event::AfterTool { tool_name: "write_file", tool_input: &tool_input, tool_response: &tool_response },
        Event::BeforeAgent { prompt: "do it" },
        Event::AfterAgent { prompt: "do it", prompt_response: "done", stop_hook_active: false },
        Event::BeforeModel { llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&request) },
        Event::AfterModel {
            llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&request),
            llm_response: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&response),
        },
        Event::BeforeToolSelection { llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&request) },
        Event::SessionStart { source: SessionStartSource::Startup },
        Event::SessionEnd { reason: SessionEndReason::PromptInputExit },
        Event::PreCompress { trigger: PreCompressTrigger::Auto },
        Event::Notification {
            notification_type: &NotificationType::ToolPermission,
            message: "Allow write_file?",
            details: &details,
        },
    ] {
        let text = stdin(&event);
        let value: JsonObject = serde_json::from_str(&text).expect("HOOK-061: a single JSON object");
        let first: Vec<_> = value.keys().take(5).map(String::as_str).collect();
        assert_eq!(
            first,
            ["session_id", "transcript_path", "cwd", "timestamp", "hook_event_name"],
            "HOOK-062, HOOK-144, HOOK-215: base fields come first"
        );
        assert_eq!(value["transcript_path"], "", "HOOK-161");
        assert_eq!(value["timestamp"], "2025-02-18T16:30:00.000Z", "HOOK-215: as toISOString() writes it");
        assert_eq!(
            value["hook_event_name"],
            event.name().as_str(),
            "HOOK-015, HOOK-026, HOOK-034, HOOK-044, HOOK-054"
        );
        insta::assert_snapshot!(format!("stdin_of_{}", event.name()), text);
    }
}

#[test]
fn unknown_fields_come_last() {
    let extra = object(&json!({ "host": "ide" }));
    let event = Event::BeforeAgent { prompt: "p" };
    let text = serde_json::to_string(&HookInput { base: &base(), event: &event, extra: &extra }).unwrap();
    assert!(text.ends_with(r#""hook_event_name":"BeforeAgent","prompt":"p","host":"ide"}"#), "{text}");
}

#[test]
fn texts_in_pieces_are_written_as_one() {
    let request: GenerateContentParameters = serde_json::from_value(
        json!({ "contents": [{ "parts": [{ "text": "a\"" }, { "text": "\nb\u{1F600}" }] }] }),
    )
    .unwrap();
    let text = serde_json::to_string(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&request)).unwrap();
    assert_eq!(
        text,
        "{\"model\":\"\",\"messages\":[{\"role\":\"user\",\"content\":\"a\\\"\\nb\u{1F600}\"}]}"
    );
}

/// M3: one answer to how an event's matchers are read, and it agrees with what the event is compared with.
#[test]
fn matchers_are_read_as_the_event_says() {
    let input = JsonObject::new();
    for (event, known) in [
        (Event::BeforeTool { tool_name: "x", tool_input: &input }, None),
        (Event::SessionStart { source: SessionStartSource::Resume }, Some("resume")),
        (Event::SessionEnd { reason: SessionEndReason::PromptInputExit }, Some("prompt_input_exit")),
        (Event::PreCompress { trigger: PreCompressTrigger::Auto }, Some("auto")),
        (Event::BeforeAgent { prompt: "x" }, None),
    ] {
        let matching = event.name().matching();
        assert_eq!(matching == Matching::Ignored, event.match_target().is_none(), "M3: {event:?}");
        if let Some(word) = known {
            assert!(matches!(matching, Matching::Word { known } if known.contains(&word)), "M3: {event:?}");
        }
    }
    for event in EventName::ALL {
        let is_tool = event.has_tool();
        assert_eq!(event.matching() == Matching::Tool, is_tool, "M3: {event}");
    }
}
