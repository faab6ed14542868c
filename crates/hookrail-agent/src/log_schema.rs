//! The JSON Schema of a line of the session log, made from the types that are written.

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::log::LogLine;

/// The schema of one line. `timestamp` and `sessionId` are part of every kind of line.
/// `agent` is there where the event came from another agent.
pub fn session_log_schema() -> Schema {
    let mut schema = schema_for!(LogLine<'static>);
    schema.insert("title".to_owned(), json!("SessionLogLine"));
    schema.insert("description".to_owned(), json!("A line of a session log or of the engine's own log."));
    schema.insert(
        "properties".to_owned(),
        json!({
            "timestamp": { "description": "When it was written.", "type": "string", "format": "date-time" },
            "sessionId": { "description": "The session it belongs to.", "type": "string" },
            "agent": { "description": "The other agent that it comes from.", "type": "string" },
        }),
    );
    let mut required: Vec<Value> =
        schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    required.extend([json!("timestamp"), json!("sessionId")]);
    schema.insert("required".to_owned(), Value::Array(required));
    schema
}
