//! Findings about settings where people work: in short form, one line each. `check` shows them with excerpts.

use hookrail::components::Level;
use hookrail::rules::order;
use hookrail::settings::Place;
use hookrail::settings::ResolvedSettings;
use hookrail::{Diagnostic, DiagnosticCode, Severity};

use crate::context::Context;
use crate::display::{short_home, shown};
use crate::exit::fail;
use crate::terminal::printer::{Printer, escape_line};

/// How many findings a command prints before it names `check` for the rest.
const SHOWN: usize = 5;

/// The lines for what is wrong with settings and approvals, errors first. Empty where nothing is.
/// Notes are left to `check`.
pub(crate) fn lines(settings: &ResolvedSettings, context: &Context) -> Vec<FindingLine> {
    lines_where(settings, context, |_| true)
}

/// What is wrong with the files themselves, for a command that is about approvals.
pub(crate) fn lines_about_files(settings: &ResolvedSettings, context: &Context) -> Vec<FindingLine> {
    // Guards that vanished are what `trust` itself shows.
    let wanted = |finding: &Diagnostic| {
        finding.severity == Severity::Error && finding.code != DiagnosticCode::GuardVanished
    };
    lines_where(settings, context, wanted)
}

/// Errors come first and the rest is cut to [`SHOWN`] lines, with the command that shows everything.
fn lines_where(
    settings: &ResolvedSettings,
    context: &Context,
    wanted: impl Fn(&Diagnostic) -> bool,
) -> Vec<FindingLine> {
    let mut findings: Vec<&Diagnostic> = settings
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && wanted(finding))
        .collect();
    order::sort_by_key(&mut findings, |finding| std::cmp::Reverse(finding.severity));
    let mut lines: Vec<FindingLine> =
        findings.iter().take(SHOWN).map(|finding| line(finding, context)).collect();
    let hint = match findings.len().saturating_sub(SHOWN) {
        0 if findings.iter().all(|finding| finding.severity != Severity::Error) => return lines,
        0 => "hint: `hookrail check` shows the places".to_owned(),
        1 => "hint: there is 1 more; `hookrail check` shows everything".to_owned(),
        rest => format!("hint: there are {rest} more; `hookrail check` shows everything"),
    };
    lines.push(FindingLine { text: hint, for_quiet: false });
    lines
}

/// One line of output about the settings.
pub(crate) struct FindingLine {
    pub(crate) text: String,
    /// Whether it is printed with `--quiet` too: that guards are off is always printed.
    pub(crate) for_quiet: bool,
}

/// Refuses settings that cannot be used, and prints what is wrong with others, for a command that runs hooks.
pub(crate) fn begin(
    settings: &ResolvedSettings,
    is_trusted: bool,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    refuse_unusable(settings, context)?;
    print_findings(settings, context, printer);
    print_trust_hint(settings, is_trusted, printer);
    Ok(())
}

/// Prints what is wrong with the settings.
pub(crate) fn print_findings(settings: &ResolvedSettings, context: &Context, printer: &mut Printer) {
    for line in lines(settings, context) {
        printer.message(line.text);
    }
}

/// Names the flag that accepts the project's hooks as they are, where one of them does not run because it changed or
/// waits for approval: whoever edits a hook tries it next.
fn print_trust_hint(settings: &ResolvedSettings, is_trusted: bool, printer: &mut Printer) {
    let waits = settings.hooks.iter().any(|resolved| resolved.trust.not_approved().is_some());
    if !is_trusted && (waits || !settings.vanished.is_empty()) {
        printer.message("hint: `--trust-hooks` accepts the project's hooks as they are now, for this run");
    }
}

/// Prints why hooks are off where none are configured. Where some are, this is among the findings.
pub(crate) fn print_why_off(settings: &ResolvedSettings, context: &Context, printer: &mut Printer) {
    if settings.hooks.is_empty()
        && settings.enclosing.is_empty()
        && let Some(Off { why, help }) = why_off(settings, context)
    {
        printer.message(why);
        printer.message(format_args!("hint: {help}"));
    }
}

/// Why hooks are off and what turns them on, each on one line. The engine makes both texts; no command has texts of its own.
pub(crate) struct Off {
    pub(crate) why: String,
    pub(crate) help: String,
}

/// `None` while hooks are on.
pub(crate) fn why_off(settings: &ResolvedSettings, context: &Context) -> Option<Off> {
    let off = settings.why_off()?;
    let help = short_home(off.help.as_deref().unwrap_or_default(), context);
    Some(Off { why: escape_line(&off.message), help: escape_line(&help) })
}

/// Refuses to go on while a settings file of the user or the system cannot be used: which guards it held is not known.
pub(crate) fn refuse_unusable(settings: &ResolvedSettings, context: &Context) -> anyhow::Result<()> {
    let Some(unusable) = settings.refusals().next() else { return Ok(()) };
    let message = format!(
        "the {} settings cannot be used, so nothing runs: {}",
        unusable.level,
        short(&unusable.finding, context)
    );
    let hint = match unusable.level {
        Level::Managed => "run `hookrail policy pull` as root; `hookrail policy status` shows more",
        _ => "fix the file; `hookrail check` shows the place",
    };
    fail(message, hint)
}

/// `--quiet` keeps it if it is an error or reports that guards are off.
fn line(finding: &Diagnostic, context: &Context) -> FindingLine {
    let kind = if finding.severity == Severity::Error { "error" } else { "warning" };
    let help = finding
        .help
        .as_ref()
        .map(|help| format!("; {}", escape_line(&short_home(help, context))))
        .unwrap_or_default();
    FindingLine {
        text: format!("{kind}: {}{help}", short(finding, context)),
        for_quiet: finding.severity == Severity::Error || is_about_guards(finding),
    }
}

/// Whether a warning means that hooks do not run.
fn is_about_guards(finding: &Diagnostic) -> bool {
    matches!(finding.code, DiagnosticCode::HooksOff | DiagnosticCode::ProjectNotApproved)
}

/// Place and message.
fn short(finding: &Diagnostic, context: &Context) -> String {
    let place = finding.place.as_ref().map(|place| place_of(place, context)).unwrap_or_default();
    format!("{place}{}", escape_line(&finding.message))
}

/// In the form that editors and terminals make clickable.
fn place_of(place: &Place, context: &Context) -> String {
    format!("{}:{}:{}: ", shown(&place.file, context), place.line, place.column)
}
