//! From arguments to types.

use std::ffi::OsString;

use clap::{Parser as _, Subcommand};

use super::{Cli, Command, CommandLine, FireArgs};

/// `fire` without the other commands. It may be started for every event, and describing all of them to the parser takes
/// as long as the rest of its start.
#[derive(Debug, Subcommand)]
enum FireAlone {
    /// Fire one event and show what the hooks say
    Fire(FireArgs),
}

impl Cli {
    /// Reads the arguments, the program's name first. Whatever is not a complete call of `fire`, also a request for
    /// help, is left to the parser that knows all commands.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        if arguments.iter().any(|argument| argument == "fire")
            && let Ok(CommandLine { directory, color, command: FireAlone::Fire(args) }) =
                CommandLine::try_parse_from(arguments)
        {
            return Ok(Self { directory, color, command: Command::Fire(args) });
        }
        Self::try_parse_from(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both parsers make of a line.
    fn both(line: &str) -> [Result<String, String>; 2] {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        [Cli::read(&arguments), Cli::try_parse_from(&arguments)]
            .map(|read| read.map(|cli| format!("{cli:?}")).map_err(|problem| problem.to_string()))
    }

    #[test]
    fn fire_alone_is_read_as_among_the_other_commands() {
        for (line, is_call) in [
            ("hookrail fire BeforeTool", true),
            ("hookrail -C /tmp fire BeforeTool --tool x --input {}", true),
            ("hookrail --color never fire AfterModel --format json", true),
            ("hookrail fire AfterModel -C /tmp --color=always --repeat 3", true),
            ("hookrail fire BeforeTool --trust-hooks --only fire", true),
            ("hookrail list -C fire", true),
            ("hookrail init fire", false),
            ("hookrail fire", false),
            ("hookrail fire --help", false),
            ("hookrail --help fire", false),
            ("hookrail fire --version", false),
            ("hookrail help fire", false),
            ("hookrail fire NoEvent", false),
            ("hookrail fire BeforeTool --colour never", false),
            ("hookrail fier BeforeTool fire", false),
        ] {
            let [read, whole] = both(line);
            assert_eq!(read, whole, "{line}");
            assert_eq!(read.is_ok(), is_call, "{line}: {read:?}");
        }
    }
}
