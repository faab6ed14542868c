//! `hookrail rules`: the shipped guards, which one line of settings turns on.
//!
//! Each has examples of what it blocks and what it leaves alone, which `hookrail rules NAME` shows.

use std::path::{Path, PathBuf};

use hookrail::Hook;
use hookrail::components::{HookKind, HookStatus, Level};
use hookrail::rules::library::{self, Guard, Preset};
use hookrail::settings::{RegistryScope, ResolvedSettings};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::cli::{Format, RulesAction, RulesArgs, RulesExcept, RulesNames};
use crate::context::{Context, refuse_inside_agent};
use crate::display::{is_home, near_words, shown};
use crate::exit::{ExitStatus, Hinted, fail};
use crate::hook_log::{find_decision, path_in};
use crate::settings_file::{self, edit};
use crate::terminal::layout::wrap;
use crate::terminal::printer::{Printer, escape_json, escape_line};
use crate::terminal::screen::stdout_columns;
use crate::terminal::style::{Style, paint};

/// Lists the guards, or shows one of them in full.
pub(crate) fn run(args: &RulesArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    match (&args.action, &args.name) {
        (Some(RulesAction::Enable(names)), _) => return enable(names, context, printer),
        (Some(RulesAction::Disable(names)), _) => return disable(names, context, printer),
        (Some(RulesAction::Except(args)), _) => return except(args, context, printer),
        (None, Some(name)) => return show(name, printer),
        (None, None) => {}
    }
    let running = running(&context.settings());
    let guards: Vec<Guard> = library::all().collect();
    match args.format {
        Format::Json => {
            let list: Vec<_> = guards
                .iter()
                .map(|guard| {
                    let on = running_guard(guard, &running);
                    let decision = if guard.rule.output().is_blocking_decision() { "block" } else { "ask" };
                    let from = on.map(|hook| format!("{}:{}", hook.origin.file.display(), hook.origin.line));
                    json!({
                        "name": guard.name,
                        "description": guard.description,
                        "preset": guard.preset.as_str(),
                        "decision": decision,
                        "matcher": guard.matcher.text(),
                        "on": on.is_some(),
                        "from": from,
                        "exceptions": on.map_or(0, exceptions),
                    })
                })
                .collect();
            printer.json_pretty(&json!({ "rules": list }))?;
        }
        Format::Text => {
            let width = guards.iter().map(|guard| guard.name.len()).max().unwrap_or(0);
            for guard in &guards {
                let on = running_guard(guard, &running);
                printer.data(render(guard, on, width, stdout_columns()))?;
            }
            let file = context.paths.user_file().map(|file| shown(&file, context));
            let file = file.unwrap_or_else(|| "your settings".to_owned());
            printer.message(format_args!(
                "\n`hookrail rules enable @standard` turns the recommended ones on; this is in {file}:\n  \
                 {{ \"enableHooks\": true, \"hooksConfig\": {{ \"rules\": [\"@standard\"] }} }}\n\
                 `hookrail rules NAME` shows a rule with its examples."
            ));
        }
    }
    Ok(ExitStatus::Success)
}

/// A guard on one line, or on several that end between words where the terminal is too narrow for one.
fn render(guard: &Guard, on: Option<&Hook>, width: usize, columns: Option<usize>) -> String {
    let (word, style) = if on.is_some() { ("on ", Style::BoldGreen) } else { ("off", Style::Dim) };
    let preset = guard.preset.as_str();
    let head = format!("{:width$}  {}  {preset:8}", guard.name, paint(style, word));
    let indent = width + 17;
    match columns {
        None => format!("{head}  {}", guard.description),
        // A column of a few words would be hard to read.
        Some(columns) if columns < indent + 40 => {
            let lines = wrap(&guard.description, columns.saturating_sub(4));
            format!("{head}\n    {}", lines.join("\n    "))
        }
        Some(columns) => {
            let lines = wrap(&guard.description, columns - indent);
            format!("{head}  {}", lines.join(&format!("\n{}", " ".repeat(indent))))
        }
    }
}

/// The rule's own text, as it could stand in the settings.
fn show(name: &str, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let Some(guard) = library::find(name) else {
        return Err(unknown(name));
    };
    printer.data(guard.text.trim_end())?;
    Ok(ExitStatus::Success)
}

/// A name that no shipped rule has.
fn unknown(name: &str) -> anyhow::Error {
    let near = near_words(name, library::names().chain(["@standard", "@strict"]));
    let hint = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`hookrail rules` lists the names".to_owned(),
    };
    Hinted::new(format!("there is no shipped rule `{name}`"), hint).into()
}

/// The hooks that run: none where hooks are off.
pub(super) fn running(settings: &ResolvedSettings) -> Vec<HookStatus> {
    let mut hooks = settings.registry(RegistryScope::On).all_hooks();
    hooks.retain(|status| settings.activation.is_on() && status.may_run());
    hooks
}

/// The hook that a shipped guard is, where it runs.
fn running_guard<'h>(guard: &Guard, running: &'h [HookStatus]) -> Option<&'h Hook> {
    running_guards(guard, running).next()
}

/// The same at each level that turns it on.
fn running_guards<'h>(guard: &Guard, running: &'h [HookStatus]) -> impl Iterator<Item = &'h Hook> {
    let name = guard.name.clone();
    let is_it = move |hook: &&Hook| hook.shipped && hook.name == name;
    running.iter().map(|status| &*status.hook).filter(is_it)
}

