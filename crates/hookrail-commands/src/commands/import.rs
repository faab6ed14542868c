//! `hookrail import`: another agent's hooks in hookrail's format, with a line for everything that is lost or changed.
//!
//! What is printed to stdout is a settings file; what was lost, changed or has another meaning here goes to stderr, one
//! line each. The other agent's files are only read, unless `--move` takes out of them what was imported.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::EventName;
use hookrail::components::{HookDialect, Level, Matcher};
use hookrail::settings::{LockedFile, PROJECT_DIR_VARIABLES};
use hookrail_bridge::{Agent, Imported, LossKind, SettingsFormat, import, script_hints, without_imported};
use hookrail_shell::{Piece, Word, outline};
use serde_json::Value;

use crate::cli::ImportArgs;
use crate::commands::connect::{hook_files, place, user_place};
use crate::context::{Context, refuse_inside_agent};
use crate::display::shown;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::findings::{self, Off};
use crate::plain_file;
use crate::settings_file::{self, edit};
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};

/// Prints the hooks, or adds them to the settings.
/// An agent may look, but not write.
pub(crate) fn run(args: &ImportArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let writes = args.write || args.moves;
    if writes {
        refuse_inside_agent("hooks")?;
    }
    refuse_without_command_hooks(args.agent, context)?;
    let files = match &args.file {
        Some(file) => vec![file.clone()],
        None => hook_files(args.agent, args.project, context),
    };
    let mut all = Imported::default();
    let mut edits = Vec::new();
    for file in &files {
        let text =
            plain_file::read_text(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let imported = import(args.agent, &text).map_err(|error| {
            Hinted::new(format!("cannot read `{}`: {error}", shown(file, context)), "fix the file first")
        })?;
        for line in &imported.report {
            let place = if files.len() > 1 { format!("{}: ", shown(file, context)) } else { String::new() };
            printer.message(escape_line(&format!("{place}{line}")));
        }
        if args.moves && !imported.places.is_empty() {
            // Before anything is written: a file that cannot be edited keeps its hooks, and so do we.
            let after = without_imported(args.agent, &text, &imported.places).map_err(|error| {
                Hinted::new(
                    format!("cannot change `{}`: {error}", shown(file, context)),
                    "use `--write` instead",
                )
            })?;
            edits.push(FileEdit { file, before: text, after });
        }
        all.append(imported);
    }
    if files.is_empty() {
        let place = place(args.agent, args.project, context);
        let place = place.map_or_else(|| "the project".to_owned(), |place| shown(&place.path, context));
        let message = format!("{} has no hooks at `{place}`", args.agent.title());
        return fail(message, "name the file: `hookrail import AGENT FILE`");
    }
    match all.own_entries {
        0 => {}
        1 => printer.message("note: 1 entry calls hookrail itself and is left out"),
        count => printer.message(format_args!("note: {count} entries call hookrail itself and are left out")),
    }
    print_script_hints(&all, context, printer);
    if writes {
        write(args, &all, context, printer)?;
    }
    if args.moves {
        for edit in &edits {
            edit.apply(args.agent, context, printer)?;
        }
        if !edits.is_empty() && all.own_entries == 0 {
            let title = args.agent.title();
            printer.message(format_args!(
                "warning: these files of {title} do not call hookrail, so the hooks may no longer run there"
            ));
            printer.message(format_args!("hint: `hookrail connect {}`", args.agent));
        }
    } else if args.write {
        print_twice(args.agent, &files, &all, context, printer);
    } else {
        printer.json_pretty(&all.settings)?;
    }
    // A hook that is left out may be a guard.
    let has_losses = all.report.iter().any(|line| line.kind == LossKind::Lost);
    Ok(if has_losses { ExitStatus::Failure } else { ExitStatus::Success })
}

/// A file of the agent, before and after its hooks are taken out.
struct FileEdit<'a> {
    file: &'a Path,
    before: String,
    after: String,
}

