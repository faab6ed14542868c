//! Measurements and failures of hooks over many repetitions of an event.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use hookrail::components::ProcessedHookResult;
use serde::Serialize;
use serde_json::{Value, json};

use crate::hook_log::percentile;
use crate::terminal::printer::escape_line;

/// Numbers collected over all repetitions.
#[derive(Default)]
pub(super) struct RepeatSummary {
    event: Measurements,
    blocked: usize,
    /// By place in the settings, so that two hooks of the same name stay two.
    hooks: BTreeMap<(String, usize, String), Measurements>,
}

/// All durations are kept: a percentile needs them, and `--repeat` is small enough for a person to wait for.
#[derive(Default)]
struct Measurements {
    durations: Vec<Duration>,
    failures: usize,
}

/// `max` is the hundredth percentile, so an empty list gives zeros.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    runs: usize,
    failures: usize,
    p50_ms: f64,
    p95_ms: f64,
    max_ms: f64,
}

impl RepeatSummary {
    /// A hook that did not run in a repetition adds nothing to its own numbers.
    pub(super) fn add(&mut self, result: &ProcessedHookResult, elapsed: Duration) {
        let failed = result.runs.iter().any(|run| run.failure().is_some());
        self.event.add(elapsed, failed || result.infrastructure_failure().is_some());
        self.blocked += usize::from(result.block.is_some());
        for run in &result.runs {
            let origin = &run.hook.origin;
            let key = (origin.file.to_string_lossy().into_owned(), origin.line, run.hook.name.clone());
            self.hooks.entry(key).or_default().add(run.duration, run.failure().is_some());
        }
    }

    /// The field `repeat` of the report: the numbers of the whole event, then those of each hook by its place in the
    /// settings. Two hooks of one name are two entries.
    pub(super) fn json(&self) -> Value {
        let hook = |((_, _, name), hook): (&(String, usize, String), &Measurements)| {
            merged(json!({ "name": name }), json!(hook.numbers()))
        };
        let rest =
            json!({ "blocked": self.blocked, "hooks": self.hooks.iter().map(hook).collect::<Vec<_>>() });
        merged(json!(self.event.numbers()), rest)
    }

    /// A table with a row for each hook and one for the whole event.
    pub(super) fn render(&self) -> String {
        let whole = self.event.numbers();
        let mut text =
            format!("\n{:>6} {:>8} {:>10} {:>10} {:>10}  hook\n", "runs", "failures", "p50", "p95", "max");
        let runs = whole.runs;
        let rows = self.hooks.iter().map(|((_, _, name), hook)| (escape_line(name), hook.numbers()));
        for (name, numbers) in rows.chain([("(the whole event)".to_owned(), whole)]) {
            let Numbers { runs, failures, p50_ms, p95_ms, max_ms } = numbers;
            let _ = writeln!(
                text,
                "{runs:>6} {failures:>8} {p50_ms:>7.1} ms {p95_ms:>7.1} ms {max_ms:>7.1} ms  {name}"
            );
        }
        let _ = writeln!(text, "blocked {} of {runs} times", self.blocked);
        text
    }
}

impl Measurements {
    fn add(&mut self, duration: Duration, failed: bool) {
        self.durations.push(duration);
        self.failures += usize::from(failed);
    }

    /// Works on a copy, since more may be added.
    fn numbers(&self) -> Numbers {
        let mut durations = self.durations.clone();
        durations.sort_unstable();
        let at = |percent| percentile(&durations, percent).map_or(0.0, milliseconds);
        Numbers {
            runs: durations.len(),
            failures: self.failures,
            p50_ms: at(50),
            p95_ms: at(95),
            max_ms: at(100),
        }
    }
}

/// The fields of one object, then those of another.
fn merged(mut one: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}

/// Milliseconds with three decimals: more would be noise.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
