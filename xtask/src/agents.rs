//! `cargo xtask agents [AGENT…]`: what other agents' real programs do when hookrail is their hook.
//!
//! The programs come from npm into a cache outside of the repository. How each is run, and what is observed, is in
//! `hookrail-live`: files that are there or not, texts that reached the model or the user, words in the agent's own
//! session log, and lines of hookrail's log.

mod claude_hooks;
mod installed;
mod tools;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hookrail_live::{EFFECTS, Observation, PROGRAMS, SCENARIOS, Scenario, Subject};
use serde_json::{Map, Value, json};

/// Where the observed table is in the documents.
const DOCUMENT: &str = "docs/agents.md";
/// The results that `hookrail doctor --live` compares its own with.
const MEASURED: &str = "crates/hookrail-live/src/measured.json";

/// What was asked for.
#[derive(Default)]
struct Options<'a> {
    names: Vec<&'a str>,
    effects: Vec<&'a str>,
    keep: bool,
    record: Option<PathBuf>,
    captures_tools: bool,
    writes_table: bool,
}

/// Runs every scenario in every agent that is named, or in all of them, and prints the table. `--effect NAME` picks a
/// scenario, and may be given more than once; `--keep` leaves the folders of the runs; `--record DIR` keeps the payloads
/// that the agents give their hooks. `--table` writes the table into the documents, and the results that
/// `hookrail doctor --live` compares its own with. `--capture-tools` runs no scenario: it writes down which tools the
/// agents offer to their models. `--claude-hooks` runs none either: it gives Claude Code hooks as people publish them, and
/// writes down whether it does what the tests expect of every other agent.
/// A run that cannot be made leaves `?` and the reason in its cells, and the others go on: the whole table takes long to
/// make. Each cell is also printed to stderr as soon as it is known.
pub(crate) fn agents(root: &Path, arguments: &[String]) -> Result<String> {
    if arguments.iter().any(|argument| argument == "--claude-hooks") {
        return claude_hooks::compare(root);
    }
    let options = options(arguments)?;
    let chosen = || {
        PROGRAMS
            .iter()
            .filter(|program| options.names.is_empty() || options.names.contains(&program.name.as_str()))
    };
    if options.captures_tools {
        return chosen()
            .map(|program| tools::capture(root, program, &installed::install(program)?))
            .collect();
    }
    let hookrail = hookrail(root)?;
    let is_wanted = |scenario: &&Scenario| {
        options.effects.is_empty() || options.effects.contains(&scenario.name.as_str())
    };
    let scenarios: Vec<_> = SCENARIOS.iter().filter(is_wanted).collect();
    let mut heads = vec!["effect".to_owned()];
    let mut rows: Vec<String> = scenarios.iter().map(|scenario| format!("| {} |", scenario.name)).collect();
    let mut measured = Map::new();
    for program in chosen() {
        let executable = installed::install(program)?;
        let version = installed::version(program)?;
        heads.push(format!("{} {version}", program.title));
        let subject = Subject {
            program,
            executable: &executable,
            hookrail: &hookrail,
            keep: options.keep,
            record: options.record.as_deref(),
            answers: false,
        };
        let tell = |seen: &Observation| {
            eprintln!("{} {version}, {}: {}", program.name, seen.scenario.name, seen.words);
        };
        let mut effects = Map::new();
        let observed = hookrail_live::observe(&subject, &scenarios, Duration::from_hours(1), tell);
        for (seen, row) in observed.iter().zip(&mut rows) {
            let _ = write!(row, " {} |", seen.words);
        }
        for effect in EFFECTS {
            if let Some(seen) = observed.iter().find(|seen| seen.scenario.effect.as_deref() == Some(effect)) {
                effects.insert(effect.to_owned(), json!(seen.result.as_str()));
            }
        }
        measured.insert(program.name.clone(), json!({ "version": version, "effects": effects }));
    }
    let head = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    let table = format!("{head}{}\n", rows.join("\n"));
    if options.writes_table {
        write_table(root, &table, &measured)?;
    }
    Ok(table)
}

fn options(arguments: &[String]) -> Result<Options<'_>> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--effect" => options.effects.push(rest.next().context("--effect needs a name")?.as_str()),
            "--record" => {
                options.record = Some(PathBuf::from(rest.next().context("--record needs a folder")?));
            }
            "--keep" => options.keep = true,
            "--capture-tools" => options.captures_tools = true,
            "--table" => options.writes_table = true,
            name => options.names.push(name),
        }
    }
    if let Some(name) =
        options.names.iter().find(|name| !PROGRAMS.iter().any(|program| program.name == **name))
    {
        bail!("no such agent: {name}");
    }
    if let Some(name) =
        options.effects.iter().find(|name| !SCENARIOS.iter().any(|scenario| scenario.name == **name))
    {
        bail!("no such effect: {name}");
    }
    if options.writes_table && !(options.names.is_empty() && options.effects.is_empty()) {
        bail!("the table is written from a run of all agents and effects");
    }
    Ok(options)
}

/// Puts the table in the place of the one in the documents, and the results in the file of the measured ones.
fn write_table(root: &Path, table: &str, measured: &Map<String, Value>) -> Result<()> {
    let document = fs::read_to_string(root.join(DOCUMENT))?;
    let start = document.find("| effect |").context("the document has no table of effects")?;
    let (before, after) = document.split_at(start);
    let end = after.find("\n\n").context("the table of effects has no end")? + 1;
    let after = after.get(end..).unwrap_or_default();
    fs::write(root.join(DOCUMENT), format!("{before}{table}{after}"))?;
    Ok(fs::write(root.join(MEASURED), serde_json::to_string_pretty(measured)? + "\n")?)
}

/// The program under test: `HOOKRAIL_PROGRAM`, or the one of this workspace, built now.
/// It is a debug build: what is observed is behaviour, not time.
fn hookrail(root: &Path) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("HOOKRAIL_PROGRAM") {
        return Ok(PathBuf::from(program).canonicalize()?);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "-p", "hookrail-cli"]).current_dir(root).status()?;
    if !built.success() {
        bail!("hookrail does not build");
    }
    let beside = std::env::current_exe()?.with_file_name("hookrail");
    beside.canonicalize().with_context(|| format!("no program at {}", beside.display()))
}
