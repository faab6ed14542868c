//! `hookrail disconnect`: takes the bridge out of other agents' settings.
//!
//! A file that is as `connect` left it becomes what it was before, byte for byte. In one that somebody changed since,
//! what is not ours stays. With `--all`, agents without a settings file are passed over in silence.

use std::path::Path;

use hookrail_bridge::{Agent, ConnectOptions, SettingsEdit, disconnect};

use super::file::AgentFile;
use super::record::{ConnectRecord, ConnectedFile};
use super::show::Changed;
use crate::cli::DisconnectArgs;
use crate::context::{Context, refuse_inside_agent};
use crate::exit::ExitStatus;
use crate::terminal::error;
use crate::terminal::printer::Printer;

/// Takes the bridge out of one agent's settings, or out of all.
pub(crate) fn run(
    args: &DisconnectArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("which agents call hookrail")?;
    let agents = match args.agent {
        Some(agent) => vec![agent],
        None => Agent::ALL.to_vec(),
    };
    let mut status = ExitStatus::Success;
    for agent in agents {
        let file = AgentFile::find(agent, args.project, context)?;
        if args.all && file.load()?.is_none() {
            continue;
        }
        match take_out(&file, args.dry_run, context) {
            Ok(changed) => {
                let (path, is_toml) = (&file.place.path, file.is_toml);
                changed.show(path, is_toml, args.dry_run, args.diff, context, printer)?;
            }
            // One agent's broken file does not keep other agents connected.
            Err(error) if args.all => status = error::report(&error),
            Err(error) => return Err(error),
        }
    }
    Ok(status)
}

/// Takes the bridge out of a file.
fn take_out(file: &AgentFile, dry_run: bool, context: &Context) -> anyhow::Result<Changed> {
    let recorded = ConnectRecord::load(context)?.of(&file.place.path).cloned();
    let options = ConnectOptions { dry_run, ..file.options() };
    file.change(context, dry_run, false, |existing| {
        let original = recorded.as_ref().and_then(|recorded| recorded.text_before(context));
        let edit = disconnect(file.agent, existing, original.as_deref(), options)?;
        Ok(match (&recorded, existing) {
            (Some(recorded), Some(text)) if edit.is_changed => as_before(edit, text, recorded, context),
            _ => edit,
        })
    })
}

/// Takes the bridge out of a file that `connect` recorded, wherever it is.
pub(crate) fn disconnect_file(agent: Agent, path: &Path, context: &Context) -> anyhow::Result<()> {
    let users = AgentFile::find(agent, false, context)?;
    let projects = path.ancestors().filter_map(|folder| {
        let mut context = context.clone();
        folder.clone_into(&mut context.paths.project_dir);
        AgentFile::find(agent, true, &context).ok()
    });
    let file = std::iter::once(users).chain(projects).find(|file| file.place.path == path);
    match file {
        Some(file) if path.exists() => take_out(&file, false, context).map(drop),
        Some(_) | None => super::record::forget(path, context),
    }
}

/// The edit, with the text that the file had before, if it is as `connect` left it; without a file, if `connect` made it
/// and nothing else is in it.
fn as_before(edit: SettingsEdit, text: &str, recorded: &ConnectedFile, context: &Context) -> SettingsEdit {
    let is_unchanged = recorded.is_unchanged(text);
    let is_empty =
        |text: &str| text.split_whitespace().collect::<String>().trim_matches(['{', '}']).is_empty();
    if recorded.created && (is_unchanged || edit.new_text.as_deref().is_none_or(is_empty)) {
        return SettingsEdit { new_text: None, ..edit };
    }
    match recorded.text_before(context) {
        Some(before) if is_unchanged => SettingsEdit { new_text: Some(before), ..edit },
        _ => edit,
    }
}
