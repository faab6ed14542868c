//! What our hooks decided, in our terms.

use hookrail::components::ProcessedHookResult;
use hookrail::{Block, EventName, JsonObject};
use serde_json::Value;

/// The outcome of one event. The default is the one that says nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// The operation is refused; at `AfterAgent`, the agent is sent back to work.
    pub block: Option<Block>,
    /// A person is to decide, for this reason.
    pub ask: Option<String>,
    /// The agent is to stop, for this reason.
    pub stop: Option<String>,
    /// A hook said `permissionDecision: "allow"` in so many words; its reason, which may be empty.
    pub permission_allow: Option<String>,
    /// The tool's arguments as changed, under our names: all of them, or only those that changed.
    pub tool_input: Option<JsonObject>,
    /// A text for the model.
    pub additional_context: Option<String>,
    /// Our `systemMessage`, which is for the model too.
    pub system_message: Option<String>,
    /// What stands in for a tool's result: `llmContent`, `returnDisplay`.
    pub tool_response: Option<JsonObject>,
    /// The result is to be hidden from the user.
    pub suppress_output: bool,
    /// The conversation is to be forgotten (`AfterAgent`).
    pub clear_context: bool,
    /// The model request as changed (`BeforeModel`).
    pub llm_request: Option<Value>,
    /// The model's answer as invented (`BeforeModel`) or replaced (`AfterModel`).
    pub llm_response: Option<Value>,
    /// The tools that the model may use (`BeforeToolSelection`), under our names.
    pub tool_config: Option<Value>,
    /// What the user is to be told now, such as that a hook failed.
    pub messages: Vec<String>,
    /// What the user is to be told once in a session, such as that hooks are off.
    pub notices: Vec<String>,
}

impl Verdict {
    /// The verdict that an event's hooks came to. What the user is to be told besides, such as that hooks are off, is
    /// the caller's to add.
    pub fn from_result(result: &ProcessedHookResult) -> Self {
        let mut verdict = Self {
            block: result.block.clone(),
            stop: result.stop.as_ref().map(ToString::to_string),
            ask: result.ask.as_ref().map(|ask| ask.reason.clone()),
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
            ..Self::default()
        };
        verdict.messages.extend(result.aggregated.errors.iter().map(|error| match error.hook() {
            Some(hook) => format!("hook `{hook}` failed: {error}"),
            None => format!("hooks failed: {error}"),
        }));
        let Some(output) = &result.aggregated.final_output else { return verdict };
        if let Some(specific) = &output.hook_specific_output {
            verdict.read_specific(result.event, specific);
        }
        verdict
    }

    /// Takes over what hooks put into `hookSpecificOutput`, as far as it concerns the event. Values of a
    /// wrong type say nothing.
    pub fn read_specific(&mut self, event: EventName, specific: &JsonObject) {
        let text = |key: &str| specific.get(key).and_then(Value::as_str).map(str::to_owned);
        let object = |key: &str| specific.get(key).and_then(Value::as_object).cloned();
        self.additional_context = text("additionalContext").or(self.additional_context.take());
        match event {
            EventName::BeforeTool => {
                self.tool_input = object("tool_input").or(self.tool_input.take());
                if text("permissionDecision").as_deref() == Some("allow") {
                    self.permission_allow = Some(text("permissionDecisionReason").unwrap_or_default());
                }
            }
            EventName::AfterTool => {
                self.tool_response = object("tool_response").or(self.tool_response.take());
            }
            EventName::AfterAgent => {
                self.clear_context |= specific.get("clearContext") == Some(&Value::Bool(true));
            }
            EventName::BeforeModel => {
                self.llm_request = object("llm_request").map(Value::Object).or(self.llm_request.take());
                self.llm_response = object("llm_response").map(Value::Object).or(self.llm_response.take());
            }
            EventName::AfterModel => {
                self.llm_response = object("llm_response").map(Value::Object).or(self.llm_response.take());
            }
            EventName::BeforeToolSelection => {
                self.tool_config = object("toolConfig").map(Value::Object).or(self.tool_config.take());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
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
        result.stop = Some(hookrail::StopReason("enough".to_owned()));
        result.ask = Some(hookrail::components::Ask { reason: "sure?".to_owned() });
        result.aggregated.errors = vec![hookrail::components::HookError::Hook {
            name: "lint".to_owned(),
            failure: hookrail::HookFailure::ExitCode { code: 1, stderr: String::new() },
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
        let block = Block { reason: "no".to_owned(), cause: hookrail::BlockCause::Policy };
        result.block = Some(block.clone());
        result.ask = None;
        assert_eq!(Verdict::from_result(&result), Verdict { ask: None, block: Some(block), ..expected });
    }

    #[test]
    fn values_of_a_wrong_type_say_nothing() {
        let specific = json!({"additionalContext": 5, "tool_input": "rm", "permissionDecision": "maybe"});
        let mut verdict = Verdict::default();
        verdict.read_specific(EventName::BeforeTool, specific.as_object().expect("an object"));
        assert_eq!(verdict, Verdict::default());
    }
}
