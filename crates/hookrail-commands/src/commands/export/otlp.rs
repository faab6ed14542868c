//! Decisions as OpenTelemetry log records, in the JSON form of OTLP.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Events whose summary is what a person typed.
const PROMPT_EVENTS: [&str; 2] = ["BeforeAgent", "AfterAgent"];

/// Fields of a decision and the attributes that they become.
const ATTRIBUTES: [(&str, &str); 12] = [
    ("event", "hookrail.event"),
    ("decision", "hookrail.decision"),
    ("hook", "hookrail.hook"),
    ("agent", "hookrail.agent"),
    ("project", "hookrail.project"),
    ("durationMs", "hookrail.duration_ms"),
    ("blockCause", "hookrail.block_cause"),
    ("source", "hookrail.source"),
    ("reason", "hookrail.reason"),
    ("callId", "hookrail.call_id"),
    ("tool", "gen_ai.tool.name"),
    ("sessionId", "session.id"),
];

pub(super) fn request(resource: &[(String, String)], records: &[Value]) -> Value {
    let resource: Vec<Value> =
        resource.iter().map(|(key, text)| attribute(key, &Value::from(text.as_str()))).collect();
    json!({ "resourceLogs": [{
        "resource": { "attributes": resource },
        "scopeLogs": [{
            "scope": { "name": "hookrail", "version": env!("CARGO_PKG_VERSION") },
            "logRecords": records,
        }],
    }] })
}

/// The record of a decision. Prompts are left out unless they are asked for.
pub(super) fn record(decision: &Map<String, Value>, with_prompts: bool) -> Value {
    let text = |key: &str| decision.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_prompt = PROMPT_EVENTS.contains(&text("event"));
    let body = if is_prompt && !with_prompts { "" } else { text("summary") };
    let given = ATTRIBUTES.iter().filter_map(|(field, name)| {
        let value = decision.get(*field).filter(|value| !value.is_null())?;
        Some(attribute(name, value))
    });
    log_record(text("timestamp"), text("decision"), body, &given.collect::<Vec<_>>())
}

/// The record that counts decisions which the log no longer has.
pub(super) fn lost_record(count: u64) -> Value {
    let body =
        format!("{count} decisions were lost: the log grew beyond its bound before they were exported");
    log_record("", "failed", &body, &[attribute("hookrail.lost", &Value::from(count))])
}

fn log_record(timestamp: &str, decision: &str, body: &str, attributes: &[Value]) -> Value {
    let now = Timestamp::now();
    let time = timestamp.parse::<Timestamp>().unwrap_or(now);
    let (number, word) = match decision {
        "failed" => (17, "ERROR"),
        "block" | "ask" | "stop" => (13, "WARN"),
        _ => (9, "INFO"),
    };
    json!({
        "timeUnixNano": time.as_nanosecond().to_string(),
        "observedTimeUnixNano": now.as_nanosecond().to_string(),
        "severityNumber": number,
        "severityText": word,
        "body": { "stringValue": body },
        "attributes": attributes,
    })
}

/// 64-bit integers are texts in the JSON form.
fn attribute(key: &str, value: &Value) -> Value {
    let value = match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Bool(flag) => json!({ "boolValue": flag }),
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        other => json!({ "stringValue": other.to_string() }),
    };
    json!({ "key": key, "value": value })
}
