//! One hook's output applied to the next hook's input. Pure.

use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::genai::GenerateContentParameters;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::given_members;
use crate::formats::translator::{FieldPath, TranslationError, apply_hook_llm_request, read_messages};
use crate::output::HookOutput;

/// Whether the hooks behind this one are not run any more: after a stop, and after a block where the event can be
/// blocked. Elsewhere a block has no effect and keeps no hook from running either.
pub(crate) fn ends_chain(event: EventName, output: &HookOutput) -> bool {
    output.should_stop_execution() || (event.can_block() && output.blocks(event))
}

/// Applies the output of a hook that succeeded to the input of the next one, and says whether that changed
/// anything. Three events chain; the inputs of the others hold nothing that a hook may change.
pub(crate) fn apply_hook_output_to_input(
    event: EventName,
    input: &mut JsonObject,
    output: &HookOutput,
) -> bool {
    match event {
        EventName::BeforeTool => match (input.get_mut("tool_input"), output.specific("tool_input")) {
            (Some(Value::Object(target)), Some(Value::Object(given))) => {
                let given = given.iter().map(|(key, value)| (key.clone(), value.clone()));
                merge(target, given)
            }
            _ => false,
        },
        EventName::BeforeModel => match (input.get_mut("llm_request"), output.specific("llm_request")) {
            (Some(Value::Object(target)), Some(Value::Object(given))) => merge(target, usable(given).0),
            _ => false,
        },
        EventName::BeforeAgent => match (input.get_mut("prompt"), output.specific("additionalContext")) {
            (Some(Value::String(prompt)), Some(Value::String(context))) if !context.is_empty() => {
                prompt.push_str("\n\n");
                prompt.push_str(context);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Fields of a hook's `llm_request` that cannot be read and therefore have no effect, for the log.
pub(crate) fn unusable_request_fields(event: EventName, output: &HookOutput) -> Vec<TranslationError> {
    match (event, output.specific("llm_request")) {
        (EventName::BeforeModel, Some(Value::Object(given))) => usable(given).1,
        (EventName::BeforeModel, Some(other)) => {
            vec![FieldPath::Root("llm_request").mismatch("an object", Some(other))]
        }
        _ => Vec::new(),
    }
}

/// Sets members one by one: nested objects are replaced, never merged.
fn merge(target: &mut JsonObject, given: impl IntoIterator<Item = (String, Value)>) -> bool {
    let mut changed = false;
    for (key, value) in given {
        if target.get(&key) != Some(&value) {
            target.insert(key, value);
            changed = true;
        }
    }
    changed
}

/// The members of a hook's request that the next hook receives, in the stable format whatever their
/// spelling was. One that cannot be read is left out: at the end of the chain it would make the
/// members that earlier hooks set unreadable, too.
fn usable(given: &JsonObject) -> (Vec<(String, Value)>, Vec<TranslationError>) {
    let root = FieldPath::Root("llm_request");
    let (mut fields, mut problems) = (Vec::new(), Vec::new());
    for member in given_members(given) {
        let value = match member.name {
            "messages" => messages(given, member.value, &root),
            _ => readable(member.written, member.value).map(|()| member.value.clone()),
        };
        match value {
            Ok(value) => fields.push((member.name.to_owned(), value)),
            Err(problem) => problems.push(problem),
        }
    }
    (fields, problems)
}

/// Messages that are plain already are kept as they are, with all fields that a script put into them.
fn messages(given: &JsonObject, value: &Value, at: &FieldPath<'_>) -> Result<Value, TranslationError> {
    let read = read_messages(given, at)?.unwrap_or_default();
    let plain = |message: &Value| {
        message.get("role").is_some_and(Value::is_string)
            && message.get("content").is_some_and(Value::is_string)
    };
    let all_plain = value.as_array().is_some_and(|messages| messages.iter().all(plain));
    Ok(if all_plain { value.clone() } else { json!(read) })
}

/// Whether a member will be understood at the end of the chain.
fn readable(key: &str, value: &Value) -> Result<(), TranslationError> {
    let alone = JsonObject::from_iter([(key.to_owned(), value.clone())]);
    let (_, problems) = apply_hook_llm_request(&alone, &GenerateContentParameters::default());
    problems.into_iter().next().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests;
