//! What is being waited for, and the line about it.

use std::io::Write;
use std::time::{Duration, Instant};

use hookrail::EventName;
use hookrail::rules::order;
use hookrail_agent::ui::{AgentEvent, ToolState};
use unicode_width::UnicodeWidthChar as _;

use super::TerminalUi;
use crate::terminal::printer::escape_line;
use crate::terminal::screen::WIPE;

/// How long something runs before it is in the line: a line for less would only flicker.
pub(super) const SHOWN_AFTER: Duration = Duration::from_millis(200);

/// What is being waited for, and what is on the screen.
/// The width is asked for with each line, because a window may change.
pub(super) struct Board {
    screen: Box<dyn Write + Send>,
    pub(super) columns: fn() -> usize,
    pub(super) running: Vec<RunningItem>,
    /// Whether the line is on the screen.
    drawn: bool,
    /// Whether a question is on the screen.
    pub(super) asking: bool,
    /// Whether a thread draws the line.
    pub(super) ticking: bool,
}

/// Something that has begun and not ended.
pub(super) struct RunningItem {
    pub(super) kind: Activity,
    /// As the line shows it, which also identifies the one that ended: events have no other mark.
    pub(super) text: String,
    pub(super) since: Instant,
}

/// What can be waited for, from the inside out: hooks are inside of calls, and tool calls inside of a model's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Activity {
    Hook,
    Tool,
    Model,
}

impl Board {
    /// Nothing is waited for yet.
    pub(super) fn new(screen: Box<dyn Write + Send>, columns: fn() -> usize) -> Self {
        Self { screen, columns, running: Vec::new(), drawn: false, asking: false, ticking: false }
    }

    /// Takes note of what begins or ends with this event.
    pub(super) fn note(&mut self, event: &AgentEvent<'_>) {
        let hook = |event: EventName, name: &str| format!("hook {} ({event})", escape_line(name));
        let tool = |name: &str| format!("tool {}", escape_line(name));
        match *event {
            AgentEvent::ModelStarted { model } => {
                self.begin(Activity::Model, format!("model {}", escape_line(model)));
            }
            AgentEvent::ModelFinished => self.end(|work| work.kind == Activity::Model),
            AgentEvent::ToolState { name, state: ToolState::Executing, .. } => {
                self.begin(Activity::Tool, tool(name));
            }
            AgentEvent::ToolState { name, state: ToolState::Idle, .. } => {
                self.end(|work| work.text == tool(name));
            }
            AgentEvent::HookStarted { event, name } => self.begin(Activity::Hook, hook(event, name)),
            AgentEvent::HookFinished { event, run } => {
                self.end(|work| work.text == hook(event, &run.hook.name));
            }
            _ => {}
        }
    }

    /// Shown only after [`SHOWN_AFTER`].
    fn begin(&mut self, kind: Activity, text: String) {
        self.running.push(RunningItem { kind, text, since: Instant::now() });
    }

    /// Ends the oldest work of this kind; calls of one tool may run side by side.
    fn end(&mut self, is_it: impl Fn(&RunningItem) -> bool) {
        if let Some(index) = self.running.iter().position(is_it) {
            self.running.remove(index);
        }
    }

    /// Takes the line off the screen.
    pub(super) fn wipe(&mut self) {
        if self.drawn {
            let _ = self.screen.write_all(WIPE.as_bytes()).and_then(|()| self.screen.flush());
            self.drawn = false;
        }
    }

    /// Draws the line, where nothing else has the screen.
    pub(super) fn draw(&mut self, now: Instant, inner: Option<&dyn TerminalUi>) {
        if self.asking {
            return;
        }
        let Some(line) = self.line(now) else { return };
        if let Some(inner) = inner.filter(|inner| inner.has_open_line()) {
            if self.running.iter().all(|work| work.kind == Activity::Model) {
                // The answer itself shows that the model is at work.
                return;
            }
            inner.end_line();
        }
        let _ = write!(self.screen, "{WIPE}{line}").and_then(|()| self.screen.flush());
        self.drawn = true;
    }

    /// What is waited for, innermost first: hooks before the call that they are about. Of several hooks, or calls, the
    /// one that has run longest comes first, because it is the one to look at.
    pub(super) fn line(&self, now: Instant) -> Option<String> {
        let mut waits: Vec<&RunningItem> =
            self.running.iter().filter(|work| now.duration_since(work.since) >= SHOWN_AFTER).collect();
        order::sort_by_key(&mut waits, |work| (work.kind, work.since));
        let seconds = |work: &RunningItem| now.duration_since(work.since).as_secs_f64();
        let texts: Vec<String> =
            waits.into_iter().map(|work| format!("{} {:.1} s", work.text, seconds(work))).collect();
        // In the last column some terminals wrap, and a wrapped line cannot be wiped.
        (!texts.is_empty()).then(|| cut(&texts.join(" · "), (self.columns)().saturating_sub(1)))
    }
}

/// The beginning of a text that fits.
/// Wide characters count twice, as terminals draw them.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}
