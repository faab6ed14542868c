//! What came of a test's event, in the terms in which a test expects it.

use std::time::Duration;

use hookrail::components::{Exit, Level, OwnedEvent, ProcessedHookResult};
use hookrail::effects::{EventEffects, SpecificEffects};
use hookrail::settings::{AgentEvents, ResolvedSettings};
use hookrail::{Block, BlockCause, EventName, HookRun, JsonObject};
use hookrail_agent::log::millis;
use serde_json::Value;

use super::case::DecisionWord;
use crate::display::ended;

/// The outcome of one test's event.
/// It is all that `judge` looks at and that a report shows.
#[derive(Debug)]
pub(crate) struct SeenOutcome {
    /// What was decided. A block wins over a stop, a stop over a question.
    pub(crate) decision: DecisionWord,
    /// Every text that gives a reason, the one of the decision first.
    pub(crate) reasons: Vec<String>,
    /// The hooks that ran, in plan order.
    pub(crate) ran: Vec<HookThatRan>,
    /// The tool's arguments after the hooks' changes.
    pub(crate) input: Option<JsonObject>,
    pub(crate) output: Option<Value>,
    /// Failures of hooks, as text.
    pub(crate) failures: Vec<String>,
    /// How long the event took.
    pub(crate) took_ms: u64,
    /// Warnings for the person.
    pub(crate) warnings: Vec<String>,
}

/// A hook that ran, as far as a report needs it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HookThatRan {
    pub(crate) name: String,
    /// How it ended, in a few words.
    pub(crate) how: String,
    /// Whose settings it is in.
    pub(crate) level: Level,
    /// Whether it blocked, asked or stopped.
    pub(crate) decided: bool,
    /// Whether a hook of the project has the same name and did not run.
    pub(crate) stands_in: bool,
}

pub(crate) fn decision(result: &ProcessedHookResult) -> DecisionWord {
    match result {
        ProcessedHookResult { block: Some(_), .. } => DecisionWord::Block,
        ProcessedHookResult { stop: Some(_), .. } => DecisionWord::Stop,
        ProcessedHookResult { ask: Some(_), .. } => DecisionWord::Ask,
        _ => DecisionWord::Allow,
    }
}

impl SeenOutcome {
    /// Reads the result of an event.
    /// Texts that give the same reason twice are kept once.
    pub(crate) fn new(event: &OwnedEvent, result: &ProcessedHookResult, took: Duration) -> Self {
        let changes = match EventEffects::of(result, AgentEvents::Apply).specific {
            SpecificEffects::BeforeTool { tool_input, .. } => tool_input,
            _ => None,
        };
        let output = result.aggregated.final_output.as_ref();
        let reasons = [
            result.block.as_ref().map(|block| block.reason.clone()),
            result.stop.as_ref().map(ToString::to_string),
            result.ask.clone(),
            output.and_then(|output| output.reason.clone()),
        ];
        let mut known: Vec<String> = Vec::new();
        for reason in reasons.into_iter().flatten() {
            if !known.contains(&reason) {
                known.push(reason);
            }
        }
        Self {
            decision: decision(result),
            reasons: known,
            ran: result.runs.iter().map(|run| HookThatRan::of(run, result.event)).collect(),
            input: input_after(event, changes),
            output: output.and_then(|output| serde_json::to_value(output).ok()),
            failures: failures(result),
            took_ms: millis(took),
            warnings: result.all_warnings(),
        }
    }

    /// Notes which hooks of the user or the system ran while the project's hook of the same name did not: a test of
    /// the project is about the project's hook.
    pub(crate) fn note_stand_ins(&mut self, event: EventName, settings: &ResolvedSettings) {
        let of_project = |name: &str| {
            let mut hooks = settings.hooks.iter().map(|resolved| &resolved.hook);
            hooks.any(|hook| hook.origin.level == Level::Project && hook.event == event && hook.name == name)
        };
        let own: Vec<String> =
            self.ran.iter().filter(|ran| ran.level == Level::Project).map(|ran| ran.name.clone()).collect();
        for ran in self.ran.iter_mut().filter(|ran| ran.level != Level::Project) {
            ran.stands_in = !own.contains(&ran.name) && of_project(&ran.name);
            if ran.stands_in {
                let level = &ran.level;
                ran.how = format!(
                    "{}, of the {level}'s settings; the project's hook of that name did not run",
                    ran.how
                );
            }
        }
    }
}

impl HookThatRan {
    /// Durations are left out where they mean nothing.
    fn of(run: &HookRun, event: EventName) -> Self {
        let how = match run.exit() {
            exit @ (Exit::Answered | Exit::Code(_)) => {
                format!("{}, {} ms", ended(exit), millis(run.duration))
            }
            exit => ended(exit),
        };
        let decided = run.output.as_ref().is_some_and(|output| {
            output.blocks(event) || output.asks(event) || output.should_stop_execution()
        });
        Self {
            name: run.hook.name.clone(),
            how,
            level: run.hook.origin.level.clone(),
            decided,
            stands_in: false,
        }
    }
}

/// Everything that kept a hook from giving its verdict.
fn failures(result: &ProcessedHookResult) -> Vec<String> {
    let runs = result.runs.iter().filter_map(|run| {
        let failure = run.failure()?;
        Some(format!("hook `{}` failed: {failure}", run.hook.name))
    });
    let mut failures: Vec<String> = runs.collect();
    failures.extend(result.infrastructure_failure().map(ToString::to_string));
    // A guard that changed since it was approved, or a rule that cannot be read.
    if let Some(Block { cause: BlockCause::Failure, reason, .. }) = &result.block
        && failures.is_empty()
    {
        failures.push(reason.clone());
    }
    failures
}

/// The arguments with the changes, which are merged key by key.
fn input_after(event: &OwnedEvent, changed: Option<JsonObject>) -> Option<JsonObject> {
    let (OwnedEvent::BeforeTool { tool_input, .. } | OwnedEvent::AfterTool { tool_input, .. }) = event else {
        return None;
    };
    let mut input = tool_input.clone();
    input.extend(changed.unwrap_or_default());
    Some(input)
}
