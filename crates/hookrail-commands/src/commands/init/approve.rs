//! Approves what `init` wrote itself, and nothing else.

use anyhow::Context as _;
use hookrail::approvals::Pending;
use hookrail::components::HookTrust;
use hookrail::settings::ResolvedSettings;

use crate::context::Context;
use crate::exit::Hinted;
use crate::terminal::printer::Printer;

/// Whether settings of the project wait for approval besides its hooks. Asked before anything is written: what waits
/// then was not written here, so that it goes on waiting.
pub(super) fn settings_wait(settings: &ResolvedSettings, context: &Context) -> bool {
    let review =
        context.approvals().pending(context.project(), &settings.hook_list(), &settings.project_settings);
    review.settings.is_some()
}

/// Approves the pending hooks for which `is_written_here` holds, and the settings around them if none waited before.
/// A hook that says the same as an approved one is not pending: `name` tells it from one that was changed in between, in
/// which case nothing is approved.
pub(super) fn approve(
    name: &str,
    is_written_here: impl Fn(&Pending) -> bool,
    settings_waited: bool,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let store = context.approvals();
    let settings = context.settings();
    let review = store.pending(context.project(), &settings.hook_list(), &settings.project_settings);
    let own: Vec<_> = review.pending.iter().filter(|pending| is_written_here(pending)).collect();
    let is_approved = settings
        .hooks
        .iter()
        .any(|resolved| resolved.hook.name == name && resolved.trust == HookTrust::Approved);
    if own.is_empty() && !is_approved {
        printer.message("warning: the project changed while the hook was written; it is not approved");
        printer.message("hint: review it with `hookrail trust`");
        return Ok(());
    }
    let approved =
        if settings_waited { store.approve_hooks(&review, &own) } else { store.approve(&review, &own) };
    approved.with_context(|| Hinted::new("cannot approve what was written", "try `hookrail trust`"))?;
    printer.data(if own.is_empty() {
        "it needs no approval: an approved hook of this project says the same"
    } else {
        "approved it for this project"
    })?;
    if settings_waited || review.pending.len() > own.len() {
        printer.message("note: other things in this project still wait for approval: `hookrail trust`");
    }
    Ok(())
}
