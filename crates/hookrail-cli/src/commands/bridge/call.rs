//! The command line of a bridge call.

use std::ffi::OsString;

use crate::cli::BridgeArgs;

/// The command line that `connect` writes, read without the parser: an agent waits for every call, and describing all
/// commands to the parser takes longer than an answer. Anything else is the parser's to judge.
pub(crate) fn bridge_call(mut words: impl Iterator<Item = OsString>) -> Option<BridgeArgs> {
    if words.next()? != "bridge" {
        return None;
    }
    let agent = words.next()?.to_str()?.parse().ok()?;
    let event = match words.next() {
        Some(event) => Some(event.into_string().ok().filter(|event| !event.starts_with('-'))?),
        None => None,
    };
    words.next().is_none().then_some(BridgeArgs { agent, event })
}

#[cfg(test)]
mod tests;
