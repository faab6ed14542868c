//! The result of a replay for people: a summary, then only what differs, in groups.

use std::fmt::Write as _;

use serde_json::Value;

use super::call::PastOutcome;
use super::differences::{Difference, DifferenceGroup, DifferenceKind, Differences};
use super::{Counts, Replay};
use crate::terminal::layout::counted;
use crate::terminal::printer::escape_line;

/// How much of a call is shown on its line.
const SHOWN: usize = 160;

/// What was replayed and what hooks decided about it, in a few lines.
/// What could not be read and what was not asked is printed here, because both make the numbers smaller than they should
/// be.
pub(super) fn summary(replay: &Replay<'_>) -> String {
    let Counts { calls, allow, block, ask, unreadable, files } = replay.counts;
    let (files, calls) = (counted(files, "file"), counted(calls, "call"));
    let mut text = format!("{calls} in {files}: {allow} allowed, {block} blocked, {ask} asked about");
    for (hook, (blocked, asked)) in &replay.by_hook {
        let _ = write!(text, "\n  {}: {blocked} blocked, {asked} asked about", escape_line(hook));
    }
    if unreadable > 0 {
        let _ = write!(text, "\n{} could not be read", counted(unreadable, "line"));
    }
    let not_asked = replay.decider.not_asked;
    if not_asked > 0 {
        let (hooks, were) = (counted(not_asked as u64, "hook"), if not_asked == 1 { "was" } else { "were" });
        let _ = write!(
            text,
            "\n{hooks} {were} not asked: a hook is asked if it is a rule or marked `\"pure\": true`, all with `--run-hooks`"
        );
    }
    text
}

/// The groups, with one example of each.
/// The largest group comes first.
pub(super) fn groups(differences: &Differences) -> String {
    if differences.count == 0 {
        return "nothing would be decided differently".to_owned();
    }
    let mut text = format!("{} would be decided differently:", differences.count);
    for (kind, group) in differences.groups() {
        let _ = write!(text, "\n\n{}", headline(kind, group));
        let _ = write!(text, "\n  {}", line(&group.example));
        if let Some(reason) = &group.example.reason {
            let _ = write!(text, "\n  reason: {}", short(reason));
        }
        if group.count > 1 {
            let _ = write!(text, "\n  and {} more; `--all` shows them", group.count - 1);
        }
    }
    if differences.other > 0 {
        let _ = write!(text, "\n\nand {} of other kinds; `--all` shows them", differences.other);
    }
    text
}

/// How many calls of which tool, and which hook decides otherwise.
fn headline(kind: &DifferenceKind, group: &DifferenceGroup) -> String {
    let was = match kind.was {
        PastOutcome::Allow => "allowed",
        PastOutcome::Block => "blocked",
        PastOutcome::Denied => "denied",
    };
    let by = kind.by.as_ref().map(|by| format!(" by `{}`", escape_line(by))).unwrap_or_default();
    let tool = escape_line(&kind.tool);
    format!("{} x {tool}: was {was}, now {}{by}", group.count, kind.now.as_str())
}

/// One call on one line.
/// The most significant argument of a call is shown for all of them.
pub(super) fn line(difference: &Difference) -> String {
    let Difference { file, line, tool, input, was, now, by, .. } = difference;
    let what = ["command", "file_path", "path", "pattern", "patch", "url"];
    let what = what.into_iter().find_map(|key| input.get(key));
    let what = match what {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => Value::Object(input.clone()).to_string(),
    };
    let by = by.as_ref().map(|by| format!(" ({})", escape_line(by))).unwrap_or_default();
    format!("{}:{line}: {was} -> {now}{by}: {} {}", escape_line(file), escape_line(tool), short(&what))
}

/// Cut in bytes, at a character.
fn short(text: &str) -> String {
    let shown = text.get(..text.floor_char_boundary(SHOWN)).unwrap_or_default();
    let mut line = escape_line(shown);
    if shown.len() < text.len() {
        line.push('…');
    }
    line
}
