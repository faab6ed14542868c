//! What came of one event, as one line of the log.

use hookrail::components::{Event, ProcessedHookResult};
use hookrail::observer::DecidedEvent;
use hookrail::{BlockCause, Hook, HookOutput, HookRun, JsonObject};
use hookrail_agent::log::{DecisionLine, call_id, millis};
use serde_json::{Value, json};

use super::secrets::mask;

/// How much of a command, a path or a prompt is kept, in characters. Changed values are as short.
const MAX_SUMMARY: usize = 300;

/// How much of a reason is kept.
const MAX_REASON: usize = 1_000;

/// Arguments that tell what a call does, in the order in which they are looked for.
const TELLING: [&str; 7] = ["command", "file_path", "path", "pattern", "url", "query", "patch"];

/// Fields of an answer by which hooks change what goes on.
const CHANGING: [&str; 5] = ["tool_input", "tool_response", "llm_request", "llm_response", "toolConfig"];

/// The line about an event.
pub(super) fn line<'a>(decided: &'a DecidedEvent<'a>, project: Option<&'a str>) -> DecisionLine<'a> {
    let result = decided.result;
    let verdict = Verdict::of(decided);
    DecisionLine {
        call_id: call_id_of(decided),
        event: result.event.as_str(),
        project,
        tool: tool(decided.event),
        summary: decided.logs_texts.then(|| summary(decided.event)).flatten(),
        decision: verdict.word,
        block_cause: result.block.as_ref().map(|block| match block.cause {
            BlockCause::Policy => "policy",
            BlockCause::Failure => "failure",
        }),
        hook: verdict.hook.map(|hook| hook.name.as_str()),
        source: verdict.hook.and_then(source),
        reason: verdict.reason.map(|reason| shortened(&reason, MAX_REASON)),
        changes: decided.logs_texts.then(|| changes(decided)).flatten(),
        duration_ms: millis(result.aggregated.total_duration),
    }
}

/// The line about an event that was refused without asking hooks.
pub(super) fn refusal<'a>(
    event: &'a str,
    project: Option<&'a str>,
    tool: Option<&'a str>,
    reason: &str,
) -> DecisionLine<'a> {
    DecisionLine {
        event,
        project,
        tool,
        decision: "block",
        block_cause: Some("failure"),
        reason: Some(shortened(reason, MAX_REASON)),
        ..DecisionLine::default()
    }
}

/// The agent's own id of the call, else the id that the lines about its hooks have.
fn call_id_of(decided: &DecidedEvent<'_>) -> Option<String> {
    let of_agent = decided.extra.get("tool_use_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let of_payload = || Some(call_id(decided.input?.as_bytes()));
    of_agent.map(str::to_owned).or_else(of_payload)
}

/// What came of an event, in a word, and whose doing it is.
struct Verdict<'a> {
    word: &'static str,
    hook: Option<&'a Hook>,
    reason: Option<String>,
}

impl<'a> Verdict<'a> {
    /// A block wins over everything, a failure counts if nothing else happened.
    fn of(decided: &DecidedEvent<'a>) -> Self {
        let result: &ProcessedHookResult = decided.result;
        let event = result.event;
        let output_of = |run: &'a HookRun| run.output.as_ref();
        let first = |is_wanted: &dyn Fn(&'a HookRun) -> bool| {
            decided.result.runs.iter().find(|run| is_wanted(run)).map(|run| &*run.hook)
        };
        let failed = first(&|run| run.failure().is_some());
        if let Some(block) = &result.block {
            let refused = decided.result.refused.first().map(|refused| &*refused.hook);
            let blocking = first(&|run| output_of(run).is_some_and(|output| output.blocks(event)));
            let hook = match block.cause {
                BlockCause::Policy => blocking,
                BlockCause::Failure => refused.or(failed).or(blocking),
            };
            return Self { word: "block", hook, reason: Some(block.reason.clone()) };
        }
        if let Some(stop) = &result.stop {
            let hook = first(&|run| output_of(run).is_some_and(HookOutput::should_stop_execution));
            return Self { word: "stop", hook, reason: Some(stop.as_str().to_owned()) };
        }
        if let Some(ask) = &result.ask {
            let hook = first(&|run| output_of(run).is_some_and(|output| output.asks(event)));
            return Self { word: "ask", hook, reason: Some(ask.clone()) };
        }
        if !changed_values(decided).is_empty() {
            let changes = |run: &&'a HookRun| {
                output_of(run)
                    .is_some_and(|output| CHANGING.iter().any(|name| output.specific(name).is_some()))
            };
            let hook = decided.result.runs.iter().rev().find(changes).map(|run| &*run.hook);
            return Self { word: "changed", hook, reason: None };
        }
        if failed.is_some() || result.infrastructure_failure().is_some() {
            let reason = result.aggregated.errors.first().map(ToString::to_string);
            return Self { word: "failed", hook: failed, reason };
        }
        let granted = result.grant.as_ref();
        let reason = granted.map(|grant| format!("a person allowed it: {}", grant.id));
        Self {
            word: "allow",
            hook: granted.and_then(|grant| grant.rules.first()).map(|rule| &**rule),
            reason,
        }
    }
}

