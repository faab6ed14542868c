//! Typed parsers for the payloads of all eleven events, and the JSON Schemas of what hooks read and write.
//!
//! What comes over the message bus or from a file is a JSON value that any program may have written. Behind
//! [`parse_input`] it is an event with exactly the data that its hooks receive, or an error that names the
//! field. Nothing is executed for a payload that does not pass.

mod model;
pub(crate) mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use model::stable_response;
pub use model::{ModelRequest, ModelResponse};

use crate::event::{
    CallReading, Caller, Event, EventName, NotificationType, PreCompressTrigger, SessionEndReason,
    SessionStartSource,
};
use crate::formats::field::{TranslationError, describe};
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
        match &self.event {
            OwnedEvent::BeforeTool { tool_name, tool_input } => Event::BeforeTool { tool_name, tool_input },
            OwnedEvent::AfterTool { tool_name, tool_input, tool_response } => {
                Event::AfterTool { tool_name, tool_input, tool_response }
            }
            OwnedEvent::BeforeAgent { prompt } => Event::BeforeAgent { prompt },
            OwnedEvent::AfterAgent { prompt, prompt_response, stop_hook_active } => {
                Event::AfterAgent { prompt, prompt_response, stop_hook_active: *stop_hook_active }
            }
            OwnedEvent::BeforeModel { llm_request } => {
                Event::BeforeModel { llm_request: llm_request.as_llm_request() }
            }
            OwnedEvent::AfterModel { llm_request, llm_response } => Event::AfterModel {
                llm_request: llm_request.as_llm_request(),
                llm_response: llm_response.as_llm_response(),
            },
            OwnedEvent::BeforeToolSelection { llm_request } => {
                Event::BeforeToolSelection { llm_request: llm_request.as_llm_request() }
            }
            OwnedEvent::SessionStart { source } => Event::SessionStart { source: *source },
            OwnedEvent::SessionEnd { reason } => Event::SessionEnd { reason: *reason },
            OwnedEvent::PreCompress { trigger } => Event::PreCompress { trigger: *trigger },
            OwnedEvent::Notification { notification_type, message, details } => {
                Event::Notification { notification_type, message, details }
            }
        }
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
    /// What another machine says about itself, where the call is made there.
    pub caller: Option<Box<Caller>>,
}

/// Reads the payload of an event. Model payloads may be in the SDK's form or in the stable form.
pub fn parse_input(event: EventName, input: Value) -> Result<TypedInput, InputError> {
    let mut fields = match input {
        Value::Object(fields) => PayloadFields(fields),
        other => return Err(invalid("", "an object", describe(Some(&other)))),
    };
    if let Some(named) = fields.optional_text("hook_event_name")?
        && named != event.as_str()
    {
        let expected = format!("`{event}`, the event of the request");
        return Err(invalid("hook_event_name", expected, describe(Some(&named.into()))));
    }
    let base = BaseOverrides {
        session_id: fields.optional_text("session_id")?,
        transcript_path: fields.optional_text("transcript_path")?,
        cwd: fields.optional_text("cwd")?.map(PathBuf::from),
        timestamp: fields.optional_text("timestamp")?,
        ..BaseOverrides::default()
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
            stop_hook_active: fields.take("stop_hook_active", "true or false")?,
        },
        EventName::BeforeModel => OwnedEvent::BeforeModel { llm_request: fields.llm_request()? },
        EventName::AfterModel => OwnedEvent::AfterModel {
            llm_request: fields.llm_request()?,
            llm_response: ModelResponse::parse(fields.object("llm_response")?)?,
        },
        EventName::BeforeToolSelection => {
            OwnedEvent::BeforeToolSelection { llm_request: fields.llm_request()? }
        }
        EventName::SessionStart => {
            OwnedEvent::SessionStart { source: fields.word("source", SessionStartSource::WORDS)? }
        }
        EventName::SessionEnd => {
            OwnedEvent::SessionEnd { reason: fields.word("reason", SessionEndReason::WORDS)? }
        }
        EventName::PreCompress => {
            OwnedEvent::PreCompress { trigger: fields.word("trigger", PreCompressTrigger::WORDS)? }
        }
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

/// The fields of a payload that were not read yet.
struct PayloadFields(JsonObject);

impl PayloadFields {
    /// Takes a field that must be there; `expected` says what it is.
    fn take<T: DeserializeOwned>(
        &mut self,
        key: &str,
        expected: impl Into<Cow<'static, str>>,
    ) -> Result<T, InputError> {
        let value = self.0.shift_remove(key);
        let found = describe(value.as_ref());
        let read = value.and_then(|value| serde_json::from_value(value).ok());
        read.ok_or_else(|| invalid(key, expected, found))
    }

    /// Takes a text; `None` where there is none.
    fn optional_text(&mut self, key: &str) -> Result<Option<String>, InputError> {
        self.0.contains_key(key).then(|| self.text(key)).transpose()
    }

    fn text(&mut self, key: &str) -> Result<String, InputError> {
        self.take(key, "a text")
    }

    fn object(&mut self, key: &str) -> Result<JsonObject, InputError> {
        self.take(key, "an object")
    }

    /// A tool always has a name.
    fn tool_name(&mut self) -> Result<String, InputError> {
        const EXPECTED: &str = "the name of a tool";
        let name: String = self.take("tool_name", EXPECTED)?;
        if name.is_empty() { Err(invalid("tool_name", EXPECTED, "the text \"\"")) } else { Ok(name) }
    }

    /// Takes a model request in the stable form or in the SDK's.
    fn llm_request(&mut self) -> Result<ModelRequest, InputError> {
        ModelRequest::parse(self.object("llm_request")?)
    }

    /// One of a closed set of words.
    fn word<T: DeserializeOwned>(&mut self, key: &str, words: &[&str]) -> Result<T, InputError> {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
        self.take(key, format!("{} or {last}", others.join(", ")))
    }
}

/// The error that says what belongs in a field.
fn invalid(field: &str, expected: impl Into<Cow<'static, str>>, found: impl Into<String>) -> InputError {
    let (field, expected, found) = (field.to_owned(), expected.into(), found.into());
    InputError::Validation(TranslationError { field, expected, found })
}

/// An [`Event`] that owns its data.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
pub enum OwnedEvent {
    BeforeTool { tool_name: String, tool_input: JsonObject },
    AfterTool { tool_name: String, tool_input: JsonObject, tool_response: JsonObject },
    BeforeAgent { prompt: String },
    AfterAgent { prompt: String, prompt_response: String, stop_hook_active: bool },
    BeforeModel { llm_request: ModelRequest },
    AfterModel { llm_request: ModelRequest, llm_response: ModelResponse },
    BeforeToolSelection { llm_request: ModelRequest },
    SessionStart { source: SessionStartSource },
    SessionEnd { reason: SessionEndReason },
    PreCompress { trigger: PreCompressTrigger },
    Notification { notification_type: NotificationType, message: String, details: JsonObject },
}

/// Why a payload cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Its shape is wrong.
    #[error(transparent)]
    Validation(TranslationError),
    /// A model payload in the SDK's form cannot be translated.
    #[error(transparent)]
    Translation(#[from] TranslationError),
}

impl InputError {
    /// The path of the field that is wrong.
    pub fn field(&self) -> &str {
        match self {
            Self::Validation(error) | Self::Translation(error) => &error.field,
        }
    }
}
