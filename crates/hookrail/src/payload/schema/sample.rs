//! Small, realistic payloads, for trying hooks out.

use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::json_object::JsonObject;

/// The event's own fields as a hook might receive them; used where none were given.
pub fn sample_input(event: EventName) -> JsonObject {
    let fields = match event {
        EventName::BeforeTool => json!({ "tool_name": "write_file", "tool_input": tool_input() }),
        EventName::AfterTool => json!({
            "tool_name": "write_file",
            "tool_input": tool_input(),
            "tool_response": {
                "llmContent": "Wrote 14 bytes to notes.txt.",
                "returnDisplay": "Wrote notes.txt",
                "metadata": {},
            },
        }),
        EventName::BeforeAgent => json!({ "prompt": "Write a greeting to notes.txt." }),
        EventName::AfterAgent => json!({
            "prompt": "Write a greeting to notes.txt.",
            "prompt_response": "I wrote the greeting to notes.txt.",
            "stop_hook_active": false,
        }),
        EventName::BeforeModel | EventName::BeforeToolSelection => json!({ "llm_request": llm_request() }),
        EventName::AfterModel => json!({ "llm_request": llm_request(), "llm_response": llm_response() }),
        EventName::SessionStart => json!({ "source": "startup" }),
        EventName::SessionEnd => json!({ "reason": "exit" }),
        EventName::PreCompress => json!({ "trigger": "manual" }),
        EventName::Notification => json!({
            "notification_type": "ToolPermission",
            "message": "Allow write_file to change notes.txt?",
            "details": { "tool_name": "write_file", "tool_input": tool_input() },
        }),
    };
    match fields {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

fn tool_input() -> Value {
    json!({ "file_path": "notes.txt", "content": "Hello, world!\n" })
}

fn llm_request() -> Value {
    json!({
        "model": "gemini-2.5-pro",
        "messages": [
            { "role": "user", "content": "Write a greeting to notes.txt." },
            { "role": "model", "content": "I will write the file now." },
            { "role": "user", "content": "Go ahead." },
        ],
        "config": { "temperature": 0.7, "maxOutputTokens": 1024 },
        "toolConfig": { "mode": "AUTO", "allowedFunctionNames": ["read_file", "write_file"] },
    })
}

fn llm_response() -> Value {
    json!({
        "text": "I wrote the greeting to notes.txt.",
        "candidates": [
            {
                "content": { "role": "model", "parts": ["I wrote the greeting to notes.txt."] },
                "finishReason": "STOP",
                "index": 0,
                "safetyRatings": [{ "category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE" }],
            },
        ],
        "usageMetadata": { "promptTokenCount": 42, "candidatesTokenCount": 9, "totalTokenCount": 51 },
    })
}
