//! `hookrail connect`: the bridge in another agent's settings, and a list of the agents.
//!
//! Only entries that call this program are added, changed or removed; whatever else is in another agent's file stays as
//! it is, comments included.

pub(crate) mod disconnect;
pub(crate) mod file;
pub(crate) mod program;
pub(crate) mod record;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod version;

use std::path::{Path, PathBuf};

use hookrail::rules::order;
use hookrail_bridge::{Agent, ConnectOptions, Obstacle, SettingsPlace, Surroundings, connect, obstacles};

use self::file::AgentFile;
use self::program::Installed;
use crate::cli::ConnectArgs;
use crate::context::{Context, refuse_inside_agent};
use crate::display::shown;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// Adds the bridge to an agent's settings, or lists the agents.
/// An agent must not call it.
pub(crate) fn run(
    args: &ConnectArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let Some(agent) = args.agent else { return status::list(args.format, context, printer) };
    refuse_inside_agent("which agents call hookrail")?;
    let Done { file, installed, changed } = connect_file(agent, args, context)?;
    print_installed(&installed, context, printer)?;
    changed.show(&file.place.path, file.is_toml, args.dry_run, args.diff, context, printer)?;
    if !args.dry_run {
        for (message, help) in not_running(&file, context) {
            printer.message(format_args!("warning: {}\n  {}", escape_line(&message), escape_line(&help)));
        }
        version::tell(agent, context, printer);
    }
    Ok(ExitStatus::Success)
}

/// A file that was connected.
pub(crate) struct Done {
    pub(crate) file: AgentFile,
    installed: Installed,
    changed: show::Changed,
}

/// Adds the bridge to the settings of an agent, and prints nothing. The program is installed only if the file can be
/// edited.
pub(crate) fn connect_file(agent: Agent, args: &ConnectArgs, context: &Context) -> anyhow::Result<Done> {
    let file = AgentFile::find(agent, args.project, context)?;
    let options =
        ConnectOptions { model_events: args.model_events, toml: file.is_toml, dry_run: args.dry_run };
    let edit = |existing: Option<&str>| {
        file.with_scope(args.require, context, |scope| connect(agent, existing, scope, options))
    };
    edit(file.load()?.as_deref()).map_err(|error| file.unusable(&error, context))?;
    let installed = if args.dry_run { Installed::Same } else { program::install(context, args.force)? };
    let changed = file.change(context, args.dry_run, true, edit)?;
    Ok(Done { file, installed, changed })
}

/// What became of the program in the place that entries name.
pub(crate) fn print_installed(
    installed: &Installed,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let place = shown(&program::path(context), context);
    match installed {
        Installed::Same => {}
        Installed::Written => {
            printer.data(format_args!("wrote {place}: hookrail {}", env!("CARGO_PKG_VERSION")))?;
        }
        Installed::Newer(version) => printer.message(format_args!(
            "note: {place} is hookrail {}, which is newer than this program, and is kept; `--force` replaces it",
            escape_line(version)
        )),
    }
    Ok(())
}

/// Why an agent would not run the entries of a file that has them, each with what to do.
pub(crate) fn not_running(file: &AgentFile, context: &Context) -> Vec<(String, String)> {
    let user_file = user_place(file.agent, context).path;
    let around = Surroundings {
        file: &file.place.path,
        is_project: file.is_project,
        user_file: &user_file,
        project: context.project(),
        read: &|file| file::load(file).ok().flatten(),
        real: &|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        variable: &|name| std::env::var(name).ok(),
    };
    let shown = |Obstacle { file, message, help }: Obstacle| match file {
        Some(file) => (format!("`{}` {message}", shown(&file, context)), help),
        None => (message, help),
    };
    obstacles(file.agent, &around).into_iter().map(shown).collect()
}

/// Where an agent keeps its settings: the file that `connect` writes to, which need not exist. `None` for a project's where
/// the agent has none that hookrail can use.
pub(crate) fn place(agent: Agent, project: bool, context: &Context) -> Option<SettingsPlace> {
    if project {
        hookrail_bridge::project_settings(agent, context.project())
    } else {
        Some(user_place(agent, context))
    }
}

/// The user's settings of an agent.
pub(crate) fn user_place(agent: Agent, context: &Context) -> SettingsPlace {
    let home = agents_home(context).unwrap_or_default();
    hookrail_bridge::user_settings(agent, &home, |name| std::env::var(name).ok())
}

/// The files from which an agent reads hooks and which are there: the one that `connect` writes to, and those beside it.
pub(crate) fn hook_files(agent: Agent, project: bool, context: &Context) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for file in place(agent, project, context).into_iter().flat_map(|place| place.hook_files) {
        if file.file_name().is_some_and(|name| name == "*.json") {
            let entries = file.parent().map(std::fs::read_dir).into_iter().flatten().flatten();
            let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            all.retain(|file| file.extension().is_some_and(|end| end == "json"));
            order::sort(&mut all);
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
