//! What helps against the failure of a hook, for `fire` and the agent's trace.

use hookrail::components::HookFailure;
use hookrail::{EventName, HookRun};
use hookrail_shell::quote;

use super::check::command_problem;
use crate::context::Context;

/// What helps against a failure, where its exit code or its error text shows it.
/// The machine is looked at again, which costs something and is done only for a hook that failed.
pub(super) fn hint(event: EventName, run: &HookRun, context: &Context) -> Option<String> {
    let command = run.hook.command_text()?;
    match run.failure()? {
        HookFailure::ExitCode { code: 126 | 127, stderr } => command_problem(&run.hook, command, context)
            .or_else(|| carriage_return(stderr))
            .or_else(|| missing_program(&run.hook.env, stderr)),
        HookFailure::NotStarted { .. } => command_problem(&run.hook, command, context),
        HookFailure::ExitCode { code, stderr } => carriage_return(stderr)
            .or_else(|| crash(stderr))
            .or_else(|| event.can_block().then(|| format!("exit 2 blocks, {code} does not"))),
        HookFailure::TimedOut(_) => {
            Some("`timeout` in the settings gives it more time, in milliseconds".to_owned())
        }
        _ => None,
    }
}

/// A script that did not decide anything because its code is wrong, by the errors of interpreters.
fn crash(stderr: &str) -> Option<String> {
    let says = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    let what = if says(&["SyntaxError", "syntax error", "Syntax error", "IndentationError"]) {
        "the script has a syntax error"
    } else if says(&["Traceback (most recent call last)", "    at ", "panicked at", "unbound variable"]) {
        "the script ended with an error of its own"
    } else {
        return None;
    };
    Some(format!("{what}; with `\"onFailure\": \"block\"` a hook that fails blocks"))
}

/// A script with Windows line ends, by the errors of shells.
fn carriage_return(stderr: &str) -> Option<String> {
    let seen = stderr.contains('\r') || stderr.contains("\\r'") || stderr.contains("^M");
    seen.then(|| "the script has Windows line ends; `sed -i 's/\\r$//' FILE` gives it Unix ones".to_owned())
}

/// A program that a script calls and the shell did not find.
/// Only the English words of Bash are known; other texts give no hint.
fn missing_program(env: &[(String, String)], stderr: &str) -> Option<String> {
    let before = stderr.lines().find_map(|line| line.trim_end().strip_suffix(": command not found"))?;
    let program = before.rsplit(": ").next()?;
    let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = path.or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
    Some(format!("{} is in none of the folders of PATH: {path}", quote(program)))
}

#[cfg(test)]
mod tests;
