//! What our hooks decided, in our terms.

use hookrail::components::ProcessedHookResult;
use hookrail::{Block, EventName, JsonObject};
use serde_json::Value;

/// The outcome of one event. The default has no effect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// The operation is refused; at `AfterAgent`, the agent is sent back to work.
    pub block: Option<Block>,
    /// A person is to decide, for this reason.
    pub ask: Option<String>,
    /// The rules that block or ask, and what a person can do about it.
    pub rules: Option<String>,
    /// The agent is to stop, for this reason.
    pub stop: Option<String>,
    /// A hook's output contains `permissionDecision: "allow"`; its reason, which may be empty.
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
    /// Texts to show to the user now, such as that a hook failed.
    pub messages: Vec<String>,
    /// Texts to show to the user once in a session, such as that hooks are off.
    pub notices: Vec<String>,
}

impl Verdict {
    /// The verdict of an event's hooks. The caller adds what the user is to be shown besides, such as that hooks are
    /// off.
    pub fn from_result(result: &ProcessedHookResult) -> Self {
        let mut verdict = Self {
            block: result.block.clone(),
            stop: result.stop.as_ref().map(ToString::to_string),
            ask: result.ask.as_ref().map(|ask| ask.reason.clone()),
            rules: rules_of(result),
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
    /// wrong type are ignored.
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

/// The rules that stop an operation, by name, and that a person can let it pass.
fn rules_of(result: &ProcessedHookResult) -> Option<String> {
    let stopping = result.stopping_rules()?;
    let names: Vec<&str> = stopping.rules.iter().map(|rule| rule.name.as_str()).collect();
    let help = if stopping.obstacle.is_none() { "; a person can run hookrail allow" } else { "" };
    Some(format!("[hookrail: {}{help}]", names.join(", ")))
}

#[cfg(test)]
mod tests;
