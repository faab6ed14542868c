//! `cargo xtask agents [AGENT…]`: what other agents' real programs do when hookrail is their hook.
//!
//! The programs come from npm into a cache outside of the repository. Each runs headless and offline against a scripted
//! model on loopback, in a home directory of its own that `hookrail connect` prepared, with the one settings file of
//! [`scenario`]. What is printed was observed: files that are there or not, texts that reached the model or the user, words
//! in the agent's own session log, and lines of hookrail's log.

mod observed;
mod program;
mod run;
mod scenario;
mod tools;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use self::program::{PROGRAMS, Program};
use self::run::Subject;
use self::scenario::SCENARIOS;

/// Runs every scenario in every agent that is named, or in all of them, and prints the table. `--effect NAME` picks a
/// scenario, and may be given more than once; `--keep` leaves the folders of the runs. `--capture-tools` runs no scenario:
/// it writes down which tools the agents offer to their models.
/// A run that cannot be made leaves `?` and the reason in its cell, and the others go on: the whole table takes long to
/// make. Each cell is also printed to stderr as soon as it is known.
pub(crate) fn agents(root: &Path, arguments: &[String]) -> Result<String> {
    let mut names = Vec::new();
    let mut effects = Vec::new();
    let mut keep = false;
    let mut captures_tools = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--effect" => effects.push(rest.next().context("--effect needs a name")?.as_str()),
            "--keep" => keep = true,
            "--capture-tools" => captures_tools = true,
            name => names.push(name),
        }
    }
    if let Some(name) = names.iter().find(|name| !PROGRAMS.iter().any(|program| program.name == **name)) {
        bail!("no such agent: {name}");
    }
    if let Some(name) = effects.iter().find(|name| !SCENARIOS.iter().any(|scenario| scenario.name == **name))
    {
        bail!("no such effect: {name}");
    }
    let chosen = PROGRAMS.iter().filter(|program| names.is_empty() || names.contains(&program.name));
    if captures_tools {
        return chosen.map(|program| tools::capture(root, program, &install(program)?)).collect();
    }
    let hookrail = hookrail(root)?;
    let scenarios: Vec<_> =
        SCENARIOS.iter().filter(|scenario| effects.is_empty() || effects.contains(&scenario.name)).collect();
    let mut heads = vec!["effect".to_owned()];
    let mut rows: Vec<String> = scenarios.iter().map(|scenario| format!("| {} |", scenario.name)).collect();
    for program in chosen {
        let executable = install(program)?;
        let version = program::version(program)?;
        heads.push(format!("{} {version}", program.title));
        let subject = Subject { program, executable: &executable, hookrail: &hookrail, keep, answers: false };
        let answers = run::answers(&subject)?;
        eprintln!(
            "{} {version}, a harmless prompt: {}",
            program.name,
            if answers { "answered" } else { "?" }
        );
        let subject = Subject { answers, ..subject };
        for (scenario, row) in scenarios.iter().zip(&mut rows) {
            let observed = run::observe(&subject, scenario).unwrap_or_else(|error| format!("? ({error:#})"));
            eprintln!("{} {version}, {}: {observed}", program.name, scenario.name);
            let _ = write!(row, " {observed} |");
        }
    }
    let head = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    Ok(format!("{head}{}\n", rows.join("\n")))
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

/// Installs an agent, unless it is there, and returns its program.
/// An installed agent is never updated here. To look at a new release, remove its folder from the cache; the head of
/// the table names the version that was run.
fn install(program: &Program) -> Result<PathBuf> {
    let folder = program::cache()?.join(program.name);
    let executable = folder.join("node_modules/.bin").join(program.name);
    if !executable.exists() {
        std::fs::create_dir_all(&folder)?;
        eprintln!("installing {} from npm", program.package);
        let installed = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", "."])
            .arg(program.package)
            .current_dir(&folder)
            .status()
            .context("npm cannot be started")?;
        if !installed.success() {
            bail!("npm cannot install {}", program.package);
        }
    }
    executable.canonicalize().with_context(|| format!("{} brought no program", program.package))
}
