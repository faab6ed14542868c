//! What a hook may ask for, read field by field so that a typo never loses a block.

pub(crate) mod json;
mod read;

use serde::Serialize;
use serde_json::Value;

use crate::event::EventName;
use crate::formats::json_object::JsonObject;

pub(crate) use self::read::is_answer;

/// The reason of a block for which its hook gave none.
pub(crate) const DEFAULT_BLOCK_REASON: &str = "Blocked by hook";

/// The reason of an ask for which its hook gave none.
pub(crate) const DEFAULT_ASK_REASON: &str = "A hook asks for a person's decision";

/// The reason of a stop for which its hook gave none.
pub(crate) const DEFAULT_STOP_REASON: &str = "Hook requested stop";

/// A hook's answer. Unknown fields are kept in `extra`; known fields of a wrong type are left out by
/// the code that reads the answer, with a warning.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookOutput {
    /// Allow or block; absent means no decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Why; shown to the model and to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `Some(false)` stops the agent.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub continue_: Option<bool>,
    /// Why it should stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Hide the result from the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress_output: Option<bool>,
    /// A message for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// What only this event's hooks may ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<JsonObject>,
    /// Fields hookrail does not know.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A hook's decision about the operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// A person is to decide; does not block.
    Ask,
    /// Blocks, like [`Decision::Deny`].
    Block,
    /// Blocks, like [`Decision::Block`].
    Deny,
    /// Allows, like [`Decision::Allow`].
    Approve,
    /// Allows, like [`Decision::Approve`].
    Allow,
    /// An unknown decision; does not block.
    #[serde(untagged)]
    Other(String),
}

impl Decision {
    /// Reads a decision word.
    pub fn from_word(word: &str) -> Self {
        match word {
            "ask" => Self::Ask,
            "block" => Self::Block,
            "deny" => Self::Deny,
            "approve" => Self::Approve,
            "allow" => Self::Allow,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Deny => "deny",
            Self::Approve => "approve",
            Self::Allow => "allow",
            Self::Other(word) => word,
        }
    }

    /// Whether this decision blocks.
    pub const fn blocks(&self) -> bool {
        matches!(self, Self::Block | Self::Deny)
    }
}

impl HookOutput {
    /// A deny with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), reason: Some(reason.into()), ..Self::default() }
    }

    /// An allow with a message for the model.
    pub fn allow_with_message(message: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Allow), system_message: Some(message.into()), ..Self::default() }
    }

    /// Whether the top-level decision blocks.
    pub fn is_blocking_decision(&self) -> bool {
        self.decision.as_ref().is_some_and(Decision::blocks)
    }

    /// Whether the agent is asked to stop.
    pub fn should_stop_execution(&self) -> bool {
        self.continue_ == Some(false)
    }

    /// Whether a `BeforeTool` hook blocks by the compatibility field `permissionDecision`.
    pub fn is_permission_denied(&self) -> bool {
        let word = self.specific("permissionDecision").and_then(Value::as_str);
        word.is_some_and(|word| Decision::from_word(word).blocks())
    }

    /// Whether a hook of this event blocks by this answer. It has an effect where [`EventName::can_block`].
    pub fn blocks(&self, event: EventName) -> bool {
        self.is_blocking_decision() || (event == EventName::BeforeTool && self.is_permission_denied())
    }

    /// Whether a hook of this event asks for a person's decision about a tool call. One that blocks does not.
    pub fn asks(&self, event: EventName) -> bool {
        let word = self.specific("permissionDecision").and_then(Value::as_str);
        event == EventName::BeforeTool
            && !self.blocks(event)
            && (self.decision == Some(Decision::Ask) || word.map(Decision::from_word) == Some(Decision::Ask))
    }

    /// The compatibility field `permissionDecisionReason`, unless it is blank.
    pub(crate) fn permission_reason(&self) -> Option<&str> {
        first_not_blank([self.specific("permissionDecisionReason").and_then(Value::as_str)])
    }

    /// Why the agent should stop: `stopReason`, else `reason`, else a default; never blank.
    pub fn effective_stop_reason(&self) -> &str {
        first_not_blank([self.stop_reason.as_deref(), self.reason.as_deref()]).unwrap_or(DEFAULT_STOP_REASON)
    }

    /// Why a hook of this event blocks or, if it does not, why it stops; never blank.
    pub fn effective_reason(&self, event: EventName) -> &str {
        let permission = if event == EventName::BeforeTool { self.permission_reason() } else { None };
        if self.should_stop_execution() && !self.blocks(event) {
            return permission.unwrap_or_else(|| self.effective_stop_reason());
        }
        let given = first_not_blank([permission, self.reason.as_deref(), self.stop_reason.as_deref()]);
        given.unwrap_or(if self.blocks(event) { DEFAULT_BLOCK_REASON } else { "No reason provided" })
    }

    /// The text that the hook adds to what the model sees, as it was written.
    pub(crate) fn additional_context(&self) -> Option<&str> {
        self.specific("additionalContext").and_then(Value::as_str)
    }

    /// A field of `hookSpecificOutput`.
    pub fn specific(&self, key: &str) -> Option<&Value> {
        self.hook_specific_output.as_ref()?.get(key)
    }
}

/// The first text that is not blank.
pub(crate) fn first_not_blank<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Option<&'a str> {
    texts.into_iter().flatten().find(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
