//! One line on a terminal that shows the progress of a long command. It is drawn on stderr and wiped at the end; where
//! stderr is not a terminal nothing is drawn.

use std::cell::Cell;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use crate::terminal::screen::{self, WIPE};

/// How often the line is drawn at most.
const TICK: Duration = Duration::from_millis(100);

/// How long a command runs before the line is drawn: a line for less would only flicker.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

/// A progress line.
/// It has no thread: it is drawn when the command calls it.
pub(crate) struct Meter {
    is_on: bool,
    since: Instant,
    drawn: Cell<Option<Instant>>,
}

impl Meter {
    /// A line on stderr, if that is a terminal and the line is `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        Self { is_on: wanted && screen::can_be_drawn_on(), since: Instant::now(), drawn: Cell::new(None) }
    }

    /// How long the command has run.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// Draws the line, unless it was drawn a moment ago. The text is our own and short.
    pub(crate) fn show(&self, text: impl FnOnce() -> String) {
        if !self.is_on || self.since.elapsed() < SHOWN_AFTER {
            return;
        }
        if self.drawn.get().is_some_and(|drawn| drawn.elapsed() < TICK) {
            return;
        }
        self.drawn.set(Some(Instant::now()));
        let mut screen = io::stderr().lock();
        let _ = write!(screen, "{WIPE}{}", text());
        let _ = screen.flush();
    }

    /// Takes the line away.
    pub(crate) fn wipe(&self) {
        if self.drawn.take().is_some() {
            let mut screen = io::stderr().lock();
            let _ = write!(screen, "{WIPE}");
            let _ = screen.flush();
        }
    }
}
