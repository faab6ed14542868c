//! `cargo xtask agents [AGENT…]`: what other agents' real programs do when hookrail is their hook.
//!
//! The programs come from npm into a cache outside of the repository. Each runs headless and offline against a scripted
//! model on loopback, in a home directory of its own that `hookrail connect` prepared, with the one settings file of
//! [`scenario`]. What is printed was observed: files that are there or not, and texts that reached the model.

mod program;
mod run;
mod scenario;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use self::program::{PROGRAMS, Program};
use self::scenario::SCENARIOS;

/// Runs every scenario in every agent that is named, or in all of them, and prints the table. `--effect NAME` picks one
/// scenario, `--keep` leaves the folders of the runs.
pub(crate) fn agents(root: &Path, arguments: &[String]) -> Result<String> {
    let mut names = Vec::new();
    let mut effect = None;
    let mut keep = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--effect" => effect = Some(rest.next().context("--effect needs a name")?.as_str()),
            "--keep" => keep = true,
            name => names.push(name),
        }
    }
    if let Some(name) = names.iter().find(|name| !PROGRAMS.iter().any(|program| program.name == **name)) {
        bail!("no such agent: {name}");
    }
    let hookrail = hookrail(root)?;
    let scenarios: Vec<_> =
        SCENARIOS.iter().filter(|scenario| effect.is_none_or(|effect| scenario.name == effect)).collect();
    let mut table = header(&scenarios);
    for program in PROGRAMS.iter().filter(|program| names.is_empty() || names.contains(&program.name)) {
        let executable = install(program)?;
        let version = program::version(program)?;
        let _ = write!(table, "| {} {version} |", program.title);
        for scenario in &scenarios {
            let observed = run::observe(program, &executable, &hookrail, scenario, keep)
                .unwrap_or_else(|error| format!("? ({error:#})"));
            eprintln!("{} {version}, {}: {observed}", program.name, scenario.name);
            let _ = write!(table, " {observed} |");
        }
        table.push('\n');
    }
    Ok(table)
}

fn header(scenarios: &[&scenario::Scenario]) -> String {
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
    format!("| agent | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()))
}

/// The program under test: `HOOKRAIL_PROGRAM`, or the one of this workspace, built now.
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