/// How many exceptions a guard has.
fn exceptions(hook: &Hook) -> usize {
    match &hook.kind {
        HookKind::Rule(rule) => rule.exceptions(),
        _ => 0,
    }
}

/// The settings file that is changed, and the words, which must be known.
fn file_for(names: &RulesNames, context: &Context) -> anyhow::Result<PathBuf> {
    refuse_inside_agent("which rules are on")?;
    for name in &names.names {
        let is_preset = name.starts_with('@') && Preset::named(name).is_some();
        if !is_preset && library::text(name).is_none() {
            return Err(unknown(name));
        }
    }
    if names.project && !is_home(context.project(), context) {
        return Ok(context.paths.project_file());
    }
    let file = context.paths.user_file();
    Ok(file.ok_or_else(|| Hinted::new("there is no home directory", "set HOME, or use --project"))?)
}

fn enable(names: &RulesNames, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let file = file_for(names, context)?;
    let words: Vec<&str> = names.names.iter().map(String::as_str).collect();
    turn_on(&file, &words, context)?;
    printer.data(format_args!("on in {}: {}", shown(&file, context), words.join(", ")))?;
    if names.project {
        printer.message("A project's rules count once they are approved: `hookrail trust`.");
    }
    Ok(ExitStatus::Success)
}

/// Turns rules or presets on in a settings file, and hooks with them; whether that changed the file.
pub(crate) fn turn_on(file: &Path, words: &[&str], context: &Context) -> anyhow::Result<bool> {
    let change = |text: &str| {
        let mut text = edit::add_rules(text, words)?;
        for word in words.iter().filter(|word| !word.starts_with('@')) {
            text = edit::set_hook_disabled(&text, word, false)?;
        }
        edit::set_enable_hooks(&text, true)
    };
    settings_file::change(file, context, change, || Ok(()))
}

/// Takes names out of the file. A rule that a preset turns on is disabled by name.
fn disable(names: &RulesNames, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let file = file_for(names, context)?;
    for name in &names.names {
        settings_file::change(&file, context, |text| edit::remove_rule(text, name), || Ok(()))?;
        let shown_file = shown(&file, context);
        let is_still_on = library::find(name).is_some_and(|guard| {
            let level = if names.project { Level::Project } else { Level::User };
            let running = running(&context.settings());
            running_guard(&guard, &running).is_some_and(|hook| hook.origin.level == level)
        });
        if is_still_on {
            let add = |text: &str| edit::set_hook_disabled(text, name, true);
            settings_file::change(&file, context, add, || Ok(()))?;
            printer.data(format_args!("off: {name} is disabled in {shown_file}, beside the preset"))?;
        } else {
            printer.data(format_args!("off: {name} is no longer in {shown_file}"))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Writes an exception for exactly the call of a decision into each settings file that turned the rule on.
fn except(args: &RulesExcept, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("what rules stop")?;
    let decision = find_decision(&path_in(&context.state_dir()), &args.id)?;
    let name = decision.hook.as_deref().unwrap_or_default();
    let Some(guard) = library::find(name) else {
        let message = "no shipped rule made this decision";
        return fail(message, "`hookrail log` shows which hook did; change its settings");
    };
    let Some((tool, input)) = decision.whole_call() else {
        let message = format!("the log has only a part of the call of `{}`", args.id);
        return fail(message, "write the exception into the settings by hand");
    };
    if let Some(until) = &args.until
        && until.parse::<Date>().is_err()
    {
        return fail(format!("`{until}` is not a day"), "write it as 2026-12-31");
    }
    let mut when = json!({ "tool": tool });
    for (argument, value) in input {
        set(&mut when, &format!("input.{argument}"), json!({ "equals": value }));
    }
    let mut entry = json!({ "name": guard.name, "except": [when] });
    for (key, value) in [("until", &args.until), ("why", &args.why)] {
        if let Some(value) = value {
            set(&mut entry, key, value.as_str().into());
        }
    }
    let context = context.clone().in_project_of(decision.project.as_deref().map(Path::new))?;
    let running = running(&context.settings());
    let on: Vec<&Hook> = running_guards(&guard, &running).collect();
    if on.is_empty() {
        return fail(format!("`{name}` is not on there"), "`hookrail rules` shows which are");
    }
    if let Some(hook) = on.iter().find(|hook| !matches!(hook.origin.level, Level::User | Level::Project)) {
        let message = format!("`{name}` was turned on by the {} settings, and stays", hook.origin.level);
        return fail(message, "only whoever manages them can make an exception");
    }
    let text = escape_json(&serde_json::to_string(&entry)?).into_owned();
    for hook in on {
        let (file, shown_file) = (&hook.origin.file, shown(&hook.origin.file, &context));
        if args.dry_run {
            printer.data(format_args!("would write to hooksConfig.rules in {shown_file}: {text}"))?;
            continue;
        }
        let change = |text: &str| edit::add_rule_entry(text, &entry);
        let word = if settings_file::change(file, &context, change, || Ok(()))? {
            "wrote to"
        } else {
            "is already in"
        };
        printer.data(format_args!("{word} {shown_file}: {text}"))?;
        if hook.origin.level == Level::Project {
            let project = escape_line(&context.project().display().to_string());
            printer.message(format_args!("It counts once it is approved: `hookrail trust` in {project}."));
        }
    }
    Ok(ExitStatus::Success)
}

/// Adds a key; every value it is used with is an object.
fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(object) = object {
        object.insert(key.to_owned(), value);
    }
}
