use serde_json::json;

use super::*;

#[test]
fn specific_output_counts_where_it_belongs() {
    let specific = json!({
        "additionalContext": "c", "tool_input": {"command": "ls"}, "permissionDecision": "allow",
        "tool_response": {"llmContent": "x"}, "clearContext": true, "llm_request": {}, "llm_response": {},
        "toolConfig": {"mode": "NONE"},
    });
    let specific = specific.as_object().expect("an object");
    let read = |event| {
        let mut verdict = Verdict::default();
        verdict.read_specific(event, specific);
        verdict
    };
    let context = Some("c".to_owned());
    let with_context = || Verdict { additional_context: context.clone(), ..Verdict::default() };
    let object = |value: Value| value.as_object().cloned();
    for (event, expected) in [
        (
            EventName::BeforeTool,
            Verdict {
                tool_input: object(json!({"command": "ls"})),
                permission_allow: Some(String::new()),
                ..with_context()
            },
        ),
        (
            EventName::AfterTool,
            Verdict { tool_response: object(json!({"llmContent": "x"})), ..with_context() },
        ),
        (EventName::AfterAgent, Verdict { clear_context: true, ..with_context() }),
        (
            EventName::BeforeModel,
            Verdict { llm_request: Some(json!({})), llm_response: Some(json!({})), ..with_context() },
        ),
        (EventName::AfterModel, Verdict { llm_response: Some(json!({})), ..with_context() }),
        (
            EventName::BeforeToolSelection,
            Verdict { tool_config: Some(json!({"mode": "NONE"})), ..with_context() },
        ),
        (EventName::SessionStart, with_context()),
    ] {
        assert_eq!(read(event), expected, "{event}");
    }
}

#[test]
fn a_result_of_the_engine_is_a_verdict() {
    let mut result = ProcessedHookResult::empty(EventName::BeforeTool);
    assert_eq!(Verdict::from_result(&result), Verdict::default());
    result.stop = Some(hookrail::StopReason::new("enough"));
    result.ask = Some(hookrail::components::Ask::new("sure?"));
    result.aggregated.errors = vec![hookrail::components::HookError::Hook {
        name: "lint".to_owned(),
        failure: hookrail::components::HookFailure::ExitCode { code: 1, stderr: String::new() },
    }];
    result.aggregated.final_output = Some(hookrail::HookOutput {
        hook_specific_output: json!({"tool_input": {"command": "ls"}}).as_object().cloned(),
        ..hookrail::HookOutput::default()
    });
    let expected = Verdict {
        ask: Some("sure?".to_owned()),
        stop: Some("enough".to_owned()),
        tool_input: json!({"command": "ls"}).as_object().cloned(),
        messages: vec!["hook `lint` failed: exited with code 1".to_owned()],
        ..Verdict::default()
    };
    assert_eq!(Verdict::from_result(&result), expected);
    let block = Block::new("no", hookrail::BlockCause::Policy);
    result.block = Some(block.clone());
    result.ask = None;
    assert_eq!(Verdict::from_result(&result), Verdict { ask: None, block: Some(block), ..expected });
}

#[test]
fn values_of_a_wrong_type_are_ignored() {
    let specific = json!({"additionalContext": 5, "tool_input": "rm", "permissionDecision": "maybe"});
    let mut verdict = Verdict::default();
    verdict.read_specific(EventName::BeforeTool, specific.as_object().expect("an object"));
    assert_eq!(verdict, Verdict::default());
}