impl FileEdit<'_> {
    /// Replaces the file, unless it changed since it was imported.
    fn apply(&self, agent: Agent, context: &Context, printer: &mut Printer) -> anyhow::Result<()> {
        let name = shown(self.file, context);
        let locked = LockedFile::lock(self.file, &context.state_dir().join("connect.lock"))?;
        let now = plain_file::read_text(locked.path()).with_context(|| format!("cannot read `{name}`"))?;
        if now != self.before {
            let message = format!("`{name}` was changed meanwhile and was left alone");
            return fail(message, format!("`hookrail import {agent} --move` again"));
        }
        locked.replace(self.after.as_bytes(), 0o644)?;
        printer.data(format_args!("took them out of {name}"))
    }
}

/// The agent still runs the hooks itself. Where it is connected, it runs them a second time through hookrail.
fn print_twice(
    agent: Agent,
    files: &[PathBuf],
    imported: &Imported,
    context: &Context,
    printer: &mut Printer,
) {
    if hooks(imported).is_empty() {
        return;
    }
    let title = agent.title();
    let names: Vec<String> = files.iter().map(|file| shown(file, context)).collect();
    let place = names.join(", ");
    if imported.own_entries > 0 {
        printer.message(format_args!(
            "warning: {title} is connected to hookrail and still runs these hooks itself, so each of them runs twice there"
        ));
        printer.message(format_args!("hint: `hookrail import {agent} --move` takes them out of {place}"));
    } else {
        printer.message(format_args!(
            "note: {title} still runs these hooks itself; `hookrail import {agent} --move` takes them out of {place}: do so before `hookrail connect {agent}`, or each of them runs twice there"
        ));
    }
}

/// Refuses an agent that has no hooks of its own to import, whether or not a file is named.
fn refuse_without_command_hooks(agent: Agent, context: &Context) -> anyhow::Result<()> {
    let title = agent.title();
    let (why, hint) = match user_place(agent, context).format {
        _ if agent == Agent::Llxprt => {
            ("reads the same settings as hookrail", "`hookrail list` shows them".to_owned())
        }
        SettingsFormat::Json | SettingsFormat::Toml => return Ok(()),
        SettingsFormat::Plugin => {
            ("has no command hooks", format!("`hookrail connect {agent}` has it call hookrail's"))
        }
    };
    fail(format!("{title} {why}; there is nothing to import"), hint)
}

/// Adds every imported hook to our settings; those that are there already are left alone.
/// Hooks are compared by event, matcher and command, so a second import adds nothing.
fn write(
    args: &ImportArgs,
    imported: &Imported,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let file = if args.project {
        context.paths.project_file()
    } else {
        context.paths.user_file().ok_or_else(|| Hinted::new("there is no home directory", "set HOME"))?
    };
    let known = context.settings();
    // The same command of another level is another hook: it may be off, or not approved.
    let same_level = if args.project { Level::Project } else { Level::User };
    let is_known = |imported: &ImportedHook<'_>| {
        let matcher = Matcher::for_event(imported.event, imported.matcher);
        let dialect = match (imported.key, imported.hook.get("dialect")) {
            (_, None) => HookDialect::Own,
            ("PostToolUseFailure", _) => HookDialect::ClaudeFailure,
            _ => HookDialect::Claude,
        };
        known.hooks.iter().any(|resolved| {
            resolved.hook.origin.level == same_level
                && resolved.hook.event == imported.event
                && resolved.hook.dialect == dialect
                && resolved.hook.matcher.text() == matcher.text()
                && imported.hook.get("command").and_then(Value::as_str) == resolved.hook.command_text()
        })
    };
    let disabled = imported.settings.get("hooksConfig").and_then(|config| config.get("disabled"));
    let disabled: Vec<&str> =
        disabled.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let level = if args.project { known.enable.project } else { known.enable.user };
    let turn_on = level.is_none();
    let mut added = 0;
    let mut is_applied = false;
    let mut chained: Vec<EventName> = Vec::new();
    let change = |text: &str| {
        let mut text = text.to_owned();
        for imported in hooks(imported) {
            if is_known(&imported) {
                continue;
            }
            let ImportedHook { event, key, matcher, is_sequential, hook } = imported;
            if is_sequential && !chained.contains(&event) {
                chained.push(event);
            }
            text = edit::add_hook(&text, key, matcher, is_sequential, hook)?;
            added += 1;
            if event.is_agent_event() && hook.get("dialect").is_some() {
                let before = std::mem::take(&mut text);
                text = edit::apply_agent_events(&before)?;
                is_applied |= text != before;
            }
        }
        for name in &disabled {
            text = edit::set_hook_disabled(&text, name, true)?;
        }
        // Hooks are on in other agents unless they were turned off; a switch that was set here is left alone.
        if turn_on && added > 0 {
            text = edit::set_enable_hooks(&text, true)?;
        }
        Ok(text)
    };
    settings_file::change(&file, context, change, || Ok(()))?;
    printer.data(format_args!("added {} to {}", counted(added, "hook"), shown(&file, context)))?;
    for event in chained {
        printer.message(format_args!(
            "note: all hooks of {event} run one after another now, as the imported ones do"
        ));
    }
    if turn_on && added > 0 {
        printer.message("note: `enableHooks` is set to `true`, as these hooks are on in the other agent");
    }
    if is_applied {
        printer.message(
            "note: `hooksConfig.agentEvents` is set to `apply`, so that hooks of prompts, sessions and ends count in `hookrail agent` too",
        );
    }
    if args.project && added > 0 {
        printer.message("hint: they run once they are approved: `hookrail trust`");
    } else if let Some(Off { why, help }) =
        findings::why_off(&context.settings(), context).filter(|_| added > 0)
    {
        printer.message(format_args!("warning: the imported hooks stay off: {why}"));
        printer.message(format_args!("hint: {help}"));
    }
    Ok(())
}

