//! The hook trace: one short line on stderr for whatever a hook did. Silent hooks print nothing.

use hookrail::{Decision, EventName, HookOutput, HookRun};
use hookrail_agent::log::ToolStatus;
use hookrail_agent::ui::AgentEvent;
use serde_json::Value;

use crate::printer::{escape, escape_line};

/// Characters of a hook's words that a line shows.
const SHOWN: usize = 300;

/// What a person is told of an event; `None` for what needs no telling.
pub(super) fn line(event: &AgentEvent<'_>) -> Option<String> {
    match event {
        AgentEvent::HookFinished { event, run } => hook_line(*event, run),
        // Reasons of what did happen are told in full; the trace of a single hook is short.
        AgentEvent::Blocked { what, reason } => {
            Some(format!("blocked {}: {}", escape_line(what), escape_line(reason.trim())))
        }
        AgentEvent::Stopped { reason } => {
            Some(format!("Agent execution stopped by hook: {}", escape(reason)))
        }
        AgentEvent::ToolFinished { name, status, display: Some(display), .. } => {
            // The reason of a block has its own line.
            (*status != ToolStatus::Blocked).then(|| {
                let first = display.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
                format!("tool {} ({}): {}", escape_line(name), status.as_str(), short(first))
            })
        }
        AgentEvent::Compressed { before, after } => {
            Some(format!("history summarised: {before} bytes are now {after}"))
        }
        AgentEvent::Notice(text) => Some(format!("note: {}", escape_line(text))),
        _ => None,
    }
}

fn hook_line(event: EventName, run: &HookRun) -> Option<String> {
    let deeds = deeds(event, run);
    if deeds.is_empty() {
        return None;
    }
    let (name, duration) = (short(&run.hook.name), run.duration.as_millis());
    Some(format!("hook {name} ({event}, {duration} ms): {}", deeds.join("; ")))
}

/// What a hook did, in the order of weight.
fn deeds(event: EventName, run: &HookRun) -> Vec<String> {
    let mut deeds = Vec::new();
    if let Some(failure) = &run.failure {
        deeds.push(format!("failed: {}", short(failure)));
    }
    if let Some(output) = &run.output {
        deeds.extend(asked_for(event, output, run.failure.is_some()));
    }
    deeds.extend(run.warnings.iter().map(|warning| format!("warning: {}", short(warning))));
    deeds
}

/// What a hook asked for. Whether it came about is told by what follows: a line of its own, or nothing.
fn asked_for(event: EventName, output: &HookOutput, failed: bool) -> Vec<String> {
    let mut deeds = Vec::new();
    let specific = |field: &str| output.specific(field).and_then(Value::as_str);
    let denied = event == EventName::BeforeTool
        && specific("permissionDecision").is_some_and(|word| Decision::from_word(word).blocks());
    if output.is_blocking_decision() || denied {
        let reason = specific("permissionDecisionReason").filter(|_| denied).or(output.reason.as_deref());
        let reason = reason.map(|reason| format!(": {}", short(reason))).unwrap_or_default();
        let in_vain = if event.can_block() { "" } else { " (has no effect here)" };
        deeds.push(format!("block{in_vain}{reason}"));
    }
    let asks = output.decision == Some(Decision::Ask) || specific("permissionDecision") == Some("ask");
    if asks && event == EventName::BeforeTool {
        let reason = specific("permissionDecisionReason").or(output.reason.as_deref());
        let reason = reason.map(|reason| format!(": {}", short(reason))).unwrap_or_default();
        deeds.push(format!("ask{reason}"));
    }
    if output.should_stop_execution() {
        deeds.push(format!("stop: {}", short(output.effective_stop_reason())));
    }
    let changes: Vec<&str> =
        ["tool_input", "tool_response", "llm_request", "llm_response", "toolConfig", "clearContext"]
            .into_iter()
            .filter(|field| output.specific(field).is_some())
            .collect();
    if !changes.is_empty() {
        deeds.push(format!("changed {}", changes.join(", ")));
    }
    if let Some(context) = specific("additionalContext") {
        deeds.push(format!("added: {}", short(context)));
    }
    if output.suppress_output == Some(true) {
        deeds.push("suppressed the output".to_owned());
    }
    // What a failed hook wrote is part of its failure.
    if let Some(message) = output.system_message.as_deref().filter(|text| !text.trim().is_empty()) {
        deeds.push(if failed { short(message) } else { format!("said: {}", short(message)) });
    }
    deeds
}

/// One line of bounded length that gives no orders to a terminal.
fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", escape_line(text.get(..end).unwrap_or_default())),
        None => escape_line(text),
    }
}
