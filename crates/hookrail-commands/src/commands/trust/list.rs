//! What is approved, and taking it back.
//!
//! An approval outlives its hook: it stays in the list until it is revoked, marked as one that no longer holds.

use hookrail::Hook;
use hookrail::approvals::Approval;
use hookrail::components::{HookKind, HookTrust, Level, Matcher};
use hookrail::settings::ResolvedSettings;
use serde_json::json;

use crate::cli::Format;
use crate::context::Context;
use crate::exit::{ExitStatus, fail};
use crate::hook_log::local_time;
use crate::terminal::printer::{Printer, escape_line};

/// Prints the approvals of the project, each with whether it still holds.
/// It only reads, so agents may call it.
pub(super) fn list(
    format: Format,
    settings: &ResolvedSettings,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let store = context.approvals();
    let approved = store.list(context.project())?;
    let hooks = approved.as_ref().map_or(&[][..], |project| &project.hooks);
    let holds = |approval: &Approval| {
        settings
            .hooks
            .iter()
            .filter(|resolved| resolved.trust == HookTrust::Approved)
            .any(|resolved| hookrail::approvals::Terms::of(&resolved.hook) == approval.terms)
    };
    let settings_approved =
        store.pending(context.project(), &[], &settings.project_settings).settings.is_none();
    if format == Format::Json {
        let hooks: Vec<_> = hooks
            .iter()
            .map(|approval| {
                json!({
                    "name": approval.name,
                    "event": approval.terms.event.as_str(),
                    "matcher": approval.terms.matcher,
                    "command": approval.terms.command,
                    "files": approval.files.iter().map(|file| &file.path).collect::<Vec<_>>(),
                    "approvedAt": approval.approved_at,
                    "holds": holds(approval),
                })
            })
            .collect();
        printer.json_pretty(&json!({
            "project": context.project().to_string_lossy(),
            "settingsApproved": settings_approved,
            "hooks": hooks,
        }))?;
        return Ok(ExitStatus::Success);
    }
    if hooks.is_empty() {
        printer.message("nothing is approved in this project");
    }
    for approval in hooks {
        let state = if holds(approval) { "valid" } else { "no longer valid" };
        printer.data(format_args!("{}  {state}", escape_line(&approval.name)))?;
        printer.data(format_args!("  event     {}", approval.terms.event))?;
        if let Some(matcher) = &approval.terms.matcher {
            printer.data(format_args!("  matcher   {}", escape_line(matcher)))?;
        }
        // A rule and a plugin have none, and an approval does not have the type of its hook.
        let command = approval.terms.command.as_deref().unwrap_or("(none)");
        printer.data(format_args!("  command   {}", escape_line(command)))?;
        for file in &approval.files {
            printer.data(format_args!("  file      {}", escape_line(&file.path)))?;
        }
        printer.data(format_args!("  approved  {}", escape_line(&local_time(&approval.approved_at))))?;
    }
    Ok(ExitStatus::Success)
}

/// Takes approvals back: of the hooks that go by a name or command or, without one, of the whole project.
/// A name that no approval has is an error: otherwise a hook that was meant would go on running without a message.
pub(super) fn revoke(name: &str, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let store = context.approvals();
    let mut count = 0;
    if name.is_empty() {
        count = store.revoke(context.project(), None)?;
    } else {
        let approved = store.list(context.project())?.map(|project| project.hooks).unwrap_or_default();
        let meant = approved
            .iter()
            .filter(|approval| approval.name == name || approval.terms.command.as_deref() == Some(name));
        for approval in meant {
            count += store.revoke(context.project(), Some(&as_approved(approval)))?;
        }
        if count == 0 {
            let message = format!("no approved hook of this project is named `{name}`");
            return fail(message, "`hookrail trust --list` shows what is approved");
        }
    }
    match count {
        0 => printer.message("nothing was approved in this project"),
        1 => printer.message("revoked: 1 hook"),
        n => printer.message(format_args!("revoked: {n} hooks")),
    }
    Ok(ExitStatus::Success)
}

/// The hook of an approval. The settings may no longer have it.
/// The store finds an approval by the hook's terms, so these are put back together from what was approved.
fn as_approved(approval: &Approval) -> Hook {
    let terms = &approval.terms;
    let mut hook = Hook::new(terms.event, terms.command.clone().unwrap_or_default());
    hook.name.clone_from(&approval.name);
    if terms.command.is_none() {
        hook.kind = HookKind::Plugin;
    }
    hook.matcher = Matcher::for_event(terms.event, terms.matcher.as_deref());
    hook.sequential = terms.sequential;
    hook.timeout = terms.timeout;
    hook.env.clone_from(&terms.env);
    hook.on_failure = terms.on_failure;
    let watch = terms.further.get("watch").and_then(|watch| watch.as_array()).into_iter().flatten();
    hook.watch = watch.filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect();
    hook.origin.level = Level::Project;
    hook
}