/// One imported hook, with the fields of its group.
pub(super) struct ImportedHook<'a> {
    pub(super) event: EventName,
    /// The event as the settings name it.
    key: &'a str,
    matcher: Option<&'a str>,
    is_sequential: bool,
    pub(super) hook: &'a Value,
}

pub(super) fn hooks(imported: &Imported) -> Vec<ImportedHook<'_>> {
    let mut found = Vec::new();
    let events = imported.settings.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let known = |name: &str| name.parse().ok().or_else(|| EventName::of_another_agent(name));
    for (event, key, groups) in events.filter_map(|(name, groups)| Some((known(name)?, name, groups))) {
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group.get("matcher").and_then(Value::as_str);
            let is_sequential = group.get("sequential") == Some(&Value::Bool(true));
            let list = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            found.extend(list.map(|hook| ImportedHook { event, key, matcher, is_sequential, hook }));
        }
    }
    found
}

/// Looks into the scripts that the hooks name, and prints which of their words mean something else here.
/// Scripts read fields and print words that each agent names differently. Files that are large or no text are left out.
fn print_script_hints(imported: &Imported, context: &Context, printer: &mut Printer) {
    let mut seen: Vec<PathBuf> = Vec::new();
    // One that stays in the terms of its agent needs no change.
    let changed = hooks(imported).into_iter().filter(|imported| imported.hook.get("dialect").is_none());
    for ImportedHook { hook, .. } in changed {
        let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
        for path in outline(command).words().filter_map(|(_, word)| named_path(word, context)) {
            let is_script =
                path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() < 1 << 20);
            if !is_script || seen.contains(&path) {
                continue;
            }
            let Ok(text) = plain_file::read_text(&path) else { continue };
            for hint in script_hints(&text) {
                let place = format!("{}:{}", shown(&path, context), hint.line);
                printer.message(format_args!("script: {place}: `{}`: {}", hint.word, hint.meaning));
            }
            seen.push(path);
        }
    }
}

/// The file that a word of a command may name: relative to the project, or to the home directory behind `~/`.
/// `None` where a variable decides about it.
fn named_path(word: &Word, context: &Context) -> Option<PathBuf> {
    let mut name = String::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text { text, .. } => name.push_str(text),
            // What follows is relative to the project then, as it is without the variable.
            Piece::Variable { name: variable, is_plain: true }
                if name.is_empty() && PROJECT_DIR_VARIABLES.contains(&variable.as_str()) =>
            {
                name.push('.');
            }
            Piece::Variable { .. } | Piece::Expansion => return None,
        }
    }
    Some(match name.strip_prefix("~/") {
        Some(inside) => context.paths.home.join(inside),
        None => context.project().join(Path::new(&name)),
    })
}
