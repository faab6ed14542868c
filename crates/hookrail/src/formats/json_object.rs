//! A JSON object as payloads carry it.

use serde_json::Value;

/// A JSON object whose keys keep their order.
pub type JsonObject = serde_json::Map<String, Value>;

/// So many keys are compared in less time than one is hashed.
const FEW_MEMBERS: usize = 8;

/// A member. Many of those that readers ask for are not there, and in a small object looking is faster than hashing.
pub(crate) fn member<'o>(object: &'o JsonObject, key: &str) -> Option<&'o Value> {
    if object.len() > FEW_MEMBERS {
        return object.get(key);
    }
    object.iter().find_map(|(name, value)| (name == key).then_some(value))
}

/// Takes a member. The order of the others stays, which hooks get to see.
pub(crate) fn take_member(object: &mut JsonObject, key: &str) -> Option<Value> {
    member(object, key)?;
    object.shift_remove(key)
}
