use serde_json::json;

use super::*;
use crate::formats::genai::{FunctionCallingMode, GenerateContentConfig};

fn output(value: Value) -> HookOutput {
    let Value::Object(fields) = value else { panic!("not an object") };
    HookOutput::from_object(fields).0
}

#[test]
fn the_factories_differ_for_before_tool() {
    let data = || {
        output(
            json!({"reason": "top", "hookSpecificOutput": {"permissionDecision": "block", "permissionDecisionReason": "own"}}),
        )
    };
    let plain = create_hook_output(EventName::BeforeTool, data());
    assert!(matches!(plain, SpecificHookOutput::Default(_)), "HOOK-200");
    assert!(!plain.is_blocking_decision(), "HOOK-200");
    assert_eq!(plain.blocking_error(), None, "HOOK-200");
    assert_eq!(plain.effective_reason(), "top", "HOOK-200");

    let specific = create_specific_hook_output(data(), EventName::BeforeTool);
    assert!(matches!(specific, SpecificHookOutput::BeforeTool(_)), "HOOK-200");
    assert!(specific.is_blocking_decision(), "HOOK-169 HOOK-199 HOOK-200");
    assert_eq!(specific.effective_reason(), "own", "HOOK-170 HOOK-199");
    assert_eq!(specific.blocking_error(), Some("own"), "HOOK-199");
    assert!(BeforeToolHookOutput(data()).is_blocking_decision(), "HOOK-200");

    for event in EventName::ALL.into_iter().filter(|event| *event != EventName::BeforeTool) {
        let (one, other) = (create_hook_output(event, data()), create_specific_hook_output(data(), event));
        assert_eq!(one, other, "HOOK-200: {event}");
        assert!(!one.is_blocking_decision(), "HOOK-169: {event}");
        let own =
            matches!(event, EventName::BeforeModel | EventName::AfterModel | EventName::BeforeToolSelection);
        assert_eq!(matches!(one, SpecificHookOutput::Default(_)), !own, "HOOK-200: {event}");
    }
}

#[test]
fn decisions_and_reasons() {
    for (requirement, given, blocks, stops, reason) in [
        ("HOOK-016b", json!({"decision": "block", "reason": "r"}), true, false, "r"),
        ("HOOK-016b", json!({"decision": "deny"}), true, false, "Blocked by hook"),
        ("HOOK-018", json!({"decision": "allow", "reason": "r"}), false, false, "r"),
        ("HOOK-018", json!({"decision": "approve"}), false, false, "No reason provided"),
        ("HOOK-158", json!({"decision": null}), false, false, "No reason provided"),
        ("HOOK-158", json!({}), false, false, "No reason provided"),
        ("HOOK-182", json!({"decision": "ask"}), false, false, "No reason provided"),
        ("HOOK-157", json!({"continue": false, "stopReason": "s", "reason": "r"}), false, true, "s"),
        ("HOOK-157", json!({"continue": false, "reason": "r"}), false, true, "r"),
        ("HOOK-157", json!({"continue": false}), false, true, "Hook requested stop"),
        ("HOOK-157", json!({"continue": true}), false, false, "No reason provided"),
        (
            "HOOK-157 (O8)",
            json!({"decision": "block", "reason": "r", "continue": false, "stopReason": "s"}),
            true,
            true,
            "r",
        ),
        (
            "HOOK-169",
            json!({"hookSpecificOutput": {"permissionDecision": "ask"}}),
            false,
            false,
            "No reason provided",
        ),
        (
            "HOOK-170",
            json!({"decision": "deny", "reason": "r", "hookSpecificOutput": {"permissionDecisionReason": " "}}),
            true,
            false,
            "r",
        ),
    ] {
        let view = BeforeToolHookOutput(output(given.clone()));
        assert_eq!(view.is_blocking_decision(), blocks, "{requirement}: {given}");
        assert_eq!(view.should_stop_execution(), stops, "{requirement}: {given}");
        assert_eq!(view.effective_reason(), reason, "{requirement}: {given}");
        assert_eq!(view.blocking_error(), blocks.then_some(reason), "{requirement}: {given}");
    }
}

