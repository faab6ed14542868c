//! The result of an event for people: hook by hook, then the verdict.
//!
//! What a hook wrote is shown, escaped and shortened; the same text only once.

use std::fmt::Write as _;

use hookrail::components::Level;
use hookrail::{BlockCause, EventName, Hook, HookOutput, HookRun};
use hookrail_agent::log::millis;
use serde_json::Value;

use super::Fired;
use super::report::SkippedHook;
use super::summary::RepeatSummary;
use crate::commands::failure_hint;
use crate::context::Context;
use crate::display::ended;
use crate::effect::{NO_EFFECT_HERE, consequence_of_failure, why_observed};
use crate::terminal::printer::{escape, escape_line};
use crate::terminal::style::{Style, paint};

/// How much of a text is shown; JSON has all of it.
const SHOWN: usize = 2_000;

/// Renders everything.
/// Hooks in the order of the plan, those that did not run, the verdict, and with `--repeat` the numbers.
pub(super) fn render(fired: &Fired<'_>, summary: Option<&RepeatSummary>, context: &Context) -> String {
    let mut text = fired.result.event.to_string();
    // The tool's name, or the word of a session event.
    if let Some(subject) = fired.input.event().match_target() {
        let _ = write!(text, " {}", escape_line(subject));
    }
    let _ = match fired.result.runs.len() {
        0 => writeln!(text, ": no hook ran"),
        1 => writeln!(text, ": 1 hook ran"),
        n => writeln!(text, ": {n} hooks ran"),
    };
    for run in &fired.result.runs {
        render_run(&mut text, run, fired, context);
    }
    // A preset brings many rules that do not hold, all for the same reason and from the same line.
    let same = |one: &SkippedHook, other: &SkippedHook| {
        one.why == other.why && from(&one.hook, context) == from(&other.hook, context)
    };
    for group in fired.skipped.chunk_by(same) {
        let Some(first) = group.first() else { continue };
        let names: Vec<String> = group.iter().map(|skipped| escape_line(&skipped.hook.name)).collect();
        let _ = match names.as_slice() {
            [a, b, c, _, rest @ ..] => {
                writeln!(
                    text,
                    "\nskipped  {a}, {b}, {c} and {} more (all with --format json)",
                    rest.len() + 1
                )
            }
            few => writeln!(text, "\nskipped  {}", few.join(", ")),
        };
        line(&mut text, "why", &first.why);
        line(&mut text, "from", &from(&first.hook, context));
    }
    render_verdict(&mut text, fired);
    if let Some(native) = &fired.native {
        let answer = if native.answer.is_null() { "nothing".to_owned() } else { native.answer.to_string() };
        labelled(&mut text, "answer", &answer);
        if !native.stderr.is_empty() {
            labelled(&mut text, "stderr", native.stderr.trim_end());
        }
    }
    if let Some(summary) = summary {
        text.push_str(&summary.render());
    }
    text
}

/// A failure is shown with its consequence for the event, because most failures change nothing.
fn render_run(text: &mut String, run: &HookRun, fired: &Fired<'_>, context: &Context) {
    let event = fired.result.event;
    let _ = writeln!(text, "\nran      {}", escape_line(&run.hook.name));
    if let Some(command) = run.hook.command_text().filter(|command| *command != run.hook.name) {
        line(text, "command", command);
    }
    line(text, "from", &from(&run.hook, context));
    line(text, "took", &format!("{} ms, {}", millis(run.duration), ended(run.exit())));
    if let Some(why) = run.failure() {
        // The failure contains what the hook wrote to stderr, and a hook that failed has no answer to show.
        line(text, &consequence_of_failure(event, run, fired.result.block.is_some()), &why.to_string());
        if let Some(hint) = failure_hint::hint(event, run, context) {
            line(text, "hint", &hint);
        }
    } else if let Some(output) = &run.output {
        render_output(text, output, !event.can_block() || fired.effects.only_observes(event));
    }
    let repeated = run.output.as_ref().and_then(|output| output.reason.as_deref());
    let stderr = run.stderr.trim();
    if run.failure().is_none() && !stderr.is_empty() && Some(stderr) != repeated {
        line(text, "stderr", stderr);
    }
    // The text that an answer was read from adds nothing new.
    if run.output.is_none() && !run.stdout.trim().is_empty() {
        line(text, "stdout", run.stdout.trim());
    }
    for warning in &run.warnings {
        line(text, "warning", warning);
    }
}

