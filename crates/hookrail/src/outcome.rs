//! The protocol's exit table: how a hook ended and what it wrote, read as what it asks for. Pure.

use serde_json::Value;

use crate::output::{Decision, HookOutput};
use crate::run::Exit;

pub(crate) struct Interpreted {
    pub(crate) output: Option<HookOutput>,
    pub(crate) failure: Option<String>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn interpret(exit: &Exit, stdout: &str, truncated: bool, stderr: &str) -> Interpreted {
    let (output, failure) = match exit {
        Exit::Code(0) if truncated => (None, Some("truncated".to_owned())),
        Exit::Code(0) => (read(stdout.trim()), None),
        Exit::Code(2) => (Some(HookOutput::deny(stderr.trim())), None),
        Exit::Code(code) => (None, Some(format!("exit {code}"))),
        Exit::Signal(signal) => (None, Some(format!("signal {signal}"))),
        Exit::TimedOut(after) => (None, Some(format!("timed out after {after:?}"))),
        Exit::NotStarted(why) => (None, Some(why.clone())),
    };
    Interpreted { output, failure, warnings: Vec::new() }
}

fn read(stdout: &str) -> Option<HookOutput> {
    if stdout.is_empty() {
        return None;
    }
    let Ok(Value::Object(object)) = serde_json::from_str(stdout) else {
        return Some(HookOutput::allow_saying(stdout));
    };
    Some(HookOutput {
        decision: object.get("decision").and_then(Value::as_str).map(Decision::from_word),
        continue_: object.get("continue").and_then(Value::as_bool),
        hook_specific_output: object.get("hookSpecificOutput").and_then(Value::as_object).cloned(),
        ..HookOutput::default()
    })
}
