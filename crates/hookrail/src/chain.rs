//! One hook's output applied to the next hook's input. Pure.

use serde_json::Value;

use crate::event::{EventName, JsonObject};
use crate::output::HookOutput;

/// Applies a hook's output to the input of the next; tells whether it changed.
pub(crate) fn apply_hook_output_to_input(
    event: EventName,
    input: &mut JsonObject,
    output: &HookOutput,
) -> bool {
    let key = match event {
        EventName::BeforeTool => "tool_input",
        EventName::BeforeModel => "llm_request",
        _ => return false,
    };
    let (Some(Value::Object(given)), Some(Value::Object(target))) =
        (output.specific(key), input.get_mut(key))
    else {
        return false;
    };
    let before = target.clone();
    for (name, value) in given {
        target.insert(name.clone(), value.clone());
    }
    before != *target
}
