//! The effects, one scenario each: what the model does, and how its success is observed from outside.
//!
//! The commands write files with names of their own, and every text of a hook has a mark (`MARK-…`) that nothing else
//! in a run prints. A row may therefore conclude from a file or a mark alone.

use hookrail_testkit::scripted_model::Turn;
use serde_json::{Value, json};

use super::observed::{Cell, Observed};

/// One effect of hooks.
/// The order of [`SCENARIOS`] is the order of the rows.
pub(super) struct Scenario {
    /// The row of the table.
    pub(super) name: &'static str,
    /// What the user asks for.
    pub(super) prompt: &'static str,
    /// What the model runs in the shell, one call after the other. `{base}` is the folder of the run.
    pub(super) commands: &'static [&'static str],
    /// The next prompt of the user, in an agent that does at the next prompt what others do at once.
    pub(super) next_prompt: Option<&'static str>,
    /// What is broken before the agent starts.
    pub(super) broken: Broken,
    /// What came of it.
    pub(super) read: fn(&Observed<'_>) -> Cell,
}

/// What does not work from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// Nothing.
    Nothing,
    /// The settings file ends in the middle.
    Settings,
    /// The program that the entries name is not there.
    Program,
}

/// The model's lines: shell commands, one after the other, and an answer.
pub(super) fn turns(commands: &[&str], base: &str) -> Vec<Turn> {
    let calls = commands.iter().map(|command| Turn::Shell(command.replace("{base}", base)));
    calls.chain([Turn::Say(ANSWER.to_owned())]).collect()
}

/// The model's last text, which the agent prints.
pub(super) const ANSWER: &str = "finished";

/// No request reached the model, so that the effect had no chance to show.
const NOT_RUN: Cell = Cell::Unknown("no model call");

/// The command that every refusal of a guard that does not work names.
const HELP: &str = "hookrail doctor";

/// A scenario in which nothing is broken.
const fn scenario(
    name: &'static str,
    prompt: &'static str,
    commands: &'static [&'static str],
    read: fn(&Observed<'_>) -> Cell,
) -> Scenario {
    Scenario { name, prompt, commands, next_prompt: None, broken: Broken::Nothing, read }
}

/// A prompt that no rule has anything against.
pub(super) const HARMLESS: Scenario = scenario("a harmless prompt", "do it", &[], |seen| {
    if seen.user_saw(ANSWER) { Cell::Works("") } else { NOT_RUN }
});

