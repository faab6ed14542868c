//! Typed parsers for the payloads of all eleven events, and the JSON Schemas of what hooks read and write.
//!
//! What comes over the message bus or from a file is a JSON value that any program may have written. Behind
//! [`parse_input`] it is an event with exactly the data that its hooks receive, or an error that names the
//! field. Nothing is executed for a payload that does not pass.

mod error;
mod fields;
mod locate;
mod model;
mod owned_event;
pub(crate) mod schema;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::Value;

pub use error::{InputError, ValidationError};
use fields::{PayloadFields, mismatch};
pub use model::{ModelRequest, ModelResponse};
pub use owned_event::OwnedEvent;

use crate::event::{
    CallReading, Event, EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource,
};
use crate::formats::json_object::JsonObject;

/// A payload that passed: an event that owns its data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TypedInput {
    /// Base fields that the sender set.
    pub base: BaseOverrides,
    /// What happens.
    pub event: OwnedEvent,
    /// Fields that hookrail does not know. Hooks receive them after the event's own.
    pub extra: JsonObject,
}

impl TypedInput {
    /// The event, borrowing its data.
    pub fn event(&self) -> Event<'_> {
        self.event.as_event()
    }
}

/// Base fields that a sender sets instead of leaving them to the session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
#[non_exhaustive]
pub struct BaseOverrides {
    pub session_id: Option<String>,
    pub transcript_path: Option<String>,
    pub cwd: Option<PathBuf>,
    pub timestamp: Option<String>,
    /// Other names of the tool, on which matchers are tried too.
    pub also_matches: Vec<String>,
    /// Where relative paths of a tool call start, if that is not `cwd`.
    pub call_directory: Option<PathBuf>,
    /// What a table of the sender's tools says of a tool call. Without one, ours is used.
    pub reading: Option<CallReading>,
}

/// Reads the payload of an event. Model payloads may be in the SDK's form or in the stable form.
pub fn parse_input(event: EventName, input: Value) -> Result<TypedInput, InputError> {
    let mut fields = match input {
        Value::Object(fields) => PayloadFields(fields),
        other => return Err(mismatch("", "an object", Some(&other)).into()),
    };
    if let Some(named) = fields.optional_text("hook_event_name")?
        && named != event.as_str()
    {
        let expected = format!("`{event}`, the event of the request");
        let found = Value::String(named);
        return Err(mismatch("hook_event_name", expected, Some(&found)).into());
    }
    let base = BaseOverrides {
        session_id: fields.optional_text("session_id")?,
        transcript_path: fields.optional_text("transcript_path")?,
        cwd: fields.optional_text("cwd")?.map(PathBuf::from),
        timestamp: fields.optional_text("timestamp")?,
        also_matches: Vec::new(),
        call_directory: None,
        reading: None,
    };
    let event = parse_event(event, &mut fields)?;
    Ok(TypedInput { base, event, extra: fields.0 })
}

/// Takes the fields of an event. What is left afterwards goes on to the hooks.
fn parse_event(event: EventName, fields: &mut PayloadFields) -> Result<OwnedEvent, InputError> {
    Ok(match event {
        EventName::BeforeTool => OwnedEvent::BeforeTool {
            tool_name: fields.tool_name()?,
            tool_input: fields.object("tool_input")?,
        },
        EventName::AfterTool => OwnedEvent::AfterTool {
            tool_name: fields.tool_name()?,
            tool_input: fields.object("tool_input")?,
            tool_response: fields.object("tool_response")?,
        },
        EventName::BeforeAgent => OwnedEvent::BeforeAgent { prompt: fields.text("prompt")? },
        EventName::AfterAgent => OwnedEvent::AfterAgent {
            prompt: fields.text("prompt")?,
            prompt_response: fields.text("prompt_response")?,
            stop_hook_active: fields.flag("stop_hook_active")?,
        },
        EventName::BeforeModel => OwnedEvent::BeforeModel { llm_request: fields.llm_request()? },
        EventName::AfterModel => OwnedEvent::AfterModel {
            llm_request: fields.llm_request()?,
            llm_response: ModelResponse::parse(fields.object("llm_response")?)?,
        },
        EventName::BeforeToolSelection => {
            OwnedEvent::BeforeToolSelection { llm_request: fields.llm_request()? }
        }
        EventName::SessionStart => OwnedEvent::SessionStart {
            source: fields.word(
                "source",
                "`startup`, `resume`, `clear` or `compress`",
                [
                    SessionStartSource::Startup,
                    SessionStartSource::Resume,
                    SessionStartSource::Clear,
                    SessionStartSource::Compress,
                ],
                SessionStartSource::as_str,
            )?,
        },
        EventName::SessionEnd => OwnedEvent::SessionEnd {
            reason: fields.word(
                "reason",
                "`exit`, `clear`, `logout`, `prompt_input_exit` or `other`",
                [
                    SessionEndReason::Exit,
                    SessionEndReason::Clear,
                    SessionEndReason::Logout,
                    SessionEndReason::PromptInputExit,
                    SessionEndReason::Other,
                ],
                SessionEndReason::as_str,
            )?,
        },
        EventName::PreCompress => OwnedEvent::PreCompress {
            trigger: fields.word(
                "trigger",
                "`manual` or `auto`",
                [PreCompressTrigger::Manual, PreCompressTrigger::Auto],
                PreCompressTrigger::as_str,
            )?,
        },
        EventName::Notification => OwnedEvent::Notification {
            notification_type: NotificationType::from(fields.text("notification_type")?),
            message: fields.text("message")?,
            details: if fields.0.contains_key("details") {
                fields.object("details")?
            } else {
                JsonObject::new()
            },
        },
    })
}
