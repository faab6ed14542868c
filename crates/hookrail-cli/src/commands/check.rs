//! `hookrail check`: everything that is wrong with the hook settings, at once.
//!
//! Most findings come from the engine, which has them while it reads the settings. Those here look at the machine
//! (programs, scripts, permissions), at the agent's tools, or at hooks side by side. Hooks are never started.

pub(crate) mod finding;
mod foreign;
mod indexed_text;
mod program;
mod python;
mod shadowed;
mod shell;
mod tool_words;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookrail::components::{
    ConfigSource, DisabledBy, DisabledList, HookKind, HookPlanner, HookRegistry, Level, MatchVerdict,
    Matching, SkipReason,
};
use hookrail::internal::{ForkObstacle, ResolvedSettings, fork_obstacle};
use hookrail::{DiagnosticCode, EventName, Hook};
use hookrail_agent::tools::ToolTable;
use serde::Serialize;

use self::finding::{Finding, Severity, Sources};
use crate::cli::{CheckArgs, Format};
use crate::context::Context;
use crate::display::{near_words, short_home, shown};
use crate::effect::{Effects, NO_EFFECT_HERE, why_observed};
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;

pub(crate) use self::shell::quote;

/// What keeps a hook's command from being started, with what helps; `None` if nothing is to be seen.
/// `fire` and the agent take the hint from it when a hook could not be started.
pub(crate) fn command_problem(hook: &Hook, command: &str, context: &Context) -> Option<String> {
    let problems = program::problems(hook, command, context);
    let problem = problems.into_iter().find(|problem| problem.severity == Severity::Error)?;
    Some(format!("{}; {}", problem.message, problem.help))
}

/// Findings are data and go to stdout, all of them; the exit code tells only whether there are errors.
pub(crate) fn run(args: &CheckArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let mut check = Check { context, settings: &settings, sources: Sources::default(), findings: Vec::new() };
    check.everything();
    let Check { mut findings, sources, .. } = check;
    finding::sort(&mut findings);

    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
    match args.format {
        Format::Json => printer.json_pretty(&Report { findings: &findings, errors, warnings })?,
        Format::Text => {
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
    let mut check = Check { context, settings, sources: Sources::default(), findings: Vec::new() };
    check.everything();
    let mut findings = check.findings;
    finding::sort(&mut findings);
    findings.iter().map(|finding| finding.short(context)).collect()
}

/// The JSON form.
/// Notes are in the list but not counted: they never change the exit code.
#[derive(Serialize)]
struct Report<'f> {
    findings: &'f [Finding],
    errors: usize,
    warnings: usize,
}

/// The last line, which also says how much was looked at: "no findings" in no file would reassure nobody.
fn summary(settings: &ResolvedSettings, counts: [usize; 3]) -> String {
    let files: BTreeSet<&Path> =
        settings.hooks.iter().map(|resolved| resolved.hook.origin.file.as_path()).collect();
    let looked_at = match settings.hooks.len() {
        0 if settings.unusable.is_empty() => "no hooks are configured".to_owned(),
        0 => "no hooks could be read".to_owned(),
        hooks => format!("{} in {}", counted(hooks, "hook"), counted(files.len(), "file")),
    };
    let found: Vec<String> = counts
        .into_iter()
        .zip(["error", "warning", "note"])
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word))
        .collect();
    if found.is_empty() {
        format!("No findings: {looked_at}.")
    } else {
        format!("Found {}: {looked_at}.", found.join(", "))
    }
}

/// `1 hook`, `2 hooks`.
fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// One run: what is looked at, and what was found. `sources` keeps the files that excerpts are taken from.
struct Check<'c> {
    context: &'c Context,
    settings: &'c ResolvedSettings,
    sources: Sources,
    findings: Vec<Finding>,
}

