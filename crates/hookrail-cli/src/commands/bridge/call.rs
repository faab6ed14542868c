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
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn it_is_what_the_parser_makes_of_it() {
        for (line, is_read) in [
            ("bridge claude PreToolUse", true),
            ("bridge codex", true),
            ("bridge opencode tool.execute.before", true),
            ("bridge cursor PreToolUse", false),
            ("bridge claude --help", false),
            ("bridge claude PreToolUse more", false),
            ("bridge", false),
            ("-C x bridge claude", false),
            ("connect claude", false),
            ("", false),
        ] {
            let read = bridge_call(line.split_whitespace().map(OsString::from));
            assert_eq!(read.is_some(), is_read, "{line}");
            let Some(read) = read else { continue };
            let parsed = Cli::try_parse_from(std::iter::once("hookrail").chain(line.split_whitespace()));
            let Ok(Cli { command: Command::Bridge(parsed), .. }) = parsed else { panic!("{line}") };
            assert_eq!((read.agent, read.event), (parsed.agent, parsed.event), "{line}");
        }
    }
}