/// The fields of an answer as they were given. A block that the event does not carry out is marked.
fn render_output(text: &mut String, output: &HookOutput, block_has_no_effect: bool) {
    let Ok(Value::Object(fields)) = serde_json::to_value(output) else { return };
    for (key, value) in &fields {
        match value {
            Value::String(word)
                if key == "decision" && block_has_no_effect && output.is_blocking_decision() =>
            {
                line(text, key, &format!("{word} ({NO_EFFECT_HERE})"));
            }
            Value::String(value) => line(text, key, value),
            other => line(text, key, &other.to_string()),
        }
    }
}

/// What the agent would do now. An event that is only observed has a verdict too, which shows that it has no effect.
fn render_verdict(text: &mut String, fired: &Fired<'_>) {
    let result = &fired.result;
    let observed = fired.effects.only_observes(result.event);
    let verdict = match &result.block {
        Some(block) if observed => format!("a block, which {NO_EFFECT_HERE}: {}", block.reason),
        Some(block) => {
            let cause = match block.cause {
                BlockCause::Policy => "by policy",
                BlockCause::Failure => "by failure",
            };
            format!("blocked {cause}: {}", block.reason)
        }
        None => match (&result.ask, &result.stop) {
            (Some(ask), _) => format!("a person decides: {ask}"),
            (None, Some(_)) => "not blocked".to_owned(),
            (None, None) => "allowed".to_owned(),
        },
    };
    text.push('\n');
    let style = match (&result.block, &result.ask, &result.stop) {
        (Some(_), ..) if !observed => Style::Red,
        (None, Some(_), _) => Style::Yellow,
        (None, None, Some(_)) => Style::Red,
        (None, None, None) => Style::BoldGreen,
        _ => Style::Plain,
    };
    let _ = writeln!(text, "{} {}", paint(style, "verdict "), indented(&verdict, "         "));
    if let Some(stop) = &result.stop {
        labelled(text, "stop", stop.as_str());
    }
    if let Some(message) = &result.system_message {
        labelled(text, "message", message);
    }
    if result.suppress_output {
        labelled(text, "output", "suppressed");
    }
    if let Some(specific) =
        result.aggregated.final_output.as_ref().and_then(|output| output.hook_specific_output.as_ref())
    {
        labelled(text, "asks for", &Value::Object(specific.clone()).to_string());
    }
    if observed && asks_for_something(result.event, result.aggregated.final_output.as_ref()) {
        labelled(text, "note", &format!("this {NO_EFFECT_HERE}: {}", why_observed(result.event)));
    }
    // The errors of single hooks are printed with the hooks.
    for error in result.aggregated.errors.iter().filter(|error| error.hook.is_none()) {
        labelled(text, "error", &error.to_string());
    }
}

/// Whether an output asks for anything that an agent could do.
/// Only then does the verdict mention that it has no effect.
fn asks_for_something(event: EventName, output: Option<&HookOutput>) -> bool {
    output.is_some_and(|output| {
        (event.can_block() && output.is_blocking_decision())
            || output.should_stop_execution()
            || output.hook_specific_output.is_some()
    })
}

/// Adds an indented `label: value` below a hook.
fn line(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "  {}: {}", escape_line(label), indented(value, "    "));
}

/// Adds a line of the verdict, its label padded to one width.
fn labelled(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "{label:<8} {}", indented(value, "         "));
}

/// A text from outside: escaped, short, and its lines distinguished from ours by their indentation.
fn indented(value: &str, indent: &str) -> String {
    let shown = value.get(..value.floor_char_boundary(SHOWN)).unwrap_or_default();
    let mut text = escape(shown).replace('\n', &format!("\n{indent}"));
    if shown.len() < value.len() {
        let _ = write!(text, "… ({} bytes more; `--format json` has everything)", value.len() - shown.len());
    }
    text
}

/// File and line, relative to the project for its own hooks.
fn from(hook: &Hook, context: &Context) -> String {
    let project = context.project();
    let origin = &hook.origin;
    let file = match origin.level {
        Level::Project => origin.file.strip_prefix(project).unwrap_or(&origin.file),
        _ => &origin.file,
    };
    format!("{}:{} ({})", file.display(), origin.line, origin.level)
}
