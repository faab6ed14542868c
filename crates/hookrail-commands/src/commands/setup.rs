//! `hookrail setup`, `uninstall` and `upgrade`.
//!
//! `setup`: the agents that are found, a preset of rules, one question, and a proof through each agent's entry.
//!
//! Nothing here is special: it turns rules on as `hookrail rules enable` does and connects agents as `hookrail connect`
//! does. An agent that cannot be connected does not keep the others from it.

use std::fs;
use std::io;
use std::path::Path;

use hookrail::rules::library::Preset;
use hookrail_bridge::Agent;
use serde::Serialize;

use super::connect::program::Installed;
use super::connect::record::ConnectRecord;
use super::connect::status::{AgentStatus, Connected, statuses};
use super::connect::{self, disconnect, not_running, program};
use super::{doctor, mcp, rules};
use crate::cli::{ConnectArgs, Format, SetupArgs, UninstallArgs};
use crate::context::{Context, refuse_inside_agent};
use crate::display::shown;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::screen::can_ask;

/// What came of an agent. Its fields are a contract.
#[derive(Debug, Serialize)]
struct SetUpAgent {
    agent: &'static str,
    connected: bool,
    /// Whether a call through its entry that must be refused was refused, and the agent runs the entry.
    proved: bool,
    /// What a person has to do.
    needs: Option<String>,
}

/// Sets everything up. An agent must not call it.
pub(crate) fn run(args: &SetupArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("what guards it")?;
    let preset = preset(args)?;
    let found = statuses(context, printer);
    let is_there = |agent: &Agent| {
        let is_it = |status: &AgentStatus| {
            status.agent == agent.as_str() && (status.found || status.connected != Connected::No)
        };
        found.iter().any(is_it)
    };
    let all_found = || Agent::ALL.into_iter().filter(is_there).collect();
    let agents: Vec<Agent> = args.agents.clone().unwrap_or_else(all_found);
    let file = context.paths.user_file();
    let file = file.ok_or_else(|| Hinted::new("there is no home directory", "set HOME or use --home"))?;
    let plan = plan(preset, &agents, &shown(&file, context));
    if args.dry_run {
        printer.data(&plan)?;
        return Ok(ExitStatus::Success);
    }
    if !args.yes && !confirmed(&plan, printer)? {
        printer.message("nothing was changed");
        return Ok(ExitStatus::Failure);
    }
    let changed = match preset {
        Some(preset) => rules::turn_on(&file, &[&format!("@{}", preset.as_str())], context)?,
        None => false,
    };
    let results: Vec<SetUpAgent> = agents.iter().map(|agent| set_up(*agent, context)).collect();
    let is_complete = results.iter().all(|agent| agent.proved);
    match args.format {
        Format::Json => printer.json_pretty(&serde_json::json!({
            "settings": { "file": file, "changed": changed },
            "agents": results,
        }))?,
        Format::Text => {
            if let Some(preset) = preset {
                let word = if changed { "turned on" } else { "was on already" };
                printer.data(format_args!("@{} {word} in {}", preset.as_str(), shown(&file, context)))?;
            }
            for agent in &results {
                let state = if agent.proved { "protected" } else { "NOT protected yet" };
                printer.data(format_args!("{:9} {state}", agent.agent))?;
                if let Some(needs) = &agent.needs {
                    printer.data(format_args!("          {}", escape_line(needs)))?;
                }
            }
            if agents.is_empty() {
                printer.message("no coding agent was found; `hookrail connect` lists those it knows");
            } else if is_complete {
                printer.message(
                    "Ask an agent to run `git push --force`: it is refused, and `hookrail log` shows it.",
                );
            }
        }
    }
    Ok(if is_complete { ExitStatus::Success } else { ExitStatus::Failure })
}

/// The preset that is asked for; `None` for `--preset none`.
fn preset(args: &SetupArgs) -> anyhow::Result<Option<Preset>> {
    match args.preset.as_deref() {
        None => Ok(Some(Preset::Standard)),
        Some("none") => Ok(None),
        Some(word) => match Preset::named(word) {
            Some(preset) => Ok(Some(preset)),
            None => fail(format!("there is no preset `{word}`"), "use standard, strict or none"),
        },
    }
}

