//! The effects, one scenario each: what the model does, and how its success is observed from outside. They are in
//! `scenarios.jsonc`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model::{Call, ModelCall, Turn};
use crate::observed::{Cell, Observed};
use crate::program::{Program, read, write, write_files};
use crate::run::{PATIENCE, Room, SUBTASK};
use crate::texts::TEXTS;

/// One effect of hooks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a table of yes and no, one line each")]
pub struct Scenario {
    /// The row of the table.
    pub name: String,
    /// The name of the effect in `hookrail doctor --live`, if it is one of those.
    pub effect: Option<String>,
    /// What the user asks for.
    pub(crate) prompt: String,
    /// What the model does before it answers.
    turns: Vec<Step>,
    /// The command that the model runs in a subagent.
    pub(crate) below: Option<String>,
    /// The next prompt of the user, in an agent that does at the next prompt what others do at once.
    pub(crate) next_prompt: Option<String>,
    /// What is broken before the agent starts.
    pub(crate) broken: Broken,
    /// Variables in every file from which an agent takes its environment in a project.
    environment: BTreeMap<String, String>,
    /// Files of the project: objects are JSON, lists the lines of a text.
    files: Map<String, Value>,
    /// Whether a person approved the hooks of these files.
    trusted: bool,
    /// The folder below the project in which the agent starts.
    pub(crate) folder: String,
    /// Whether it is given an MCP server.
    pub(crate) needs_mcp: bool,
    /// Whether it declares all of its tools in the first request.
    all_tools: bool,
    /// Whether it has to have a run of its own: the agent may end or wait there, or something is broken.
    pub(crate) alone: bool,
    /// How long it may take, in seconds.
    patience: u64,
    /// What came of it.
    read: Vec<(Vec<String>, Verdict)>,
}

/// A scenario in which the model does nothing and nothing is broken.
impl Default for Scenario {
    fn default() -> Self {
        Self {
            name: String::new(),
            effect: None,
            prompt: "do it".to_owned(),
            turns: Vec::new(),
            below: None,
            next_prompt: None,
            broken: Broken::Nothing,
            environment: BTreeMap::new(),
            files: Map::new(),
            trusted: false,
            folder: String::new(),
            needs_mcp: false,
            all_tools: false,
            alone: false,
            patience: PATIENCE.as_secs(),
            read: Vec::new(),
        }
    }
}

/// What the model does in a turn.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Step {
    /// It runs shell commands at once.
    Shell(Vec<String>),
    /// One with arguments that the tool does not have.
    Stray(String, BTreeMap<String, String>),
    /// One that only Codex runs without a program of that name.
    Codex(String),
    /// It runs a command by another tool than the shell.
    Monitor(String),
    /// It writes a file of the project.
    Write(String),
    /// It searches in a file of the project, in a turn for each way.
    Search(String),
    /// It calls the MCP server's tool.
    Mcp,
    /// It gives a task to a subagent.
    Subagent(String),
}

/// What is concluded where the conditions hold; the last four ask for more.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    Works(String),
    Instead(String),
    Fails,
    Unknown(String),
    RefusedRm,
    Refused(String, String),
    RefusedAfter(String, String, String),
    UnsentPrompt(String),
    Stopped(String),
}

/// What does not work from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Broken {
    /// Nothing.
    Nothing,
    /// The settings file ends in the middle.
    Settings,
    /// The program that the entries name is not there.
    Program,
}

impl Scenario {
    /// Whether the agent has to declare all of its tools in the first request.
    pub(crate) fn declares_all(&self) -> bool {
        self.needs_mcp || self.all_tools || self.below.is_some()
    }

    /// How long it may take.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }

    /// What the model does in a project; `None` if the agent has no tool for it.
    pub(crate) fn turns(&self, program: &Program, work: &Path) -> Option<Vec<Turn>> {
        let mut turns = Vec::new();
        for step in &self.turns {
            let call = match step {
                Step::Shell(commands) => {
                    turns.push(Turn::Calls(commands.iter().map(Call::shell).collect()));
                    continue;
                }
                Step::Search(file) => {
                    let calls = program.search(&work.join(file))?;
                    turns.extend(calls.into_iter().map(|call| Turn::Calls(vec![call])));
                    continue;
                }
                Step::Codex(_) if program.name != "codex" => continue,
                Step::Codex(command) => Call::shell(command),
                Step::Stray(command, stray) => Call::shell(command).with_stray(stray.clone()),
                Step::Monitor(command) => program.monitor(command)?,
                Step::Write(file) => program.write(&work.join(file), "x"),
                Step::Mcp => program.mcp()?,
                Step::Subagent(task) => program.subagent(&format!("{SUBTASK}: {task}"))?,
            };
            turns.push(Turn::Calls(vec![call]));
        }
        Some(turns)
    }

