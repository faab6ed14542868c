use serde_json::json;

use super::*;

fn object(value: &Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

/// The effects of an event whose hooks left this specific output.
fn of(event: EventName, specific: &Value, agent_events: AgentEvents) -> EventEffects {
    let mut result = ProcessedHookResult::empty(event);
    result.aggregated.final_output =
        Some(HookOutput { hook_specific_output: Some(object(specific)), ..HookOutput::default() });
    EventEffects::of(&result, agent_events)
}

#[test]
fn specific_output_counts_where_it_belongs() {
    let specific = json!({
        "additionalContext": "c", "tool_input": { "command": "ls" }, "permissionDecision": "allow",
        "tool_response": { "llmContent": "x" }, "clearContext": true, "llm_request": {}, "llm_response": {},
        "toolConfig": { "mode": "NONE" },
    });
    let empty = JsonObject::new;
    for (event, expected) in [
        (
            EventName::BeforeTool,
            SpecificEffects::BeforeTool {
                tool_input: Some(object(&json!({ "command": "ls" }))),
                allow: Some(String::new()),
            },
        ),
        (EventName::AfterTool, SpecificEffects::AfterTool { tool_response: json!({ "llmContent": "x" }) }),
        (EventName::AfterAgent, SpecificEffects::ClearContext),
        (
            EventName::BeforeModel,
            SpecificEffects::BeforeModel { llm_request: Some(empty()), llm_response: Some(empty()) },
        ),
        (EventName::AfterModel, SpecificEffects::AfterModel { llm_response: empty() }),
        (
            EventName::BeforeToolSelection,
            SpecificEffects::BeforeToolSelection { tool_config: object(&json!({ "mode": "NONE" })) },
        ),
        (EventName::SessionStart, SpecificEffects::None),
    ] {
        assert_eq!(of(event, &specific, AgentEvents::Apply).specific, expected, "{event}");
    }
    let started = of(EventName::SessionStart, &specific, AgentEvents::Apply);
    assert_eq!(started.additional_context.as_deref(), Some("c"));
}

#[test]
fn values_of_a_wrong_type_are_ignored() {
    let specific = json!({ "additionalContext": 5, "tool_input": "rm", "permissionDecision": "maybe" });
    assert_eq!(of(EventName::BeforeTool, &specific, AgentEvents::Apply), EventEffects::default());
    let nothing =
        json!({ "tool_response": null, "llm_response": "x", "toolConfig": [], "clearContext": "true" });
    for event in
        [EventName::AfterTool, EventName::AfterModel, EventName::BeforeToolSelection, EventName::AfterAgent]
    {
        assert_eq!(of(event, &nothing, AgentEvents::Apply), EventEffects::default(), "{event}");
    }
}

#[test]
fn block_question_and_stop_come_from_the_result() {
    let mut result = ProcessedHookResult::empty(EventName::BeforeTool);
    assert_eq!(EventEffects::of(&result, AgentEvents::Apply), EventEffects::default());
    result.stop = Some(StopReason::new("enough"));
    result.ask = Some("sure?".to_owned());
    result.block = Some(Block::new("no", BlockCause::Policy));
    let effects = EventEffects::of(&result, AgentEvents::Observe);
    assert_eq!(effects.block, result.block, "tool events are applied in any case");
    assert_eq!(effects.ask.as_deref(), Some("sure?"));
    assert_eq!(effects.stop, result.stop);
}

/// Nothing is left of an event whose hooks only observe, but a guard that is missing refuses.
#[test]
fn hooks_that_only_observe_refuse_by_failing() {
    for (cause, is_left) in [(BlockCause::Policy, false), (BlockCause::Failure, true)] {
        let mut result = ProcessedHookResult::empty(EventName::BeforeAgent);
        result.block = Some(Block::new("no", cause));
        result.stop = Some(StopReason::new("enough"));
        let effects = EventEffects::of(&result, AgentEvents::Observe);
        assert_eq!((effects.block.is_some(), effects.stop), (is_left, None));
        assert_eq!(EventEffects::of(&result, AgentEvents::Apply).block, result.block);
    }
}
