//! `hookSpecificOutput`: what only one event's hooks may ask for.

use std::collections::BTreeSet;

use serde_json::Value;

use super::RunOutput;
use super::fields::{join_lines, last};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::ToolMode;
use crate::output::{Decision, first_not_blank};

/// Tool and agent events: contexts join line by line, changed tool arguments are merged key by key, a denied
/// permission is sticky; of everything else the later one wins.
pub(super) fn combine(event: EventName, answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let objects = answers.iter().filter_map(|answer| answer.output.hook_specific_output.as_ref());
    let mut merged = objects.cloned().reduce(|mut merged, next| {
        for (key, value) in next {
            match (key.as_str(), merged.get_mut(&key), value) {
                ("additionalContext", Some(Value::String(so_far)), Value::String(next)) => {
                    append_line(so_far, &next);
                }
                ("tool_input", Some(Value::Object(so_far)), Value::Object(next)) => so_far.extend(next),
                ("clearContext", Some(Value::Bool(so_far)), Value::Bool(next)) => *so_far |= next,
                ("permissionDecision", Some(Value::String(so_far)), Value::String(next))
                    if weight(so_far) > weight(&next) => {}
                (_, _, value) => {
                    merged.insert(key, value);
                }
            }
        }
        merged
    })?;
    if event == EventName::BeforeTool {
        settle_permission_reason(answers, &mut merged);
    }
    Some(merged)
}

/// Block over ask over everything else.
fn weight(word: &str) -> u8 {
    match Decision::from_word(word) {
        Decision::Block | Decision::Deny => 2,
        Decision::Ask => 1,
        Decision::Approve | Decision::Allow | Decision::Other(_) => 0,
    }
}

fn append_line(so_far: &mut String, next: &str) {
    if so_far.trim().is_empty() {
        next.clone_into(so_far);
    } else if !next.trim().is_empty() {
        so_far.push('\n');
        so_far.push_str(next);
    }
}

/// A blocked tool's `permissionDecisionReason` goes before its `reason`, and so does that of an ask. The one of a
/// hook that permitted the call must not be shown as the reason of another hook's block, nor may one blocking hook
/// hide the others.
fn settle_permission_reason(answers: &[RunOutput<'_>], merged: &mut JsonObject) {
    let event = EventName::BeforeTool;
    let blocked = answers.iter().any(|answer| answer.output.blocks(event));
    let decides =
        |answer: &RunOutput<'_>| if blocked { answer.output.blocks(event) } else { answer.asks(event) };
    if !answers.iter().any(decides) {
        return;
    }
    let reasons = answers.iter().filter_map(|answer| {
        let permission = if decides(answer) { answer.output.permission_reason() } else { None };
        first_not_blank([permission, answer.output.reason.as_deref()])
    });
    if merged.shift_remove("permissionDecisionReason").is_some()
        && let Some(reasons) = join_lines(reasons)
    {
        merged.insert("permissionDecisionReason".to_owned(), Value::String(reasons));
    }
}

/// Model events: a later field replaces an earlier one. In a chain the changes of the request add up, because
/// each hook already saw those before it and may well have returned no more than its own.
pub(super) fn replace_fields(answers: &[RunOutput<'_>], accumulate_request: bool) -> Option<JsonObject> {
    let objects = answers.iter().filter_map(|answer| answer.output.hook_specific_output.as_ref());
    objects.cloned().reduce(|mut merged, next| {
        for (key, value) in next {
            match (key.as_str(), merged.get_mut(&key), value) {
                ("llm_request", Some(Value::Object(so_far)), Value::Object(next)) if accumulate_request => {
                    so_far.extend(next);
                }
                (_, _, value) => {
                    merged.insert(key, value);
                }
            }
        }
        merged
    })
}

/// Tool selection: allowed tools are united, the most restrictive mode wins, and without tools there is
/// nothing to allow.
pub(super) fn unite(answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let mut merged = replace_fields(answers, false)?;
    merged.shift_remove("toolConfig");
    if let Some(config) = unite_tool_configs(answers) {
        merged.insert("toolConfig".to_owned(), Value::Object(config));
    }
    Some(merged)
}

fn unite_tool_configs(answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let mut merged = JsonObject::new();
    let mut mode: Option<ToolMode> = None;
    let mut names: Option<BTreeSet<&str>> = None;
    let configs = answers.iter().filter_map(|answer| answer.output.specific("toolConfig")?.as_object());
    for (key, value) in configs.flatten() {
        match (key.as_str(), value) {
            ("mode", value) => mode = mode.max(ToolMode::from_value(value)),
            ("allowedFunctionNames", Value::Array(given)) => {
                names.get_or_insert_default().extend(given.iter().filter_map(Value::as_str));
            }
            ("allowedFunctionNames", _) => {}
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    if mode == Some(ToolMode::None) {
        names = Some(BTreeSet::new());
    }
    if mode.is_some() || names.is_some() {
        let word = match mode {
            Some(ToolMode::None) => "NONE",
            Some(ToolMode::Any) => "ANY",
            Some(ToolMode::Auto) | None => "AUTO",
        };
        merged.insert("mode".to_owned(), word.into());
    }
    // No list is not an empty list: a hook that only sets the mode forbids no tool by name.
    if let Some(names) = names {
        merged.insert("allowedFunctionNames".to_owned(), names.into_iter().collect());
    }
    if merged.is_empty() { None } else { Some(merged) }
}

/// The other events: the last object counts.
pub(super) fn replace(answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    last(answers, |output| output.hook_specific_output.as_ref()).cloned()
}