/// Where a hook is configured, `file:line`.
fn source(hook: &Hook) -> Option<String> {
    let origin = &hook.origin;
    (!origin.file.as_os_str().is_empty()).then(|| format!("{}:{}", origin.file.display(), origin.line))
}

fn tool<'a>(event: &'a Event<'a>) -> Option<&'a str> {
    match event {
        Event::BeforeTool { tool_name, .. } | Event::AfterTool { tool_name, .. } => Some(tool_name),
        _ => None,
    }
}

/// The command, path or prompt that an event is about.
fn summary(event: &Event<'_>) -> Option<String> {
    let text = match event {
        Event::BeforeTool { tool_input, .. } | Event::AfterTool { tool_input, .. } => telling(tool_input),
        Event::BeforeAgent { prompt } | Event::AfterAgent { prompt, .. } => (*prompt).to_owned(),
        Event::Notification { message, .. } => (*message).to_owned(),
        Event::SessionStart { source } => source.as_str().to_owned(),
        Event::SessionEnd { reason } => reason.as_str().to_owned(),
        Event::PreCompress { trigger } => trigger.as_str().to_owned(),
        Event::BeforeModel { .. } | Event::AfterModel { .. } | Event::BeforeToolSelection { .. } => {
            return None;
        }
    };
    Some(shortened(&text, MAX_SUMMARY))
}

/// What a tool call is about, as lines of the log have it.
pub(crate) fn summary_of(input: &JsonObject) -> String {
    shortened(&telling(input), MAX_SUMMARY)
}

/// The argument that tells most about a call, else all of them.
fn telling(input: &JsonObject) -> String {
    let known = TELLING.iter().find_map(|name| match input.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    });
    known.unwrap_or_else(|| serde_json::to_string(input).unwrap_or_default())
}

/// Old and new value of each argument that hooks changed, or of a result that they replaced.
fn changes(decided: &DecidedEvent<'_>) -> Option<JsonObject> {
    let changes: JsonObject = changed_values(decided)
        .into_iter()
        .map(|(name, old, new)| (name, json!({ "old": old.map(bounded), "new": bounded(new) })))
        .collect();
    (!changes.is_empty()).then_some(changes)
}

/// What hooks changed: its name, the old value and the new one.
fn changed_values<'a>(decided: &DecidedEvent<'a>) -> Vec<(String, Option<&'a Value>, &'a Value)> {
    let Some(output) = decided.result.aggregated.final_output.as_ref() else { return Vec::new() };
    match decided.event {
        Event::BeforeTool { tool_input, .. } => {
            let Some(Value::Object(new)) = output.specific("tool_input") else { return Vec::new() };
            let changed = new.iter().filter(|(name, value)| tool_input.get(*name) != Some(*value));
            changed.map(|(name, value)| (name.clone(), tool_input.get(name), value)).collect()
        }
        Event::AfterTool { tool_response, .. } => output
            .specific("tool_response")
            .map(|new| ("tool_response".to_owned(), tool_response.get("llmContent"), new))
            .into_iter()
            .collect(),
        Event::BeforeModel { .. } | Event::AfterModel { .. } | Event::BeforeToolSelection { .. } => {
            let given = CHANGING.iter().skip(2);
            given.filter_map(|name| Some(((*name).to_owned(), None, output.specific(name)?))).collect()
        }
        _ => Vec::new(),
    }
}

fn bounded(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return value.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    Value::String(shortened(&text, MAX_SUMMARY))
}

/// The beginning of a text without its secrets. What is cut off is masked first, so that no part of a secret is left.
fn shortened(text: &str, most: usize) -> String {
    // A secret that begins within the kept part ends soon after it.
    let looked_at = text.get(..text.floor_char_boundary(most * 4 + 4_096)).unwrap_or_default();
    let masked = mask(looked_at);
    if masked.chars().count() <= most && looked_at.len() == text.len() {
        return masked.into_owned();
    }
    masked.chars().take(most - 1).chain(['…']).collect()
}
