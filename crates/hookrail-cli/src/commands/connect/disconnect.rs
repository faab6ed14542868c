//! `hookrail disconnect`: takes the bridge out of other agents' settings.
//!
//! What a person wrote beside our entries stays. With `--all`, agents without a settings file are passed over in
//! silence.

use hookrail_bridge::{Agent, ConnectOptions, SettingsFormat, disconnect};

use super::file::AgentFile;
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
        if args.all && (file.place.format == SettingsFormat::Ours || file.load()?.is_none()) {
            continue;
        }
        let options =
            ConnectOptions { toml: file.is_toml, dry_run: args.dry_run, ..ConnectOptions::default() };
        let changed = file.change(context, args.dry_run, |existing| disconnect(agent, existing, options));
        match changed {
            Ok(changed) => changed.show(&file, args.dry_run, context, printer)?,
            // One agent's broken file does not keep other agents connected.
            Err(error) if args.all => status = error::report(&error),
            Err(error) => return Err(error),
        }
    }
    Ok(status)
}
