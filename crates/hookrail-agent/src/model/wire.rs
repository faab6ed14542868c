//! The SDK's types and Gemini's REST form: what goes out, and how what comes back is read. Pure.
//!
//! The SDK keeps everything that steers a call in one `config`; REST spreads it over the top level and
//! `generationConfig`. Fields this file does not know go into `generationConfig`, where Gemini adds most
//! of its new ones.

use std::borrow::Cow;

use hookrail::JsonObject;
use hookrail::genai::{
    Content, FunctionCallingConfig, FunctionCallingMode, GenerateContentConfig, GenerateContentParameters,
    GenerateContentResponse, ToolConfig,
};
use serde::Serialize;
use serde_json::{Value, json};

/// Fields of the SDK's `config` that REST wants beside `contents`.
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

/// Gemini knows the roles `user` and `model` only. Hooks may add messages with the role `system`; on the
/// wire they are the user's.
fn with_wire_role(content: &Content) -> Cow<'_, Content> {
    if content.role.as_deref() == Some("system") {
        Cow::Owned(Content { role: Some("user".to_owned()), ..content.clone() })
    } else {
        Cow::Borrowed(content)
    }
}

fn add_config(body: &mut JsonObject, config: &GenerateContentConfig) {
    let GenerateContentConfig {
        system_instruction,
        temperature,
        max_output_tokens,
        top_p,
        top_k,
        stop_sequences,
        candidate_count,
        presence_penalty,
        frequency_penalty,
        tools,
        tool_config,
        extra,
    } = config;
    if let Some(content) = system_instruction.as_ref().and_then(system_content) {
        body.insert("systemInstruction".to_owned(), content);
    }
    let tools = tools.as_deref().unwrap_or_default();
    if !tools.is_empty() {
        put(body, "tools", tools);
        // Without tools the API refuses a tool configuration.
        if let Some(tool_config) = tool_config {
            put(body, "toolConfig", &wire_tool_config(tool_config, tools));
        }
    }

    let mut generation = JsonObject::new();
    for (field, value) in extra {
        if TOP_LEVEL.contains(&field.as_str()) {
            body.insert(field.clone(), value.clone());
        } else if let ("generationConfig", Value::Object(nested)) = (field.as_str(), value) {
            generation.extend(nested.clone());
        } else if !SDK_ONLY.contains(&field.as_str()) {
            generation.insert(field.clone(), value.clone());
        }
    }
    put_some(&mut generation, "temperature", temperature.as_ref());
    put_some(&mut generation, "maxOutputTokens", max_output_tokens.as_ref());
    put_some(&mut generation, "topP", top_p.as_ref());
    put_some(&mut generation, "topK", top_k.as_ref());
    put_some(&mut generation, "stopSequences", stop_sequences.as_ref());
    put_some(&mut generation, "candidateCount", candidate_count.as_ref());
    put_some(&mut generation, "presencePenalty", presence_penalty.as_ref());
    put_some(&mut generation, "frequencyPenalty", frequency_penalty.as_ref());
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

fn declared_names(tools: &[Value]) -> Vec<&str> {
    let declarations = tools.iter().filter_map(|tool| tool.get("functionDeclarations")?.as_array()).flatten();
    declarations.filter_map(|declaration| declaration.get("name")?.as_str()).collect()
}

fn put<T: Serialize + ?Sized>(object: &mut JsonObject, field: &str, value: &T) {
    // The SDK's types have string keys only and finite numbers only, so they always serialise.
    object.insert(field.to_owned(), serde_json::to_value(value).unwrap_or_default());
}

fn put_some<T: Serialize>(object: &mut JsonObject, field: &str, value: Option<&T>) {
    if let Some(value) = value {
        put(object, field, value);
    }
}

/// Reads one response or chunk. Lists that are `null` read as missing; the error names the field.
pub fn response_from_value(mut value: Value) -> Result<GenerateContentResponse, String> {
    if !value.is_object() {
        return Err(format!("expected an object, found {}", kind(&value)));
    }
    drop_null(&mut value, "candidates");
    if let Some(candidates) = value.get_mut("candidates").and_then(Value::as_array_mut) {
        for content in candidates.iter_mut().filter_map(|candidate| candidate.get_mut("content")) {
            drop_null(content, "parts");
        }
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        format!("`{path}`: {}", error.into_inner())
    })
}

fn drop_null(value: &mut Value, field: &str) {
    if let Some(object) = value.as_object_mut()
        && object.get(field).is_some_and(Value::is_null)
    {
        object.shift_remove(field);
    }
}

