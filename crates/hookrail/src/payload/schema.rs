//! JSON Schemas of what hooks read and write, and a sample of what they read.
//!
//! The schemas are data, `schemas.json`: types that only mirror the wire would say the same at greater length, since the
//! real ones borrow, stream and keep unknown fields. Tests compare them with what is really written and read.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::texts::TEXTS;

/// The schema of the JSON object that hooks of an event read from stdin.
pub fn input_schema(event: EventName) -> Value {
    schema("Input", event).unwrap_or_default()
}

/// The schema of the JSON object that hooks of an event may write to stdout. Every field is optional, and
/// fields beyond it are kept.
pub fn output_schema(event: EventName) -> Value {
    schema("Output", event).unwrap_or_default()
}

/// The event's own fields as a hook might receive them: small and realistic, for trying hooks out.
pub fn sample_input(event: EventName) -> JsonObject {
    let samples = serde_json::from_str(include_str!("samples.json"));
    let mut samples: HashMap<EventName, JsonObject> = samples.unwrap_or_default();
    samples.remove(&event).unwrap_or_default()
}

/// The fields that all events have, then those of this one, with the definitions that they refer to.
fn schema(kind: &str, event: EventName) -> Option<Value> {
    let text = TEXTS.get("schemas.json").replace("$EVENT", event.as_str());
    let file: Value = serde_json::from_str(&text).ok()?;
    let (of_kind, definitions) = (file.get(kind)?, file.get("$defs")?);
    let own = of_kind.get(event.as_str())?;
    let mut properties = of_kind.get("properties")?.as_object()?.clone();
    properties.extend(own.get("properties")?.as_object()?.clone());
    let mut used = JsonObject::new();
    properties.values().for_each(|property| add_definitions(property, definitions, &mut used));
    let required: Vec<&String> = if kind == "Input" { properties.keys().collect() } else { Vec::new() };
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{event}{kind}"),
        "description": own.get("description")?,
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": used,
    });
    // Nothing is written that says nothing.
    schema.as_object_mut()?.retain(|_, part| *part != json!([]) && *part != json!({}));
    Some(schema)
}

/// Adds the definitions that a schema refers to, each before those that it refers to itself.
fn add_definitions(schema: &Value, definitions: &Value, used: &mut JsonObject) {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/"))
        && let Some(definition) = definitions.get(name).filter(|_| !used.contains_key(name))
    {
        used.insert(name.to_owned(), definition.clone());
        add_definitions(definition, definitions, used);
    }
    match schema {
        Value::Object(fields) => fields.values().for_each(|field| add_definitions(field, definitions, used)),
        Value::Array(items) => items.iter().for_each(|item| add_definitions(item, definitions, used)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