impl Check<'_> {
    /// Collects all findings. The order does not matter, since they are sorted by place afterwards.
    fn everything(&mut self) {
        for diagnostic in &self.settings.findings {
            let mut finding = Finding::from_engine(diagnostic, &mut self.sources);
            finding.help = finding.help.map(|help| short_home(&help, self.context));
            if let Some(place) =
                diagnostic.place.as_ref().filter(|_| diagnostic.code == DiagnosticCode::ProjectNotApproved)
            {
                // The engine knows where the hook's command stands, not in which column.
                finding = finding.at(&place.file, place.span.clone(), place.line, &mut self.sources);
            }
            self.findings.push(finding);
        }
        let hooks = AsIfApproved::new(self.settings);
        self.disabled(&hooks);
        self.matchers();
        self.observed();
        self.commands();
        self.duplicates(&hooks);
        self.shadowed(&hooks);
        self.findings.extend(foreign::notes(self.settings, self.context));
    }

    /// Adds a finding at a hook's command, or at the place where its command would stand.
    fn at_hook(
        &mut self,
        index: usize,
        severity: Severity,
        code: DiagnosticCode,
        message: String,
        help: String,
    ) {
        let Some(resolved) = self.settings.hooks.get(index) else { return };
        self.at(index, resolved.spans.command.clone(), Finding::new(severity, code, message, help));
    }

    /// Adds a finding at a part of the file in which the hook with this index stands.
    fn at(&mut self, index: usize, span: std::ops::Range<usize>, finding: Finding) {
        let Some(resolved) = self.settings.hooks.get(index) else { return };
        let origin = &resolved.hook.origin;
        let finding = finding.at(&origin.file, span, origin.line, &mut self.sources);
        self.findings.push(finding);
    }

    /// Hooks that a list turned off. It is a note, because somebody wanted it; the help names the list that has to
    /// change.
    fn disabled(&mut self, hooks: &AsIfApproved) {
        for event in EventName::ALL {
            for (index, why) in hooks.skipped(event, None) {
                let SkipReason::Disabled(DisabledBy::List(list)) = &why else { continue };
                let Some(resolved) = self.settings.hooks.get(index) else { continue };
                let name = &resolved.hook.name;
                let project = *list == DisabledList::Settings(Level::Project);
                let message = format!("hook `{name}` is {why}");
                let flag = if project { " --project" } else { "" };
                let help = format!("`hookrail enable{flag} {}` turns it on", shell::quote(name));
                self.at_hook(index, Severity::Note, DiagnosticCode::HookDisabled, message, help);
            }
        }
    }

    /// Matchers of tool events that match none of the agent's tools, or that were meant as globs. Other agents have
    /// other tools, so a matcher that matches nothing here is a warning and no error.
    fn matchers(&mut self) {
        let table = ToolTable::standard();
        let tools = table.names();
        let mut seen: HashSet<(PathBuf, usize)> = HashSet::new();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let hook = &resolved.hook;
            let Some(text) = hook.matcher.text() else { continue };
            let is_for_tools = hook.event.matching() == Matching::Tool;
            let matches_some = tools.iter().any(|tool| hook.matcher.matches_tool(tool) != MatchVerdict::No);
            // A pattern that is none is reported by the engine, with what becomes of it.
            if !is_for_tools || hook.matcher.problem().is_some() {
                continue;
            }
            let glob = tool_words::glob_as_regex(text);
            if matches_some && glob.is_none() {
                continue;
            }
            let Some(span) = resolved.spans.matcher.clone() else { continue };
            // One finding for a group, not one for each of its hooks.
            if !seen.insert((hook.origin.file.clone(), span.start)) {
                continue;
            }
            if let Some(regex) = glob {
                let message = format!("matcher `{text}` looks like a glob, but it is a regular expression");
                let help = format!("`{regex}` is what the glob would mean");
                self.at(
                    index,
                    span.clone(),
                    Finding::new(Severity::Note, DiagnosticCode::MatcherLikeGlob, message, help),
                );
                if matches_some {
                    continue;
                }
            }
            let message = format!("matcher `{text}` matches none of the agent's tools");
            let near = tool_words::of_another_agent(text)
                .or_else(|| near_words(text, tools.iter().copied()).first().map(|near| (*near).to_owned()));
            let help = match near {
                Some(near) => format!("did you mean `{near}`? The tools are: {}", tools.join(", ")),
                None => format!("the tools are: {}", tools.join(", ")),
            };
            let finding =
                Finding::new(Severity::Warning, DiagnosticCode::MatcherMatchesNoTool, message, help);
            self.at(index, span, finding);
        }
    }

    /// Hooks whose outputs the agent only observes, one finding for each event; and rules that block what cannot be
    /// blocked.
    /// One for each event and not for each hook, since the setting that helps is one for all.
    fn observed(&mut self) {
        let effects = Effects::new(self.settings.agent_events());
        let mut seen = HashSet::new();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let event = resolved.hook.event;
            if effects.only_observed(event) && seen.insert(event) {
                let message = format!("a block or a change by a hook of {event} {NO_EFFECT_HERE}");
                self.at_hook(
                    index,
                    Severity::Note,
                    DiagnosticCode::OnlyObserved,
                    message,
                    why_observed(event),
                );
            } else if !event.can_block() && blocks(&resolved.hook) {
                let message = format!("the block of this rule {NO_EFFECT_HERE}: {event} cannot be blocked");
                let help = "block in BeforeTool, BeforeModel, BeforeAgent or AfterAgent".to_owned();
                self.at_hook(index, Severity::Warning, DiagnosticCode::BlockInVain, message, help);
            }
        }
    }

    /// Commands that cannot be started as they are written, and workers that cannot be forked.
    fn commands(&mut self) {
        let environment = hookrail::internal::inherited_environment();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let hook = &resolved.hook;
            let obstacle =
                fork_obstacle(&Arc::new(hook.clone()), environment.clone(), self.context.project());
            let Some(obstacle) = obstacle else { continue };
            let severity = match obstacle {
                ForkObstacle::NotPython(_) => Severity::Warning,
                ForkObstacle::NotTheSame(_) => Severity::Note,
            };
            let message = format!("`\"worker\": \"fork\"` has no effect: the hook {}", obstacle.why());
            let help = "each event starts a process of its own".to_owned();
            self.at_hook(index, severity, DiagnosticCode::ForkWithoutEffect, message, help);
        }
        let commands = self.settings.hooks.iter().enumerate().filter_map(|(index, resolved)| {
            match &resolved.hook.kind {
                // Others are reported by the engine, and nothing can be asked about them.
                HookKind::Command(command) if !command.contains('\0') => {
                    Some((index, &resolved.hook, command.as_str()))
                }
                _ => None,
            }
        });
        for (index, problem) in program::all_problems(&commands.collect::<Vec<_>>(), self.context) {
            self.at_hook(index, problem.severity, problem.code, problem.message, problem.help);
        }
    }

    /// Hooks whose command another hook of higher rank runs already. Approval is left out of it: what is
    /// dropped is dropped once everything is approved.
    /// Targets are tried one by one, because a duplicate may be one for some tools only.
    fn duplicates(&mut self, hooks: &AsIfApproved) {
        let all = || self.settings.hooks.iter().map(|resolved| &resolved.hook);
        let mut dropped: BTreeMap<usize, (Arc<Hook>, Vec<String>)> = BTreeMap::new();
        for event in EventName::ALL {
            for target in targets(event, all().filter(|hook| hook.event == event)) {
                for (index, why) in hooks.skipped(event, target.as_deref()) {
                    let SkipReason::Duplicate { of } = why else { continue };
                    let (_, targets) = dropped.entry(index).or_insert_with(|| (of, Vec::new()));
                    targets.extend(target.clone());
                }
            }
        }
        for (index, (of, targets)) in dropped {
            let about =
                if targets.is_empty() { String::new() } else { format!(" for {}", targets.join(", ")) };
            let place = format!("{}:{}", shown(&of.origin.file, self.context), of.origin.line);
            let message =
                format!("this hook is dropped{about}: `{}` ({place}) runs the same command", of.name);
            let help = "remove one of the two".to_owned();
            self.at_hook(index, Severity::Warning, DiagnosticCode::DuplicateCommand, message, help);
        }
    }

    /// Rules that decide nothing because another one blocks the same calls.
    /// Hooks that are disabled shadow nothing.
    fn shadowed(&mut self, hooks: &AsIfApproved) {
        let disabled = EventName::ALL.into_iter().flat_map(|event| hooks.skipped(event, None));
        let disabled = disabled.filter(|(_, why)| matches!(why, SkipReason::Disabled(_)));
        let disabled: HashSet<usize> = disabled.map(|(index, _)| index).collect();
        let effects = Effects::new(self.settings.agent_events());
        for found in shadowed::shadowed(self.settings, &disabled, |event| effects.only_observed(event)) {
            if let Some((severity, message, help)) = found.told(self.settings) {
                self.at_hook(found.index, severity, DiagnosticCode::RuleShadowed, message, help.to_owned());
            }
        }
    }
}

