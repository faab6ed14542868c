//! JSON Schemas of what hooks read and write, and a sample of what they read.
//!
//! Most types here mirror the wire and exist for nothing else: the real ones borrow, stream and keep unknown
//! fields, which says nothing to a reader of a schema. A test holds the two together. The stable model format is
//! described by its own types.

#![expect(dead_code, reason = "the fields are read by the schema generator only")]

use std::collections::HashMap;

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::{Value, json};

use crate::event::{EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{HookToolConfig, LlmRequest, LlmResponse, PartialLlmRequest, PartialLlmResponse};

/// The schema of the JSON object that hooks of an event read from stdin.
pub fn input_schema(event: EventName) -> Schema {
    let mut schema = match event {
        EventName::BeforeTool => schema_for!(BeforeToolInput),
        EventName::AfterTool => schema_for!(AfterToolInput),
        EventName::BeforeAgent => schema_for!(BeforeAgentInput),
        EventName::AfterAgent => schema_for!(AfterAgentInput),
        EventName::BeforeModel => schema_for!(BeforeModelInput),
        EventName::AfterModel => schema_for!(AfterModelInput),
        EventName::BeforeToolSelection => schema_for!(BeforeToolSelectionInput),
        EventName::SessionStart => schema_for!(SessionStartInput),
        EventName::SessionEnd => schema_for!(SessionEndInput),
        EventName::PreCompress => schema_for!(PreCompressInput),
        EventName::Notification => schema_for!(NotificationInput),
    };
    name_the_event(schema.pointer_mut("/properties/hook_event_name"), event);
    schema
}

/// The schema of the JSON object that hooks of an event may write to stdout. Every field is optional, and
/// fields beyond it are kept.
pub fn output_schema(event: EventName) -> Schema {
    let mut schema = match event {
        EventName::BeforeTool => schema_for!(Output<BeforeToolSpecific>),
        EventName::AfterTool => schema_for!(Output<AfterToolSpecific>),
        EventName::BeforeAgent => schema_for!(Output<BeforeAgentSpecific>),
        EventName::AfterAgent => schema_for!(Output<AfterAgentSpecific>),
        EventName::BeforeModel => schema_for!(Output<BeforeModelSpecific>),
        EventName::AfterModel => schema_for!(Output<AfterModelSpecific>),
        EventName::BeforeToolSelection => schema_for!(Output<BeforeToolSelectionSpecific>),
        EventName::SessionStart => schema_for!(Output<SessionStartSpecific>),
        EventName::SessionEnd | EventName::PreCompress | EventName::Notification => {
            schema_for!(Output<NothingSpecific>)
        }
    };
    schema.insert("title".to_owned(), Value::String(format!("{event}Output")));
    let definitions = schema.get_mut("$defs").and_then(Value::as_object_mut);
    for definition in definitions.into_iter().flat_map(|definitions| definitions.values_mut()) {
        name_the_event(definition.pointer_mut("/properties/hookEventName"), event);
    }
    schema
}

/// The event's own fields as a hook might receive them: small and realistic, for trying hooks out.
pub fn sample_input(event: EventName) -> JsonObject {
    let samples = serde_json::from_str(include_str!("samples.json"));
    let mut samples: HashMap<EventName, JsonObject> = samples.unwrap_or_default();
    samples.remove(&event).unwrap_or_default()
}

/// Narrows the field that names the event to the one name it can have.
fn name_the_event(field: Option<&mut Value>, event: EventName) {
    if let Some(field) = field.and_then(Value::as_object_mut) {
        field.insert("const".to_owned(), json!(event.as_str()));
    }
}

/// What every hook reads.
#[derive(JsonSchema)]
struct Base {
    /// The session's identifier.
    session_id: String,
    /// The session's transcript; empty when the host names none.
    transcript_path: String,
    /// The project's directory, which is also the hook's working directory.
    cwd: String,
    /// When the event happened: ISO 8601 in UTC with milliseconds.
    timestamp: String,
    /// The event.
    hook_event_name: String,
}

/// Defines what hooks of each event read, besides what every hook reads.
macro_rules! inputs {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$field_doc:meta])+ $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])+
        #[derive(JsonSchema)]
        struct $name {
            #[serde(flatten)]
            base: Base,
            $($(#[$field_doc])+ $field: $type,)*
        }
    )+};
}

