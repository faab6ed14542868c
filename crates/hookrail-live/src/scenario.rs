//! The effects, one scenario each: what the model does, and how its success is observed from outside.
//!
//! The commands write files with names of their own, and every text of a hook has a mark (`MARK-…`) that nothing else
//! in a run prints. A row may therefore conclude from a file or a mark alone, and several scenarios fit into one run.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::model::{Call, ModelCall, Turn};
use crate::observed::{Cell, Observed};
use crate::program::{Program, write};
use crate::run::{PATIENCE, Room, SUBTASK};

/// One effect of hooks.
/// The order of [`SCENARIOS`] is the order of the rows.
pub struct Scenario {
    /// The row of the table.
    pub name: &'static str,
    /// The name of the effect in `hookrail doctor --live`, if it is one of those.
    pub effect: Option<&'static str>,
    /// What the user asks for.
    pub(crate) prompt: &'static str,
    /// What the model does before it answers; `None` if the agent has no tool for it.
    pub(crate) turns: fn(&Program, &Room) -> Option<Vec<Turn>>,
    /// What the model does in a subagent.
    pub(crate) subagent: Option<fn() -> Vec<Turn>>,
    /// The next prompt of the user, in an agent that does at the next prompt what others do at once.
    pub(crate) next_prompt: Option<&'static str>,
    /// What is broken before the agent starts.
    pub(crate) broken: Broken,
    /// What else is done before it starts.
    pub(crate) setup: fn(&Room) -> Result<()>,
    /// The folder below the project in which it starts.
    pub(crate) folder: &'static str,
    /// Whether it is given an MCP server.
    pub(crate) needs_mcp: bool,
    /// Whether it declares all of its tools in the first request.
    pub(crate) all_tools: bool,
    /// Whether it has to have a run of its own: the agent may end or wait there, or something is broken.
    pub(crate) alone: bool,
    /// How long it may take.
    pub(crate) patience: Duration,
    /// What came of it.
    pub(crate) read: fn(&Observed<'_>) -> Cell,
}

impl Scenario {
    /// Whether the agent has to declare all of its tools in the first request.
    pub(crate) fn declares_all(&self) -> bool {
        self.needs_mcp || self.all_tools || self.subagent.is_some()
    }
}

/// What does not work from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Nothing.
    Nothing,
    /// The settings file ends in the middle.
    Settings,
    /// The program that the entries name is not there.
    Program,
}

/// The model's last text, which the agent prints.
pub(crate) const ANSWER: &str = "finished";

/// Another prompt, in agents that take only then what others take at once.
const NEXT: &str = "what else?";

/// No request reached the model, so that the effect had no chance to show.
const NOT_RUN: Cell = Cell::Unknown("no model call");

/// The command that every refusal of a guard that does not work names.
const HELP: &str = "hookrail doctor";

/// A scenario in which the model does nothing and nothing is broken.
const PLAIN: Scenario = Scenario {
    name: "",
    effect: None,
    prompt: "do it",
    turns: |_, _| Some(Vec::new()),
    subagent: None,
    next_prompt: None,
    broken: Broken::Nothing,
    setup: |_| Ok(()),
    folder: "",
    needs_mcp: false,
    all_tools: false,
    alone: false,
    patience: PATIENCE,
    read: |_| NOT_RUN,
};

/// The turns of shell commands, one after the other.
#[expect(clippy::unnecessary_wraps, reason = "scenarios say with `None` that an agent has no tool")]
fn shell(commands: &[&str]) -> Option<Vec<Turn>> {
    Some(commands.iter().map(|command| Turn::shell(*command)).collect())
}

/// Writes the variables into every file from which an agent takes its environment in a project.
fn set_in_project(room: &Room, variables: &[(&str, &str)]) -> Result<()> {
    let lines: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    for file in [".env", ".gemini/.env", ".qwen/.env", ".codex/.env"] {
        write(&room.work.join(file), &lines.concat())?;
    }
    let object: Value = variables.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    write(&room.work.join(".claude/settings.json"), &json!({ "env": object }).to_string())
}

/// Whether a command that the user's rule forbids was refused.
fn refused_rm(seen: &Observed<'_>) -> Cell {
    match (seen.exists("victim.txt"), seen.model_received("MARK-NO-RM")) {
        (true, true) => Cell::Works("the model reads why"),
        (true, false) => Cell::Unknown("not removed, and the model does not receive the reason"),
        (false, _) => Cell::Fails,
    }
}

/// A prompt that no rule has anything against.
pub(crate) static HARMLESS: Scenario = Scenario {
    name: "a harmless prompt",
    read: |seen| if seen.user_saw(ANSWER) { Cell::Works("") } else { NOT_RUN },
    ..PLAIN
};

