//! `hookrail rules`: the shipped guards, which one line of settings turns on.
//!
//! Each has examples of what it blocks and what it leaves alone, which `hookrail rules NAME` shows.

use hookrail::components::HookStatus;
use hookrail::internal::library::{self, Guard};
use hookrail::internal::{RegistryScope, ResolvedSettings};
use serde_json::json;

use crate::cli::{Format, RulesArgs};
use crate::context::Context;
use crate::display::near_words;
use crate::exit::{ExitStatus, Hinted};
use crate::terminal::printer::Printer;

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
                let state = if is_on(guard, &running) { "on " } else { "off" };
                printer.data(format_args!("{:width$}  {state}  {}", guard.name, guard.description))?;
            }
            printer.message("\nTo turn some on, name them in your settings:");
            printer.message("  \"hooksConfig\": { \"rules\": [\"no-force-push\", \"no-secret-files\"] }");
            printer.message("`hookrail rules NAME` shows a rule with its examples.");
        }
    }
    Ok(ExitStatus::Success)
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
