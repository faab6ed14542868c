//! Which tools a model may call: what hooks see of it, and what a hook's answer makes of it.

use serde_json::json;

use super::TranslationError;
use crate::formats::field::FieldPath;
use crate::formats::genai::{FunctionCallingMode, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::read_tool_config;
use crate::formats::llm::{HookToolConfig, ToolMode};

/// What hooks see of a tool configuration; `None` when it says nothing in the stable format's words.
pub(super) fn shown(config: &ToolConfig) -> Option<HookToolConfig> {
    let calling = config.function_calling_config.as_ref()?;
    let shown = HookToolConfig {
        mode: calling.mode.as_ref().and_then(|mode| ToolMode::from_value(&json!(mode))),
        allowed_function_names: calling.allowed_function_names.clone(),
    };
    (shown != HookToolConfig::default()).then_some(shown)
}

/// The tool configuration after a hook answered with `given`, which may be partial. Fields of the SDK that the stable
/// format does not know survive.
pub(crate) fn apply_hook_tool_config(
    given: &JsonObject,
    base: Option<&ToolConfig>,
) -> Result<ToolConfig, TranslationError> {
    let given = read_tool_config(given.clone(), &FieldPath::Root("toolConfig"))?;
    Ok(restricted(&given, base))
}

/// The same for a configuration that was read already. What changes nothing returns the base as it was.
pub(super) fn restricted(given: &HookToolConfig, base: Option<&ToolConfig>) -> ToolConfig {
    let mut config = base.cloned().unwrap_or_default();
    let before = shown(&config).unwrap_or_default();
    let after = before.clone().restricted(given);
    if after != before {
        let calling = config.function_calling_config.get_or_insert_default();
        if let Some(mode) = after.mode {
            calling.mode = Some(match mode {
                ToolMode::Auto => FunctionCallingMode::Auto,
                ToolMode::Any => FunctionCallingMode::Any,
                ToolMode::None => FunctionCallingMode::None,
            });
        }
        calling.allowed_function_names = after.allowed_function_names;
    }
    config
}
