//! Whether one condition holds whenever another one does, as far as their texts tell.

use super::{Kind, Node};
use crate::rules::command::CommandPattern;
use crate::rules::fact::Fact;

/// Whether `wide` holds whenever `narrow` does. `false` where that cannot be seen.
pub(super) fn follows(wide: &Node, narrow: &Node) -> bool {
    match (&wide.kind, &narrow.kind) {
        (Kind::All(parts), _) => parts.iter().all(|part| follows(part, narrow)),
        (_, Kind::All(parts)) => parts.iter().any(|part| follows(wide, part)),
        (_, Kind::Any(parts)) => !parts.is_empty() && parts.iter().all(|part| follows(wide, part)),
        (Kind::Any(parts), _) => parts.iter().any(|part| follows(part, narrow)),
        (Kind::Not(wide), Kind::Not(narrow)) => follows(narrow, wide),
        (
            Kind::Fact { fact: wide_fact, written: wide, .. },
            Kind::Fact { fact: narrow_fact, written: narrow, .. },
        ) => wide_fact == narrow_fact && test_follows(wide_fact, wide, narrow),
        _ => false,
    }
}

/// Whether one of the tests of `wide` holds whenever one of the tests of `narrow` does.
fn test_follows(fact: &Fact, wide: &str, narrow: &str) -> bool {
    let (wide, narrow) = (tests_of(wide), tests_of(narrow));
    !narrow.is_empty()
        && narrow
            .iter()
            .all(|narrow| wide.iter().any(|wide| wide == narrow || pattern_follows(fact, wide, narrow)))
}

/// The tests in `fact: …` as written.
fn tests_of(written: &str) -> Vec<serde_json::Value> {
    let json = written.split_once(": ").map_or("", |(_, json)| json);
    match serde_json::from_str(json) {
        Ok(serde_json::Value::Array(tests)) => tests,
        Ok(test) => vec![test],
        Err(_) => Vec::new(),
    }
}

/// `git push` holds for every command that `git push --force` holds for. A pattern of plain words is such a command
/// itself, and whatever is added to one takes no pattern away.
fn pattern_follows(fact: &Fact, wide: &serde_json::Value, narrow: &serde_json::Value) -> bool {
    let (Fact::Command, Some(wide), Some(narrow)) = (fact, wide.as_str(), narrow.as_str()) else {
        return false;
    };
    let is_plain =
        !narrow.contains(['*', '?', '[', '{', '\\']) && !narrow.split_whitespace().any(|word| word == "...");
    is_plain && CommandPattern::compile(wide).is_ok_and(|wide| wide.holds_for_words(narrow))
}
