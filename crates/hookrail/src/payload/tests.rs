mod model;

use std::borrow::Cow;

use serde_json::json;

use super::*;
use crate::event::{BaseFields, HookInput};
use crate::payload::schema::sample_input;

fn base() -> BaseFields<'static> {
    BaseFields {
        session_id: Cow::Borrowed("s-1"),
        transcript_path: Cow::Borrowed(""),
        cwd: Cow::Owned(PathBuf::from("/project")),
        timestamp: "2025-02-18T16:30:00.000Z".to_owned(),
    }
}

/// What a hook reads of a typed input, without the base fields.
fn event_specific_fields(input: &TypedInput) -> Value {
    let input = HookInput { base: &base(), event: &input.event(), extra: &input.extra };
    let mut value = serde_json::to_value(input).unwrap();
    for key in ["session_id", "transcript_path", "cwd", "timestamp", "hook_event_name"] {
        value.as_object_mut().unwrap().shift_remove(key).unwrap();
    }
    value
}

fn with(event: EventName, key: &str, value: Value) -> Value {
    let mut input = sample_input(event);
    input.insert(key.to_owned(), value);
    Value::Object(input)
}

fn without(event: EventName, key: &str) -> Value {
    let mut input = sample_input(event);
    input.shift_remove(key).unwrap();
    Value::Object(input)
}

#[test]
fn every_event_is_read_and_written_back() {
    // DELTA-HPAY-001, DELTA-HPAY-005: what passes is typed, and hooks receive just what was sent.
    for event in EventName::ALL {
        let sample = sample_input(event);
        let input = parse_input(event, Value::Object(sample.clone())).unwrap();
        assert_eq!(input.event().name(), event, "DELTA-HPAY-001");
        assert_eq!(event_specific_fields(&input), Value::Object(sample), "DELTA-HPAY-001 {event}");
        assert_eq!(input.base, BaseOverrides::default());
    }
}

#[test]
fn required_fields_are_required_and_typed() {
    // DELTA-HPAY-001, DELTA-HPAY-002: all eleven events, each of their fields.
    for event in EventName::ALL {
        for (key, value) in sample_input(event) {
            if key == "details" {
                continue;
            }
            let error = parse_input(event, without(event, &key)).unwrap_err();
            assert!(matches!(error, InputError::Validation(_)), "DELTA-HPAY-002 {event}.{key}");
            assert!(error.field().starts_with(&key), "DELTA-HPAY-001 {event}.{key}: {error}");
            assert!(error.to_string().ends_with("found nothing"), "{error}");
            for wrong in [json!(null), json!(5), json!(["x"])] {
                let error = parse_input(event, with(event, &key, wrong)).unwrap_err();
                assert!(matches!(error, InputError::Validation(_)), "DELTA-HPAY-002 {event}.{key}");
                assert_eq!(error.field(), key, "DELTA-HPAY-001");
            }
            if value.is_object() {
                let error = parse_input(event, with(event, &key, json!("x"))).unwrap_err();
                assert_eq!(error.field(), key, "DELTA-HPAY-001");
            }
        }
        for wrong in [json!(null), json!("x"), json!([])] {
            let error = parse_input(event, wrong).unwrap_err();
            assert!(matches!(error, InputError::Validation(_)), "{event}");
        }
    }
}