/// All of them.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("blocked `rm`", "do it", &["rm victim.txt"], |seen| {
        match (seen.exists("victim.txt"), seen.model_received("MARK-NO-RM")) {
            (true, true) => Cell::Works("the model reads why"),
            (true, false) => Cell::Unknown("not removed, and the model does not receive the reason"),
            (false, _) => Cell::Fails,
        }
    }),
    scenario("ask", "do it", &["touch asked.txt"], |seen| {
        match (seen.exists("asked.txt"), seen.model_received("MARK-ASK"), seen.calls.len()) {
            (_, _, 0) => NOT_RUN,
            (true, ..) => Cell::Fails,
            (false, true, _) if seen.was_strengthened() => Cell::Instead("refused, the model reads why"),
            (false, true, _) => Cell::Works("refused, as no one can answer; the model reads why"),
            (false, false, _) if seen.user_saw("MARK-ASK") => Cell::Works("the question is shown"),
            (false, false, _) => Cell::Unknown("neither run nor refused"),
        }
    }),
    scenario("changed arguments", "do it", &["touch original.txt"], |seen| {
        match (
            seen.exists("original.txt"),
            seen.exists("changed.txt"),
            seen.model_received("touch changed.txt"),
        ) {
            (true, ..) => Cell::Fails,
            (false, true, _) => Cell::Works(""),
            (false, false, true) => Cell::Instead("refused, the change is named"),
            (false, false, false) => Cell::Unknown("neither command ran"),
        }
    }),
    scenario("added context", "do it", &["touch context.txt"], |seen| {
        match (seen.exists("context.txt"), seen.model_received("MARK-CONTEXT")) {
            (true, true) => Cell::Works(""),
            (true, false) => Cell::Fails,
            (false, _) => Cell::Unknown("the command did not run"),
        }
    }),
    scenario("replaced result", "do it", &["touch replaced.txt; printf %s%s SEC RET"], |seen| {
        match (
            seen.exists("replaced.txt"),
            seen.model_received("MARK-REPLACED"),
            seen.model_received("SECRET"),
        ) {
            (true, true, false) => Cell::Works(""),
            (true, false, false) => Cell::Unknown("neither text reached the model"),
            (true, _, true) => Cell::Fails,
            (false, ..) => Cell::Unknown("the command did not run"),
        }
    }),
    scenario("blocked prompt", "forbidden words", &[], |seen| {
        seen.refused_prompt("MARK-PROMPT", "no-forbidden")
    }),
    Scenario {
        next_prompt: Some("what else?"),
        ..scenario("sent back", "send yourself back", &[], |seen| {
            match (seen.model_received("MARK-SENT-BACK"), seen.ran("sends-back"), seen.was_strengthened()) {
                (true, _, true) => Cell::Instead("the model reads it with the next prompt"),
                (true, _, false) => Cell::Works(""),
                (false, true, _) => Cell::Fails,
                (false, false, _) => Cell::Unknown("the hook did not run"),
            }
        })
    },
    scenario("session start context", "do it", &[], |seen| {
        match (seen.model_received("MARK-START"), seen.ran("greets")) {
            _ if seen.calls.is_empty() => NOT_RUN,
            (true, _) => Cell::Works(""),
            (false, true) => Cell::Fails,
            // It did call its hooks, at other events.
            (false, false) if seen.log.contains("\"BeforeAgent\"") => {
                Cell::Instead("without a terminal it calls its hooks at prompts and not at this event")
            }
            (false, false) => Cell::Unknown("no hook was called"),
        }
    }),
    scenario("stop", "do it", &["touch stopped.txt", "touch more.txt"], |seen| {
        match (
            seen.exists("stopped.txt") || seen.exists("more.txt"),
            seen.calls.len(),
            seen.model_received("MARK-STOP"),
        ) {
            (_, 0, _) => NOT_RUN,
            (true, ..) => Cell::Fails,
            (false, 1, _) if seen.ran("stops") => seen.stopped("MARK-STOP"),
            (false, 2.., true) => Cell::Instead("every further call is refused, the model reads why"),
            (false, ..) => Cell::Unknown("nothing ran, and no reason is shown"),
        }
    }),
    scenario("failing hook", "do it", &["touch failing-open.txt"], |seen| {
        match (seen.exists("failing-open.txt"), seen.ran("fails-open")) {
            (true, true) if seen.user_saw("`fails-open` failed") => {
                Cell::Works("the call runs, and the user reads which hook failed")
            }
            (true, true) => Cell::Works("the call runs, and `hookrail log` names the hook"),
            (true, false) => Cell::Unknown("the hook did not run"),
            (false, _) => Cell::Fails,
        }
    }),
    scenario("failing hook, `onFailure: block`", "do it", &["touch failing.txt"], |seen| {
        seen.refused("failing.txt", "`fails`")
    }),
    scenario("hook out of time, `onFailure: block`", "do it", &["touch late.txt"], |seen| {
        seen.refused("late.txt", "`sleeps`")
    }),
    Scenario {
        name: "prompt with broken settings",
        prompt: "do it",
        commands: &[],
        next_prompt: None,
        broken: Broken::Settings,
        read: |seen| seen.unsent_prompt("hookrail check"),
    },
    scenario(
        "call after the settings broke",
        "do it",
        &["echo '{' > {base}/home/.llxprt/settings.json; touch before.txt", "touch anything.txt"],
        |seen| seen.refused_after("before.txt", "anything.txt", "hookrail check"),
    ),
    Scenario {
        name: "prompt with the program gone",
        prompt: "do it",
        commands: &[],
        next_prompt: None,
        broken: Broken::Program,
        read: |seen| seen.unsent_prompt(HELP),
    },
    scenario(
        "call after the program was moved",
        "do it",
        &["mv {base}/bin/hookrail {base}/bin/moved; touch before.txt", "touch anything.txt"],
        |seen| seen.refused_after("before.txt", "anything.txt", HELP),
    ),
];

/// The one settings file, in which every scenario finds its rule or hook.
/// It is the same for all agents and all scenarios, so what differs between two cells of a row is the agent alone.
pub(super) fn settings() -> Value {
    let says = |output: &Value| format!("echo '{output}'");
    let changed =
        says(&json!({ "hookSpecificOutput": { "tool_input": { "command": "touch changed.txt" } } }));
    let replaced = json!({ "hookSpecificOutput": { "tool_response": { "llmContent": "MARK-REPLACED" } } });
    json!({
        "enableHooks": true,
        "hooks": {
            "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "MARK-NO-RM: rm is for people" },
                { "type": "rule", "name": "asks", "when": { "command": "touch asked.txt" }, "ask": "MARK-ASK: shall it be?" },
                { "type": "rule", "name": "stops", "when": { "command": "touch stopped.txt" },
                  "then": { "continue": false, "stopReason": "MARK-STOP" } },
                { "type": "command", "name": "changes", "when": { "command": "touch original.txt" },
                  "command": changed },
                { "type": "command", "name": "fails", "when": { "command": "touch failing.txt" },
                  "command": "exit 1", "onFailure": "block" },
                { "type": "command", "name": "fails-open", "when": { "command": "touch failing-open.txt" },
                  "command": "exit 1" },
                { "type": "command", "name": "sleeps", "when": { "command": "touch late.txt" },
                  "command": "sleep 60", "timeout": 500, "onFailure": "block" },
            ] }],
            "AfterTool": [{ "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "name": "adds", "when": { "command": "touch context.txt" }, "context": "MARK-CONTEXT" },
                { "type": "rule", "name": "replaces", "when": { "command": "printf" }, "then": replaced },
            ] }],
            "BeforeAgent": [{ "hooks": [
                { "type": "rule", "name": "no-forbidden", "when": { "prompt": { "contains": "forbidden" } },
                  "block": "MARK-PROMPT: not these words" },
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
