//! The hook trace: one short line on stderr for whatever a hook did. Silent hooks print nothing.

use hookrail::{EventName, HookOutput, HookRun};
use hookrail_agent::log::ToolStatus;
use hookrail_agent::ui::Happening;

use crate::printer::escape_line;

/// Characters of a hook's words that a line shows.
const SHOWN: usize = 300;

/// What a person is told of a happening; `None` for what needs no telling.
pub(super) fn line(happening: &Happening<'_>) -> Option<String> {
    match happening {
        Happening::HookFinished { event, run } => hook_line(*event, run),
        Happening::Blocked { what, reason } => Some(format!("blocked {}: {}", escape_line(what), short(reason))),
        Happening::Stopped { reason } => {
            Some(format!("Agent execution stopped by hook: {}", escape_line(reason)))
        }
        Happening::ToolFinished { name, status, display: Some(display), .. } => {
            // The reason of a block has its own line.
            (*status != ToolStatus::Blocked).then(|| {
                let first = display.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
                format!("tool {} ({}): {}", escape_line(name), status.as_str(), short(first))
            })
        }
        Happening::Compressed { before, after } => {
            Some(format!("history summarised: {before} bytes are now {after}"))
        }
        Happening::Notice(text) => Some(format!("note: {}", escape_line(text))),
        _ => None,
    }
}

fn hook_line(event: EventName, run: &HookRun) -> Option<String> {
    let deeds = deeds(run);
    if deeds.is_empty() {
        return None;
    }
    let (name, duration) = (short(&run.hook.name), run.duration.as_millis());
    Some(format!("hook {name} ({event}, {duration} ms): {}", deeds.join("; ")))
}

/// What a hook did, in the order of weight.
fn deeds(run: &HookRun) -> Vec<String> {
    let mut deeds = Vec::new();
    if let Some(failure) = &run.failure {
        deeds.push(format!("failed: {}", short(failure)));
    }
    if let Some(output) = &run.output {
        deeds.extend(asked_for(output, run.failure.is_some()));
    }
    deeds.extend(run.warnings.iter().map(|warning| format!("warning: {}", short(warning))));
    deeds
}

fn asked_for(output: &HookOutput, failed: bool) -> Vec<String> {
    let mut deeds = Vec::new();
    let reason = output.reason.as_deref().map(|reason| format!(": {}", short(reason))).unwrap_or_default();
    let permission = output.specific("permissionDecision").and_then(serde_json::Value::as_str);
    if output.is_blocking_decision() {
        deeds.push(format!("blocked{reason}"));
    } else if permission.is_some_and(|word| word == "deny" || word == "block") {
        let own = output.specific("permissionDecisionReason").and_then(serde_json::Value::as_str);
        deeds.push(own.map_or_else(|| format!("blocked{reason}"), |own| format!("blocked: {}", short(own))));
    }
    if output.should_stop_execution() {
        deeds.push(format!("asked to stop: {}", short(output.effective_stop_reason())));
    }
    let changes: Vec<&str> = ["tool_input", "llm_request", "llm_response", "toolConfig", "clearContext"]
        .into_iter()
        .filter(|field| output.specific(field).is_some())
        .collect();
    if !changes.is_empty() {
        deeds.push(format!("changed {}", changes.join(", ")));
    }
    if let Some(context) = output.specific("additionalContext").and_then(serde_json::Value::as_str) {
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
