//! SDK format to stable format and back; the only file that knows both.
// Stand-in: replaced as a whole at merge.
use crate::event::JsonObject;
use crate::genai::{FunctionCallingConfig, GenerateContentParameters, GenerateContentResponse, ToolConfig};

/// Stand-in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TranslationError(String);

pub(crate) fn from_hook_llm_request(
    given: &JsonObject,
    base: &GenerateContentParameters,
) -> Result<GenerateContentParameters, TranslationError> {
    let mut request = base.clone();
    if let Some(model) = given.get("model").and_then(|model| model.as_str()) {
        model.clone_into(&mut request.model);
    }
    Ok(request)
}

pub(crate) fn from_hook_llm_response(
    given: &JsonObject,
) -> Result<GenerateContentResponse, TranslationError> {
    let part = serde_json::Value::Object(given.clone());
    let text = part.pointer("/candidates/0/content/parts/0").and_then(|part| part.as_str());
    text.map(GenerateContentResponse::from_text).ok_or_else(|| TranslationError("no text".to_owned()))
}

pub(crate) fn apply_hook_tool_config(
    given: &JsonObject,
    base: Option<&ToolConfig>,
) -> Result<ToolConfig, TranslationError> {
    let mut config = base.cloned().unwrap_or_default();
    let read: FunctionCallingConfig = serde_json::from_value(serde_json::Value::Object(given.clone()))
        .map_err(|error| TranslationError(error.to_string()))?;
    config.function_calling_config = Some(read);
    Ok(config)
}
