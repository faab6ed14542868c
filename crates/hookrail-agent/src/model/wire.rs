//! The SDK's types and Gemini's REST form: what goes out, and how what comes back is read. Pure.
//!
//! The SDK keeps everything that steers a call in one `config`; REST spreads it over the top level and
//! `generationConfig`. Fields that are not listed here go into `generationConfig`, where Gemini adds most
//! of its new ones.

mod response;

use std::borrow::Cow;

use hookrail::JsonObject;
use hookrail::genai::{
    Content, FunctionCallingConfig, FunctionCallingMode, GenerateContentConfig, GenerateContentParameters,
    ToolConfig,
};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::response::kind;
pub use self::response::response_from_value;

/// Fields of the SDK's `config` that REST expects beside `contents`.
const TOP_LEVEL: [&str; 5] = ["safetySettings", "cachedContent", "labels", "serviceTier", "store"];

/// Fields of the SDK's `config` that steer the SDK itself and never go out.
const SDK_ONLY: [&str; 4] =
    ["abortSignal", "automaticFunctionCalling", "httpOptions", "shouldReturnHttpResponse"];

/// The body of a `streamGenerateContent` request.
pub fn request_body(request: &GenerateContentParameters) -> Value {
    let GenerateContentParameters { model: _, contents, config, extra } = request;
    // The API refuses contents without parts, which a conversation may well have.
    let contents: Vec<Cow<'_, Content>> =
        contents.iter().filter(|content| !content.parts.is_empty()).map(with_wire_role).collect();
    let mut body = JsonObject::new();
    put(&mut body, "contents", &contents);
    if let Some(config) = config {
        add_config(&mut body, config);
    }
    for (field, value) in extra {
        if !body.contains_key(field) {
            body.insert(field.clone(), value.clone());
        }
    }
    Value::Object(body)
}

/// Gemini has the roles `user` and `model` only. Hooks may add messages with the role `system`; on the
/// wire they are the user's.
fn with_wire_role(content: &Content) -> Cow<'_, Content> {
    if content.role.as_deref() == Some("system") {
        Cow::Owned(Content { role: Some("user".to_owned()), ..content.clone() })
    } else {
        Cow::Borrowed(content)
    }
}

/// Spreads the SDK's `config` over the body. The SDK's own fields win over those of a nested
/// `generationConfig`.
fn add_config(body: &mut JsonObject, config: &GenerateContentConfig) {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(config) else { return };
    let mut take = |field: &str| fields.shift_remove(field);
    let (instruction, nested) = (take("systemInstruction"), take("generationConfig"));
    take("toolConfig");
    if let Some(content) = instruction.as_ref().and_then(system_content) {
        body.insert("systemInstruction".to_owned(), content);
    }
    let tools = config.tools.as_deref().unwrap_or_default();
    if let Some(declared) = take("tools").filter(|_| !tools.is_empty()) {
        body.insert("tools".to_owned(), declared);
        // Without tools the API refuses a tool configuration.
        if let Some(tool_config) = &config.tool_config {
            put(body, "toolConfig", &wire_tool_config(tool_config, tools));
        }
    }
    let mut generation = match nested {
        Some(Value::Object(nested)) => nested,
        _ => JsonObject::new(),
    };
    for (field, value) in fields {
        if TOP_LEVEL.contains(&field.as_str()) {
            body.insert(field, value);
        } else if !SDK_ONLY.contains(&field.as_str()) {
            generation.insert(field, value);
        }
    }
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
}

/// Turns the SDK's spellings of a system prompt (text, part, content, list of these) into one content.
fn system_content(given: &Value) -> Option<Value> {
    match given {
        // A content keeps its other fields, such as a role.
        Value::Object(object) if object.get("parts").is_some_and(Value::is_array) => Some(given.clone()),
        _ => {
            let mut parts = Vec::new();
            collect_parts(given, &mut parts);
            (!parts.is_empty()).then(|| json!({ "parts": parts }))
        }
    }
}

/// Collects the parts of a system prompt at any depth of lists and contents.
fn collect_parts(given: &Value, parts: &mut Vec<Value>) {
    match given {
        Value::Null => {}
        Value::String(text) => parts.push(json!({ "text": text })),
        Value::Array(entries) => entries.iter().for_each(|entry| collect_parts(entry, parts)),
        Value::Object(object) if object.contains_key("parts") => {
            collect_parts(object.get("parts").unwrap_or(&Value::Null), parts);
        }
        part => parts.push(part.clone()),
    }
}

/// The tool configuration as Gemini takes it.
///
/// Gemini takes names with mode `ANY` only, and only names of declared functions. In the other modes the
/// agent holds the reply against the names; where no name is left to be called, nothing may be called.
fn wire_tool_config(config: &ToolConfig, tools: &[Value]) -> ToolConfig {
    let mut config = config.clone();
    let Some(FunctionCallingConfig { mode, allowed_function_names: names, .. }) =
        &mut config.function_calling_config
    else {
        return config;
    };
    if *mode != Some(FunctionCallingMode::Any) || names.as_ref().is_some_and(Vec::is_empty) {
        *names = None;
    } else if let Some(allowed) = names {
        let declared = declared_names(tools);
        allowed.retain(|name| declared.contains(&name.as_str()));
        if allowed.is_empty() {
            *names = None;
            *mode = Some(FunctionCallingMode::None);
        }
    }
    config
}

/// The names of all functions that the request declares.
fn declared_names(tools: &[Value]) -> Vec<&str> {
    let declarations = tools.iter().filter_map(|tool| tool.get("functionDeclarations")?.as_array()).flatten();
    declarations.filter_map(|declaration| declaration.get("name")?.as_str()).collect()
}

/// Adds a field in its serialised form.
fn put<T: Serialize + ?Sized>(object: &mut JsonObject, field: &str, value: &T) {
    // The SDK's types have string keys only and finite numbers only, so they always serialise.
    object.insert(field.to_owned(), serde_json::to_value(value).unwrap_or_default());
}

#[cfg(test)]
mod tests;
