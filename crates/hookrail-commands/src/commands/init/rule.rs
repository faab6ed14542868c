//! `hookrail init --rule`: a first rule in the settings, with examples. There is no script to write.
//!
//! The rule shows what a rule can and a pattern cannot: it finds the command behind `sudo` and in any order of options,
//! and leaves alone what only mentions it.

use hookrail::EventName;
use serde_json::json;

use super::{TargetFile, approve, first_test, turn_on};
use crate::cli::InitArgs;
use crate::context::Context;
use crate::display::shown;
use crate::exit::{ExitStatus, fail};
use crate::terminal::printer::Printer;

/// The name of the rule, after what it does.
const NAME: &str = "no-force-push";

/// What to type next.
const NEXT: &str = r#"
Try it:
  hookrail fire BeforeTool --tool run_shell_command --input '{"command":"git push -f"}'
See what rules see of a command:
  hookrail facts BeforeTool --tool run_shell_command --input '{"command":"sudo git push -f"}'
`hookrail rules` lists rules that are ready to use."#;

/// Adds the rule to the settings and approves it, as `init` does with a script.
/// There is one starter rule, for tool calls; other events are refused with what to do instead.
pub(super) fn run(args: &InitArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    if args.event != EventName::BeforeTool {
        let message = format!("there is no starter rule for {}", args.event);
        return fail(message, "leave the event out, or leave `--rule` out");
    }
    let target = TargetFile::new(args, context)?;
    let before = context.settings();
    let settings_waited = approve::settings_wait(&before, context);
    let taken = |name: &str| before.hooks.iter().any(|resolved| resolved.hook.name == name);
    let name = args.name.clone().unwrap_or_else(|| {
        let numbered = (2..).map(|number| format!("{NAME}-{number}"));
        std::iter::once(NAME.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    });
    if taken(&name) {
        return fail(format!("there is a hook named `{name}`"), "choose another with `--name`");
    }
    let rule = json!({
        "type": "rule",
        "name": name,
        "when": { "command": "git push --force" },
        "block": "A force push can overwrite the work of others. Ask a person to do it.",
        "examples": {
            "match": ["git push -f", "sudo git push origin --force"],
            "noMatch": ["git push", "git stash push --force", "echo git push -f"],
        },
    });
    let listens = (args.event, Some("run_shell_command"));
    let flag_file = target.add(listens, &rule, &before, context, || Ok(()))?;
    printer.data(format_args!("added the rule `{name}` to {}", shown(&target.settings, context)))?;
    if let Some(file) = flag_file {
        turn_on(&file, context, printer)?;
    }
    if !target.is_users {
        approve::approve(&name, |pending| pending.hook.name == name, settings_waited, context, printer)?;
        first_test::write(&name, &first_test::of_rule(&name), context, printer)?;
    }
    printer.data(NEXT)?;
    Ok(ExitStatus::Success)
}
