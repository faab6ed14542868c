//! What holds for any input at all. The test suite drives these checks with `proptest` and with the seeds in
//! `fuzz/seeds`; `cargo fuzz` drives them with whatever it can think of (feature `fuzzing`).
//!
//! A check takes raw bytes and panics when something does not hold.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use self::shell::{command_expansion, shell_line};
use crate::event::EventName;
use crate::formats::payload::parse_input;
use crate::hook::{Hook, HookKind};
use crate::host::bus::check::CheckedRequest;
use crate::host::bus::message::{BusMessage, ExecutionOutput, HookExecutionRequest, HookExecutionResponse};
use crate::matcher::{MatchVerdict, Matcher, reference};
use crate::output::json::{parse_json, trim_output};
use crate::run::fuzzing::interpreted;
use crate::settings::{Settings, edit, parse_user_text};
use crate::verdict::aggregator::HookAggregator;
use crate::verdict::common_fields::process_common_hook_output_fields;
use crate::verdict::hook_run::{Exit, HookRun};
use crate::verdict::result::ProcessedHookResult;

mod shell;

/// Separates the parts of one input.
const SEPARATOR: u8 = 0x1e;

/// How any exit with any output is read, and what any event makes of it.
pub fn hook_stdout(data: &[u8]) {
    let Some(([how, event], rest)) = data.split_first_chunk::<2>() else { return };
    let (stdout, stderr) = split(rest);
    let exit = match how % 8 {
        0..=3 => Exit::Code(0),
        4 => Exit::Code(2),
        5 => Exit::Code(i32::from(*how)),
        6 => Exit::Signal(i32::from(*how % 64) + 1),
        _ => Exit::TimedOut(Duration::from_millis(u64::from(*how))),
    };
    let truncated = how & 0x80 != 0;
    let event = EventName::ALL.get(usize::from(*event) % EventName::ALL.len()).copied();
    let event = event.unwrap_or(EventName::BeforeTool);
    let run = interpreted(&hook(event), exit.clone(), (stdout, truncated), stderr);
    let blocks = run.output.as_ref().is_some_and(crate::output::HookOutput::is_blocking_decision);
    match exit {
        Exit::Code(2) => assert!(blocks && run.failure.is_none(), "exit 2 blocks: {run:?}"),
        Exit::Code(0) if truncated => assert!(!blocks && run.failure.is_some(), "half an answer: {run:?}"),
        // Text is text, however odd; only what nests too deep is no answer.
        Exit::Code(0) => assert!(run.failure.is_none() || (!blocks && may_nest_deep(&run.stdout)), "{run:?}"),
        _ => assert!(!blocks && run.failure.is_some(), "no verdict: {run:?}"),
    }
    if exit == Exit::Code(0) && !truncated && strictly_blocks(trim_output(&run.stdout)) {
        assert!(blocks, "a block in strict JSON is a block: {run:?}");
    }

    // Other hooks, before or after, never remove a block or a stop.
    let blocker = interpreted(&hook(event), Exit::Code(2), (b"", false), b"no");
    let stopper = interpreted(&hook(event), Exit::Code(0), (br#"{"continue":false}"#, false), b"");
    let quiet = interpreted(&hook(event), Exit::Code(0), (b"", false), b"");
    let alone = outcome(event, vec![run.clone()]);
    for (with, blocked, stopped) in [
        (&blocker, event.can_block(), alone.stop.is_some()),
        (&stopper, alone.block.is_some(), true),
        (&quiet, alone.block.is_some(), alone.stop.is_some()),
    ] {
        for runs in [vec![run.clone(), with.clone()], vec![with.clone(), run.clone()]] {
            let result = outcome(event, runs);
            assert!(result.block.is_some() || !blocked, "a block was lost: {result:?}");
            assert!(result.stop.is_some() || !stopped, "a stop was lost: {result:?}");
            assert!(result.stop.as_ref().is_none_or(|stop| !stop.0.trim().is_empty()), "a stop has a reason");
            let written = serde_json::to_string(&ExecutionOutput::from(&result));
            assert!(written.is_ok(), "a result has a JSON form: {written:?}");
        }
    }
}

/// Any text of a settings file: findings are about places inside it, hooks that are read are sound, and edits
/// do what they say.
pub fn settings_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let settings = parse_user_text(text);
    for hook in &settings.hooks {
        assert!(!hook.timeout.is_zero() && !hook.name.is_empty());
        assert!(!matches!(hook.kind, HookKind::Command(_)) || !hook.command().trim().is_empty());
    }
    for finding in &settings.diagnostics {
        let place = finding.place.as_ref().map(|place| text.get(place.span.clone()));
        assert!(place.is_none_or(|text| text.is_some()), "a place outside of the text: {finding:?}");
    }
    if let Ok(edited) = edit::set_enable_hooks(text, true) {
        assert_eq!(parse_user_text(&edited).enable.user, Some(true), "{edited}");
    }
    let disables =
        |settings: &Settings| settings.disabled.iter().any(|entry| entry.name_or_command == "guard");
    if let Ok(disabled) = edit::set_hook_disabled(text, "guard", true) {
        assert!(disables(&parse_user_text(&disabled)), "{disabled}");
        let Ok(enabled) = edit::set_hook_disabled(&disabled, "guard", false) else { return };
        assert!(!disables(&parse_user_text(&enabled)), "{enabled}");
    }
}

/// Any line that a client of the bus may send, on the way that `serve` takes. Where the line is JSON, the message in it
/// must be read alike on the way that hosts take.
pub fn bus_line(data: &[u8]) {
    let served = CheckedRequest::parse_text(data);
    let text = String::from_utf8_lossy(data);
    let Ok(message) = parse_json(&text) else {
        let refusal = served.err();
        assert!(refusal.is_some_and(|refusal| !refusal.success()), "what is no JSON is refused");
        return;
    };
    if std::str::from_utf8(data).is_ok() {
        let hosted = CheckedRequest::parse(message.clone());
        match (&served, &hosted) {
            (Ok(served), Ok(hosted)) => assert_eq!(served.event_name(), hosted.event_name()),
            (Err(served), Err(hosted)) => {
                let code = |refusal: &HookExecutionResponse| refusal.outcome.as_ref().err().map(|e| e.code);
                assert_eq!(code(served), code(hosted));
            }
            _ => assert_eq!(served.is_ok(), hosted.is_ok(), "both ways agree"),
        }
    }
    let given_id = message.get("correlationId").and_then(Value::as_str).map(str::to_owned);
    match HookExecutionRequest::parse(message) {
        Err(refusal) => {
            assert!(!refusal.success(), "a refusal is no success");
            assert!(given_id.is_none_or(|id| id == refusal.correlation_id), "the id is echoed");
            let written = serde_json::to_value(&refusal).unwrap_or_default();
            assert!(written.pointer("/error/code").is_some_and(Value::is_string), "{written}");
        }
        Ok(request) => {
            assert!(given_id.is_none_or(|id| id == request.correlation_id), "the id is echoed");
            if let BusMessage::HookExecutionRequest(again) = BusMessage::from(request.clone()) {
                assert_eq!(
                    HookExecutionRequest::parse(again).ok(),
                    Some(request.clone()),
                    "it can be sent on"
                );
            }
            match parse_input(request.event_name, Value::Object(request.input)) {
                Ok(input) => assert_eq!(input.event().name(), request.event_name),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// Any matcher with any tool name: decided within bounds, and as the reference engine decides where that one
/// can be asked.
pub fn matcher(data: &[u8]) {
    let (pattern, name) = split(data);
    let (pattern, name) = (String::from_utf8_lossy(pattern), String::from_utf8_lossy(name));
    let matcher = Matcher::compile(&pattern);
    let verdict = matcher.matches_tool(&name);
    assert_eq!(verdict, matcher.matches_tool(&name), "the same answer twice");
    // The reference takes exponential time, does not know our wildcards, and reads `\u{3}` as one character.
    let has_digit_escape =
        pattern.contains('\\') && pattern.contains(|c: char| c.is_ascii_digit() || c == 'k');
    let is_wildcard = matches!(&*pattern, "" | "*");
    if verdict == MatchVerdict::BoundReached
        || name.len() > 6
        || pattern.len() > 30
        || has_digit_escape
        || is_wildcard
    {
        return;
    }
    if let Some(is_found) = reference::finds(&pattern, &name) {
        assert_eq!(verdict.is_match(), is_found, "{pattern:?} on {name:?}");
    }
}

fn outcome(event: EventName, runs: Vec<HookRun>) -> ProcessedHookResult {
    let aggregated = HookAggregator::default().aggregate_results(event, &runs, false);
    process_common_hook_output_fields(event, aggregated, runs)
}

fn hook(event: EventName) -> Arc<Hook> {
    Arc::new(Hook::new(event, "hook"))
}

fn strictly_blocks(text: &str) -> bool {
    let decision = serde_json::from_str::<Value>(text).ok();
    decision.is_some_and(|value| {
        value.is_object() && matches!(value.get("decision").and_then(Value::as_str), Some("block" | "deny"))
    })
}

fn may_nest_deep(text: &str) -> bool {
    text.matches(['[', '{']).count() > 1000
}

fn split(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == SEPARATOR) {
        Some(at) => (data.get(..at).unwrap_or_default(), data.get(at + 1..).unwrap_or_default()),
        None => (data, &[]),
    }
}

#[cfg(test)]
mod tests;
