//! What a hook written for Claude Code asks for.

use serde_json::{Value, json};

use super::renamed;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::output::json::{parse_json, trim_output};
use crate::output::{DEFAULT_BLOCK_REASON, Decision, HookOutput, first_not_blank};

/// What came of reading an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum ClaudeAnswer {
    /// It asks for this. The warnings say which mistakes Claude Code would not have overlooked.
    Said(Box<HookOutput>, Vec<String>),
    /// It has mistakes for which Claude Code ignores it.
    Malformed(String),
    /// It gave no verdict.
    Nothing,
}

/// The answer of a hook by how it exited and what it wrote. `given` is what it read on stdin.
pub(crate) fn claude_answer(
    event: EventName,
    code: i32,
    (stdout, stderr): (&str, &str),
    own_tool: &str,
    given: &JsonObject,
) -> ClaudeAnswer {
    let (stdout, stderr) = (trim_output(stdout), trim_output(stderr));
    let said = |output| ClaudeAnswer::Said(Box::new(output), Vec::new());
    let takes_text = matches!(event, EventName::BeforeAgent | EventName::SessionStart);
    let parsed = stdout.starts_with('{').then(|| parse_json(stdout).ok()).flatten();
    let is_json = parsed.is_some();
    let answer = match parsed {
        Some(Value::Object(fields)) => read(event, fields, own_tool, given),
        _ => ClaudeAnswer::Nothing,
    };
    match (code, answer) {
        (2, answer) => {
            let output = match answer {
                ClaudeAnswer::Said(output, _) => *output,
                _ => HookOutput::default(),
            };
            let stated = output.reason.clone();
            let texts = [stated.as_deref(), Some(stderr), Some(stdout)];
            let reason = first_not_blank(texts).unwrap_or(DEFAULT_BLOCK_REASON);
            said(blocked(event, output, reason))
        }
        (0, ClaudeAnswer::Nothing) if takes_text && !stdout.is_empty() => {
            said(with_context(HookOutput::default(), stdout))
        }
        (0, ClaudeAnswer::Nothing) if stdout.starts_with('{') && !is_json => {
            ClaudeAnswer::Malformed("its output starts like a JSON object but is not JSON".to_owned())
        }
        (0, ClaudeAnswer::Nothing) => said(HookOutput::default()),
        (0, malformed @ ClaudeAnswer::Malformed(_)) => malformed,
        (_, answer @ ClaudeAnswer::Said(..)) => answer,
        (_, ClaudeAnswer::Nothing | ClaudeAnswer::Malformed(_)) => ClaudeAnswer::Nothing,
    }
}

