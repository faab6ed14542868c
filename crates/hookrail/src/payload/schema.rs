//! JSON Schemas of what hooks read and write, and a sample of what they read.
//!
//! Most types here mirror the wire and exist for nothing else: the real ones borrow, stream and keep unknown
//! fields, which says nothing to a reader of a schema. A test holds the two together. The stable model format is
//! described by its own types.

#![expect(dead_code, reason = "the fields are read by the schema generator only")]

mod input;
mod output;
mod sample;

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

pub use sample::sample_input;

use crate::event::EventName;
use input::{
    AfterAgentInput, AfterModelInput, AfterToolInput, BeforeAgentInput, BeforeModelInput, BeforeToolInput,
    BeforeToolSelectionInput, NotificationInput, PreCompressInput, SessionEndInput, SessionStartInput,
};
use output::{
    AfterAgentSpecific, AfterModelSpecific, AfterToolSpecific, BeforeAgentSpecific, BeforeModelSpecific,
    BeforeToolSelectionSpecific, BeforeToolSpecific, NothingSpecific, Output, SessionStartSpecific,
};

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
    name_the_event(&mut schema, "/properties/hook_event_name", event);
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
    let specific = format!("/$defs/{}/properties/hookEventName", specific_name(event));
    name_the_event(&mut schema, &specific, event);
    schema
}

/// The name of the event's type in the schema's definitions.
fn specific_name(event: EventName) -> String {
    match event {
        EventName::SessionEnd | EventName::PreCompress | EventName::Notification => {
            "NothingSpecific".to_owned()
        }
        _ => format!("{event}Specific"),
    }
}

/// Narrows the field that names the event to the one name it can have.
fn name_the_event(schema: &mut Schema, pointer: &str, event: EventName) {
    if let Some(field) = schema.pointer_mut(pointer).and_then(Value::as_object_mut) {
        field.insert("const".to_owned(), json!(event.as_str()));
    }
}

#[cfg(test)]
mod tests;