inputs! {
    /// A tool is about to run.
    BeforeToolInput {
        /// The tool's name; matchers are compared with it.
        tool_name: String,
        /// The tool's arguments.
        tool_input: JsonObject,
    }

    /// A tool has run; its result is not yet with the model.
    AfterToolInput {
        /// The tool's name; matchers are compared with it.
        tool_name: String,
        /// The arguments the tool received.
        tool_input: JsonObject,
        /// The tool's result: `llmContent`, `returnDisplay`, `metadata` and, if it failed, `error`.
        tool_response: JsonObject,
    }

    /// A prompt is about to be worked on.
    BeforeAgentInput {
        /// What the user asks.
        prompt: String,
    }

    /// The work on a prompt has ended.
    AfterAgentInput {
        /// What the user asked.
        prompt: String,
        /// What the agent answered.
        prompt_response: String,
        /// Whether this round was itself caused by a hook's block; a script that blocks again may loop.
        stop_hook_active: bool,
    }

    /// A model call is about to be made.
    BeforeModelInput {
        /// The request.
        llm_request: LlmRequest<'static>,
    }

    /// A model call has been answered completely.
    AfterModelInput {
        /// The request.
        llm_request: LlmRequest<'static>,
        /// The answer.
        llm_response: LlmResponse<'static>,
    }

    /// A model call that carries tool definitions is about to be made.
    BeforeToolSelectionInput {
        /// The request.
        llm_request: LlmRequest<'static>,
    }

    /// A session begins.
    SessionStartInput {
        /// How it came to start; matchers are compared with it.
        source: SessionStartSource,
    }

    /// A session ends.
    SessionEndInput {
        /// Why it ended; matchers are compared with it.
        reason: SessionEndReason,
    }

    /// The history is about to be summarised.
    PreCompressInput {
        /// Who asked for it; matchers are compared with it.
        trigger: PreCompressTrigger,
    }

    /// The agent is about to tell or ask the user something.
    NotificationInput {
        /// What it is about, such as `ToolPermission`; matchers are compared with it.
        notification_type: NotificationType,
        /// What the user reads.
        message: String,
        /// More about it.
        details: JsonObject,
    }
}

/// What a hook asks for. Silence means: go on.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
struct Output<Specific> {
    /// `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a
    /// person; the others let it run.
    decision: Option<OutputDecision>,
    /// Why; shown to the model and to the user.
    reason: Option<String>,
    /// `false` stops the agent.
    r#continue: Option<bool>,
    /// Why the agent should stop.
    stop_reason: Option<String>,
    /// `true` hides the result from the user.
    suppress_output: Option<bool>,
    /// A message for the model.
    system_message: Option<String>,
    /// What only hooks of this event may ask for.
    hook_specific_output: Option<Specific>,
}

// The decisions that an output may name. No doc comment: it would become a description in every schema.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OutputDecision {
    Ask,
    Block,
    Deny,
    Approve,
    Allow,
}

/// Defines what hooks of each event may ask for, besides what every hook may.
macro_rules! specifics {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$attribute:meta])+ $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])+
        #[derive(JsonSchema)]
        #[serde(rename_all = "camelCase")]
        struct $name {
            hook_event_name: Option<String>,
            $($(#[$attribute])+ $field: Option<$type>,)*
        }
    )+};
}

specifics! {
    /// What a `BeforeTool` hook may ask for.
    BeforeToolSpecific {
        /// Another place for `decision`.
        permission_decision: OutputDecision,
        /// Another place for `reason`.
        permission_decision_reason: String,
        /// Arguments to change; the others stay.
        #[serde(rename = "tool_input")]
        tool_input: JsonObject,
    }

    /// What an `AfterTool` hook may ask for.
    AfterToolSpecific {
        /// Text that is added to what the model reads of the result.
        additional_context: String,
        /// What the model and the person get instead of the tool's result: a text, or an object like the `tool_response`
        /// that the hook was given.
        #[serde(rename = "tool_response")]
        tool_response: Value,
    }

    /// What a `BeforeAgent` hook may ask for.
    BeforeAgentSpecific {
        /// Text that is added to the prompt.
        additional_context: String,
    }

    /// What an `AfterAgent` hook may ask for.
    AfterAgentSpecific {
        /// `true` makes the agent forget the conversation.
        clear_context: bool,
    }

    /// What a `SessionStart` hook may ask for.
    SessionStartSpecific {
        /// Text that the session begins with.
        additional_context: String,
    }

    /// Hooks of this event have nothing of their own to ask for.
    NothingSpecific {}

    /// What a `BeforeModel` hook may ask for.
    BeforeModelSpecific {
        /// What to change in the request; the rest stays.
        #[serde(rename = "llm_request")]
        llm_request: PartialLlmRequest,
        /// With a block: the answer that is used as if the model had given it.
        #[serde(rename = "llm_response")]
        llm_response: PartialLlmResponse,
    }

    /// What an `AfterModel` hook may ask for.
    AfterModelSpecific {
        /// The answer that is used instead, built from its texts only: tool calls do not survive.
        #[serde(rename = "llm_response")]
        llm_response: PartialLlmResponse,
    }

    /// What a `BeforeToolSelection` hook may ask for.
    BeforeToolSelectionSpecific {
        /// Which tools the model may call.
        tool_config: HookToolConfig,
    }
}

#[cfg(test)]
mod tests;
