//! Bytes that no agent would send, and payloads of agents that do not exist yet.

use hookrail::EventName;
use hookrail::components::CallReading;
use hookrail::effects::EventEffects;
use hookrail_bridge::{Agent, BridgeInputError, NativeAnswer, Outcome, SessionMemory, answer, broken, read};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{OBSERVED, names, payloads};

#[test]
fn what_is_no_object_is_an_error() {
    for text in ["", "  \n", "\u{feff}", "5", "[]", "\"x\"", "null", "{", "{\"a\":}", "\0", "{} {}"] {
        for agent in Agent::ALL {
            assert!(read(agent, Some("PreToolUse"), text.as_bytes()).is_err(), "{agent} {text:?}");
        }
    }
    assert_eq!(read(Agent::Claude, None, b"{}"), Err(BridgeInputError::NoEvent));
}

/// A guard cannot be matched with a call that has no name, so that the caller has to decide whether one listens.
#[test]
fn a_call_without_a_name_cannot_be_read() {
    for stdin in [json!({}), json!({"tool_name": 5}), json!({"tool_name": ""}), json!({"tool": "Bash"})] {
        let event = read(Agent::Claude, Some("PreToolUse"), stdin.to_string().as_bytes()).expect("an event");
        assert_eq!((event.event, event.native_tool), (Some(EventName::BeforeTool), None), "{stdin}");
        assert!(matches!(event.reading, Some(CallReading::Unreadable(_))), "{stdin}");
    }
}

#[test]
fn a_call_without_an_events_name_is_before_the_tool() {
    for (agent, native) in
        [(Agent::Claude, "PreToolUse"), (Agent::Gemini, "BeforeTool"), (Agent::Copilot, "preToolUse")]
    {
        let call = json!({"tool_name": "x", "tool_input": {"command": "ls"}});
        let event = read(agent, None, call.to_string().as_bytes()).expect("an event");
        assert_eq!(
            (event.event, event.native_event.as_str()),
            (Some(EventName::BeforeTool), native),
            "{agent}"
        );
        let done = json!({"toolName": "x", "toolArgs": {}, "toolResult": {}});
        assert_eq!(read(agent, None, done.to_string().as_bytes()), Err(BridgeInputError::NoEvent), "{agent}");
    }
}

#[test]
fn new_fields_are_kept_and_new_events_have_no_counterpart() {
    let text = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls", "new": 1},
        "future": {"deep": [1]}});
    let known = read(Agent::Claude, None, text.to_string().as_bytes()).expect("an event");
    assert_eq!(known.payload["future"], json!({"deep": [1]}));
    assert_eq!(known.payload["tool_input"]["new"], 1);
    let unknown = read(Agent::Claude, None, br#"{"hook_event_name": "Dreaming"}"#).expect("an event");
    assert_eq!((unknown.event, unknown.native_event.as_str()), (None, "Dreaming"));
    let silent = answer(Agent::Claude, &unknown, &Outcome::default(), &SessionMemory::default());
    assert_eq!(silent, NativeAnswer::default());
    // A renamed event is still the one that the entry is registered for.
    let renamed = text.to_string().replace("PreToolUse", "PreToolUseV2");
    let renamed = read(Agent::Claude, Some("PreToolUse"), renamed.as_bytes()).expect("an event");
    assert_eq!(renamed.event, Some(EventName::BeforeTool));
}

/// JavaScript writes lone surrogates as escapes, and a guard that cannot read them would be off.
#[test]
fn texts_that_are_no_unicode_are_read() {
    for escape in [r"\ud800", r"\udc00x", r"\ud800A", r"\ud83d\ude00", r"a\\ud800"] {
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"rm {escape}"}}}}"#
        );
        let read = read(Agent::Claude, None, text.as_bytes()).expect(escape);
        assert!(
            read.payload["tool_input"]["command"].as_str().is_some_and(|command| command.starts_with("rm "))
        );
    }
    let mut bytes =
        br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm "#.to_vec();
    bytes.extend(b"\xff\"}}");
    assert!(read(Agent::Claude, None, &bytes).is_ok());
}

