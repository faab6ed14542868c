//! One line on a terminal that shows what the agent is waiting for, and for how long.
//!
//! It is drawn on stderr and wiped before anything else is shown. Its ticker is a thread that ends as
//! soon as there is nothing to wait for.
//!
//! `indicatif` 0.18.6 does not do: it draws over an unfinished line of the model's answer, draws again right after
//! `suspend`, takes a closure where a question is a future, and does not escape text from outside.

mod board;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookrail_agent::tools::BoxFuture;
use hookrail_agent::ui::{AgentEvent, Question, Ui};

use self::board::Board;
use crate::terminal::screen;

/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(100);

/// What writes to the terminal besides the progress line.
/// The progress line shares the terminal with an answer that arrives in pieces and must not
/// be written into the middle of it.
pub(crate) trait TerminalUi: Ui {
    /// Whether it has left a line unfinished on the terminal, which must not be wiped.
    fn has_open_line(&self) -> bool;

    /// Ends the open line with a line feed.
    fn end_line(&self);
}

/// A progress line while nothing else is to be seen, and what shows the agent's events, if anything does: nothing is printed
/// past the line.
pub(crate) struct Progress {
    inner: Option<Arc<dyn TerminalUi>>,
    board: Option<Arc<Mutex<Board>>>,
}

impl Progress {
    /// Shows progress on stderr if that is a terminal and `wanted`.
    pub(crate) fn on_stderr(inner: Option<Arc<dyn TerminalUi>>, wanted: bool) -> Self {
        if !wanted || !screen::can_be_drawn_on() {
            return Self { inner, board: None };
        }
        Self::on(inner, Box::new(io::stderr()), screen::columns)
    }

    /// Tests draw into memory.
    fn on(inner: Option<Arc<dyn TerminalUi>>, screen: Box<dyn Write + Send>, columns: fn() -> usize) -> Self {
        Self { inner, board: Some(Arc::new(Mutex::new(Board::new(screen, columns)))) }
    }

    /// Nothing is being waited for now, whatever was before: work that was given up never reports its end.
    pub(crate) fn idle(&self) {
        if let Some(board) = &self.board {
            let mut board = lock(board);
            board.running.clear();
            board.wipe();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.idle();
    }
}

impl Ui for Progress {
    fn notify(&self, event: &AgentEvent<'_>) {
        let show = || self.inner.as_ref().map_or((), |inner| inner.notify(event));
        let Some(shared) = &self.board else { return show() };
        // The lock is held while the other writes, so that the ticker cannot draw in between.
        let mut board = lock(shared);
        board.wipe();
        show();
        board.note(event);
        if !board.running.is_empty() && !board.ticking {
            let (shared, inner) = (Arc::clone(shared), self.inner.clone());
            let ticker = std::thread::Builder::new().name("progress".to_owned());
            board.ticking = ticker.spawn(move || tick(&shared, inner.as_deref())).is_ok();
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let _quiet = self.board.as_deref().map(Quiet::new);
            match &self.inner {
                Some(inner) => inner.ask(question).await,
                None => false,
            }
        })
    }
}

/// No line is drawn while a question is on the screen, also if the question is taken back.
struct Quiet<'a>(&'a Mutex<Board>);

impl<'a> Quiet<'a> {
    /// The line that is on the screen goes first.
    fn new(shared: &'a Mutex<Board>) -> Self {
        let mut board = lock(shared);
        board.wipe();
        board.asking = true;
        Self(shared)
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        lock(self.0).asking = false;
    }
}

/// One thread for all that is waited for; the next wait starts another.
fn tick(shared: &Mutex<Board>, inner: Option<&dyn TerminalUi>) {
    loop {
        std::thread::sleep(TICK);
        let mut board = lock(shared);
        if board.running.is_empty() {
            board.wipe();
            board.ticking = false;
            return;
        }
        board.draw(Instant::now(), inner);
    }
}

/// A panic of one writer leaves a board that can still be wiped.
fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}
