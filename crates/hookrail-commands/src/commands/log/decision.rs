//! One event of the log for people: time, agent, tool, what it was about, the decision, and who made it.

use super::Wanted;
use crate::display::short_home;
use crate::hook_log::{LoggedDecision, short_local_time};
use crate::terminal::layout::{cell, fit, width};
use crate::terminal::printer::escape_line;
use crate::terminal::style::{Style, paint};

/// Widths of the columns; that of the summary is what is left.
const TIME: usize = 11;
const AGENT: usize = 8;
const TOOL: usize = 17;
const DECISION: usize = 7;
const HOOK: usize = 24;

/// A terminal that is narrower has two lines for an event.
pub(super) const NARROW: usize = 110;

/// The colour of a decision, or of how a hook call ended.
pub(super) fn style_of(word: &str) -> Style {
    match word {
        "block" | "stop" | "block+stop" => Style::Red,
        "ask" | "failed" | "failure" => Style::Yellow,
        "changed" => Style::Cyan,
        _ => Style::Plain,
    }
}

/// The event in the width of the terminal. In a file or a pipe nothing is cut.
pub(super) fn render(decision: &LoggedDecision, wanted: &Wanted<'_>) -> String {
    let time = cell(&escape_line(&short_local_time(&decision.timestamp)), TIME);
    let agent = escape_line(&decision.agent);
    let tool = escape_line(decision.tool.as_deref().unwrap_or(&decision.event));
    let summary = escape_line(decision.summary.as_deref().unwrap_or_default());
    let word = escape_line(&decision.decision);
    // Where no hook decided, the reason tells what did.
    let by = decision.hook.as_deref().or(decision.reason.as_deref());
    let mut hook = by.map(escape_line).unwrap_or_default();
    if let Some(project) = wanted.elsewhere(decision.project.as_deref().unwrap_or_default()) {
        if !hook.is_empty() {
            hook.push(' ');
        }
        hook.push_str("in ");
        hook.push_str(&escape_line(&short_home(project, wanted.context)));
    }
    let id = if wanted.args.ids { format!("{}  ", decision.id()) } else { String::new() };
    let columns = wanted.columns.map(|columns| columns.saturating_sub(id.len()));
    let painted = |width: usize| paint(style_of(&decision.decision), &cell(&word, width));
    match columns {
        None => {
            let line = format!(
                "{id}{time}  {agent:<AGENT$}  {tool:<TOOL$}  {summary}  {}  {hook}",
                painted(width(&word))
            );
            line.trim_end().to_owned()
        }
        Some(columns) if columns < NARROW => {
            let rest = columns.saturating_sub(TIME + AGENT + DECISION + 6);
            // Who decided counts more than the tool, which the call itself mostly shows.
            let who = match (tool, hook) {
                (tool, hook) if hook.is_empty() => tool,
                (tool, hook) if width(&tool) + 2 + width(&hook) <= rest => format!("{tool}  {hook}"),
                (_, hook) => hook,
            };
            let (agent, who) = (cell(&agent, AGENT), fit(&who, rest));
            let first = format!("{id}{time}  {agent}  {}  {who}", painted(DECISION));
            if summary.is_empty() {
                return first;
            }
            format!("{first}\n  {}", fit(&summary, (columns + id.len()).saturating_sub(2)))
        }
        Some(columns) => {
            let hook = fit(&hook, HOOK);
            let rest = columns.saturating_sub(TIME + AGENT + TOOL + DECISION + HOOK + 10);
            let (agent, tool, summary) = (cell(&agent, AGENT), cell(&tool, TOOL), cell(&summary, rest));
            let line = format!("{id}{time}  {agent}  {tool}  {summary}  {}  {hook}", painted(DECISION));
            line.trim_end().to_owned()
        }
    }
}
