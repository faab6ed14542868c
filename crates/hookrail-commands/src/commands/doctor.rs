//! `hookrail doctor`: settings, approvals, hooks and connected agents, with suggested fixes.
//!
//! Each link of the chain has its findings, in the order in which an event passes: home, settings, hooks, workers,
//! agents. It changes no settings; every problem comes with the command that does.

mod agents;
mod environment;
mod live;
mod places;
mod probe;

use std::collections::HashSet;

use hookrail::Severity;
use hookrail::components::HookKind;
use hookrail::settings::{RegistryScope, ResolvedSettings};
use serde::Serialize;

use crate::cli::{DoctorArgs, Format};
use crate::commands::check;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::hook_log::{self, LoggedCall, PastWorkers, WorkerReport, open_with_rotated};
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::style::{Style, paint};

pub(crate) use self::agents::refuses_as_it_must;

/// Looks at everything and prints it. Exit 1 if something needs doing.
pub(crate) fn run(args: &DoctorArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    if args.live {
        return live::run(args, context, printer);
    }
    let settings = context.settings();
    let mut report = DoctorReport::default();
    places::look(context, &mut report);
    look_at_settings(&settings, context, &mut report);
    look_at_log(&settings, context, &mut report);
    look_at_workers(&settings, context, &mut report);
    #[cfg(feature = "nats")]
    look_at_remotes(&settings, context, &mut report)?;
    environment::look(context, &mut report);
    agents::look(context, &mut report, printer);

    report.problems = report.findings.iter().filter(|finding| finding.state.needs_doing()).count();
    match args.format {
        Format::Json => printer.json_pretty(&report)?,
        Format::Text => {
            for finding in &report.findings {
                printer.data(finding.line())?;
            }
            let (count, were) = (report.problems as u64, if report.problems == 1 { "was" } else { "were" });
            let found = if count == 0 { "No problems".to_owned() } else { counted(count, "problem") };
            printer.data(format_args!("{found} {were} found."))?;
        }
    }
    Ok(if report.problems == 0 { ExitStatus::Success } else { ExitStatus::Failure })
}

/// What was found, in the order of the chain.
/// `problems` is the number of warnings and errors, which decides about the exit code.
#[derive(Debug, Default, Serialize)]
struct DoctorReport {
    findings: Vec<DoctorRow>,
    problems: usize,
}

impl DoctorReport {
    /// The message may hold texts from outside and is made one line here.
    fn add(
        &mut self,
        state: RowState,
        area: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let help = Some(help.into()).filter(|help| !help.is_empty());
        self.findings.push(DoctorRow { state, area, message: escape_line(&message.into()), help });
    }

    /// Something that works. It is listed too, so that a person sees what was looked at.
    fn ok(&mut self, area: &'static str, message: impl Into<String>) {
        self.add(RowState::Ok, area, message, "");
    }
}

/// One thing that was looked at.
/// Its fields are a contract.
#[derive(Debug, Serialize)]
struct DoctorRow {
    state: RowState,
    /// The link of the chain: `home`, `settings`, `hooks`, `workers`, `remote`, `environment`, `mcp` or an agent's name.
    area: &'static str,
    message: String,
    /// A command or a step that fixes it.
    help: Option<String>,
}

impl DoctorRow {
    /// Area and message first, then what to do.
    fn line(&self) -> String {
        let help = self.help.as_ref().map(|help| format!("; {}", escape_line(help))).unwrap_or_default();
        let (word, style) = self.state.word();
        let word = paint(style, &format!("{word:8}"));
        format!("{word} {}: {}{help}", self.area, self.message)
    }
}

/// How a thing is.
/// A note is worth knowing and needs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum RowState {
    Ok,
    Note,
    Warning,
    Error,
}

impl RowState {
    /// The first word of the row, and its colour.
    fn word(self) -> (&'static str, Style) {
        match self {
            Self::Ok => ("ok", Style::BoldGreen),
            Self::Note => ("note", Style::Cyan),
            Self::Warning => ("warning", Style::Yellow),
            Self::Error => ("error", Style::Red),
        }
    }

    /// Whether it makes the command fail.
    fn needs_doing(self) -> bool {
        matches!(self, Self::Warning | Self::Error)
    }
}

