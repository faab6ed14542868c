//! Typed parsers for the payloads of all eleven events, and the JSON Schemas of what hooks read and write.
//!
//! What comes over the message bus or from a file is a JSON value that any program may have written. Behind
//! [`parse_input`] it is an event with exactly the data that its hooks receive, or an error that names the
//! field. Nothing is executed for a payload that does not pass.

mod locate;
mod model;
pub(crate) mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;

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
    /// What another machine says about itself, where the call is made there.
    pub caller: Option<Box<Caller>>,
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
        caller: None,
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
        EventName::SessionStart => {
            let source = fields.word("source", SessionStartSource::ALL, SessionStartSource::as_str)?;
            OwnedEvent::SessionStart { source }
        }
        EventName::SessionEnd => {
            let reason = fields.word("reason", SessionEndReason::ALL, SessionEndReason::as_str)?;
            OwnedEvent::SessionEnd { reason }
        }
        EventName::PreCompress => {
            let trigger = fields.word("trigger", PreCompressTrigger::ALL, PreCompressTrigger::as_str)?;
            OwnedEvent::PreCompress { trigger }
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
    /// Takes a text that may be missing.
    fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, ValidationError> {
        match self.0.shift_remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(mismatch(key, "a text", Some(&other))),
        }
    }

    /// Takes a text that must be there.
    fn text(&mut self, key: &'static str) -> Result<String, ValidationError> {
        self.optional_text(key)?.ok_or_else(|| mismatch(key, "a text", None))
    }

    /// A name that is not empty, because matchers decide by it.
    fn tool_name(&mut self) -> Result<String, ValidationError> {
        const EXPECTED: &str = "the name of a tool";
        match self.0.shift_remove("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => Ok(name),
            other => Err(mismatch("tool_name", EXPECTED, other.as_ref())),
        }
    }

    /// Takes a boolean that must be there.
    fn flag(&mut self, key: &'static str) -> Result<bool, ValidationError> {
        let value = self.0.shift_remove(key);
        value.as_ref().and_then(Value::as_bool).ok_or_else(|| mismatch(key, "true or false", value.as_ref()))
    }

    /// Takes an object that must be there.
    fn object(&mut self, key: &'static str) -> Result<JsonObject, ValidationError> {
        match self.0.shift_remove(key) {
            Some(Value::Object(object)) => Ok(object),
            other => Err(mismatch(key, "an object", other.as_ref())),
        }
    }

    /// Takes a model request in the stable form or in the SDK's.
    fn llm_request(&mut self) -> Result<ModelRequest, InputError> {
        ModelRequest::parse(self.object("llm_request")?)
    }

    /// One of a closed set of words.
    fn word<T: Copy, const N: usize>(
        &mut self,
        key: &'static str,
        words: [T; N],
        as_str: fn(T) -> &'static str,
    ) -> Result<T, ValidationError> {
        let value = self.0.shift_remove(key);
        let word = value.as_ref().and_then(Value::as_str);
        let found = words.into_iter().find(|known| Some(as_str(*known)) == word);
        found.ok_or_else(|| {
            let words = words.map(|word| format!("`{}`", as_str(word)));
            let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
            mismatch(key, format!("{} or {last}", others.join(", ")), value.as_ref())
        })
    }
}

/// The error that says what belongs in a field.
fn mismatch(field: &str, expected: impl Into<Cow<'static, str>>, found: Option<&Value>) -> ValidationError {
    ValidationError { field: field.to_owned(), expected: expected.into(), found: describe(found) }
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

impl OwnedEvent {
    /// The event, borrowing its data.
    pub fn as_event(&self) -> Event<'_> {
        match self {
            Self::BeforeTool { tool_name, tool_input } => Event::BeforeTool { tool_name, tool_input },
            Self::AfterTool { tool_name, tool_input, tool_response } => {
                Event::AfterTool { tool_name, tool_input, tool_response }
            }
            Self::BeforeAgent { prompt } => Event::BeforeAgent { prompt },
            Self::AfterAgent { prompt, prompt_response, stop_hook_active } => {
                Event::AfterAgent { prompt, prompt_response, stop_hook_active: *stop_hook_active }
            }
            Self::BeforeModel { llm_request } => {
                Event::BeforeModel { llm_request: llm_request.as_llm_request() }
            }
            Self::AfterModel { llm_request, llm_response } => Event::AfterModel {
                llm_request: llm_request.as_llm_request(),
                llm_response: llm_response.as_llm_response(),
            },
            Self::BeforeToolSelection { llm_request } => {
                Event::BeforeToolSelection { llm_request: llm_request.as_llm_request() }
            }
            Self::SessionStart { source } => Event::SessionStart { source: *source },
            Self::SessionEnd { reason } => Event::SessionEnd { reason: *reason },
            Self::PreCompress { trigger } => Event::PreCompress { trigger: *trigger },
            Self::Notification { notification_type, message, details } => {
                Event::Notification { notification_type, message, details }
            }
        }
    }
}

/// A payload whose shape is wrong: which field, what was expected there, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected {expected}, found {found}", field_in_words(.field))]
#[non_exhaustive]
pub struct ValidationError {
    /// The field's path, such as `tool_input`; empty for the payload as a whole.
    pub field: String,
    /// What belongs there.
    pub expected: Cow<'static, str>,
    /// What was found there.
    pub found: String,
}

fn field_in_words(field: &str) -> Cow<'static, str> {
    if field.is_empty() { Cow::Borrowed("input") } else { Cow::Owned(format!("`{field}`")) }
}

impl From<TranslationError> for ValidationError {
    fn from(TranslationError { field, expected, found }: TranslationError) -> Self {
        Self { field, expected, found }
    }
}

/// Why a payload cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Its shape is wrong.
    #[error(transparent)]
    Validation(#[from] ValidationError),
    /// A model payload in the SDK's form cannot be translated.
    #[error(transparent)]
    Translation(#[from] TranslationError),
}

impl InputError {
    /// The stable code that bus responses carry.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Validation(_) => "validation_failure",
            Self::Translation(_) => "translation_failure",
        }
    }

    /// The path of the field that is wrong.
    pub fn field(&self) -> &str {
        match self {
            Self::Validation(error) => &error.field,
            Self::Translation(error) => &error.field,
        }
    }
}
