//! The effects, one scenario each: what the model does, and how its success is told from outside.

use std::path::Path;

use hookrail_testkit::scripted_model::{ModelCall, Turn};
use serde_json::{Value, json};

/// One effect of hooks.
pub(super) struct Scenario {
    /// The column of the table.
    pub(super) name: &'static str,
    /// What the user asks for.
    pub(super) prompt: &'static str,
    /// What the model runs in the shell, if anything.
    pub(super) command: Option<&'static str>,
    /// Whether the settings are broken on purpose.
    pub(super) broken: bool,
    /// What came of it.
    pub(super) read: fn(&Observed<'_>) -> &'static str,
}

/// What can be seen after a run.
pub(super) struct Observed<'a> {
    /// The folder in which the agent worked.
    pub(super) work: &'a Path,
    /// What the model was asked.
    pub(super) calls: &'a [ModelCall],
}

impl Observed<'_> {
    fn exists(&self, file: &str) -> bool {
        self.work.join(file).exists()
    }

    /// Whether a text reached the model with any of its calls.
    fn heard(&self, text: &str) -> bool {
        self.calls.iter().any(|call| call.contains(text))
    }
}

impl Scenario {
    /// The model's lines.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let call = self.command.map(|command| Turn::Shell(command.to_owned()));
        call.into_iter().chain([Turn::Say("finished".to_owned())]).collect()
    }
}

/// Nothing came of a run that the effect could have shown in.
const NOT_RUN: &str = "? (no model call)";

/// All of them. A cell says `yes` where the agent did what the hook asked for.
pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "blocked `rm`",
        prompt: "do it",
        command: Some("rm victim.txt"),
        broken: false,
        read: |seen| match (seen.exists("victim.txt"), seen.heard("MARK-NO-RM"), seen.calls.is_empty()) {
            (_, _, true) => NOT_RUN,
            (true, true, _) => "yes",
            (true, false, _) => "yes, the model is not told why",
            (false, ..) => "**no**",
        },
    },
    Scenario {
        name: "ask",
        prompt: "do it",
        command: Some("touch asked.txt"),
        broken: false,
        read: |seen| match (seen.exists("asked.txt"), seen.calls.is_empty()) {
            (_, true) => NOT_RUN,
            (false, _) => "refused, as nobody can answer",
            (true, _) => "**no**",
        },
    },
    Scenario {
        name: "changed arguments",
        prompt: "do it",
        command: Some("touch original.txt"),
        broken: false,
        read: |seen| match (seen.exists("original.txt"), seen.exists("changed.txt")) {
            (false, true) => "yes",
            (false, false) if seen.heard("changed.txt") => "refused, the change is named",
            (false, false) => NOT_RUN,
            (true, _) => "**no**",
        },
    },
    Scenario {
        name: "added context",
        prompt: "do it",
        command: Some("touch context.txt"),
        broken: false,
        read: |seen| if seen.heard("MARK-CONTEXT") { "yes" } else { "**no**" },
    },
    Scenario {
        name: "replaced result",
        prompt: "do it",
        command: Some("printf %s%s SEC RET"),
        broken: false,
        read: |seen| match (seen.heard("MARK-REPLACED"), seen.heard("SECRET")) {
            (true, false) => "yes",
            (false, false) if seen.calls.len() == 1 => "the run ends",
            (_, true) => "**no**",
            (false, false) => "? (neither text reached the model)",
        },
    },
    Scenario {
        name: "blocked prompt",
        prompt: "forbidden words",
        command: None,
        broken: false,
        read: |seen| if seen.calls.is_empty() { "yes" } else { "**no**" },
    },
    Scenario {
        name: "sent back",
        prompt: "send yourself back",
        command: None,
        broken: false,
        read: |seen| match (seen.heard("MARK-SENT-BACK"), seen.calls.is_empty()) {
            (_, true) => NOT_RUN,
            (true, _) => "yes",
            (false, _) => "with the next prompt",
        },
    },
    Scenario {
        name: "session start context",
        prompt: "do it",
        command: None,
        broken: false,
        read: |seen| match (seen.heard("MARK-START"), seen.calls.is_empty()) {
            (_, true) => NOT_RUN,
            (true, _) => "yes",
            (false, _) => "**no**",
        },
    },
    Scenario {
        name: "stop",
        prompt: "do it",
        command: Some("touch stopped.txt"),
        broken: false,
        read: |seen| match (seen.exists("stopped.txt"), seen.calls.len()) {
            (_, 0) => NOT_RUN,
            (true, _) => "**no**",
            (false, 1) => "yes",
            (false, _) => "refused, the run goes on",
        },
    },
    Scenario {
        name: "failing hook, `onFailure: block`",
        prompt: "do it",
        command: Some("touch failing.txt"),
        broken: false,
        read: |seen| match (seen.exists("failing.txt"), seen.calls.is_empty()) {
            (_, true) => NOT_RUN,
            (false, _) => "yes",
            (true, _) => "**no**",
        },
    },
    Scenario {
        name: "broken settings",
        prompt: "do it",
        command: Some("touch anything.txt"),
        broken: true,
        read: |seen| if seen.exists("anything.txt") { "**no**" } else { "all refused" },
    },
];

/// The one settings file, in which every scenario finds its rule or hook.
pub(super) fn settings() -> Value {
    let says = |output: &Value| format!("echo '{output}'");
    let changed =
        says(&json!({ "hookSpecificOutput": { "tool_input": { "command": "touch changed.txt" } } }));
    let replaced = json!({ "hookSpecificOutput": { "tool_response": { "llmContent": "MARK-REPLACED" } } });
    json!({
        "enableHooks": true,
        "hooks": {
            "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "when": { "command": "rm" }, "block": "MARK-NO-RM: rm is for people" },
                { "type": "rule", "when": { "command": "touch asked.txt" }, "ask": "shall it be?" },
                { "type": "rule", "when": { "command": "touch stopped.txt" },
                  "then": { "continue": false, "stopReason": "MARK-STOP" } },
                { "type": "command", "name": "changes", "when": { "command": "touch original.txt" },
                  "command": changed },
                { "type": "command", "name": "fails", "when": { "command": "touch failing.txt" },
                  "command": "exit 1", "onFailure": "block" },
            ] }],
            "AfterTool": [{ "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "when": { "command": "touch context.txt" }, "context": "MARK-CONTEXT" },
                { "type": "rule", "when": { "command": "printf" }, "then": replaced },
            ] }],
            "BeforeAgent": [{ "hooks": [
                { "type": "rule", "when": { "prompt": { "contains": "forbidden" } }, "block": "MARK-PROMPT" },
            ] }],
            "AfterAgent": [{ "hooks": [
                { "type": "command", "name": "sends-back",
                  "command": "i=$(cat); case $i in *'\"stop_hook_active\":true'*) exit 0;; *'send yourself back'*) echo MARK-SENT-BACK >&2; exit 2;; esac" },
            ] }],
            "SessionStart": [{ "hooks": [
                { "type": "command", "name": "greets",
                  "command": "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"MARK-START\"}}'" },
            ] }],
        },
    })
}
