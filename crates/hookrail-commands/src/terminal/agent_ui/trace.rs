//! The hook trace: one short line on stderr for whatever a hook did. Silent hooks print nothing.
//!
//! A line names what a hook asks for. Whether it came about is on the lines that follow: blocked, stopped, or the
//! tool's own line.

use hookrail::settings::AgentEvents;
use hookrail::{EventName, HookOutput, HookRun, ToolResult};
use hookrail_agent::log::ToolStatus;
use hookrail_agent::ui::AgentEvent;
use serde_json::Value;

use crate::effect::{NO_EFFECT_HERE, consequence_of_failure};
use crate::terminal::printer::{escape, escape_line, escape_lines};
use crate::terminal::style::Style;

/// Characters of a hook's text that a line shows.
const SHOWN: usize = 300;

/// Looks for what helps against the failure of a hook.
type FailureHint = Box<dyn Fn(EventName, &HookRun) -> Option<String> + Send + Sync>;

/// What the trace needs of the session.
/// The trace begins before the settings are read; until then nothing is marked as without effect.
pub(crate) struct TraceView {
    /// Which outputs the agent applies.
    pub(crate) effects: AgentEvents,
    /// What helps against the failure of a hook.
    pub(crate) hint: FailureHint,
}

/// The line about an event; `None` for events without one.
pub(super) fn line(event: &AgentEvent<'_>, view: Option<&TraceView>) -> Option<String> {
    match event {
        AgentEvent::HookFinished { event, run } => hook_line(*event, run, view),
        // Reasons of what did happen are shown in full; the trace of a single hook is short.
        AgentEvent::Blocked { what, reason } => {
            Some(format!("blocked {}: {}", escape_line(what), escape_lines(reason.trim())))
        }
        AgentEvent::Stopped { reason } => {
            Some(format!("Agent execution stopped by hook: {}", escape(reason)))
        }
        AgentEvent::ToolFinished { name, status, display: Some(display), result, .. } => {
            // The reason of a block has its own line.
            (*status != ToolStatus::Blocked).then(|| {
                let first = display.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
                format!("tool {} ({}): {}", escape_line(name), ending(*status, result), short(first))
            })
        }
        AgentEvent::Compressed { before, after } => {
            Some(format!("history summarised: {before} bytes are now {after}"))
        }
        AgentEvent::Notice(text) => Some(format!("note: {}", escape_line(text))),
        _ => None,
    }
}

/// How a call ended. A program that ended by itself is a success of the call, whatever its exit code; the
/// code is shown.
fn ending(status: ToolStatus, result: &ToolResult) -> String {
    let number = |field: &str| result.metadata.as_ref()?.get(field)?.as_i64();
    match (status, number("exit_code"), number("signal")) {
        (ToolStatus::Success, Some(code), _) if code != 0 => format!("exit {code}"),
        (ToolStatus::Success, None, Some(signal)) => format!("signal {signal}"),
        _ => status.as_str().to_owned(),
    }
}

/// The colour of the line about an event.
pub(super) fn style(event: &AgentEvent<'_>) -> Style {
    match event {
        AgentEvent::Blocked { .. } | AgentEvent::Stopped { .. } => Style::Red,
        AgentEvent::HookFinished { run, .. } if run.failure().is_some() || !run.warnings.is_empty() => {
            Style::Yellow
        }
        AgentEvent::HookFinished { .. } => Style::Cyan,
        _ => Style::Plain,
    }
}

/// Name, event and time; `None` for a hook without an answer.
fn hook_line(event: EventName, run: &HookRun, view: Option<&TraceView>) -> Option<String> {
    let actions = actions(event, run, view);
    if actions.is_empty() {
        return None;
    }
    let (name, duration) = (short(&run.hook.name), run.duration.as_millis());
    Some(format!("hook {name} ({event}, {duration} ms): {}", actions.join("; ")))
}

/// What a hook did, in the order of weight.
fn actions(event: EventName, run: &HookRun, view: Option<&TraceView>) -> Vec<String> {
    let mut actions = Vec::new();
    if let Some(why) = run.failure() {
        // What a failed hook wrote is part of its failure, and it gave no answer.
        actions.push(format!("{}: {}", consequence_of_failure(event, run, false), short(&why.to_string())));
        let hint = view.and_then(|view| (view.hint)(event, run));
        actions.extend(hint.map(|hint| format!("hint: {}", escape_line(&hint))));
    } else if let Some(output) = &run.output {
        actions.extend(asked_for(event, output, view));
    }
    actions.extend(run.warnings.iter().map(|warning| format!("warning: {}", short(warning))));
    actions
}

/// What a hook asks for, in the present tense: whether it takes effect is shown by the lines that follow. What cannot
/// take effect is marked.
fn asked_for(event: EventName, output: &HookOutput, view: Option<&TraceView>) -> Vec<String> {
    let observed = view.is_some_and(|view| view.effects.only_observes(event));
    let mark = |no_effect: bool| if no_effect { format!(" ({NO_EFFECT_HERE})") } else { String::new() };
    let mut actions = Vec::new();
    let specific = |field: &str| output.specific(field).and_then(Value::as_str);
    let reason = |has_own: bool| {
        let own = specific("permissionDecisionReason").filter(|_| has_own);
        let reason = own.or(output.reason.as_deref());
        reason.map(|reason| format!(": {}", short(reason))).unwrap_or_default()
    };
    if output.blocks(event) {
        let denied = event == EventName::BeforeTool && output.is_permission_denied();
        actions.push(format!("block{}{}", mark(observed || !event.can_block()), reason(denied)));
    }
    if output.asks(event) {
        actions.push(format!("ask{}", reason(true)));
    }
    if output.should_stop_execution() {
        actions.push(format!("stop{}: {}", mark(observed), short(output.effective_stop_reason())));
    }
    let changes: Vec<&str> =
        ["tool_input", "tool_response", "llm_request", "llm_response", "toolConfig", "clearContext"]
            .into_iter()
            .filter(|field| output.specific(field).is_some())
            .collect();
    if !changes.is_empty() {
        actions.push(format!("change {}{}", changes.join(", "), mark(observed)));
    }
    if let Some(context) = specific("additionalContext") {
        actions.push(format!("add{}: {}", mark(observed), short(context)));
    }
    if output.suppress_output == Some(true) {
        actions.push(format!("suppress the output{}", mark(observed)));
    }
    let for_person = output.extra.get("userMessage").and_then(Value::as_str);
    for message in [output.system_message.as_deref(), for_person].into_iter().flatten() {
        if !message.trim().is_empty() {
            actions.push(format!("message: {}", short(message)));
        }
    }
    actions
}

/// One line of bounded length, in which nothing is left that a terminal acts on.
fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", escape_line(text.get(..end).unwrap_or_default())),
        None => escape_line(text),
    }
}
