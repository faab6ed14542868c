//! Results for people: one line a test, what differs under each failure, a count at the end.

use std::fmt::Write as _;

use super::judge::Mismatch;
use super::seen::SeenOutcome;
use crate::terminal::printer::{escape, escape_line};
use crate::terminal::style::{Style, paint};

/// From how many milliseconds on a test is called slow.
pub(super) const SLOW_MS: u64 = 1_000;

/// How much of a value is shown.
const SHOWN: usize = 600;

/// The lines of one test, whose `place` is a file and a line; `accepted` if what was seen is written into it.
/// A test that passed has one line and nothing else, so that failures stand out.
pub(super) fn render(
    name: &str,
    place: &str,
    seen: &SeenOutcome,
    mismatches: &[Mismatch],
    accepted: bool,
) -> String {
    let (word, style) = match (mismatches.is_empty(), accepted) {
        (_, true) => ("ACCEPT", Style::Yellow),
        (true, false) => ("PASS", Style::BoldGreen),
        (false, false) => ("FAIL", Style::Red),
    };
    let word = paint(style, &format!("{word:<6}"));
    let mut text = format!("{word} [{:>6} ms] {}", seen.took_ms, escape_line(name));
    if mismatches.is_empty() {
        return text;
    }
    let _ = write!(text, "  ({place})");
    for mismatch in mismatches {
        let _ = write!(text, "\n         {}", mismatch.key);
        let _ = write!(text, "\n           - expected {}", indented(&mismatch.expected));
        let _ = write!(text, "\n           + seen     {}", indented(&mismatch.seen));
    }
    let _ = write!(text, "\n         ran: {}", ran(seen));
    if let Some(reason) = seen.reasons.first() {
        let _ = write!(text, "\n         reason: {}", indented(reason));
    }
    for failure in &seen.failures {
        let _ = write!(text, "\n         {}", indented(failure));
    }
    for warning in &seen.warnings {
        let _ = write!(text, "\n         warning: {}", indented(warning));
    }
    text
}

/// Named for every failure: the most frequent surprise is a hook that did not run at all.
fn ran(seen: &SeenOutcome) -> String {
    if seen.ran.is_empty() {
        return "no hook".to_owned();
    }
    let each = seen.ran.iter().map(|ran| format!("{} ({})", escape_line(&ran.name), ran.how));
    each.collect::<Vec<_>>().join(", ")
}

/// A text from outside: escaped, short, and its lines distinguished from ours by their indentation.
fn indented(value: &str) -> String {
    let shown = value.get(..value.floor_char_boundary(SHOWN)).unwrap_or_default();
    let mut text = escape(shown).replace('\n', "\n             ");
    if shown.len() < value.len() {
        let _ = write!(text, "… ({} bytes more)", value.len() - shown.len());
    }
    text
}