#[test]
fn large_payloads_are_read_and_trees_are_bounded() {
    let long = "x".repeat(20 * 1024 * 1024);
    let text = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"content":"{long}"}}}}"#
    );
    let read_back = read(Agent::Claude, None, text.as_bytes()).expect("a long text");
    assert_eq!(read_back.payload["tool_input"]["content"].as_str().map(str::len), Some(long.len()));
    let tree = format!(r#"{{"hook_event_name":"PreToolUse","x":[{}0]}}"#, "0,".repeat(5_000_000));
    assert!(matches!(read(Agent::Claude, None, tree.as_bytes()), Err(BridgeInputError::TooLarge { .. })));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(read(Agent::Claude, None, deep.as_bytes()), Err(BridgeInputError::Malformed { .. })));
}

/// Whether an answer refuses, in whatever dialect.
fn refuses(answer: &NativeAnswer) -> bool {
    let Ok(output) = serde_json::from_str::<Value>(&answer.stdout) else { return false };
    let specific = output.get("hookSpecificOutput").unwrap_or(&output);
    let word = specific.get("permissionDecision").or_else(|| output.get("decision"));
    matches!(word.and_then(Value::as_str), Some("deny" | "block"))
}

#[test]
fn a_broken_guard_refuses_what_it_guards_and_nothing_else() {
    let message = "settings.json, line 3: expected `}`; run `hookrail check` in a terminal";
    for agent in OBSERVED {
        for (name, native, text) in payloads(agent) {
            let guarded = matches!(
                read(agent, Some(&native), text.as_bytes()).ok().and_then(|event| event.event),
                Some(EventName::BeforeTool | EventName::BeforeModel | EventName::BeforeAgent)
            );
            let output = broken(agent, Some(&native), text.as_bytes(), message);
            assert_eq!(refuses(&output), guarded, "{agent} {name}: {output:?}");
            assert_eq!(output.stdout.contains("hookrail check"), guarded, "{agent} {name}");
            assert!(output.stderr.contains(message) && output.exit_code == 0, "{agent} {name}");
        }
    }
}

/// An entry that names its event fails closed whatever stdin holds, and a payload that was cut off does by itself.
#[test]
fn unreadable_payloads_are_refused_at_guarded_events() {
    for agent in OBSERVED {
        let (_, native, text) =
            payloads(agent).into_iter().find(|(name, ..)| name == names(agent).before).expect("a payload");
        let cut = text.get(..text.len() / 2).expect("ASCII");
        for stdin in [b"".as_slice(), b"\xff\xfe", b"[1]", b"{}", cut.as_bytes()] {
            assert!(refuses(&broken(agent, Some(&native), stdin, "cannot read stdin")), "{agent} {stdin:?}");
        }
    }
    let cut = br#"{"session_id":"1","hook_event_name" : "PreToolUse","tool_name":"Ba"#;
    assert!(refuses(&broken(Agent::Claude, None, cut, "cannot read stdin")));
    assert!(refuses(&broken(Agent::Claude, Some("Stop"), cut, "cannot read stdin")));
    assert!(!refuses(&broken(Agent::Claude, Some("Stop"), b"", "cannot read stdin")));
}

proptest! {
    #[test]
    fn any_bytes_are_an_event_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        agent in proptest::sample::select(Agent::ALL.to_vec()),
    ) {
        let _ = read(agent, Some("PreToolUse"), &bytes).is_ok();
        let _ = broken(agent, Some("PreToolUse"), &bytes, "x");
    }

    /// A payload with one value replaced by another is answered or refused, never a panic, and a block blocks.
    #[test]
    fn mutated_payloads_are_answered(
        agent in proptest::sample::select(OBSERVED.to_vec()),
        pick in any::<prop::sample::Index>(),
        key in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(json!(null)), Just(json!(5)), Just(json!("\u{0}é")), Just(json!([1, {"a": []}])), Just(json!({}))
        ],
    ) {
        let all = payloads(agent);
        let (_, native, text) = pick.get(&all);
        let mut payload: serde_json::Map<String, Value> = serde_json::from_str(text).expect("JSON");
        let keys: Vec<String> = payload.keys().cloned().collect();
        payload.insert(key.get(&keys).clone(), value);
        let text = Value::Object(payload).to_string();
        let block = hookrail::Block::new("no", hookrail::BlockCause::Policy);
        let effects = EventEffects { block: Some(block), ..EventEffects::default() };
        if let Ok(event) = read(agent, Some(native), text.as_bytes()) {
            let output = answer(agent, &event, &effects.into(), &SessionMemory::default());
            if event.event == Some(EventName::BeforeTool) {
                prop_assert!(refuses(&output), "{}", text);
            }
        }
    }
}
