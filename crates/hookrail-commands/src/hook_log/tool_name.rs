//! The tool that a payload is about.

use std::borrow::Cow;

use serde::Deserialize;

/// A name that is longer than this names no tool.
const LONGEST: usize = 256;

/// The `tool_name` of a payload, whose other fields are passed over.
pub(super) fn in_payload(payload: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        tool_name: Cow<'a, str>,
    }
    let Named { tool_name } = serde_json::from_slice(payload).ok()?;
    Some(tool_name.into_owned()).filter(|name| name.len() <= LONGEST)
}

#[cfg(test)]
mod tests;
