//! A JSON object as payloads carry it.

/// A JSON object whose keys keep their order.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
