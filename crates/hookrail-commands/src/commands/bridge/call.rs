//! The command line of a bridge call.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::cli::{BridgeArgs, Places};

/// The command line that `connect` writes, read without the parser: an agent waits for every call, and describing all
/// commands to the parser takes longer than an answer. Anything else is the parser's to judge.
pub(crate) fn bridge_call(mut words: impl Iterator<Item = OsString>) -> Option<(BridgeArgs, Places)> {
    if words.next()? != "bridge" {
        return None;
    }
    let mut places = Places::default();
    let mut names = Vec::new();
    let mut project = false;
    while let Some(word) = words.next() {
        let place = match word.to_str() {
            Some("--home") => &mut places.home,
            Some("--system") => &mut places.system,
            Some("--project") if !project => {
                project = true;
                continue;
            }
            _ => {
                names.push(word.into_string().ok().filter(|name| !name.starts_with('-'))?);
                continue;
            }
        };
        let path =
            words.next().filter(|path| !path.is_empty() && !path.as_encoded_bytes().starts_with(b"-"))?;
        if place.replace(PathBuf::from(path)).is_some() {
            return None;
        }
    }
    let mut names = names.into_iter();
    let args = BridgeArgs { agent: names.next()?.parse().ok()?, event: names.next(), project };
    names.next().is_none().then_some((args, places))
}

#[cfg(test)]
mod tests;