/// Settings, approvals, and whether the programs of hooks can be started: all that `check` finds.
fn look_at_settings(settings: &ResolvedSettings, context: &Context, report: &mut DoctorReport) {
    let before = report.findings.len();
    for (severity, message, help) in check::problems(settings, context) {
        let state = match severity {
            Severity::Error => RowState::Error,
            Severity::Warning => RowState::Warning,
            // A note, or what a later version adds.
            _ => RowState::Note,
        };
        report.add(state, "settings", message, help);
    }
    let has_problems = report.findings.iter().skip(before).any(|finding| finding.state.needs_doing());
    if settings.hooks.is_empty() {
        let help = "`hookrail init` writes a first one";
        report.add(RowState::Note, "settings", "no hooks are configured, so nothing is guarded", help);
    } else if !has_problems {
        let can_run = settings.registry(RegistryScope::On).all_hooks();
        let can_run = can_run.iter().filter(|status| status.may_run()).count();
        let disabled = settings.hooks.len().saturating_sub(can_run);
        let rest = match disabled {
            0 => String::new(),
            _ => format!(", {disabled} cannot (`hookrail list` shows why)"),
        };
        report.ok("settings", format!("{} can run{rest}", counted(can_run as u64, "hook")));
    }
}

/// Commands that are in no log. A rule is logged only when it holds, so that nothing follows from its absence.
fn look_at_log(settings: &ResolvedSettings, context: &Context, report: &mut DoctorReport) {
    let path = hook_log::path_in(&context.state_dir());
    let Ok(logs) = open_with_rotated(&path) else {
        let message = format!("the log `{}` cannot be read", path.display());
        return report.add(RowState::Warning, "hooks", message, "look at its owner and mode");
    };
    let calls = logs.lines::<LoggedCall>().map_while(Result::ok);
    let ran: HashSet<(String, String)> = calls.map(|call| (call.event, call.name)).collect();
    for resolved in settings.hooks.iter().filter(|resolved| resolved.on) {
        let hook = &resolved.hook;
        let is_command = matches!(hook.kind, HookKind::Command(_));
        if is_command && !ran.contains(&(hook.event.to_string(), hook.name.clone())) {
            let message = format!("`{}` has never run at {}", hook.name, hook.event);
            let help = format!("`hookrail fire {}` tries it", hook.event);
            report.add(RowState::Note, "hooks", message, help);
        }
    }
}

/// Whether the credentials of `remote` hooks can only ask: an agent that can answer is its own guard.
#[cfg(feature = "nats")]
fn look_at_remotes(
    settings: &ResolvedSettings,
    context: &Context,
    report: &mut DoctorReport,
) -> anyhow::Result<()> {
    let on = settings.hooks.iter().filter(|resolved| resolved.on).map(|resolved| &*resolved.hook);
    let mut remotes = on.filter(|hook| matches!(hook.kind, HookKind::Remote(_))).peekable();
    if remotes.peek().is_none() {
        return Ok(());
    }
    let runtime = crate::signals::runtime()?;
    let mut seen = HashSet::new();
    for hook in remotes {
        let shown = hook.service().unwrap_or_default();
        if !seen.insert(shown.clone()) {
            continue;
        }
        match runtime.block_on(crate::services::can_answer(hook, &context.paths.home)) {
            None => {}
            Some(Ok(false)) => {
                report.ok("remote", format!("{shown}: reached, and the credentials can only ask"));
            }
            Some(Ok(true)) => {
                let message = format!(
                    "{shown}: the credentials could also answer, so that an agent could let itself pass"
                );
                let help = "allow them to publish to the subject and to subscribe to their inbox only (docs/fleet.md)";
                report.add(RowState::Error, "remote", message, help);
            }
            Some(Err(why)) => {
                let help = "until then the hook fails";
                report.add(RowState::Error, "remote", format!("{shown}: {why}"), help);
            }
        }
    }
    Ok(())
}

/// What the log contains about workers. A failure is over when it is read here, and may come again.
fn look_at_workers(settings: &ResolvedSettings, context: &Context, report: &mut DoctorReport) {
    let path = hook_log::path_in(&context.state_dir());
    let workers = PastWorkers::load_for(settings.hooks.iter().map(|resolved| &*resolved.hook), &path);
    let mut seen = HashSet::new();
    for resolved in settings.hooks.iter().filter(|resolved| resolved.on) {
        let hook = &resolved.hook;
        // Hooks with the same command share a worker.
        let Some(worker) = WorkerReport::of(hook, &workers).filter(|_| seen.insert(hook.command())) else {
            continue;
        };
        let message = format!("`{}`: {}", hook.name, worker.describe());
        match worker.past {
            Some(past) if past.last_failure.is_some() => {
                let help = format!("`hookrail log --outcome failure --hook {}` shows what failed", hook.name);
                report.add(RowState::Note, "workers", message, help);
            }
            _ => report.ok("workers", message),
        }
    }
    for line in crate::commands::keeper::lines(&context.state_dir()) {
        report.ok("workers", line);
    }
}
