//! `hookrail mcp wrap` and `unwrap`: hookrail in the configuration of an MCP client, with what was there before kept.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::settings::LockedFile;
use hookrail_bridge::{EditError, McpEdit, McpServer, SettingsEdit, unwrap_servers, wrap_servers};

use crate::cli::McpFile;
use crate::commands::connect::file::load;
use crate::commands::connect::record::{self, ConnectRecord};
use crate::commands::connect::show::Changed;
use crate::commands::connect::{print_installed, program};
use crate::context::{Context, refuse_inside_agent};
use crate::display::shown;
use crate::exit::{ExitStatus, Hinted};
use crate::terminal::printer::{Printer, escape_line};

/// Stands for the agent in the record of files that were written.
pub(crate) const RECORDED_AS: &str = "mcp";

/// Lets the servers of a configuration be started by hookrail. An agent must not call it.
pub(crate) fn wrap(args: &McpFile, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("which MCP servers it reaches through hookrail")?;
    let file = real(&args.file)?;
    let edit = |text: &str| wrap_servers(text, &program::path(context), &context.paths.home);
    // A file that cannot be edited is not a reason to install anything.
    edit(&text_of(&file)?).map_err(|error| unusable(&file, &error, context))?;
    if !args.dry_run {
        print_installed(&program::install(context, false)?, context, printer)?;
    }
    let locked = lock(&file, args.dry_run, context)?;
    let before = text_of(&file)?;
    let edited = edit(&before).map_err(|error| unusable(&file, &error, context))?;
    let is_changed = edited.new_text != before;
    if let Some(locked) = locked.filter(|_| is_changed) {
        let is_wrapped = edited.servers.iter().any(|(_, state)| *state == McpServer::Same);
        record::remember(
            RECORDED_AS,
            &file,
            (Some(&before), &edited.new_text),
            is_wrapped,
            Vec::new(),
            context,
        )?;
        locked.replace(edited.new_text.as_bytes(), 0o644)?;
    }
    let verb = if args.dry_run { "would go" } else { "go" };
    let summary = match names(&edited, &McpServer::Changed) {
        Some(names) => format!("these servers {verb} through hookrail: {names}"),
        None => "nothing to change".to_owned(),
    };
    let mut summary = vec![summary];
    summary.extend(names(&edited, &McpServer::Same).map(|names| format!("wrapped already: {names}")));
    for (name, state) in &edited.servers {
        if let McpServer::LeftAlone(why) = state {
            summary.push(format!("not wrapped: {name}: {why}"));
        }
    }
    if is_changed && !args.dry_run {
        summary.push("restart the client, so that it starts the servers again".to_owned());
    }
    let edit = SettingsEdit { new_text: Some(edited.new_text), is_changed, summary };
    let changed = Changed { before: Some(before), edit };
    changed.show(&file, false, args.dry_run, args.diff, context, printer)?;
    Ok(ExitStatus::Success)
}

/// Lets the servers of a configuration be started by the client again. An agent must not call it.
pub(crate) fn unwrap(args: &McpFile, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("which MCP servers it reaches through hookrail")?;
    let file = real(&args.file)?;
    let changed = take_out(&file, args.dry_run, context)?;
    changed.show(&file, false, args.dry_run, args.diff, context, printer)?;
    Ok(ExitStatus::Success)
}

/// The same for a file that is recorded, wherever it is.
pub(crate) fn unwrap_file(file: &Path, context: &Context) -> anyhow::Result<()> {
    if !file.exists() {
        return record::forget(file, context);
    }
    take_out(file, false, context).map(drop)
}

/// A file that is as `wrap` left it becomes what it was before, byte for byte. In one that somebody changed since, the
/// servers get their own commands back.
fn take_out(file: &Path, dry_run: bool, context: &Context) -> anyhow::Result<Changed> {
    let locked = lock(file, dry_run, context)?;
    let before = text_of(file)?;
    let recorded = ConnectRecord::load(context)?.of(file).cloned();
    let original = recorded
        .filter(|recorded| recorded.is_unchanged(&before))
        .and_then(|recorded| recorded.text_before(context));
    let edited =
        unwrap_servers(&before, &program::path(context)).map_err(|error| unusable(file, &error, context))?;
    let names = names(&edited, &McpServer::Changed);
    let after = original.unwrap_or(edited.new_text);
    let differs = after != before;
    if let Some(locked) = locked {
        if differs {
            locked.replace(after.as_bytes(), 0o644)?;
        }
        record::forget(file, context)?;
    }
    let verb = if dry_run { "would no longer go" } else { "no longer go" };
    let summary = match names {
        Some(names) => format!("these servers {verb} through hookrail: {names}"),
        None => "no server goes through hookrail; nothing to change".to_owned(),
    };
    let edit = SettingsEdit { new_text: Some(after), is_changed: differs, summary: vec![summary] };
    Ok(Changed { before: Some(before), edit })
}

/// The servers of a configuration: those that go through hookrail now, and those that do not.
pub(crate) struct WrappedServers {
    pub(crate) wrapped: Vec<String>,
    pub(crate) others: Vec<String>,
}

/// Every file that `wrap` recorded; without servers if it cannot be read as a configuration.
pub(crate) fn wrapped_files(context: &Context) -> Vec<(PathBuf, Option<WrappedServers>)> {
    let record = ConnectRecord::load(context).unwrap_or_default();
    let files = record.files.into_iter().filter(|recorded| recorded.agent == RECORDED_AS);
    let look = |file: &Path| {
        let edit = wrap_servers(&load(file).ok()??, &program::path(context), &context.paths.home).ok()?;
        let with = |state: &McpServer| {
            edit.servers.iter().filter(|(_, of)| of == state).map(|(name, _)| name.clone()).collect()
        };
        Some(WrappedServers { wrapped: with(&McpServer::Same), others: with(&McpServer::Changed) })
    };
    files.map(|recorded| PathBuf::from(recorded.file)).map(|file| (file.clone(), look(&file))).collect()
}

/// One program at a time; `None` where nothing is written.
fn lock(file: &Path, dry_run: bool, context: &Context) -> anyhow::Result<Option<LockedFile>> {
    let lock = || LockedFile::lock(file, &context.state_dir().join("connect.lock"));
    Ok(if dry_run { None } else { Some(lock()?) })
}

fn names(edit: &McpEdit, state: &McpServer) -> Option<String> {
    let names: Vec<&str> =
        edit.servers.iter().filter(|(_, of)| of == state).map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The file itself, not a link to it.
fn real(file: &Path) -> anyhow::Result<PathBuf> {
    file.canonicalize().with_context(|| format!("cannot read `{}`", file.display()))
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    let text = load(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    text.with_context(|| format!("`{}` is gone", file.display()))
}

fn unusable(file: &Path, error: &EditError, context: &Context) -> anyhow::Error {
    let message = format!("`{}` was left alone: {}", shown(file, context), escape_line(&error.to_string()));
    let hint = match error {
        EditError::NoServers => "name the file in which your client lists its MCP servers",
        _ => "fix the file, then run this again",
    };
    Hinted::new(message, hint).into()
}
