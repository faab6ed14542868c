//! Edits of test files that keep comments and formatting: what `--accept` rewrites, and tests that are added. Pure.

use hookrail::settings::jsonc::PARSE_OPTIONS;
use hookrail_bridge::{cst_value, split_byte_order_mark};
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// New values of keys of one test's `expect`.
/// The index is that of the file as it was read; a file that was changed meanwhile is refused where it shows.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// The test's place in its file, from 0.
    pub(crate) index: usize,
    /// The keys with their new values.
    pub(crate) keys: Vec<(&'static str, Value)>,
}

/// Why a test file was not edited.
/// Nothing is written then.
/// The text of the error completes "cannot change FILE: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TestEditError {
    /// It is not what the tests were read from.
    #[error("it is no longer an array of tests")]
    Changed,
    /// A test of that name is there already.
    #[error("it has a test named `{0}` already")]
    Taken(String),
}

/// The text with the keys of some tests rewritten or added.
/// A test without `expect` gets one.
pub(crate) fn accept(text: &str, changes: &[Accepted]) -> Result<String, TestEditError> {
    let (mark, body) = split_byte_order_mark(text);
    let root = CstRootNode::parse(body, &PARSE_OPTIONS).map_err(|_| TestEditError::Changed)?;
    let tests = root.array_value().ok_or(TestEditError::Changed)?.elements();
    for change in changes {
        let found = tests.get(change.index).and_then(CstNode::as_object).ok_or(TestEditError::Changed)?;
        let expect = if let Some(prop) = found.get("expect") {
            prop.object_value()
        } else {
            found.append("expect", CstInputValue::Object(Vec::new())).object_value()
        };
        let expect = expect.ok_or(TestEditError::Changed)?;
        for (key, value) in &change.keys {
            set(&expect, key, value);
        }
    }
    Ok(format!("{mark}{root}"))
}

/// The text with tests added at its end. Blank text is an empty file of tests.
/// Names must differ within a file, because reports distinguish tests by them.
pub(crate) fn append(text: &str, added: &[Value]) -> Result<String, TestEditError> {
    let (mark, body) = split_byte_order_mark(text);
    let body = if body.trim().is_empty() { "[]\n" } else { body };
    let root = CstRootNode::parse(body, &PARSE_OPTIONS).map_err(|_| TestEditError::Changed)?;
    let tests = root.array_value().ok_or(TestEditError::Changed)?;
    tests.ensure_multiline();
    for test in added {
        let name = test.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_taken = tests.elements().iter().any(|known| {
            let value = known.as_object().and_then(|known| known.get("name")?.value()?.to_serde_value());
            value.as_ref().and_then(Value::as_str) == Some(name)
        });
        if is_taken {
            return Err(TestEditError::Taken(name.to_owned()));
        }
        tests.append(cst_value(test));
    }
    Ok(format!("{mark}{root}"))
}

/// Replaces a value in its place, or adds the key at the end.
fn set(object: &CstObject, key: &str, value: &Value) {
    match object.get(key) {
        Some(prop) => prop.set_value(cst_value(value)),
        None => {
            object.append(key, cst_value(value));
        }
    }
}

#[cfg(test)]
mod tests;