#[test]
fn mistakes_are_named_with_field_expectation_and_find() {
    use EventName::*;
    for (event, key, value, expected) in [
        (BeforeTool, "tool_name", json!(""), "`tool_name`: expected the name of a tool, found the text \"\""),
        (BeforeTool, "tool_input", json!([]), "`tool_input`: expected an object, found a list"),
        (
            AfterTool,
            "tool_response",
            json!("ok"),
            "`tool_response`: expected an object, found the text \"ok\"",
        ),
        (
            AfterAgent,
            "stop_hook_active",
            json!("no"),
            "`stop_hook_active`: expected true or false, found the text \"no\"",
        ),
        // DELTA-HPAY-006: closed sets of words.
        (
            SessionStart,
            "source",
            json!("boot"),
            "`source`: expected `startup`, `resume`, `clear` or `compress`, found the text \"boot\"",
        ),
        (
            SessionEnd,
            "reason",
            json!("crash"),
            "`reason`: expected `exit`, `clear`, `logout`, `prompt_input_exit` or `other`, found the text \"crash\"",
        ),
        (
            PreCompress,
            "trigger",
            json!("cron"),
            "`trigger`: expected `manual` or `auto`, found the text \"cron\"",
        ),
        (Notification, "details", json!(null), "`details`: expected an object, found null"),
        (BeforeTool, "session_id", json!(7), "`session_id`: expected a text, found the number 7"),
        (BeforeTool, "cwd", json!({}), "`cwd`: expected a text, found an object"),
        (BeforeTool, "timestamp", json!(0), "`timestamp`: expected a text, found the number 0"),
        (BeforeTool, "transcript_path", json!(null), "`transcript_path`: expected a text, found null"),
        (
            BeforeTool,
            "hook_event_name",
            json!("AfterTool"),
            "`hook_event_name`: expected `BeforeTool`, the event of the request, found the text \"AfterTool\"",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "model": "m" }),
            "`llm_request.messages`: expected a list of messages (or `contents` in the SDK's form), found nothing",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "messages": [{ "content": "x" }] }),
            "`llm_request.messages[0].role`: expected a text, found nothing",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "messages": [], "config": { "topK": [] } }),
            "`llm_request.config.topK`: expected a number, found a list",
        ),
        (
            BeforeToolSelection,
            "llm_request",
            json!({ "messages": [], "toolConfig": { "mode": "SOME" } }),
            "`llm_request.toolConfig.mode`: expected `AUTO`, `ANY` or `NONE`, found the text \"SOME\"",
        ),
        (
            AfterModel,
            "llm_response",
            json!({ "text": 5 }),
            "`llm_response.text`: expected a text, found the number 5",
        ),
        (
            AfterModel,
            "llm_response",
            json!({ "candidates": [{ "content": { "parts": ["a", 5] } }] }),
            "`llm_response.candidates[0].content.parts[1]`: expected a text or an object with a `text`, found the number 5",
        ),
    ] {
        let error = parse_input(event, with(event, key, value)).unwrap_err();
        assert!(matches!(error, InputError::Validation(_)), "DELTA-HPAY-002 {error}");
        assert_eq!(error.to_string(), expected, "DELTA-HPAY-001, DELTA-HPAY-006");
    }
    let error = parse_input(BeforeTool, json!([])).unwrap_err();
    assert_eq!(error.to_string(), "input: expected an object, found a list");
}

#[test]
fn unknown_fields_go_on_to_the_hooks() {
    let sent = json!({
        "llm_request": {
            "model": "m",
            "messages": [{ "role": "user", "content": "hi", "id": 18_446_744_073_709_551_615_u64 }],
            "config": { "temperature": 1, "seed": 5 },
            "provider": "x",
        },
        "llm_response": {
            "text": "ho",
            "candidates": [{ "content": { "role": "model", "parts": ["ho"] }, "logprobs": -0.5 }],
            "latency": 12,
        },
        "trace": { "id": "t" },
    });
    let input = parse_input(EventName::AfterModel, sent.clone()).unwrap();
    assert_eq!(event_specific_fields(&input), sent, "HOOK-155");
}

#[test]
fn base_fields_may_be_overridden() {
    let input = json!({
        "hook_event_name": "SessionStart", "session_id": "x", "transcript_path": "/t", "cwd": "/c", "timestamp": "now",
        "source": "resume", "host": "ide",
    });
    let input = parse_input(EventName::SessionStart, input).unwrap();
    assert_eq!(
        input.base,
        BaseOverrides {
            session_id: Some("x".to_owned()),
            transcript_path: Some("/t".to_owned()),
            cwd: Some(PathBuf::from("/c")),
            timestamp: Some("now".to_owned()),
            ..BaseOverrides::default()
        }
    );
    // DELTA-HPAY-006: the source is an enum, not a text.
    assert_eq!(
        input.event,
        OwnedEvent::SessionStart { source: SessionStartSource::Resume },
        "DELTA-HPAY-006"
    );
    assert_eq!(Value::Object(input.extra), json!({ "host": "ide" }));
}

#[test]
fn only_event_names_reach_the_parsers() {
    // DELTA-HFAIL-005: text is narrowed to an event name first, and the error is structured.
    assert_eq!("BeforeTool".parse(), Ok(EventName::BeforeTool), "DELTA-HFAIL-005");
    let error = "BeforeTol".parse::<EventName>().unwrap_err();
    assert_eq!(
        (error.word.as_str(), error.nearest),
        ("BeforeTol", Some(EventName::BeforeTool)),
        "DELTA-HFAIL-005"
    );
}