#[test]
fn context_and_arguments_come_out_as_given() {
    let given =
        output(json!({"hookSpecificOutput": {"additionalContext": "<b>\n", "tool_input": {"path": "x"}}}));
    let view = BeforeToolHookOutput(given);
    assert_eq!(view.additional_context(), Some("<b>\n"));
    assert_eq!(view.modified_tool_input().map(|input| json!(input)), Some(json!({"path": "x"})));
    let mistyped = BeforeToolHookOutput(output(
        json!({"hookSpecificOutput": {"additionalContext": 1, "tool_input": "x"}}),
    ));
    assert_eq!((mistyped.additional_context(), mistyped.modified_tool_input()), (None, None), "O4");
}

fn saying(text: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP", "index": 0}]})
}

#[test]
fn only_a_given_answer_takes_the_models_place() {
    let stop = BeforeModelHookOutput(output(json!({"continue": false, "stopReason": "enough"})));
    assert_eq!(stop.synthetic_response(), Ok(None), "HOOK-194");
    assert!(stop.should_stop_execution(), "HOOK-184");

    let given = json!({"decision": "block", "hookSpecificOutput": {"llm_response": saying("hello")}});
    let block = BeforeModelHookOutput(output(given));
    assert_eq!(block.synthetic_response().unwrap().unwrap().text(), "hello", "HOOK-194");

    let bare = BeforeModelHookOutput(output(json!({"decision": "block"})));
    assert_eq!(bare.synthetic_response(), Ok(None), "HOOK-202");
}

#[test]
fn a_changed_request_keeps_the_rest() {
    let base = GenerateContentParameters {
        model: "old".to_owned(),
        config: Some(GenerateContentConfig {
            tools: Some(vec![json!({"x": 1})]),
            ..GenerateContentConfig::default()
        }),
        ..GenerateContentParameters::default()
    };
    let silent = BeforeModelHookOutput(output(json!({"hookSpecificOutput": {}})));
    assert!(silent.apply_llm_request_modifications(&base).is_none());
    let change =
        BeforeModelHookOutput(output(json!({"hookSpecificOutput": {"llm_request": {"model": "new"}}})));
    let changed = change.apply_llm_request_modifications(&base).unwrap().request;
    assert_eq!((changed.model.as_str(), changed.config), ("new", base.config));
}

#[test]
fn a_stop_after_the_model_answers_with_its_reason() {
    let modified = |value: Value| {
        let view = AfterModelHookOutput(output(value));
        view.modified_response(&GenerateContentResponse::from_text("original"))
            .unwrap()
            .map(|response| response.text())
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        modified(json!({"continue": false, "stopReason": "enough"})),
        text("enough"),
        "HOOK-048 HOOK-194"
    );
    assert_eq!(modified(json!({"continue": false})), text("Hook requested stop"), "HOOK-048");
    assert_eq!(
        modified(json!({"decision": "block", "reason": "r", "continue": false, "stopReason": "s"})),
        text("s"),
        "HOOK-048"
    );
    let given = json!({"hookSpecificOutput": {"llm_response": saying("redacted")}});
    assert_eq!(modified(given), text("redacted"));
    let both = json!({"continue": false, "stopReason": "s", "hookSpecificOutput": {"llm_response": saying("redacted")}});
    assert_eq!(modified(both), text("redacted"), "what a hook wrote goes before what we make up");
    assert_eq!(modified(json!({"decision": "block"})), None, "O18");
}

#[test]
fn tools_are_restricted_by_name_and_not_removed() {
    let tools = vec![json!({"functionDeclarations": [{"name": "a"}, {"name": "b"}]})];
    let mut config = GenerateContentConfig { tools: Some(tools.clone()), ..GenerateContentConfig::default() };
    let view = BeforeToolSelectionHookOutput(output(json!({
        "hookSpecificOutput": {"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}, "tools": []},
    })));
    config.tool_config = view.apply_tool_config_modifications(config.tool_config.as_ref()).unwrap();
    let calling = config.tool_config.unwrap().function_calling_config.unwrap();
    assert_eq!(calling.mode, Some(FunctionCallingMode::Any), "HOOK-167");
    assert_eq!(calling.allowed_function_names, Some(vec!["a".to_owned()]), "HOOK-168");
    assert_eq!(config.tools, Some(tools), "HOOK-167 HOOK-168");

    let silent = BeforeToolSelectionHookOutput(output(json!({})));
    assert_eq!(silent.apply_tool_config_modifications(None), Ok(None), "HOOK-167");
}
