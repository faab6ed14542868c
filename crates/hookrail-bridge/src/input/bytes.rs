//! From bytes to a JSON object, within bounds.

use hookrail::JsonObject;
use serde_json::Value;

use super::BridgeInputError;
use crate::agent::Agent;

/// The longest stdin that is read. Agents send whole files, never this much.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// How many values a payload may consist of: text is cheap in memory, a tree of small values is not.
const MOST_VALUES: usize = 4 * 1024 * 1024;

/// The object that stdin consists of.
/// A guard that cannot read its input must refuse, so as much as possible is read: marks, odd Unicode, large files.
pub(super) fn object(agent: Agent, stdin: &[u8]) -> Result<JsonObject, BridgeInputError> {
    let bytes = stdin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdin).trim_ascii();
    if bytes.is_empty() {
        return Err(BridgeInputError::Empty { agent });
    }
    if bytes.len() > MOST_BYTES {
        return Err(BridgeInputError::TooLarge { what: "more than 256 MiB" });
    }
    // A text has fewer values than bytes, so short ones need no counting.
    if bytes.len() > MOST_VALUES && values_at_most(bytes) > MOST_VALUES {
        return Err(BridgeInputError::TooLarge { what: "more than four million values" });
    }
    let value = serde_json::from_slice(bytes).or_else(|error| {
        // JavaScript writes texts that are no Unicode; its own parser reads them, so must a guard.
        let text = String::from_utf8_lossy(bytes);
        serde_json::from_str::<Value>(&without_lone_surrogates(&text))
            .map_err(|_| BridgeInputError::Malformed { message: error.to_string() })
    })?;
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(BridgeInputError::NotAnObject),
    }
}

/// The event that a text which is not JSON probably names: a payload that was cut off still begins with it.
pub(crate) fn event_name_in(stdin: &[u8]) -> Option<String> {
    const FAR_ENOUGH: usize = 1024 * 1024;
    let text = String::from_utf8_lossy(stdin.get(..FAR_ENOUGH).unwrap_or(stdin));
    let (_, rest) = text.split_once("\"hook_event_name\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, _) = rest.split_once('"')?;
    Some(name.to_owned())
}

/// An upper bound for the number of values: every value but the first is behind one of these signs.
fn values_at_most(bytes: &[u8]) -> usize {
    let mut is_text = false;
    let mut is_escaped = false;
    let mut count = 1;
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b':' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

/// Writes U+FFFD for each `\uD800` to `\uDFFF` that has no partner.
fn without_lone_surrogates(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        clean.push_str(before);
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                clean.push('\u{fffd}');
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and what it escapes; a character may take several bytes.
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, behind) = escape.split_at_checked(length).unwrap_or((escape, ""));
        clean.push_str(kept);
        rest = behind;
    }
    clean.push_str(rest);
    clean
}

/// The number of a `\uXXXX` at the start of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests;