/// What would be done, in one screen.
fn plan(preset: Option<Preset>, agents: &[Agent], file: &str) -> String {
    let mut lines = Vec::new();
    if let Some(preset) = preset {
        let rules = preset.guards().count();
        lines.push(format!("rules     @{} ({rules} rules) in {file}", preset.as_str()));
    }
    lines.extend(agents.iter().map(|agent| format!("{:9} connect {}", agent.as_str(), agent.title())));
    if lines.is_empty() {
        lines.push("nothing to do: no preset, and no agent was found".to_owned());
    }
    lines.join("\n")
}

/// One question, on a terminal only.
fn confirmed(plan: &str, printer: &mut Printer) -> anyhow::Result<bool> {
    if !can_ask() {
        let message = "nobody can be asked: standard input is not a terminal";
        return fail(message, "`hookrail setup --yes` takes the defaults");
    }
    printer.message(plan);
    printer.flush()?;
    let answer = printer.ask("Do this? [Y/n] ")?.map(|answer| answer.to_lowercase());
    Ok(matches!(answer.as_deref(), Some("" | "y" | "yes")))
}

/// Connects one agent and proves it. What goes wrong is said and keeps no other agent from being connected.
fn set_up(agent: Agent, context: &Context) -> SetUpAgent {
    let name = agent.as_str();
    let file = match connect::connect_file(agent, &ConnectArgs::default(), context) {
        Ok(done) => done.file,
        Err(error) => {
            let needs = Some(format!("{error:#}"));
            return SetUpAgent { agent: name, connected: false, proved: false, needs };
        }
    };
    let needs = match not_running(&file, context).into_iter().next() {
        Some((message, help)) => Some(format!("{message}: {help}")),
        None => doctor::refuses_as_it_must(&file, context).err(),
    };
    SetUpAgent { agent: name, connected: true, proved: needs.is_none(), needs }
}

/// Takes hookrail out of every agent that `connect` recorded, and removes the program's copy; with `--purge` everything
/// of the user's. An agent must not call it.
pub(crate) fn uninstall(
    args: &UninstallArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("whether it is guarded")?;
    let mut status = ExitStatus::Success;
    for recorded in ConnectRecord::load(context)?.files {
        let file = Path::new(&recorded.file);
        let taken_out = match recorded.agent.parse::<Agent>() {
            Ok(agent) => disconnect::disconnect_file(agent, file, context),
            Err(_) if recorded.agent == mcp::wrap::RECORDED_AS => mcp::wrap::unwrap_file(file, context),
            Err(_) => continue,
        };
        match taken_out {
            Ok(()) => {
                printer.data(format_args!("{:9} disconnected: {}", recorded.agent, shown(file, context)))?;
            }
            Err(error) => status = crate::terminal::error::report(&error),
        }
    }
    if status != ExitStatus::Success {
        printer
            .message("nothing else was removed: an agent that still calls hookrail would refuse every call");
        return Ok(status);
    }
    let state = context.state_dir();
    crate::commands::keeper::stop(&state)?;
    let removed = if args.purge { vec![state.clone()] } else { vec![state.join("bin"), state.join("run")] };
    for folder in removed {
        match fs::remove_dir_all(&folder) {
            Ok(()) => printer.data(format_args!("removed {}", shown(&folder, context)))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(
                    anyhow::Error::new(error).context(format!("cannot remove `{}`", folder.display()))
                );
            }
        }
    }
    if !args.purge {
        let state = shown(&state, context);
        printer.message(format_args!(
            "{state} still holds settings, approvals and logs; `--purge` removes them"
        ));
    }
    Ok(ExitStatus::Success)
}

/// Puts this program into the place that the agents' entries name.
pub(crate) fn upgrade(context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("the program that guards it")?;
    let place = shown(&program::path(context), context);
    match program::install(context, false)? {
        Installed::Same => printer.data(format_args!("{place} is this version already"))?,
        Installed::Written => {
            printer.data(format_args!("wrote {place}: hookrail {}", env!("CARGO_PKG_VERSION")))?;
        }
        Installed::Newer(version) => {
            let version = escape_line(&version);
            printer.message(format_args!("{place} is hookrail {version}, which is newer than this program"));
            return Ok(ExitStatus::Failure);
        }
    }
    Ok(ExitStatus::Success)
}
