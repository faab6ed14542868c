//! `hookrail check`: everything that is wrong with the hook settings, at once.
//!
//! Most findings come from the engine, which has them while it reads the settings. Those here look at the machine
//! (programs, scripts, permissions), at the agent's tools, or at hooks side by side. Hooks are never started.

mod command_start;
mod each_hook;
pub(crate) mod finding;
mod foreign;
mod indexed_text;
mod matchers;
mod program;
pub(crate) mod published;
mod python;
mod shadowed;
mod shell;
mod side_by_side;
mod tool_words;

use std::collections::BTreeSet;
use std::path::Path;

use hookrail::components::{HookKind, Level};
use hookrail::settings::ResolvedSettings;
use hookrail::{DiagnosticCode, Hook};
use serde::Serialize;

use self::finding::{Finding, Severity, Sources};
use self::side_by_side::AsIfApproved;
use crate::cli::{CheckArgs, CheckFormat};
use crate::context::Context;
use crate::display::{short_home, shown};
use crate::exit::ExitStatus;
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};

/// What keeps a hook's command from being started, with what helps; `None` if nothing is to be seen.
/// `fire` and the agent take the hint from it when a hook could not be started.
pub(crate) fn command_problem(hook: &Hook, command: &str, context: &Context) -> Option<String> {
    let problems = program::problems(hook, command, context);
    let problem = problems.into_iter().find(|problem| problem.severity == Severity::Error)?;
    let (message, help) = problem.texts();
    Some(format!("{message}; {}", help.unwrap_or_default()))
}

/// Findings are data and go to stdout, all of them; the exit code shows only whether there are errors.
pub(crate) fn run(args: &CheckArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let (findings, sources) = Check::everything(&settings, context);
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
    match args.format {
        CheckFormat::Json => printer.json_pretty(&CheckReport { findings: &findings, errors, warnings })?,
        CheckFormat::Sarif => printer.json_pretty(&published::sarif(&findings, context))?,
        CheckFormat::Github => {
            for finding in &findings {
                printer.data(published::annotation(finding, context))?;
            }
            printer.data(summary(&settings, [errors, warnings, notes]))?;
        }
        CheckFormat::Text => {
            for finding in &findings {
                printer.data(finding.render(&sources, context))?;
                printer.data("")?;
            }
            printer.data(summary(&settings, [errors, warnings, notes]))?;
        }
    }
    let failed = errors > 0 || (args.strict && warnings > 0);
    Ok(if failed { ExitStatus::Failure } else { ExitStatus::Success })
}

/// What is wrong, without excerpts: severity, what with its place, and what to do.
/// They are the same as those of the command, in the same order.
pub(crate) fn problems(settings: &ResolvedSettings, context: &Context) -> Vec<(Severity, String, String)> {
    Check::everything(settings, context).0.iter().map(|finding| finding.short(context)).collect()
}

/// The errors in commands of the user and the system, one line each, as far as they are seen without starting anything.
/// The engine reports all others.
pub(crate) fn errors_outside_of_project(settings: &ResolvedSettings, context: &Context) -> Vec<String> {
    let mut errors = Vec::new();
    for hook in settings.hooks.iter().map(|resolved| &resolved.hook) {
        let Hook { kind, origin, .. } = &**hook;
        let HookKind::Command(command) = kind else { continue };
        if !matches!(origin.level, Level::User | Level::System) || command.contains('\0') {
            continue;
        }
        let problems = program::visible_problems(hook, command, context).into_iter();
        errors.extend(problems.filter(|problem| problem.severity == Severity::Error).map(|problem| {
            let place = format!("{}:{}", shown(&origin.file, context), origin.line);
            let (message, help) = problem.texts();
            format!("error: {place}: {}; {}", escape_line(message), escape_line(help.unwrap_or_default()))
        }));
    }
    errors
}

/// The JSON form.
/// Notes are in the list but not counted: they never change the exit code.
#[derive(Serialize)]
struct CheckReport<'f> {
    findings: &'f [Finding],
    errors: usize,
    warnings: usize,
}

/// The last line, with how much was looked at: "no findings" in no file would be misleading.
fn summary(settings: &ResolvedSettings, counts: [usize; 3]) -> String {
    let files: BTreeSet<&Path> =
        settings.hooks.iter().map(|resolved| resolved.hook.origin.file.as_path()).collect();
    let looked_at = match settings.hooks.len() {
        0 if settings.unusable.is_empty() => "no hooks are configured".to_owned(),
        0 => "no hooks could be read".to_owned(),
        hooks => format!("{} in {}", counted(hooks as u64, "hook"), counted(files.len() as u64, "file")),
    };
    let found: Vec<String> = counts
        .into_iter()
        .zip(["error", "warning", "note"])
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count as u64, word))
        .collect();
    if found.is_empty() {
        format!("No findings: {looked_at}.")
    } else {
        format!("Found {}: {looked_at}.", found.join(", "))
    }
}

/// One run: what is looked at, and what was found. `sources` keeps the files that excerpts are taken from.
struct Check<'c> {
    context: &'c Context,
    settings: &'c ResolvedSettings,
    sources: Sources,
    findings: Vec<Finding>,
}

impl<'c> Check<'c> {
    /// All findings by place, and the files that they point into; files keep the order in which they come up here.
    fn everything(settings: &'c ResolvedSettings, context: &'c Context) -> (Vec<Finding>, Sources) {
        let mut check = Self { context, settings, sources: Sources::default(), findings: Vec::new() };
        for diagnostic in &settings.findings {
            let mut finding = Finding::from_engine(diagnostic, &mut check.sources);
            finding.help = finding.help.map(|help| short_home(&help, context));
            if let Some(place) =
                diagnostic.place.as_ref().filter(|_| diagnostic.code == DiagnosticCode::ProjectNotApproved)
            {
                // The engine's place has the line of the hook's command, not its column.
                finding = finding.at(&place.file, place.span.clone(), place.line, &mut check.sources);
            }
            check.findings.push(finding);
        }
        let hooks = AsIfApproved::new(settings);
        check.disabled(&hooks);
        check.matchers();
        check.conditions_on_tools();
        check.observed();
        check.commands();
        check.duplicates(&hooks);
        check.shadowed(&hooks);
        check.findings.extend(foreign::notes(settings, context));
        finding::sort(&mut check.findings);
        (check.findings, check.sources)
    }

    /// Adds a finding at a hook's command, or at the place where its command would stand.
    fn at_hook(&mut self, index: usize, finding: Finding) {
        let Some(resolved) = self.settings.hooks.get(index) else { return };
        self.at(index, resolved.spans.command.clone(), finding);
    }

    /// Adds a finding at a part of the file in which the hook with this index is.
    fn at(&mut self, index: usize, span: std::ops::Range<usize>, finding: Finding) {
        let Some(resolved) = self.settings.hooks.get(index) else { return };
        let origin = &resolved.hook.origin;
        let finding = finding.at(&origin.file, span, origin.line, &mut self.sources);
        self.findings.push(finding);
    }
}
