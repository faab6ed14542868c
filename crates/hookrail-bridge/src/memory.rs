//! What has to be remembered from one event of a session to the next, because each event is a process of its own.

use hookrail::EventName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agents::dialect_of;
use crate::event::BridgeEvent;

/// The longest text that is remembered. A few of them stay far below the megabyte that a session may take.
pub(crate) const LONGEST_TEXT: usize = 64 * 1024;
/// The longest reason of a stop that is remembered.
const LONGEST_REASON: usize = 4 * 1024;
/// How much of a notice is compared with others.
const LONGEST_NOTICE: usize = 512;
/// How many notices are remembered as shown.
const MOST_NOTICES: usize = 32;
/// How many processes are remembered. An agent that continues a session is another process.
const MOST_PROCESSES: usize = 12;
/// How long all names of tools may be together.
const LONGEST_TOOLS: usize = 8 * 1024;

/// What is remembered of one session. The caller keeps it, privately, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMemory {
    /// The folder of the session's first event. The project is searched from here, wherever the agent went since.
    pub cwd: Option<String>,
    /// The last prompt; most agents do not repeat it at the end of their work.
    pub prompt: Option<String>,
    /// A stop that could not be carried out at once. It refuses every tool call until the next prompt.
    pub stop: Option<String>,
    /// Whether the agent was told to end its run for that stop. It is told once; tool calls are refused all the same.
    pub stop_is_told: bool,
    /// A stop at the session's start. It refuses every prompt of the session.
    pub session_stop: Option<String>,
    /// Texts for the model that the agent did not take at their own event.
    pub pending_context: Option<String>,
    /// The tools that the last `BeforeToolSelection` left, as the hook named them.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether the agent was sent back to work since the last prompt.
    pub sent_back: bool,
    /// Processes that were above a bridge call, each by its id and start time.
    pub above: Vec<String>,
    /// Notices that the user has seen.
    pub shown_notices: Vec<String>,
    /// Set by a caller that cannot keep anything: what would wait for a later event is then refused at once.
    #[serde(skip)]
    pub is_lost: bool,
}

impl SessionMemory {
    /// The memory of a caller that has no place to keep one.
    pub fn lost() -> Self {
        Self { is_lost: true, ..Self::default() }
    }

    /// Adds to the event at the end of the work what earlier events of the session contained: the prompt, and whether the
    /// agent was sent back.
    pub fn recall(&self, event: &mut BridgeEvent) {
        if event.event != Some(EventName::AfterAgent) {
            return;
        }
        if let Some(prompt) = &self.prompt {
            event.payload.insert("prompt".to_owned(), prompt.as_str().into());
        }
        let is_reported = event.payload.get("stop_hook_active") == Some(&Value::Bool(true));
        let is_sent_back = self.sent_back || (is_reported && dialect_of(event.agent).can.reports_sent_back);
        event.payload.insert("stop_hook_active".to_owned(), is_sent_back.into());
    }

    /// Takes over what an event contains about its session.
    pub(crate) fn note(&mut self, event: &BridgeEvent) {
        if self.cwd.is_none() {
            self.cwd.clone_from(&event.cwd);
        }
        // The latest are last, so that an agent stays when short-lived processes between it and the bridge are many.
        self.above.retain(|process| !event.above.contains(process));
        self.above.extend(event.above.iter().cloned());
        let oldest = self.above.len().saturating_sub(MOST_PROCESSES);
        self.above.drain(..oldest);
        if let Some(prompt) = event.new_prompt() {
            self.prompt = Some(shortened(prompt));
            self.sent_back = false;
            self.stop = None;
            self.stop_is_told = false;
        }
    }

    /// Keeps a text for the next event at which the agent takes one.
    pub(crate) fn add_context(&mut self, text: &str) {
        let joined = match self.pending_context.take() {
            Some(before) => format!("{before}\n{text}"),
            None => text.to_owned(),
        };
        self.pending_context = Some(shortened(&joined));
    }

    /// Keeps it below a megabyte as JSON, even if every character has to be escaped. What restricts the agent is
    /// never dropped: in place of a list of tools that is too long, no tool is allowed.
    pub(crate) fn bounded(mut self) -> Self {
        // Longer than any path that a system opens.
        self.cwd = self.cwd.filter(|cwd| cwd.len() <= LONGEST_REASON);
        for reason in [&mut self.stop, &mut self.session_stop].into_iter().flatten() {
            *reason = cut(reason, LONGEST_REASON);
        }
        let tools = self.allowed_tools.iter().flatten().map(|name| name.len() + 4).sum::<usize>();
        if tools > LONGEST_TOOLS {
            self.allowed_tools = Some(Vec::new());
        }
        self
    }

    /// Remembers a notice as shown; `false` if it was shown before.
    pub(crate) fn add_notice(&mut self, notice: &str) -> bool {
        let notice = cut(notice, LONGEST_NOTICE);
        if self.shown_notices.contains(&notice) {
            return false;
        }
        if self.shown_notices.len() < MOST_NOTICES {
            self.shown_notices.push(notice);
        }
        true
    }
}

/// The beginning of a text, as much as is remembered.
pub(crate) fn shortened(text: &str) -> String {
    cut(text, LONGEST_TEXT)
}

/// The beginning of a text, never cut in the middle of a character.
fn cut(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
