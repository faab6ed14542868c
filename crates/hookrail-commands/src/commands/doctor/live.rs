//! `hookrail doctor --live`: the installed agents are run against a scripted model, and what they do is observed.
//!
//! It needs no credentials and writes nothing of the user's. Where that is allowed it runs in a network namespace with
//! loopback alone; otherwise the report says that the network was not closed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use hookrail_bridge::Agent;
use hookrail_live::{Measured, PROGRAMS, Program, Proved, Subject, effects, measured, observe};
use serde::Serialize;
use serde_json::json;

use crate::cli::{DoctorArgs, Format};
use crate::commands::connect::status::{Connected, status_of};
use crate::commands::other_programs::find_in_path;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// How long one agent may take.
const LIMIT: Duration = Duration::from_mins(3);

/// What was seen of one agent. Its fields are a contract.
#[derive(Debug, Serialize)]
struct LiveAgent {
    agent: &'static str,
    version: Option<String>,
    /// Whether this version is the one of the measured table.
    measured: bool,
    effects: Vec<LiveEffect>,
}

/// What the agent did about one effect.
#[derive(Debug, Serialize)]
struct LiveEffect {
    effect: &'static str,
    result: &'static str,
    evidence: String,
    /// Worse than what was measured.
    #[serde(skip)]
    is_worse: bool,
}

/// Runs the agents and prints what they did. Exit 1 if a result is worse than the measured one, if an agent that was
/// named is not installed, or, with `--strict`, if anything is not obeyed.
pub(super) fn run(args: &DoctorArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    if !args.network_closed
        && let Some(mut closed) = in_closed_network()
    {
        let arguments = std::env::args_os().skip(1);
        let status = closed.arg(program()?).args(arguments).arg("--network-closed").status()?;
        return Ok(if status.success() { ExitStatus::Success } else { ExitStatus::Failure });
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut is_missing = false;
    let mut agents = Vec::new();
    for each in PROGRAMS.iter() {
        let Ok(agent) = each.name.parse::<Agent>() else { continue };
        let executable = find_in_path(&each.name, &path);
        let is_wanted = match args.agents.as_slice() {
            [] => executable.is_some() && status_of(agent, context).connected != Connected::No,
            named => named.contains(&agent),
        };
        match executable {
            Some(executable) if is_wanted => {
                let seen = look_at(each, &executable, args.network_closed, printer)?;
                if args.format == Format::Text {
                    print(&seen, printer)?;
                }
                agents.push(seen);
            }
            None if is_wanted => {
                printer.message(format_args!("{agent} is not installed: there is no `{agent}` on the PATH"));
                is_missing = true;
            }
            _ => {}
        }
    }
    for agent in args.agents.iter().filter(|agent| PROGRAMS.iter().all(|each| each.name != agent.as_str())) {
        printer.message(format_args!("hookrail cannot run {agent}"));
        is_missing = true;
    }
    let effects = || agents.iter().flat_map(|agent: &LiveAgent| &agent.effects);
    let is_worse = effects().any(|effect| effect.is_worse);
    let is_not_obeyed = effects().any(|effect| effect.result == Proved::NotObeyed.as_str());
    match args.format {
        Format::Json => printer.json_pretty(&json!({ "agents": agents }))?,
        Format::Text if agents.is_empty() && !is_missing => {
            printer.message("no installed agent is connected; name one to run it anyway");
        }
        Format::Text => {}
    }
    let fails = is_missing || is_worse || (args.strict && is_not_obeyed);
    Ok(if fails { ExitStatus::Failure } else { ExitStatus::Success })
}

fn look_at(
    agent: &'static Program,
    executable: &Path,
    network_closed: bool,
    printer: &mut Printer,
) -> anyhow::Result<LiveAgent> {
    let version = hookrail_live::version(executable)?;
    let table = measured(&agent.name);
    let shown = version.as_deref().unwrap_or("of an unknown version");
    printer.message(format_args!("running {} {} …", agent.title, escape_line(shown)));
    let hookrail = program()?;
    let subject = Subject {
        program: agent,
        executable,
        hookrail: &hookrail,
        keep: false,
        record: None,
        answers: false,
    };
    let seen = observe(&subject, &effects(), LIMIT, |_| {});
    let effects = seen.into_iter().map(|seen| {
        let effect = seen.scenario.effect.as_deref().unwrap_or(&seen.scenario.name);
        let before = table.as_ref().and_then(|table| table.result(effect));
        let note = if network_closed { "" } else { "; the network was not closed" };
        LiveEffect {
            effect,
            result: seen.result.as_str(),
            // The words are a cell of a table in the documents.
            evidence: format!("{}{note}", seen.words.replace('*', "")),
            is_worse: before.is_some_and(|before| seen.result > before),
        }
    });
    Ok(LiveAgent {
        agent: &agent.name,
        measured: is_measured(table.as_ref(), version.as_deref()),
        effects: effects.collect(),
        version,
    })
}

fn is_measured(table: Option<&Measured>, version: Option<&str>) -> bool {
    table.is_some_and(|table| version == Some(table.version.as_str()))
}

/// One line for each effect.
fn print(seen: &LiveAgent, printer: &mut Printer) -> anyhow::Result<()> {
    let version =
        seen.version.as_deref().map_or(String::new(), |version| format!(" {}", escape_line(version)));
    let note = if seen.measured { "" } else { " (not a version that hookrail was measured with)" };
    printer.data(format_args!("{}{version}{note}", seen.agent))?;
    for LiveEffect { effect, result, evidence, is_worse } in &seen.effects {
        let worse = if *is_worse { "; worse than measured" } else { "" };
        printer.data(format_args!("  {effect:18} {result:11} {}{worse}", escape_line(evidence)))?;
    }
    Ok(())
}

/// This program, which is what is run again and what the agents call.
fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot tell where this program is")
}

/// A command that runs another one with loopback as its only network, if that is allowed here.
fn in_closed_network() -> Option<Command> {
    const WAYS: [&[&str]; 2] = [&["--net"], &["--user", "--map-current-user", "--keep-caps", "--net"]];
    let command = |way: &[&str], script: &str| {
        let mut command = Command::new("unshare");
        command.args(way).args(["sh", "-c", script, "sh"]);
        command
    };
    let works = |way: &&&[&str]| {
        let mut attempt = command(way, "ip link set lo up");
        attempt.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        attempt.status().is_ok_and(|status| status.success())
    };
    WAYS.iter().find(works).map(|way| command(way, "ip link set lo up && exec \"$@\""))
}
