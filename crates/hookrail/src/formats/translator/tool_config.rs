//! Which tools a model may call: what hooks see of it, and what a hook's answer makes of it.

use super::TranslationError;
use crate::formats::field::FieldPath;
use crate::formats::genai::{FunctionCallingConfig, FunctionCallingMode, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::read_tool_config;
use crate::formats::llm::{HookToolConfig, ToolMode};

/// What hooks see of a tool configuration; `None` when it says nothing in the stable format's words.
pub(crate) fn to_hook_tool_config(config: &ToolConfig) -> Option<HookToolConfig> {
    let calling = config.function_calling_config.as_ref()?;
    let shown = HookToolConfig {
        mode: match calling.mode {
            Some(FunctionCallingMode::Auto) => Some(ToolMode::Auto),
            Some(FunctionCallingMode::Any) => Some(ToolMode::Any),
            Some(FunctionCallingMode::None) => Some(ToolMode::None),
            Some(FunctionCallingMode::Other(_)) | None => None,
        },
        allowed_function_names: calling.allowed_function_names.clone(),
    };
    (shown != HookToolConfig::default()).then_some(shown)
}

/// The tool configuration after a hook answered with `given`, which may be partial. With mode `NONE` no
/// names are left, and `ANY` of no names is `NONE`. Fields of the SDK that the stable format does not know survive.
pub(crate) fn apply_hook_tool_config(
    given: &JsonObject,
    base: Option<&ToolConfig>,
) -> Result<ToolConfig, TranslationError> {
    let given = read_tool_config(given.clone(), &FieldPath::Root("toolConfig"))?;
    Ok(restricted(given, base))
}

/// The same for a configuration that was read already. What changes nothing returns the base as it was.
pub(super) fn restricted(given: HookToolConfig, base: Option<&ToolConfig>) -> ToolConfig {
    let HookToolConfig { mode, allowed_function_names: names } = given;
    let mut config = base.cloned().unwrap_or_default();
    let shown = to_hook_tool_config(&config).unwrap_or_default();
    let changes = mode.is_some_and(|mode| shown.mode != Some(mode))
        || names.as_ref().is_some_and(|names| shown.allowed_function_names.as_ref() != Some(names));
    if changes {
        let calling = config.function_calling_config.get_or_insert_default();
        change(calling, mode, names);
    }
    config
}

/// Sets mode and names so that the two never contradict each other.
fn change(calling: &mut FunctionCallingConfig, mode: Option<ToolMode>, names: Option<Vec<String>>) {
    if let Some(mode) = mode {
        // The empty list that belongs to `NONE` would forbid every tool in the other modes too.
        let was_none = calling.mode == Some(FunctionCallingMode::None);
        if was_none && calling.allowed_function_names.as_ref().is_some_and(Vec::is_empty) {
            calling.allowed_function_names = None;
        }
        calling.mode = Some(match mode {
            ToolMode::Auto => FunctionCallingMode::Auto,
            ToolMode::Any => FunctionCallingMode::Any,
            ToolMode::None => FunctionCallingMode::None,
        });
    }
    if names.is_some() {
        calling.allowed_function_names = names;
    }
    // A provider would refuse a request to call one of no tools: nothing is allowed, and that is `NONE`.
    let nothing_left = calling.allowed_function_names.as_ref().is_some_and(Vec::is_empty);
    if calling.mode == Some(FunctionCallingMode::Any) && nothing_left {
        calling.mode = Some(FunctionCallingMode::None);
    }
    if calling.mode == Some(FunctionCallingMode::None) {
        calling.allowed_function_names = Some(Vec::new());
    }
}
