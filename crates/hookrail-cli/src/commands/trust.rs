//! `hookrail trust`: a person looks at what a project wants to run, and decides.
//!
//! What was read once is shown, and what was shown is what is approved. Everything that comes from the project is
//! escaped and set apart by a margin, so that no file can imitate this program's words.

mod ask;
mod list;
mod show;

use std::io::{self, IsTerminal as _};

use hookrail::internal::{Activation, Pending, ResolvedSettings, Review};
use serde_json::json;

use crate::cli::{Format, TrustArgs};
use crate::context::{Context, refuse_inside_agent};
use crate::exit::ExitStatus;
use crate::findings;
use crate::printer::{ClosedPipe, Printer, escape, escape_line};

/// Shows what waits, and approves what the person chooses; or lists or takes back what is approved.
pub(crate) fn run(args: &TrustArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    if args.list {
        return list::list(args.format, context, printer);
    }
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal() && args.format == Format::Text;
    if args.yes || args.revoke.is_some() || can_ask {
        refuse_inside_agent("approvals")?;
    }
    if let Some(name) = &args.revoke {
        return list::revoke(name, context, printer);
    }
    let settings = context.settings();
    for line in findings::lines_about_files(&settings, context) {
        printer.talk(line.text);
    }
    let store = context.approvals();
    let review = store.pending(context.project(), &settings.hook_list(), &settings.project_settings);
    if let Some(problem) = &review.problem {
        printer.talk(format_args!("warning: {}", escape(&problem.message)));
        if let Some(help) = &problem.help {
            printer.talk(format_args!("hint: {help}"));
        }
    }
    if review.pending.is_empty() && review.settings.is_none() {
        match args.format {
            Format::Json => printer.json_pretty(&show::as_json(&review))?,
            Format::Text => printer.data("nothing waits for approval in this project")?,
        }
        return Ok(ExitStatus::Success);
    }
    if args.yes {
        let status = approve_all(args.format, &review, context, printer)?;
        tell_if_off(&settings, printer);
        return Ok(status);
    }
    if can_ask {
        let status = ask_and_approve(&review, context, printer)?;
        tell_if_off(&settings, printer);
        return Ok(status);
    }
    show_only(args.format, &review, printer)
}

/// Approved hooks of a project in which hooks are off would surprise.
fn tell_if_off(settings: &ResolvedSettings, printer: &mut Printer) {
    // Now that something is approved, the project's own flag counts.
    let on = settings.activation.is_on() || settings.activation == Activation::OffUntilApproved;
    if !on {
        printer.talk("note: hooks are off; `\"enableHooks\": true` in the settings turns them on");
    }
}

/// Shows what waits, approves nothing, and says so.
fn show_only(format: Format, review: &Review, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    match format {
        Format::Json => printer.json_pretty(&show::as_json(review))?,
        Format::Text => {
            printer.data(show::everything(review).trim_end())?;
            printer.flush()?;
            printer.talk("error: nothing was approved: there is no terminal to ask on");
            printer.talk("hint: `hookrail trust --yes` approves everything shown above without asking");
        }
    }
    Ok(ExitStatus::Failure)
}

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
        // Nobody has to read it: the answer was given beforehand.
        shown.or_else(|error| if error.is::<ClosedPipe>() { Ok(()) } else { Err(error) })?;
    }
    // Settings alone can be approved, but not because all hooks were refused.
    if !chosen.is_empty() || refused.is_empty() {
        context.approvals().approve(review, &chosen)?;
    }
    match format {
        Format::Json => printer.json_pretty(&json!({
            "approved": chosen.iter().map(|pending| &pending.hook.name).collect::<Vec<_>>(),
            "refused": refused
                .iter()
                .map(|pending| json!({ "name": pending.hook.name, "why": pending.obstacle }))
                .collect::<Vec<_>>(),
        }))?,
        Format::Text => conclude(&chosen, printer),
    }
    for pending in &refused {
        tell_obstacle(pending, printer);
    }
    Ok(if refused.is_empty() { ExitStatus::Success } else { ExitStatus::Failure })
}

fn ask_and_approve(review: &Review, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let chosen = {
        let mut terminal = ask::Terminal { printer, answers: io::stdin().lock() };
        ask::choose(review, &mut terminal)?
    };
    let Some(chosen) = chosen else {
        printer.talk("nothing was approved");
        return Ok(ExitStatus::Success);
    };
    context.approvals().approve(review, &chosen)?;
    conclude(&chosen, printer);
    Ok(ExitStatus::Success)
}

fn conclude(chosen: &[&Pending], printer: &mut Printer) {
    match chosen.len() {
        0 => printer.talk("approved: the project's settings"),
        1 => printer.talk("approved: 1 hook"),
        n => printer.talk(format_args!("approved: {n} hooks")),
    }
}

fn tell_obstacle(pending: &Pending, printer: &mut Printer) {
    let why = pending.obstacle.as_deref().unwrap_or_default();
    printer.talk(format_args!(
        "error: `{}` cannot be approved: {}",
        escape_line(&pending.hook.name),
        escape(why)
    ));
}
