//! `hookrail trust`: a person reviews what a project would run, and decides.
//!
//! What was read once is shown, and what was shown is what is approved. Everything that comes from the project is
//! escaped and set apart by a margin, so that no file can imitate this program's own text.

mod ask;
mod list;
mod show;

use hookrail::approvals::{Pending, Review, VanishedGuard};
use hookrail::settings::{Activation, ResolvedSettings};
use serde_json::json;

use crate::cli::{Format, TrustArgs};
use crate::context::{Context, refuse_inside_agent};
use crate::exit::ExitStatus;
use crate::findings;
use crate::terminal::printer::{ClosedPipe, Printer, escape, escape_line};
use crate::terminal::screen;

/// Shows what waits, and approves what the person chooses; or lists or takes back what is approved.
/// Without a terminal it shows what waits and fails, so that a script notices. `--yes` is for machines that check out
/// projects that were reviewed elsewhere. An agent may look, but not approve.
pub(crate) fn run(args: &TrustArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let wrong = findings::lines_about_files(&settings, context);
    for line in &wrong {
        printer.message(&line.text);
    }
    if args.list {
        return list::list(args.format, &settings, context, printer);
    }
    let can_ask = screen::can_ask() && args.format == Format::Text;
    if args.yes || args.revoke.is_some() || can_ask {
        refuse_inside_agent("approvals")?;
    }
    if let Some(name) = &args.revoke {
        return list::revoke(name, context, printer);
    }
    let store = context.approvals();
    let review = store.pending(context.project(), &settings.hook_list(), &settings.project_settings);
    if let Some(problem) = &review.problem {
        printer.message(format_args!("warning: {}", escape(&problem.message)));
        if let Some(help) = &problem.help {
            printer.message(format_args!("hint: {help}"));
        }
    }
    if review.pending.is_empty() && review.settings.is_none() && review.vanished.is_empty() {
        match args.format {
            Format::Json => printer.json_pretty(&show::as_json(&review))?,
            Format::Text if wrong.is_empty() => printer.data("nothing waits for approval in this project")?,
            Format::Text => printer.message("nothing that could be read waits for approval in this project"),
        }
        // What the file holds, and so what waits, is not known.
        return Ok(if settings.unusable.is_empty() { ExitStatus::Success } else { ExitStatus::Failure });
    }
    if args.yes {
        let status = approve_all(args.format, &review, context, printer)?;
        print_if_off(&settings, context, printer);
        return Ok(status);
    }
    if can_ask {
        let status = ask_and_approve(&review, context, printer)?;
        print_if_off(&settings, context, printer);
        return Ok(status);
    }
    show_only(args.format, &review, printer)
}

/// Approved hooks of a project in which hooks are off would surprise.
/// Not printed where the approval itself is what was missing.
fn print_if_off(settings: &ResolvedSettings, context: &Context, printer: &mut Printer) {
    // Now that something is approved, the project's own flag counts.
    let on = settings.activation.is_on() || settings.activation == Activation::OffUntilApproved;
    if let Some(off) = findings::why_off(settings, context).filter(|_| !on) {
        printer.message(format_args!("note: {}; {}", off.why, off.help));
    }
}

/// Shows what waits and approves nothing.
/// Exit 1: a script that goes on would go on without its guards.
fn show_only(format: Format, review: &Review, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    match format {
        Format::Json => printer.json_pretty(&show::as_json(review))?,
        Format::Text => {
            printer.data(show::everything(review).trim_end())?;
            printer.flush()?;
            printer.message("error: nothing was approved: there is no terminal to ask on");
            let gone = if review.vanished.is_empty() { "" } else { ", accepting what is gone," };
            printer.message(format_args!(
                "hint: `hookrail trust --yes` approves everything shown above{gone} without asking"
            ));
        }
    }
    Ok(ExitStatus::Failure)
}

