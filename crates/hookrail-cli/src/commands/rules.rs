//! `hookrail rules`: the shipped guards, which one line of settings turns on.
//!
//! Each has examples of what it blocks and what it leaves alone, which `hookrail rules NAME` shows.

use hookrail::components::HookStatus;
use hookrail::internal::library::{self, Guard};
use hookrail::internal::{RegistryScope, ResolvedSettings};
use serde_json::json;

use crate::cli::{Format, RulesArgs};
use crate::context::Context;
use crate::display::{near_words, shown};
use crate::exit::{ExitStatus, Hinted};
use crate::terminal::layout::wrap;
use crate::terminal::printer::Printer;
use crate::terminal::screen::stdout_columns;
use crate::terminal::style::{Style, paint};

/// Lists the guards, or shows one of them in full.
pub(crate) fn run(args: &RulesArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    if let Some(name) = &args.name {
        return show(name, printer);
    }
    let running = running(&context.settings());
    let guards: Vec<Guard> = library::all().collect();
    match args.format {
        Format::Json => {
            let list: Vec<_> = guards
                .iter()
                .map(|guard| {
                    json!({
                        "name": guard.name,
                        "description": guard.description,
                        "matcher": guard.matcher.text(),
                        "on": is_on(guard, &running),
                    })
                })
                .collect();
            printer.json_pretty(&json!({ "rules": list }))?;
        }
        Format::Text => {
            let width = guards.iter().map(|guard| guard.name.len()).max().unwrap_or(0);
            for guard in &guards {
                let is_on = is_on(guard, &running);
                printer.data(render(guard, is_on, width, stdout_columns()))?;
            }
            let file = context.paths.user_file().map(|file| shown(&file, context));
            let file = file.unwrap_or_else(|| "your settings".to_owned());
            printer.message(format_args!("\nTo turn some on, name them in {file}:"));
            printer.message("  { \"enableHooks\": true, \"hooksConfig\": { \"rules\": [\"no-force-push\", \"no-secret-files\"] } }");
            printer.message("`hookrail rules NAME` shows a rule with its examples.");
        }
    }
    Ok(ExitStatus::Success)
}

/// A guard on one line, or on several that end between words where the terminal is too narrow for one.
fn render(guard: &Guard, is_on: bool, width: usize, columns: Option<usize>) -> String {
    let (word, style) = if is_on { ("on ", Style::BoldGreen) } else { ("off", Style::Dim) };
    let head = format!("{:width$}  {}", guard.name, paint(style, word));
    let indent = width + 7;
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
        let names: Vec<String> = library::names().collect();
        let near = near_words(name, names.iter().map(String::as_str));
        let hint = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hookrail rules` lists the names".to_owned(),
        };
        return Err(Hinted::new(format!("there is no shipped rule `{name}`"), hint).into());
    };
    printer.data(guard.text.trim_end())?;
    Ok(ExitStatus::Success)
}

/// The hooks that run: none where hooks are off.
fn running(settings: &ResolvedSettings) -> Vec<HookStatus> {
    let mut hooks = settings.registry(RegistryScope::On).all_hooks();
    hooks.retain(|status| settings.activation.is_on() && status.may_run());
    hooks
}

/// Whether a shipped guard is one of the hooks that run.
fn is_on(guard: &Guard, running: &[HookStatus]) -> bool {
    // A rule of the user's own may have the same name.
    running.iter().any(|status| status.hook.definition.as_deref() == Some(guard.text))
}
