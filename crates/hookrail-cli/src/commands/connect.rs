//! `hookrail connect`: the bridge in another agent's settings, and a list of the agents.
//!
//! Only entries that call this program are added, changed or removed; whatever else stands in another agent's file
//! stays as it is, comments included. The difference is shown before anything is written.

pub(crate) mod disconnect;
pub(crate) mod file;
mod show;
pub(crate) mod status;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail_bridge::{Agent, ConnectOptions, SettingsFormat, SettingsPlace, connect};

use self::file::AgentFile;
use crate::cli::ConnectArgs;
use crate::context::{Context, refuse_inside_agent};
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;

/// Adds the bridge to an agent's settings, or lists the agents.
/// An agent must not call it. An agent that reads our own settings has nothing to connect, which is reported.
pub(crate) fn run(
    args: &ConnectArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let Some(agent) = args.agent else { return status::list(args.format, context, printer) };
    refuse_inside_agent("which agents call hookrail")?;
    let file = AgentFile::find(agent, args.project, context)?;
    let options =
        ConnectOptions { model_events: args.model_events, toml: file.is_toml, dry_run: args.dry_run };
    let program = program()?;
    let edit = |existing: Option<&str>| connect(agent, existing, &program, options);
    if file.place.format == SettingsFormat::Ours {
        let edited = edit(None).map_err(|error| file.unusable(&error, context))?;
        for line in edited.summary {
            printer.data(line)?;
        }
        return Ok(ExitStatus::Success);
    }
    let changed = file.change(context, args.dry_run, edit)?;
    changed.show(&file, args.dry_run, context, printer)?;
    Ok(ExitStatus::Success)
}

/// This program, by its absolute path: an entry must not depend on another program's `PATH`.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot tell where this program is")
}

/// Where an agent keeps its settings.
/// The file that `connect` writes to. It need not exist.
pub(crate) fn place(agent: Agent, project: bool, context: &Context) -> SettingsPlace {
    if project {
        hookrail_bridge::project_settings(agent, context.project())
    } else {
        let home = agents_home(context).unwrap_or_default();
        hookrail_bridge::user_settings(agent, &home, |name| std::env::var(name).ok())
    }
}

/// The files from which an agent reads hooks and which are there: the one that `connect` writes to, and those beside it.
pub(crate) fn hook_files(agent: Agent, project: bool, context: &Context) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for file in place(agent, project, context).hook_files {
        if file.file_name().is_some_and(|name| name == "*.json") {
            let entries = file.parent().map(std::fs::read_dir).into_iter().flatten().flatten();
            let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            all.retain(|file| file.extension().is_some_and(|end| end == "json"));
            all.sort();
            files.append(&mut all);
        } else {
            files.push(file);
        }
    }
    files.retain(|file| file.is_file());
    files
}

/// The home directory of other agents. `HOOKRAIL_HOME` moves our own files only.
pub(crate) fn agents_home(context: &Context) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    home.filter(|home| home.is_absolute()).or_else(|| crate::display::home(context).map(Path::to_path_buf))
}
