//! Whether the shell can parse a command, without running it.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::commands::other_programs::{find_in_path, run_within};

/// Longer than any reading of a command takes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The shell that hooks run in: bash where it exists, else sh.
/// Syntax errors are reported in the words of the shell that will run the hook.
pub(super) fn shell() -> &'static str {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if find_in_path("bash", &path).is_some() { "bash" } else { "sh" }
}

/// The shell's message about a syntax error in a command, if there is one. The command is only read.
/// A shell that takes too long is ended, and nothing is reported: a finding must be certain.
pub(super) fn syntax_error(command: &str) -> Option<String> {
    let run = || {
        let (output, writer) = std::io::pipe()?;
        let mut reading = Command::new(shell());
        // These variables make a shell run files before it reads anything.
        reading.args(["-n", "-c", command]).env_remove("BASH_ENV").env_remove("ENV");
        reading.stdin(Stdio::null()).stdout(Stdio::null()).stderr(writer);
        run_within(TIMEOUT, reading, output)
    };
    let (status, message) = match run() {
        Ok(ended) => ended?,
        Err(error) => return Some(format!("this command cannot be handed to the shell: {error}")),
    };
    if status.success() {
        return None;
    }
    let first = message.lines().next().unwrap_or("syntax error");
    // `bash: -c: line 1: syntax error …`: only what comes after the shell's own name is about the command.
    Some(first.strip_prefix("bash: -c: ").or_else(|| first.strip_prefix("sh: ")).unwrap_or(first).to_owned())
}
