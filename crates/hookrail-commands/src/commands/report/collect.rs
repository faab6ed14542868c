//! What the log has, as the page takes it: each line with an id and the next steps that it allows, and bounded in number.

use std::collections::VecDeque;

use hookrail::rules::library;
use serde_json::{Value, json};

use super::for_page;
use crate::cli::ReportArgs;
use crate::context::Context;
use crate::hook_log::{LogEntry, LoggedDecision, Since, Tail, open_with_rotated, path_in};

/// The page filters so many decisions at once; of more, the newest are shown. As many hook calls are kept.
const MOST: usize = 20_000;

/// The most that one update has.
const MOST_IN_UPDATE: u64 = 2_000;

/// A line for the page, as JSON.
enum Item {
    Decision(String),
    /// The name of a hook that was started, and how long it took.
    Call(String),
}

/// The lines that are wanted, and the log from which more may come.
pub(super) struct Collected {
    tail: Tail,
    since: Since,
    session: Option<String>,
    items: VecDeque<Item>,
    /// How many were ever added.
    pub(super) total: u64,
}

impl Collected {
    /// Reads the logs, those that were moved aside first.
    pub(super) fn load(args: &ReportArgs, context: &Context) -> anyhow::Result<Self> {
        let path = path_in(&context.state_dir());
        let mut collected = Self {
            tail: Tail::new(&path),
            since: args.since,
            session: args.session.clone(),
            items: VecDeque::new(),
            total: 0,
        };
        // The present log is opened first: one that is moved aside meanwhile is neither lost nor read twice.
        let mut present = Vec::new();
        collected.tail.poll(&mut |entry: LogEntry| {
            present.push(entry);
            Ok(())
        })?;
        let mut logs = open_with_rotated(&path)?;
        logs.files.retain(|(_, file)| !collected.tail.is_reading(file.get_ref()));
        for entry in logs.lines() {
            collected.add(&entry?);
        }
        for entry in &present {
            collected.add(entry);
        }
        Ok(collected)
    }

    /// Reads what was logged since the last time.
    pub(super) fn poll(&mut self) -> anyhow::Result<()> {
        let mut new = Vec::new();
        self.tail.poll(&mut |entry: LogEntry| {
            new.push(entry);
            Ok(())
        })?;
        for entry in &new {
            self.add(entry);
        }
        Ok(())
    }

    fn add(&mut self, entry: &LogEntry) {
        let (timestamp, session) = match entry {
            LogEntry::Decision(decision) => (&decision.timestamp, &decision.session_id),
            LogEntry::Call(call) => (&call.timestamp, &call.session_id),
        };
        if !self.since.covers(timestamp) || self.session.as_ref().is_some_and(|wanted| wanted != session) {
            return;
        }
        let item = match entry {
            LogEntry::Decision(decision) => decision_for_page(decision).map(Item::Decision),
            LogEntry::Call(call) if call.command.is_some() => {
                Some(Item::Call(for_page(&json!([call.name, call.duration_ms]).to_string())))
            }
            LogEntry::Call(_) => None,
        };
        let Some(item) = item else { return };
        self.items.push_back(item);
        self.total += 1;
        if self.items.len() > 2 * MOST {
            self.items.pop_front();
        }
    }

    /// Everything for a page, and how many decisions that is.
    pub(super) fn page_data(&self, args: &ReportArgs, coverage: &Value, live: bool) -> (String, usize) {
        let (decisions, calls) = parts(self.items.iter());
        let decisions = decisions.get(decisions.len().saturating_sub(MOST)..).unwrap_or_default();
        let head = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "since": args.since.to_string(),
            "until": hookrail::components::timestamp_now(),
            "live": live,
            "most": MOST,
            "cursor": self.total,
            "coverage": coverage,
        });
        (with_lists(&head, decisions, &calls), decisions.len())
    }

    /// What came after a cursor; `None` if the page has to be loaded again, because not all of it is kept.
    pub(super) fn update(&self, after: u64, coverage: &Value) -> Option<String> {
        let first = self.total - self.items.len() as u64;
        if !(first..=self.total).contains(&after) {
            return None;
        }
        let cursor = self.total.min(after + MOST_IN_UPDATE);
        let skipped = usize::try_from(after - first).ok()?;
        let taken = usize::try_from(cursor - after).ok()?;
        let (decisions, calls) = parts(self.items.iter().skip(skipped).take(taken));
        let head = json!({
            "cursor": cursor,
            "more": cursor < self.total,
            "until": hookrail::components::timestamp_now(),
            "coverage": coverage,
        });
        Some(with_lists(&head, &decisions, &calls))
    }
}

/// Decisions and hook calls.
fn parts<'i>(items: impl Iterator<Item = &'i Item>) -> (Vec<&'i str>, Vec<&'i str>) {
    let (mut decisions, mut calls) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Decision(text) => decisions.push(text.as_str()),
            Item::Call(text) => calls.push(text.as_str()),
        }
    }
    (decisions, calls)
}

/// The object with both lists, whose entries are JSON already.
fn with_lists(head: &Value, decisions: &[&str], calls: &[&str]) -> String {
    let head = for_page(&head.to_string());
    let head = head.strip_suffix('}').unwrap_or(&head);
    format!("{head},\"decisions\":[{}],\"hookCalls\":[{}]}}", decisions.join(","), calls.join(","))
}

/// A decision with its id, and the words for the commands that are offered: only such as work.
fn decision_for_page(decision: &LoggedDecision) -> Option<String> {
    let mut fields: Value = serde_json::from_str(&decision.text).ok()?;
    let fields = fields.as_object_mut()?;
    fields.shift_remove("type");
    fields.insert("id".to_owned(), decision.id().into());
    let shipped = decision.hook.as_deref().is_some_and(|name| library::text(name).is_some());
    let stops = matches!(decision.decision.as_str(), "block" | "ask");
    let is_whole = decision.whole_call().is_some();
    let is_policy = decision.block_cause.as_deref() != Some("failure");
    let is_agents = decision.agent != "hookrail";
    let next: Vec<&str> = [
        ("test", is_whole),
        ("except", is_whole && shipped && stops && is_policy),
        ("allow", decision.decision == "block" && is_policy && is_agents),
        ("rule", shipped),
    ]
    .into_iter()
    .filter_map(|(word, works)| works.then_some(word))
    .collect();
    fields.insert("next".to_owned(), next.into());
    Some(for_page(&serde_json::to_string(fields).ok()?))
}
