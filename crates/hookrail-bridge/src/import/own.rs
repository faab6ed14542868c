//! Which entries of an agent's settings are those that `connect` wrote.

use hookrail::JsonObject;
use serde_json::Value;

use crate::connect::calls_bridge;

/// The hooks of a group; where the agent has no groups, what is there is a hook itself.
pub(super) fn hooks_of(group: &Value) -> impl Iterator<Item = &Value> {
    let list = group.get("hooks").and_then(Value::as_array);
    let alone = list.is_none().then_some(group);
    list.into_iter().flatten().chain(alone)
}

/// All hooks of an event, those of all its groups.
pub(super) fn entries(groups: &Value) -> impl Iterator<Item = &Value> {
    groups.as_array().into_iter().flatten().flat_map(hooks_of)
}

/// How many of an event's hooks are ours.
pub(super) fn own_entries(groups: &Value) -> usize {
    entries(groups).filter(|entry| is_own(entry)).count()
}

/// Whether it is a hook that calls hookrail itself.
pub(super) fn is_own(entry: &Value) -> bool {
    entry.as_object().is_some_and(is_own_hook)
}

/// Whether a hook calls hookrail itself.
pub(super) fn is_own_hook(hook: &JsonObject) -> bool {
    let command = ["command", "bash"].iter().find_map(|key| hook.get(*key)?.as_str());
    command.is_some_and(calls_bridge)
}