/// Reads Claude Code's fields as ours.
fn read(event: EventName, fields: JsonObject, own_tool: &str, given: &JsonObject) -> ClaudeAnswer {
    let decision = fields.get("decision").and_then(Value::as_str).map(Decision::from_word);
    let (mut output, warnings) = HookOutput::from_object(fields);
    // Fields that it does not know are no mistake there.
    let is_mistyped = |warning: &String| warning.contains(" must be ");
    let (mut problems, warnings): (Vec<_>, Vec<_>) = warnings.into_iter().partition(is_mistyped);
    if let Some(decision) = &decision
        && !matches!(decision, Decision::Approve | Decision::Block)
    {
        problems.push(format!("`decision` is \"{}\" where Claude Code knows \"block\"", decision.as_str()));
    }
    let specific = output.hook_specific_output.take();
    let is_given = specific.is_some();
    let mut specific = specific.unwrap_or_default();
    if is_given {
        let named = specific.shift_remove("hookEventName");
        let expected = given.get("hook_event_name");
        if named.as_ref() != expected {
            let event = expected.and_then(Value::as_str).unwrap_or_default();
            problems.push(format!("`hookSpecificOutput.hookEventName` must be \"{event}\""));
        }
    }
    if specific.get("updatedInput").is_some_and(|input| !input.is_object()) {
        problems.push("`hookSpecificOutput.updatedInput` must be an object".to_owned());
    }
    let word = specific.get("permissionDecision").and_then(Value::as_str);
    let word = word.filter(|_| event == EventName::BeforeTool).map(str::to_owned);
    if let Some(word) = &word
        && !matches!(word.as_str(), "allow" | "deny" | "ask" | "defer")
    {
        problems.push(format!(
            "`permissionDecision` must be \"allow\", \"deny\", \"ask\" or \"defer\", not \"{word}\""
        ));
    }
    let text = |specific: &JsonObject, key: &str| {
        specific.get(key)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let blocks = decision.as_ref().is_some_and(Decision::blocks)
        || word.as_deref().is_some_and(|word| word.eq_ignore_ascii_case("deny") || word == "block");
    if blocks {
        let reason = text(&specific, "permissionDecisionReason").or_else(|| output.reason.clone());
        let reason = first_not_blank([reason.as_deref()]).unwrap_or(DEFAULT_BLOCK_REASON).to_owned();
        if problems.is_empty() {
            output.hook_specific_output = Some(specific);
        }
        return ClaudeAnswer::Said(Box::new(blocked(event, for_person(output), &reason)), problems);
    }
    if !problems.is_empty() {
        return ClaudeAnswer::Malformed(problems.join("; "));
    }
    output.decision = None;
    match word.as_deref() {
        Some("ask" | "defer") => {
            output.decision = Some(Decision::Ask);
            output.reason = text(&specific, "permissionDecisionReason").or(output.reason);
        }
        None if decision.is_some() && event == EventName::BeforeTool => {
            let reason = output.reason.clone().unwrap_or_default();
            specific.insert("permissionDecision".to_owned(), "allow".into());
            specific.insert("permissionDecisionReason".to_owned(), reason.into());
        }
        _ => {}
    }
    // At the end of a turn it is a further prompt there.
    if event == EventName::AfterAgent
        && output.continue_ != Some(false)
        && let Some(context) = text(&specific, "additionalContext")
    {
        output = blocked(event, output, &context);
        specific.clear();
    }
    let specific = in_our_fields(specific, own_tool, given);
    output.hook_specific_output = Some(specific).filter(|specific| !specific.is_empty());
    ClaudeAnswer::Said(Box::new(for_person(output)), warnings)
}

/// `systemMessage` is for the person there and for the model here; `suppressOutput` does nothing there.
fn for_person(mut output: HookOutput) -> HookOutput {
    output.suppress_output = None;
    if let Some(message) = output.system_message.take() {
        output.extra.insert("userMessage".to_owned(), message.into());
    }
    output
}

/// Changed arguments and results under our names. Arguments that are as they were given are no change: a path that was
/// made absolute for the hook stays what it is.
fn in_our_fields(mut specific: JsonObject, own_tool: &str, given: &JsonObject) -> JsonObject {
    if specific.get("permissionDecision").is_some_and(|word| word != "allow") {
        specific.shift_remove("permissionDecision");
        specific.shift_remove("permissionDecisionReason");
    }
    if let Some(Value::Object(mut input)) = specific.shift_remove("updatedInput") {
        let before = given.get("tool_input").and_then(Value::as_object);
        // There it replaces all arguments: a flag that is left out is not set any more.
        for (key, value) in before.into_iter().flatten() {
            if *value == Value::Bool(true) && !input.contains_key(key) {
                input.insert(key.clone(), Value::Bool(false));
            }
        }
        input.retain(|key, value| before.and_then(|before| before.get(key)) != Some(value));
        if !input.is_empty() {
            let input = renamed(own_tool, input, |(own, theirs)| (theirs, own));
            specific.insert("tool_input".to_owned(), input.into());
        }
    }
    let of_mcp = specific.shift_remove("updatedMCPToolOutput");
    if let Some(result) = specific.shift_remove("updatedToolOutput").or(of_mcp) {
        let text = result_text(&result);
        specific.insert("tool_response".to_owned(), json!({ "llmContent": text, "returnDisplay": text }));
    }
    specific
}

/// What the model reads of a result in Claude Code's shape.
fn result_text(result: &Value) -> String {
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    if let Some(stdout) = text("stdout") {
        let stderr = text("stderr").filter(|stderr| !stderr.is_empty());
        return [Some(stdout), stderr].into_iter().flatten().collect::<Vec<_>>().join("\n");
    }
    if let Some(blocks) =
        result.as_array().filter(|blocks| blocks.iter().any(|block| block.get("text").is_some()))
    {
        let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
        return texts.collect::<Vec<_>>().join("\n");
    }
    let file = result.get("file").and_then(|file| file.get("content")).and_then(Value::as_str);
    let whole = || result.as_str().map_or_else(|| result.to_string(), str::to_owned);
    file.or_else(|| ["content", "result", "text"].iter().find_map(|key| text(key)))
        .map_or_else(whole, str::to_owned)
}

/// A block where the event has one; after a tool, a text for the model.
fn blocked(event: EventName, mut output: HookOutput, reason: &str) -> HookOutput {
    if let Some(specific) = &mut output.hook_specific_output {
        for key in ["permissionDecision", "permissionDecisionReason", "updatedInput", "tool_input"] {
            specific.shift_remove(key);
        }
    }
    output.hook_specific_output = output.hook_specific_output.filter(|specific| !specific.is_empty());
    if event.can_block() {
        output.decision = Some(Decision::Block);
        output.reason = Some(reason.to_owned());
        return output;
    }
    output.decision = None;
    output.reason = None;
    if event == EventName::AfterTool { with_context(output, reason) } else { output }
}

fn with_context(mut output: HookOutput, text: &str) -> HookOutput {
    let specific = output.hook_specific_output.get_or_insert_default();
    let before = specific.get("additionalContext").and_then(Value::as_str);
    let text = before.map_or_else(|| text.to_owned(), |before| format!("{before}\n{text}"));
    specific.insert("additionalContext".to_owned(), text.into());
    output
}
