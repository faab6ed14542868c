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
    pub(super) what: Activity,
    pub(super) since: Instant,
}

/// What can be waited for. A name identifies the one that ended, since events have no other mark.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Activity {
    Hook { event: EventName, name: String },
    Tool { name: String },
    Model { name: String },
}

impl Activity {
    /// How far out it is: hooks are inside of calls, and tool calls inside of a model's turn.
    const fn depth(&self) -> u8 {
        match self {
            Self::Hook { .. } => 0,
            Self::Tool { .. } => 1,
            Self::Model { .. } => 2,
        }
    }
}

impl Board {
    /// Nothing is waited for yet.
    pub(super) fn new(screen: Box<dyn Write + Send>, columns: fn() -> usize) -> Self {
        Self { screen, columns, running: Vec::new(), drawn: false, asking: false, ticking: false }
    }

    /// Takes note of what begins or ends with this event.
    pub(super) fn note(&mut self, event: &AgentEvent<'_>) {
        match *event {
            AgentEvent::ModelStarted { model } => self.begin(Activity::Model { name: model.to_owned() }),
            AgentEvent::ModelFinished => self.end(|what| matches!(what, Activity::Model { .. })),
            AgentEvent::ToolState { name, state: ToolState::Executing, .. } => {
                self.begin(Activity::Tool { name: name.to_owned() });
            }
            AgentEvent::ToolState { name, state: ToolState::Idle, .. } => {
                self.end(|what| matches!(what, Activity::Tool { name: tool } if tool == name));
            }
            AgentEvent::HookStarted { event, name } => {
                self.begin(Activity::Hook { event, name: name.to_owned() });
            }
            AgentEvent::HookFinished { event, run } => {
                let name = &run.hook.name;
                self.end(
                    |what| matches!(what, Activity::Hook { event: of, name: hook } if *of == event && hook == name),
                );
            }
            _ => {}
        }
    }

    /// Shown only after [`SHOWN_AFTER`].
    fn begin(&mut self, what: Activity) {
        self.running.push(RunningItem { what, since: Instant::now() });
    }

    /// Ends the oldest work of this kind; calls of one tool may run side by side.
    fn end(&mut self, is_it: impl Fn(&Activity) -> bool) {
        if let Some(index) = self.running.iter().position(|work| is_it(&work.what)) {
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
            if self.running.iter().all(|work| matches!(work.what, Activity::Model { .. })) {
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
        order::sort_by_key(&mut waits, |work| (work.what.depth(), work.since));
        let texts: Vec<String> = waits
            .into_iter()
            .map(|work| {
                let what = match &work.what {
                    Activity::Hook { event, name } => format!("hook {} ({event})", escape_line(name)),
                    Activity::Tool { name } => format!("tool {}", escape_line(name)),
                    Activity::Model { name } => format!("model {}", escape_line(name)),
                };
                format!("{what} {:.1} s", now.duration_since(work.since).as_secs_f64())
            })
            .collect();
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
