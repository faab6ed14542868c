//! Compares what was expected with what was seen. Pure.
//!
//! Each key of `expect` is compared on its own, and one that is missing expects nothing; only a hook that fails has to
//! be expected.

use hookrail::JsonObject;
use serde_json::{Value, json};

use super::case::Expect;
use super::seen::{HookThatRan, SeenOutcome};

/// One key that was not as expected.
/// `accepted` is what `--accept` writes: with it, the same event passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mismatch {
    pub(crate) key: &'static str,
    pub(crate) expected: String,
    pub(crate) seen: String,
    /// The value with which the key would hold.
    pub(crate) accepted: Value,
}

impl Mismatch {
    fn new(
        key: &'static str,
        expected: impl Into<String>,
        seen: impl Into<String>,
        accepted: impl Into<Value>,
    ) -> Self {
        Self { key, expected: expected.into(), seen: seen.into(), accepted: accepted.into() }
    }

    /// The difference on one line.
    pub(crate) fn line(&self) -> String {
        format!("{}: expected {}, seen {}", self.key, self.expected, self.seen)
    }
}

/// Everything that is not as expected, in the order of the contract's keys.
pub(crate) fn mismatches(expect: &Expect, seen: &SeenOutcome) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let word = seen.decision.as_str();
    if let Some(expected) = expect.decision.filter(|expected| *expected != seen.decision) {
        found.push(Mismatch::new("decision", expected.as_str(), word, word));
    }
    let mut deciders = seen.ran.iter().filter(|ran| ran.decided).peekable();
    if let (Some(expected), Some(first)) = (expect.decision, deciders.peek().map(|ran| ran.name.clone()))
        && expected == seen.decision
        && deciders.all(|ran| ran.stands_in)
    {
        let expected = format!("{word} by the project's `{first}`");
        let seen = format!("{word} by a hook of that name in other settings");
        found.push(Mismatch::new("decision", expected, seen, word));
    }
    if let Some(expected) = &expect.reason
        && !seen.reasons.iter().any(|reason| reason.contains(expected.as_str()))
        && !expected.is_empty()
    {
        let first = seen.reasons.first();
        let expected = format!("a text with {}", json!(expected));
        let shown = first.map_or_else(|| "none".to_owned(), |reason| json!(reason).to_string());
        // Every text contains the empty one.
        found.push(Mismatch::new("reason", expected, shown, first.cloned().unwrap_or_default()));
    }
    found.extend(names(expect, seen));
    if let Some(expected) = &expect.input {
        found.extend(object("input", expected, seen.input.as_ref()));
    }
    if let Some(expected) = &expect.output {
        found.extend(object("output", expected, seen.output.as_ref().and_then(Value::as_object)));
    }
    found.extend(errors(expect.errors, seen));
    if let Some(most) = expect.max_ms
        && seen.took_ms > most
    {
        // Twice as much, because times differ from run to run.
        let accepted = seen.took_ms.saturating_mul(2);
        found.push(Mismatch::new(
            "maxMs",
            format!("at most {most} ms"),
            format!("{} ms", seen.took_ms),
            accepted,
        ));
    }
    found
}

/// `ran` may leave hooks out, since a test is about those it names. When it is accepted, all that ran are written.
fn names(expect: &Expect, seen: &SeenOutcome) -> Vec<Mismatch> {
    let ran = |name: &String| seen.ran.iter().any(|ran| ran.name == *name);
    let ran_itself = |name: &String| seen.ran.iter().any(|ran| ran.name == *name && !ran.stands_in);
    let all: Vec<String> = seen.ran.iter().map(|ran| ran.name.clone()).collect();
    let mut found = Vec::new();
    let missing: Vec<String> = expect.ran.iter().filter(|name| !ran_itself(name)).cloned().collect();
    if !missing.is_empty() {
        let shown = |ran: &HookThatRan| {
            let place =
                if ran.stands_in { format!(" of the {}'s settings", ran.level) } else { String::new() };
            format!("{}{place}", ran.name)
        };
        let shown: Vec<String> = seen.ran.iter().map(shown).collect();
        found.push(Mismatch::new("ran", listed(&missing), listed(&shown), all.clone()));
    }
    let (wrong, right): (Vec<String>, Vec<String>) = expect.not_ran.iter().cloned().partition(ran);
    if !wrong.is_empty() {
        found.push(Mismatch::new("notRan", format!("not {}", listed(&wrong)), listed(&all), right));
    }
    found
}

/// Names separated by commas, or that there are none.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "no hook".to_owned() } else { names.join(", ") }
}

/// Compares the keys that the test names and no others.
fn object(key: &'static str, expected: &JsonObject, seen: Option<&JsonObject>) -> Option<Mismatch> {
    let nothing = JsonObject::new();
    let seen = seen.unwrap_or(&nothing);
    if expected.iter().all(|(name, value)| seen.get(name).is_some_and(|seen| is_part(value, seen))) {
        return None;
    }
    // Only what the test is about is shown, and would be accepted.
    let compared = |object: &JsonObject| -> JsonObject {
        expected.keys().filter_map(|name| Some((name.clone(), object.get(name)?.clone()))).collect()
    };
    let seen = Value::Object(compared(seen));
    Some(Mismatch::new(key, json!(expected).to_string(), seen.to_string(), seen))
}

/// Without the key, a failing hook fails the test: a guard that broke would otherwise pass as one that allows.
fn errors(expected: Option<bool>, seen: &SeenOutcome) -> Option<Mismatch> {
    let failed = !seen.failures.is_empty();
    let wanted = expected.unwrap_or(false);
    let expected = if wanted { "a hook that fails" } else { "none" };
    let shown = if failed { seen.failures.join("; ") } else { "none".to_owned() };
    (failed != wanted).then(|| Mismatch::new("errors", expected, shown, failed))
}

/// Whether `whole` contains everything in `part`: objects may have more keys, arrays have the same length.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|whole| is_part(value, whole)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        (Value::Number(part), Value::Number(whole)) => part == whole || part.as_f64() == whole.as_f64(),
        _ => part == whole,
    }
}

#[cfg(test)]
mod tests;
