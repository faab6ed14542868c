//! `hookrail disconnect`: takes the bridge out of other agents' settings.
//!
//! A file that is as `connect` left it becomes what it was before, byte for byte. In one that somebody changed since,
//! what is not ours stays. With `--all`, agents without a settings file are passed over in silence.

use hookrail_bridge::{Agent, ConnectOptions, SettingsEdit, disconnect};

use super::file::AgentFile;
use super::record::{ConnectRecord, ConnectedFile};
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
        let recorded = ConnectRecord::load(context)?.of(&file.place.path).cloned();
        let options = ConnectOptions { dry_run: args.dry_run, ..file.options() };
        let changed = file.change(context, args.dry_run, false, |existing| {
            let edit = disconnect(agent, existing, options)?;
            Ok(match (&recorded, existing) {
                (Some(recorded), Some(text)) if edit.is_changed => as_before(edit, text, recorded, context),
                _ => edit,
            })
        });
        match changed {
            Ok(changed) => changed.show(&file, args.dry_run, args.diff, context, printer)?,
            // One agent's broken file does not keep other agents connected.
            Err(error) if args.all => status = error::report(&error),
            Err(error) => return Err(error),
        }
    }
    Ok(status)
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