/// Whether a hook is a rule that blocks.
fn blocks(hook: &Hook) -> bool {
    matches!(&hook.kind, HookKind::Rule(rule) if rule.output().is_blocking_decision())
}

/// What hooks of an event can be asked about: the agent's tools, or the words that matchers name.
/// An event without a target is asked once, without one.
fn targets<'h>(event: EventName, hooks: impl Iterator<Item = &'h Hook>) -> Vec<Option<String>> {
    match event.matching() {
        Matching::Tool => {
            ToolTable::standard().names().into_iter().map(|name| Some(name.to_owned())).collect()
        }
        Matching::Word { .. } | Matching::Ignored => {
            let words: BTreeSet<&str> = hooks.filter_map(|hook| hook.matcher.text()).collect();
            if words.is_empty() {
                return vec![None];
            }
            words.into_iter().map(|word| Some(word.to_owned())).collect()
        }
    }
}

/// A registry of all hooks as if they were approved, and the way back from its hooks to the settings.
/// Findings about matching and duplicates hold for the day when everything is approved, so an approval that is missing
/// must not hide them.
struct AsIfApproved {
    planner: HookPlanner,
    indices: HashMap<*const Hook, usize>,
}

impl AsIfApproved {
    /// Hooks are told apart by their address: two hooks of the settings may be equal in every field.
    fn new(settings: &ResolvedSettings) -> Self {
        let registry = Arc::new(HookRegistry::trusting(settings.hook_list(), &settings.disabled));
        // The registry ranks hooks by source and keeps their order within it.
        let mut indices: Vec<(ConfigSource, usize)> = settings
            .hooks
            .iter()
            .enumerate()
            .map(|(index, resolved)| (resolved.hook.source, index))
            .collect();
        indices.sort_unstable();
        let ranked = registry.all_hooks();
        let indices =
            ranked.iter().zip(indices).map(|(status, (_, index))| (Arc::as_ptr(&status.hook), index));
        Self { indices: indices.collect(), planner: HookPlanner::new(registry) }
    }

    /// What the hooks of an event are left out for, by their index in the settings.
    fn skipped(&self, event: EventName, target: Option<&str>) -> Vec<(usize, SkipReason)> {
        let skipped = self.planner.explain(event, target).skipped.into_iter();
        skipped
            .filter_map(|skipped| Some((*self.indices.get(&Arc::as_ptr(&skipped.hook))?, skipped.why)))
            .collect()
    }
}