/// All of them.
pub static SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "blocked `rm`",
        turns: |_, _| shell(&["rm victim.txt"]),
        effect: Some("block-shell"),
        read: refused_rm,
        ..PLAIN
    },
    Scenario {
        name: "ask",
        alone: true,
        effect: Some("ask"),
        patience: Duration::from_secs(45),
        turns: |_, _| shell(&["touch asked.txt"]),
        read: |seen| match (seen.exists("asked.txt"), seen.model_received("MARK-ASK"), seen.calls.len()) {
            (_, _, 0) => NOT_RUN,
            (true, ..) => Cell::Fails,
            (false, true, _) if seen.was_strengthened() => Cell::Instead("refused, the model reads why"),
            (false, true, _) => Cell::Works("refused, as no one can answer; the model reads why"),
            (false, false, _) if seen.user_saw("MARK-ASK") => Cell::Works("the question is shown"),
            (false, false, _) => Cell::Unknown("neither run nor refused"),
        },
        ..PLAIN
    },
    Scenario {
        name: "changed arguments",
        effect: Some("changed-arguments"),
        turns: |_, _| shell(&["touch original.txt"]),
        read: |seen| match (
            seen.exists("original.txt"),
            seen.exists("changed.txt"),
            seen.model_received("touch changed.txt"),
        ) {
            (true, ..) => Cell::Fails,
            (false, true, _) => Cell::Works(""),
            (false, false, true) => Cell::Instead("refused, the change is named"),
            (false, false, false) => Cell::Unknown("neither command ran"),
        },
        ..PLAIN
    },
    Scenario {
        name: "added context",
        effect: Some("context"),
        next_prompt: Some(NEXT),
        turns: |_, _| shell(&["touch context.txt"]),
        read: |seen| {
            let in_time = |call: &&ModelCall| call.contains("MARK-CONTEXT") && !call.contains(NEXT);
            match (seen.exists("context.txt"), seen.model_received("MARK-CONTEXT")) {
                (true, true) if seen.calls.iter().any(|call| in_time(&call)) => Cell::Works(""),
                (true, true) => Cell::Instead("the model reads it with the next prompt"),
                (true, false) => Cell::Fails,
                (false, _) => Cell::Unknown("the command did not run"),
            }
        },
        ..PLAIN
    },
    Scenario {
        name: "replaced result",
        // Where it cannot be replaced, the run is stopped.
        alone: true,
        // Some agents do not wait for hooks after a tool; what follows gives them the time.
        turns: |_, _| shell(&["touch replaced.txt; printf %s%s HUSH- HUSH", "sleep 3", "touch further.txt"]),
        read: |seen| match (
            seen.exists("replaced.txt"),
            seen.model_received("MARK-REPLACED"),
            seen.model_received("HUSH-HUSH"),
        ) {
            (true, true, false) => Cell::Works(""),
            (true, false, false) => Cell::Unknown("neither text reached the model"),
            (true, _, true) if seen.was_strengthened() && !seen.exists("further.txt") => {
                Cell::Instead("the model reads the original, and every further call is refused")
            }
            (true, _, true) => Cell::Fails,
            (false, ..) => Cell::Unknown("the command did not run"),
        },
        ..PLAIN
    },
    Scenario {
        name: "blocked prompt",
        alone: true,
        prompt: "forbidden words",
        read: |seen| seen.refused_prompt("MARK-PROMPT", "no-forbidden"),
        ..PLAIN
    },
    Scenario {
        next_prompt: Some(NEXT),
        name: "sent back",
        alone: true,
        prompt: "send yourself back",
        read: |seen| match (
            seen.model_received("MARK-SENT-BACK"),
            seen.ran("sends-back"),
            seen.was_strengthened(),
        ) {
            (true, _, true) => Cell::Instead("the model reads it with the next prompt"),
            (true, _, false) => Cell::Works(""),
            (false, true, true) => {
                Cell::Unknown("the text waits for a next prompt, which the run does not have")
            }
            (false, true, false) => Cell::Fails,
            (false, false, _) => Cell::Unknown("the hook did not run"),
        },
        ..PLAIN
    },
    Scenario {
        name: "session start context",
        read: |seen| {
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
        },
        ..PLAIN
    },
    Scenario {
        name: "stop",
        alone: true,
        turns: |_, _| shell(&["touch stopped.txt", "touch more.txt"]),
        read: |seen| match (
            seen.exists("stopped.txt") || seen.exists("more.txt"),
            seen.calls.len(),
            seen.model_received("MARK-STOP"),
        ) {
            (_, 0, _) => NOT_RUN,
            (true, ..) => Cell::Fails,
            (false, 1, _) if seen.ran("stops") => seen.stopped("MARK-STOP"),
            (false, 2.., true) => Cell::Instead("every further call is refused, the model reads why"),
            (false, ..) => Cell::Unknown("nothing ran, and no reason is shown"),
        },
        ..PLAIN
    },
    Scenario {
        name: "failing hook",
        turns: |_, _| shell(&["touch failing-open.txt"]),
        read: |seen| match (seen.exists("failing-open.txt"), seen.ran("fails-open")) {
            (true, true) if seen.user_saw("`fails-open` failed") => {
                Cell::Works("the call runs, and the user reads which hook failed")
            }
            (true, true) => Cell::Works("the call runs, and `hookrail log` names the hook"),
            (true, false) => Cell::Unknown("the hook did not run"),
            (false, _) => Cell::Fails,
        },
        ..PLAIN
    },
    Scenario {
        name: "failing hook, `onFailure: block`",
        turns: |_, _| shell(&["touch failing.txt"]),
        read: |seen| seen.refused("failing.txt", "`fails`"),
        ..PLAIN
    },
    Scenario {
        name: "hook out of time, `onFailure: block`",
        turns: |_, _| shell(&["touch late.txt"]),
        read: |seen| seen.refused("late.txt", "`sleeps`"),
        ..PLAIN
    },
    Scenario {
        name: "prompt with broken settings",
        alone: true,
        effect: Some("broken-settings"),
        broken: Broken::Settings,
        read: |seen| seen.unsent_prompt("hookrail check"),
        ..PLAIN
    },
    Scenario {
        name: "call after the settings broke",
        alone: true,
        turns: |_, _| {
            shell(&["echo '{' > {base}/home/.hookrail/settings.json; touch before.txt", "touch anything.txt"])
        },
        read: |seen| seen.refused_after("before.txt", "anything.txt", "hookrail check"),
        ..PLAIN
    },
    Scenario {
        name: "prompt with the program gone",
        alone: true,
        broken: Broken::Program,
        read: |seen| seen.unsent_prompt(HELP),
        ..PLAIN
    },
    Scenario {
        name: "call after the program was moved",
        alone: true,
        turns: |_, _| {
            shell(&[
                "mv {base}/bin/hookrail {base}/bin/moved; mv {base}/home/.hookrail/bin/hookrail {base}/home/.hookrail/bin/moved; touch before.txt",
                "touch anything.txt",
            ])
        },
        read: |seen| seen.refused_after("before.txt", "anything.txt", HELP),
        ..PLAIN
    },
    Scenario {
        name: "blocked file",
        effect: Some("block-write"),
        turns: |program, room| {
            Some(vec![Turn::Calls(vec![program.write(&room.work.join("secret.txt"), "x")])])
        },
        read: |seen| seen.refused("secret.txt", "MARK-FILE"),
        ..PLAIN
    },
    Scenario {
        name: "blocked MCP tool",
        effect: Some("block-mcp"),
        turns: |program, _| Some(vec![Turn::Calls(vec![program.mcp()?])]),
        needs_mcp: true,
        read: |seen| seen.refused("mcp.txt", "MARK-MCP"),
        ..PLAIN
    },
    Scenario {
        name: "blocked in a subagent",
        effect: Some("block-subagent"),
        // An agent that does not wait for the one below it has to be kept busy.
        turns: |program, _| {
            let call = program.subagent(&format!("{SUBTASK}: make below.txt"))?;
            Some(vec![Turn::Calls(vec![call]), Turn::shell("sleep 8")])
        },
        subagent: Some(|| vec![Turn::shell("touch below.txt")]),
        read: |seen| match (seen.exists("below.txt"), seen.model_received("MARK-BELOW")) {
            (true, _) => Cell::Fails,
            (false, true) => Cell::Works("the model below reads why"),
            (false, false) => Cell::Unknown("the subagent did not call its tool"),
        },
        ..PLAIN
    },
    Scenario {
        name: "blocked one of several calls at once",
        effect: Some("parallel-calls"),
        turns: |_, _| {
            let commands = ["touch parallel-1.txt", "touch parallel-2.txt", "touch parallel-3.txt"];
            Some(vec![Turn::Calls(commands.into_iter().map(Call::shell).collect())])
        },
        read: |seen| {
            let others = seen.exists("parallel-1.txt") && seen.exists("parallel-3.txt");
            match (seen.exists("parallel-2.txt"), others, seen.model_received("MARK-PARALLEL")) {
                (true, ..) => Cell::Fails,
                (false, true, true) => Cell::Works("the others run"),
                (false, true, false) => Cell::Unknown("not run, and the model does not receive the reason"),
                (false, false, _) => Cell::Unknown("the others did not run either"),
            }
        },
        ..PLAIN
    },
    Scenario {
        name: "blocked by a hook that takes three seconds",
        effect: Some("slow-hook"),
        // Cline is told to make the same call again.
        turns: |_, _| shell(&["touch slow.txt", "touch slow.txt"]),
        read: |seen| seen.refused("slow.txt", "MARK-SLOW"),
        ..PLAIN
    },
    Scenario {
        name: "blocked `rm`, though the project's environment turns guards off",
        alone: true,
        turns: |_, _| shell(&["rm victim.txt"]),
        setup: |room| {
            set_in_project(
                room,
                &[
                    ("HOOKRAIL_BRIDGE", "1"),
                    ("HOOKRAIL_WORKER", "1"),
                    ("HOOKRAIL_SYSTEM_SETTINGS", "/dev/null"),
                ],
            )
        },
        read: refused_rm,
        ..PLAIN
    },
    Scenario {
        name: "blocked `rm`, though the project's environment names another home",
        alone: true,
        turns: |_, _| shell(&["rm victim.txt"]),
        setup: |room| {
            set_in_project(room, &[("HOOKRAIL_HOME", "/proc/self/cwd"), ("HOME", "/proc/self/cwd")])?;
            let hook = json!({ "type": "command", "command": format!("touch {}", room.work.join("ran.txt").display()) });
            let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
            write(&room.work.join(".hookrail/settings.json"), &settings.to_string())?;
            write(&room.work.join(".llxprt/settings.json"), &settings.to_string())
        },
        read: |seen| if seen.exists("ran.txt") { Cell::Fails } else { refused_rm(seen) },
        ..PLAIN
    },
    Scenario {
        name: "blocked `rm` by another tool than the shell",
        alone: true,
        turns: |program, _| {
            Some(vec![Turn::Calls(vec![program.monitor("rm victim.txt")?]), Turn::shell("sleep 3")])
        },
        all_tools: true,
        read: refused_rm,
        ..PLAIN
    },
    Scenario {
        name: "blocked file, with a stray folder argument",
        turns: |_, _| {
            let stray = &[
                ("directory", "/tmp"),
                ("dir_path", "/tmp"),
                ("workdir", "/tmp"),
                ("cwd", "/tmp"),
                ("file_path", "/tmp/x"),
            ];
            Some(vec![Turn::Calls(vec![Call::shell("echo x > stray.txt").with_stray(stray)])])
        },
        read: |seen| {
            let refusals = ["An unexpected parameter", "must NOT have additional property"];
            if refusals.iter().any(|text| seen.model_received(text)) && !seen.exists("stray.txt") {
                return Cell::Works("the agent refuses arguments that it does not know");
            }
            seen.refused("stray.txt", "MARK-STRAY")
        },
        ..PLAIN
    },
    Scenario {
        name: "blocked search in `.env`",
        turns: |program, room| {
            let calls = program.search(&room.work.join(".env"))?;
            Some(calls.into_iter().map(|call| Turn::Calls(vec![call])).collect())
        },
        setup: |room| write(&room.work.join(".env"), "TOKEN=sesame-4711\n"),
        read: |seen| match (seen.model_received("sesame-4711"), seen.model_received("MARK-ENV")) {
            (true, _) => Cell::Fails,
            (false, true) => Cell::Works(""),
            (false, false) if seen.model_received("matches a sensitive-file pattern") => {
                Cell::Works("the agent refuses it itself")
            }
            (false, false) => Cell::Unknown("the model received neither the content nor the reason"),
        },
        ..PLAIN
    },
    Scenario {
        name: "blocked patch in the shell",
        turns: |program, _| {
            let patch =
                "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: patched.txt\n+x\n*** End Patch\nEOF\n";
            let git = "git apply <<'EOF'\n--- /dev/null\n+++ b/patched.txt\n@@ -0,0 +1 @@\n+x\nEOF\n";
            let commands = [patch, git];
            // Only Codex runs `apply_patch` without such a program.
            shell(commands.get(usize::from(program.name != "codex")..)?)
        },
        read: |seen| seen.refused("patched.txt", "MARK-PATCH"),
        ..PLAIN
    },
    Scenario {
        name: "blocked by an enclosing project's rule",
        alone: true,
        turns: |_, _| shell(&["touch nested.txt"]),
        setup: |room| {
            let rule = json!({ "type": "rule", "name": "no-nested", "when": { "command": "touch nested.txt" },
                "block": "MARK-NESTED: not here" });
            let settings = json!({ "enableHooks": true,
                "hooks": { "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [rule] }] } });
            write(&room.work.join(".llxprt/settings.json"), &settings.to_string())?;
            room.run_hookrail(&["trust", "--yes"])?;
            fs::create_dir_all(room.work.join("sub/.git"))?;
            write(&room.work.join("sub/.llxprt/settings.json"), "{}")
        },
        folder: "sub",
        read: |seen| seen.refused("sub/nested.txt", "MARK-NESTED"),
        ..PLAIN
    },
];

/// The file with the settings in which every scenario finds its rule or hook.
pub(crate) const SETTINGS: &str = "settings.jsonc";
