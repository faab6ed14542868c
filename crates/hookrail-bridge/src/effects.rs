//! What an agent is to do, in terms that every dialect can write.

use hookrail::JsonObject;
use serde_json::Value;

/// A verdict that an agent can carry out at an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NativeEffects {
    /// Refuse the operation; at the end of the work, go on.
    pub deny: Option<String>,
    /// Ask the person, with this reason.
    pub ask: Option<String>,
    /// Do not ask the person; the reason may be empty.
    pub allow: Option<String>,
    /// End the run, for this reason.
    pub stop: Option<String>,
    /// All of the tool's arguments, under the agent's names.
    pub input: Option<JsonObject>,
    /// A text for the model.
    pub context: Option<String>,
    /// The text that replaces the tool's result.
    pub result: Option<String>,
    /// A text for the user.
    pub user_message: Option<String>,
    /// Hide the result from the user.
    pub suppress_output: bool,
    /// Forget the conversation.
    pub clear_context: bool,
    /// The model request as changed.
    pub llm_request: Option<Value>,
    /// The model's answer as invented or replaced.
    pub llm_response: Option<Value>,
    /// The tools that the model may use, under the agent's names.
    pub tool_config: Option<Value>,
}

impl NativeEffects {
    /// The result's replacement with the context behind it, for agents that take one text.
    pub(crate) fn result_with_context(&self) -> Option<String> {
        let result = self.result.as_deref()?;
        let text = match &self.context {
            Some(context) => format!("{result}\n{context}"),
            None => result.to_owned(),
        };
        Some(nonblank(&text, "(a hook removed this result)"))
    }
}

/// The text, or another one if it is blank: most agents ignore a blank reason.
pub(crate) fn nonblank(text: &str, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { text.to_owned() }
}
