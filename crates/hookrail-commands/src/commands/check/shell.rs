//! Whether the shell can parse a command, without running it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::program::find_in_path;

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
    let child = Command::new(shell())
        .args(["-n", "-c", command])
        // These make a shell run files before it reads anything.
        .env_remove("BASH_ENV")
        .env_remove("ENV")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Some(format!("this command cannot be handed to the shell: {error}")),
    };
    let start = Instant::now();
    // The message is short: it fits into the pipe, so that the shell never waits for a reader.
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if start.elapsed() > TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().ok()?;
    if output.status.success() {
        return None;
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let first = message.lines().next().unwrap_or("syntax error");
    // `bash: -c: line 1: syntax error …`: only what comes after the shell's own name is about the command.
    Some(first.strip_prefix("bash: -c: ").or_else(|| first.strip_prefix("sh: ")).unwrap_or(first).to_owned())
}