/// Approves everything that can be approved. What cannot is reported and makes the command fail, but holds nothing else
/// up.
fn approve_all(
    format: Format,
    review: &Review,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let (chosen, refused): (Vec<&Pending>, Vec<&Pending>) =
        review.pending.iter().partition(|pending| pending.obstacle.is_none());
    if format == Format::Text {
        let shown = printer.data(show::everything(review).trim_end()).and_then(|()| printer.flush());
        // It need not be read: the answer was given beforehand.
        shown.or_else(|error| if error.is::<ClosedPipe>() { Ok(()) } else { Err(error) })?;
    }
    // Settings alone can be approved, but not because all hooks were refused.
    if !chosen.is_empty() || refused.is_empty() {
        context.approvals().approve(review, &chosen)?;
    }
    let gone: Vec<&VanishedGuard> = review.vanished.iter().collect();
    context.approvals().accept_absence(review, &gone)?;
    match format {
        Format::Json => printer.json_pretty(&json!({
            "approved": chosen.iter().map(|pending| &pending.hook.name).collect::<Vec<_>>(),
            "refused": refused
                .iter()
                .map(|pending| json!({ "name": pending.hook.name, "why": pending.obstacle }))
                .collect::<Vec<_>>(),
            "acceptedAsGone": gone.iter().map(|guard| &guard.name).collect::<Vec<_>>(),
            "notWatched": chosen
                .iter()
                .filter(|pending| !pending.not_watched.is_empty())
                .map(|pending| json!({ "name": pending.hook.name, "why": pending.not_watched }))
                .collect::<Vec<_>>(),
            "cannotStart": chosen
                .iter()
                .filter_map(|pending| Some((&pending.hook.name, pending.cannot_start.as_ref()?.to_string())))
                .map(|(name, why)| json!({ "name": name, "why": why }))
                .collect::<Vec<_>>(),
        }))?,
        Format::Text => {
            conclude(&chosen, review, printer);
            for pending in chosen.iter().filter(|pending| !pending.not_watched.is_empty()) {
                let (name, why) =
                    (escape_line(&pending.hook.name), escape_line(&pending.not_watched.join("; ")));
                printer.message(format_args!("accepted: `{name}` is not watched: {why}"));
            }
            print_vanished(&gone, printer);
        }
    }
    for pending in &refused {
        print_obstacle(pending, printer);
    }
    Ok(if refused.is_empty() { ExitStatus::Success } else { ExitStatus::Failure })
}

/// Writes after the last question, so an interrupted dialogue changes nothing.
fn ask_and_approve(review: &Review, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let chosen = ask::choose(review, printer)?;
    let store = context.approvals();
    for pending in &chosen.dropped {
        store.drop_approval(review, pending)?;
        printer.message(format_args!("dropped: the approval of `{}`", escape_line(&pending.hook.name)));
    }
    store.accept_absence(review, &chosen.gone)?;
    print_vanished(&chosen.gone, printer);
    match &chosen.approved {
        Some(approved) => {
            store.approve(review, approved)?;
            conclude(approved, review, printer);
        }
        None if chosen.gone.is_empty() && chosen.dropped.is_empty() => {
            printer.message("nothing was approved");
        }
        None => {}
    }
    Ok(ExitStatus::Success)
}

/// One line for each guard, since accepting that one is gone weakens the project.
fn print_vanished(gone: &[&VanishedGuard], printer: &mut Printer) {
    for guard in gone {
        printer.message(format_args!(
            "accepted: the guard `{}` is gone from these settings",
            escape_line(&guard.name)
        ));
    }
}

/// One line for each hook that cannot start, and one about what was approved.
fn conclude(chosen: &[&Pending], review: &Review, printer: &mut Printer) {
    for pending in chosen {
        let Some(obstacle) = &pending.cannot_start else { continue };
        let blocks =
            if pending.hook.event.is_guarded() { "; until then it blocks what it guards" } else { "" };
        printer.message(format_args!(
            "warning: `{}` cannot be started: {}, then approve it again{blocks}",
            escape_line(&pending.hook.name),
            escape_line(&obstacle.to_string())
        ));
    }
    match chosen.len() {
        0 if review.settings.is_none() => {}
        0 => printer.message("approved: the project's settings"),
        1 => printer.message("approved: 1 hook"),
        n => printer.message(format_args!("approved: {n} hooks")),
    }
}

/// Why a hook cannot be approved. The reason may have several lines.
fn print_obstacle(pending: &Pending, printer: &mut Printer) {
    let why = pending.obstacle.as_deref().unwrap_or_default();
    printer.message(format_args!(
        "error: `{}` cannot be approved: {}",
        escape_line(&pending.hook.name),
        escape(why)
    ));
}
