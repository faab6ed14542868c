use clap::Parser as _;

use super::*;
use crate::cli::{Cli, Command};

#[test]
fn it_is_what_the_parser_makes_of_it() {
    for (line, is_read) in [
        ("bridge claude PreToolUse", true),
        ("bridge codex", true),
        ("bridge opencode tool.execute.before", true),
        ("bridge --home /home/me claude PreToolUse", true),
        ("bridge --home /home/me --system /etc/s.json gemini", true),
        ("bridge qwen --system s.json Stop --home h", true),
        ("bridge --project claude Stop", true),
        ("bridge --project --project claude", false),
        ("bridge --home claude", false),
        ("bridge --home -C claude", false),
        ("bridge --home /a --home /b claude", false),
        ("bridge --home=/home/me claude", false),
        ("bridge -C /p claude", false),
        ("bridge windsurf PreToolUse", false),
        ("bridge claude --help", false),
        ("bridge claude PreToolUse more", false),
        ("bridge", false),
        ("-C x bridge claude", false),
        ("connect claude", false),
        ("", false),
    ] {
        let read = bridge_call(line.split_whitespace().map(OsString::from));
        assert_eq!(read.is_some(), is_read, "{line}");
        let Some((read, places)) = read else { continue };
        let parsed = Cli::try_parse_from(std::iter::once("hookrail").chain(line.split_whitespace()));
        let Ok(Cli { command: Command::Bridge(parsed), places: parsed_places, .. }) = parsed else {
            panic!("{line}")
        };
        assert_eq!((read.agent, &read.event), (parsed.agent, &parsed.event), "{line}");
        assert_eq!(read.project, parsed.project, "{line}");
        assert_eq!(places, parsed_places, "{line}");
    }
}