/// A JSON value's kind, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(request: Value) -> Value {
        request_body(&serde_json::from_value(request).unwrap())
    }

    #[test]
    fn the_config_is_spread_over_the_body() {
        let tools = json!([{ "functionDeclarations": [{ "name": "glob", "parametersJsonSchema": {} }] }]);
        let sent = body(json!({
            "model": "gemini-x",
            "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }, { "role": "model", "parts": [] },
                         { "role": "model", "parts": [{ "functionCall": { "name": "glob" }, "thoughtSignature": "s" }] }],
            "config": {
                "systemInstruction": "be brief", "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 40,
                "stopSequences": ["END"], "candidateCount": 1, "presencePenalty": 0.1, "frequencyPenalty": 0.2,
                "tools": tools, "safetySettings": [], "cachedContent": "c", "abortSignal": {}, "httpOptions": {},
                "thinkingConfig": { "includeThoughts": true }, "responseMimeType": "text/plain",
                "generationConfig": { "seed": 7, "temperature": 2 },
            },
            "future": 1,
        }));
        assert_eq!(
            sent,
            json!({
                "contents": [{ "role": "user", "parts": [{ "text": "hi" }] },
                             { "role": "model", "parts": [{ "functionCall": { "name": "glob" }, "thoughtSignature": "s" }] }],
                "systemInstruction": { "parts": [{ "text": "be brief" }] },
                "tools": tools, "safetySettings": [], "cachedContent": "c",
                "generationConfig": {
                    "thinkingConfig": { "includeThoughts": true }, "responseMimeType": "text/plain", "seed": 7,
                    "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 40, "stopSequences": ["END"],
                    "candidateCount": 1, "presencePenalty": 0.1, "frequencyPenalty": 0.2,
                },
                "future": 1,
            })
        );
    }

    #[test]
    fn nothing_is_made_up() {
        assert_eq!(body(json!({ "model": "m", "contents": [] })), json!({ "contents": [] }));
        assert_eq!(body(json!({ "config": { "tools": [] } })), json!({ "contents": [] }));
    }

    #[test]
    fn system_instruction_in_any_spelling() {
        let one = || json!({ "parts": [{ "text": "a" }] });
        for (given, expected) in [
            (json!("a"), one()),
            (json!({ "text": "a" }), one()),
            (
                json!({ "role": "system", "parts": [{ "text": "a" }] }),
                json!({ "role": "system", "parts": [{ "text": "a" }] }),
            ),
            (json!({ "parts": "a" }), one()),
            (json!(["a", { "text": "b" }]), json!({ "parts": [{ "text": "a" }, { "text": "b" }] })),
            (json!([{ "parts": [{ "text": "a" }] }]), one()),
            (json!([]), Value::Null),
        ] {
            let sent = body(json!({ "config": { "systemInstruction": given } }));
            assert_eq!(sent.get("systemInstruction").unwrap_or(&Value::Null), &expected, "{given}");
        }
    }

    /// Ruling L7.
    #[test]
    fn names_go_out_with_mode_any_only() {
        let tools = json!([{ "functionDeclarations": [{ "name": "glob" }, { "name": "read_file" }] }]);
        for (given, expected) in [
            (
                json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
                json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
            ),
            (
                json!({ "mode": "ANY", "allowedFunctionNames": ["glob", "gone"] }),
                json!({ "mode": "ANY", "allowedFunctionNames": ["glob"] }),
            ),
            (json!({ "mode": "ANY", "allowedFunctionNames": ["gone"] }), json!({ "mode": "NONE" })),
            (json!({ "mode": "ANY", "allowedFunctionNames": [] }), json!({ "mode": "ANY" })),
            (json!({ "mode": "AUTO", "allowedFunctionNames": ["glob"] }), json!({ "mode": "AUTO" })),
            (json!({ "mode": "NONE", "allowedFunctionNames": [] }), json!({ "mode": "NONE" })),
            (json!({ "mode": "VALIDATED", "new": 1 }), json!({ "mode": "VALIDATED", "new": 1 })),
            (json!({ "allowedFunctionNames": ["glob"] }), json!({})),
        ] {
            let sent = body(
                json!({ "config": { "tools": tools, "toolConfig": { "functionCallingConfig": given, "x": 1 } } }),
            );
            let expected = json!({ "functionCallingConfig": expected, "x": 1 });
            assert_eq!(sent.get("toolConfig"), Some(&expected), "{given}");
        }
        let sent =
            body(json!({ "config": { "toolConfig": { "functionCallingConfig": { "mode": "NONE" } } } }));
        assert_eq!(sent, json!({ "contents": [] }), "no tools, no tool configuration");
    }

    #[test]
    fn responses_are_read_leniently_and_refused_by_field() {
        for (value, expected) in [
            (json!({ "candidates": null }), Ok(())),
            (json!({ "candidates": [{ "content": { "parts": null, "role": null } }] }), Ok(())),
            (json!({ "candidates": [{ "content": null }, {}] }), Ok(())),
            (json!([]), Err("expected an object, found a list")),
            (json!({ "candidates": 5 }), Err("`candidates`: ")),
            (
                json!({ "candidates": [{ "content": { "parts": [{ "text": 5 }] } }] }),
                Err("`candidates[0].content.parts[0].text`: "),
            ),
        ] {
            match (response_from_value(value.clone()), expected) {
                (Ok(_), Ok(())) => {}
                (Err(found), Err(start)) => assert!(found.starts_with(start), "{value}: {found}"),
                (found, expected) => panic!("{value}: {found:?}, expected {expected:?}"),
            }
        }
    }
}
