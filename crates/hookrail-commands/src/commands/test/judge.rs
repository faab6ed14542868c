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
    /// The difference on one line.
    pub(crate) fn line(&self) -> String {
        format!("{}: expected {}, seen {}", self.key, self.expected, self.seen)
    }
}

/// Everything that is not as expected, in the order of the contract's keys.
pub(crate) fn mismatches(expect: &Expect, seen: &SeenOutcome) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if let Some(expected) = expect.decision
        && expected != seen.decision
    {
        found.push(Mismatch {
            key: "decision",
            expected: expected.as_str().to_owned(),
            seen: seen.decision.as_str().to_owned(),
            accepted: seen.decision.as_str().into(),
        });
    }
    let mut deciders = seen.ran.iter().filter(|ran| ran.decided).peekable();
    if let (Some(expected), Some(first)) = (expect.decision, deciders.peek().map(|ran| ran.name.clone()))
        && expected == seen.decision
        && deciders.all(|ran| ran.stands_in)
    {
        let word = seen.decision.as_str();
        found.push(Mismatch {
            key: "decision",
            expected: format!("{word} by the project's `{first}`"),
            seen: format!("{word} by a hook of that name in other settings"),
            accepted: word.into(),
        });
    }
    if let Some(expected) = &expect.reason
        && !seen.reasons.iter().any(|reason| reason.contains(expected.as_str()))
        && !expected.is_empty()
    {
        let first = seen.reasons.first();
        found.push(Mismatch {
            key: "reason",
            expected: format!("a text with {}", json!(expected)),
            seen: first.map_or_else(|| "none".to_owned(), |reason| json!(reason).to_string()),
            // Every text contains the empty one.
            accepted: first.cloned().unwrap_or_default().into(),
        });
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
        found.push(Mismatch {
            key: "maxMs",
            expected: format!("at most {most} ms"),
            seen: format!("{} ms", seen.took_ms),
            // Twice as much, because times differ from run to run.
            accepted: (seen.took_ms.saturating_mul(2)).into(),
        });
    }
    found
}

/// `ran` may leave hooks out, since a test is about those it names. When it is accepted, all that ran are written.
fn names(expect: &Expect, seen: &SeenOutcome) -> Vec<Mismatch> {
    let ran = |name: &String| seen.ran.iter().any(|ran| ran.name == *name);
    let ran_itself = |name: &String| seen.ran.iter().any(|ran| ran.name == *name && !ran.stands_in);
    let all: Vec<&str> = seen.ran.iter().map(|ran| ran.name.as_str()).collect();
    let mut found = Vec::new();
    if !expect.ran.iter().all(ran_itself) {
        let missing: Vec<&str> =
            expect.ran.iter().filter(|name| !ran_itself(name)).map(String::as_str).collect();
        let shown = |ran: &HookThatRan| {
            let place =
                if ran.stands_in { format!(" of the {}'s settings", ran.level) } else { String::new() };
            format!("{}{place}", ran.name)
        };
        let shown: Vec<String> = seen.ran.iter().map(shown).collect();
        found.push(Mismatch {
            key: "ran",
            expected: listed(&missing),
            seen: listed(&shown.iter().map(String::as_str).collect::<Vec<_>>()),
            accepted: all.clone().into(),
        });
    }
    if expect.not_ran.iter().any(ran) {
        let (wrong, right): (Vec<&String>, Vec<&String>) = expect.not_ran.iter().partition(|name| ran(name));
        let wrong: Vec<&str> = wrong.into_iter().map(String::as_str).collect();
        found.push(Mismatch {
            key: "notRan",
            expected: format!("not {}", listed(&wrong)),
            seen: listed(&all),
            accepted: right.into_iter().cloned().collect::<Vec<String>>().into(),
        });
    }
    found
}

/// Names separated by commas, or that there are none.
fn listed(names: &[&str]) -> String {
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
    let expected = Value::Object(expected.clone()).to_string();
    Some(Mismatch { key, expected, seen: seen.to_string(), accepted: seen })
}

/// Without the key, a failing hook fails the test: a guard that broke would otherwise pass as one that allows.
fn errors(expected: Option<bool>, seen: &SeenOutcome) -> Option<Mismatch> {
    let failed = !seen.failures.is_empty();
    let wanted = expected.unwrap_or(false);
    (failed != wanted).then(|| Mismatch {
        key: "errors",
        expected: if wanted { "a hook that fails" } else { "none" }.to_owned(),
        seen: if failed { seen.failures.join("; ") } else { "none".to_owned() },
        accepted: failed.into(),
    })
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