    /// What else is done before the agent starts.
    pub(crate) fn set_up(&self, room: &Room) -> Result<()> {
        if !self.environment.is_empty() {
            let lines: Vec<String> =
                self.environment.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
            for file in [".env", ".gemini/.env", ".qwen/.env", ".codex/.env"] {
                write(&room.work.join(file), &lines.concat())?;
            }
            let claude = json!({ "env": self.environment });
            write(&room.work.join(".claude/settings.json"), &claude.to_string())?;
        }
        write_files(&room.work, &self.files, &[("{work}", json!(room.work))])?;
        if self.trusted { room.run_hookrail(&["trust", "--yes"]) } else { Ok(()) }
    }

    /// What came of it.
    pub(crate) fn read(&'static self, seen: &Observed<'_>) -> Cell {
        let rows = &self.read;
        let row = rows.iter().find(|(conditions, _)| conditions.iter().all(|each| self.holds(each, seen)));
        match row.map(|(_, verdict)| verdict) {
            Some(Verdict::Works(how)) => Cell::Works(how),
            Some(Verdict::Instead(what)) => Cell::Instead(what),
            Some(Verdict::Fails) => Cell::Fails,
            Some(Verdict::Unknown(why)) => Cell::Unknown(why),
            Some(Verdict::RefusedRm) => seen.refused_rm(),
            Some(Verdict::Refused(file, reason)) => seen.refused(file, reason),
            Some(Verdict::RefusedAfter(earlier, file, reason)) => seen.refused_after(earlier, file, reason),
            Some(Verdict::UnsentPrompt(reason)) => seen.unsent_prompt(reason),
            Some(Verdict::Stopped(reason)) => seen.stopped(reason),
            None => Cell::Unknown("no row of the scenario holds"),
        }
    }

    fn holds(&self, condition: &str, seen: &Observed<'_>) -> bool {
        let (word, rest) = condition.split_once(' ').unwrap_or((condition, ""));
        let is_early = |call: &ModelCall| {
            call.contains(rest) && self.next_prompt.as_ref().is_none_or(|next| !call.contains(next))
        };
        match word {
            "not" => !self.holds(rest, seen),
            "file" => seen.exists(rest),
            "model" => seen.model_received(rest),
            "early" => seen.calls.iter().any(is_early),
            "user" => seen.user_saw(rest),
            "ran" => seen.ran(rest),
            "log" => seen.log.contains(rest),
            "calls" => rest.parse() == Ok(seen.calls.len()),
            _ => seen.was_strengthened(),
        }
    }
}

/// The model's last text, which the agent prints.
pub(crate) const ANSWER: &str = "finished";

/// A prompt that no rule has anything against. Whether it is answered is seen without a row.
pub(crate) static HARMLESS: LazyLock<Scenario> =
    LazyLock::new(|| Scenario { name: "a harmless prompt".to_owned(), ..Scenario::default() });

/// All of them.
pub static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and tests read all of it")]
    read(TEXTS.get("scenarios.jsonc")).expect("a list of scenarios")
});

/// The file with the settings in which every scenario finds its rule or hook.
pub(crate) const SETTINGS: &str = "settings.jsonc";

#[cfg(test)]
mod tests {
    use super::*;

    /// A misspelt condition would ask for something else, and without a last row there is no conclusion.
    #[test]
    fn every_scenario_has_a_name_conditions_that_are_known_and_a_conclusion_in_every_case() {
        let with_text = ["file", "model", "early", "user", "ran", "log", "calls"];
        for scenario in SCENARIOS.iter() {
            assert!(!scenario.name.is_empty());
            let all = scenario.read.iter().flat_map(|(conditions, _)| conditions);
            for condition in all {
                let condition = condition.strip_prefix("not ").unwrap_or(condition);
                let word = condition.split_once(' ').map_or("", |(word, _)| word);
                assert!(condition == "strengthened" || with_text.contains(&word), "{condition}");
            }
            let last = scenario.read.last().expect("a row");
            assert!(last.0.is_empty(), "{}", scenario.name);
        }
    }
}
