//! One hook of another agent.
//!
//! A hook becomes one shell line with a timeout in milliseconds. What our hooks cannot do, such as running beside the
//! agent without being waited for, is not imitated.

use hookrail::JsonObject;
use hookrail_shell::quote;
use serde_json::Value;

use super::condition::when_of;
use super::{Importing, LossKind};
use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::NativeEvent;

/// Fields that are carried over as they are.
/// Their meaning is the same in all dialects that have them.
const KEPT: &[&str] = &["name", "description", "env", "onFailure"];
/// Fields that are read elsewhere in this file, or belong to the group.
const READ: &[&str] = &[
    "type",
    "command",
    "bash",
    "exec",
    "args",
    "powershell",
    "timeout",
    "timeoutSec",
    "cwd",
    "async",
    "asyncRewake",
    "matcher",
    "if",
    "shell",
    "statusMessage",
];
/// Variables that other agents set for their hooks and that are not set here.
const VARIABLES: &[&str] = &[
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "CLAUDE_CODE_REMOTE",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "GEMINI_PLANS_DIR",
    "QWEN_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
    "COPILOT_HOOK_DIR",
];

impl Importing {
    /// The hook as ours; `None` if it cannot be carried over, which is reported.
    pub(super) fn hook(&mut self, place: &str, native: &NativeEvent, entry: &JsonObject) -> Option<Value> {
        let kind = entry.get("type").and_then(Value::as_str).unwrap_or("command");
        if kind != "command" {
            self.report(LossKind::Lost, place, format!("hooks of type `{kind}` cannot be carried over"));
            return None;
        }
        let is = |key: &str| entry.get(key) == Some(&Value::Bool(true));
        let is_claude = self.agent == Agent::Claude;
        if is("asyncRewake") || (is("async") && !is_claude) {
            self.report(LossKind::Lost, place, "an asynchronous hook (`async`) cannot be carried over");
            return None;
        }
        if entry.get("shell").is_some_and(|shell| shell == "powershell") {
            self.report(LossKind::Lost, place, "commands for PowerShell cannot be carried over");
            return None;
        }
        let Some(mut command) = self.command(place, entry) else {
            self.report(LossKind::Lost, place, "there is no command that a shell could run");
            return None;
        };
        if is("async") {
            // All of the input is read first: it is not kept for a process that goes on behind the hook.
            command =
                format!("input=$(cat); {{ printf '%s' \"$input\" | {{ {command}\n}}; }} >/dev/null 2>&1 &");
            let what = "`async`: it is started in the background, and what it prints is not read";
            self.report(LossKind::Changed, place, what);
        }
        let when = match entry.get("if").map(|condition| (condition, when_of(self.agent, condition))) {
            None => None,
            Some((condition, Some(when))) => {
                self.report(
                    LossKind::Changed,
                    place,
                    format!("the condition `if` {condition} is written `when` {when}"),
                );
                Some(when)
            }
            Some((condition, None)) => {
                let what = format!(
                    "the condition `if` {condition} has no equivalent here; without it the hook would run for every call, so it is left out"
                );
                self.report(LossKind::Lost, place, what);
                return None;
            }
        };
        let mut ours = JsonObject::from_iter([("type".to_owned(), Value::from("command"))]);
        for key in KEPT {
            if let Some(value) = entry.get(*key) {
                ours.insert((*key).to_owned(), value.clone());
            }
        }
        for variable in VARIABLES.iter().filter(|variable| command.contains(**variable)) {
            self.report(LossKind::Lost, place, format!("the variable `{variable}` is not set here"));
        }
        ours.insert("command".to_owned(), command.into());
        if is_claude {
            ours.insert("dialect".to_owned(), "claude".into());
        }
        if let Some(when) = when {
            ours.insert("when".to_owned(), when);
        }
        ours.insert("timeout".to_owned(), self.timeout(place, native, entry).into());
        for key in entry.keys().filter(|key| !KEPT.contains(&key.as_str()) && !READ.contains(&key.as_str())) {
            self.report(LossKind::Lost, place, format!("`{key}` is not known here"));
        }
        Some(ours.into())
    }

    /// The shell line of a hook. Arguments and a working directory, which our hooks do not have, become part of it.
    fn command(&mut self, place: &str, entry: &JsonObject) -> Option<String> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let program = text("bash").or_else(|| text("command")).or_else(|| text("exec"))?;
        let mut command = program.to_owned();
        if let Some(arguments) = entry.get("args").and_then(Value::as_array) {
            // With arguments the program is executed as it is, without a shell.
            let arguments = arguments.iter().filter_map(Value::as_str).map(quote);
            command = std::iter::once(quote(program)).chain(arguments).collect::<Vec<_>>().join(" ");
            self.report(
                LossKind::Changed,
                place,
                format!("program and arguments become a shell line: `{command}`"),
            );
        }
        if text("powershell").is_some() {
            self.report(LossKind::Lost, place, "the command for PowerShell is lost");
        }
        if let Some(folder) = text("cwd") {
            command = format!("cd {} && {command}", quote(folder));
            self.report(LossKind::Changed, place, "`cwd` becomes a `cd` in front of the command");
        }
        Some(command)
    }

    /// The timeout in milliseconds; without one, that of the agent, so that the hook may take as long as there.
    fn timeout(&mut self, place: &str, native: &NativeEvent, entry: &JsonObject) -> u64 {
        let dialect = dialect_of(self.agent);
        let factor = dialect.unit.as_secs_f64() * 1000.0;
        let given = entry.get("timeoutSec").or_else(|| entry.get("timeout"));
        let number = given.and_then(Value::as_f64).filter(|number| *number > 0.0 && number.is_finite());
        if let Some(number) = number {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates, and it is positive"
            )]
            let milliseconds = (number * factor).round().max(1.0) as u64;
            if factor > 1.0 {
                let what = format!("timeout of {number} s is written as {milliseconds} ms");
                self.report(LossKind::Changed, place, what);
            }
            return milliseconds;
        }
        if given.is_some() {
            self.report(LossKind::Lost, place, "the timeout is not a positive number");
        }
        let default = dialect.default_timeout.min(native.grant);
        let milliseconds = u64::try_from(default.as_millis()).unwrap_or(u64::MAX);
        if milliseconds != 60_000 {
            let what = format!("without a timeout the agent waits {milliseconds} ms, which is written out");
            self.report(LossKind::Changed, place, what);
        }
        milliseconds
    }
}
