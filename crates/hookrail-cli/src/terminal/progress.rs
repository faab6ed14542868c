//! One line on a terminal that says what the agent is waiting for, and how long already.
//!
//! It is drawn on stderr and wiped before anything else is shown. Its ticker is a thread that ends as
//! soon as there is nothing to wait for.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookrail::EventName;
use hookrail_agent::tools::BoxFuture;
use hookrail_agent::ui::{AgentEvent, Question, ToolState, Ui};
use unicode_width::UnicodeWidthChar as _;

use crate::terminal::printer::escape_line;

/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(100);

/// What is over sooner is not worth a line that flickers.
const PATIENCE: Duration = Duration::from_millis(200);

/// Back to the first column, and the line is empty.
const WIPE: &str = "\r\u{1b}[2K";

/// Who writes to the terminal besides the progress line.
pub(crate) trait Shows: Ui {
    /// Whether it has left a line unfinished on the terminal, which must not be wiped.
    fn has_open_line(&self) -> bool;

    /// Finishes that line.
    fn end_line(&self);
}

/// Shows what `U` shows, and a progress line while nothing else is to be seen.
pub(crate) struct Progress<U> {
    inner: Arc<U>,
    board: Option<Arc<Mutex<Board>>>,
}

/// What is being waited for, and what is on the screen.
struct Board {
    screen: Box<dyn Write + Send>,
    columns: fn() -> usize,
    works: Vec<Work>,
    /// Whether the line is on the screen.
    drawn: bool,
    asking: bool,
    ticking: bool,
}

struct Work {
    what: What,
    since: Instant,
}

#[derive(Debug, PartialEq, Eq)]
enum What {
    Hook { event: EventName, name: String },
    Tool { name: String },
    Model { name: String },
}

impl What {
    /// How far out it is: hooks are inside of calls, and tool calls inside of a model's turn.
    const fn depth(&self) -> u8 {
        match self {
            Self::Hook { .. } => 0,
            Self::Tool { .. } => 1,
            Self::Model { .. } => 2,
        }
    }
}

impl<U> Progress<U> {
    /// Shows progress on stderr if that is a terminal and `wanted`.
    pub(crate) fn on_stderr(inner: Arc<U>, wanted: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !wanted || dumb || !io::stderr().is_terminal() {
            return Self { inner, board: None };
        }
        Self::on(inner, Box::new(io::stderr()), || {
            // A terminal that nobody gave a size says zero.
            let size = rustix::termios::tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
            size.map_or(80, |size| usize::from(size.ws_col))
        })
    }

    fn on(inner: Arc<U>, screen: Box<dyn Write + Send>, columns: fn() -> usize) -> Self {
        let board = Board { screen, columns, works: Vec::new(), drawn: false, asking: false, ticking: false };
        Self { inner, board: Some(Arc::new(Mutex::new(board))) }
    }

    /// Nothing is being waited for any more, whatever was: work that was given up never says that it is over.
    pub(crate) fn idle(&self) {
        if let Some(board) = &self.board {
            let mut board = lock(board);
            board.works.clear();
            board.wipe();
        }
    }
}

impl<U> Drop for Progress<U> {
    fn drop(&mut self) {
        self.idle();
    }
}

impl<U: Shows + 'static> Ui for Progress<U> {
    fn notify(&self, event: &AgentEvent<'_>) {
        let Some(shared) = &self.board else { return self.inner.notify(event) };
        // The lock is held while the other writes, so that the ticker cannot draw in between.
        let mut board = lock(shared);
        board.wipe();
        self.inner.notify(event);
        board.note(event);
        if !board.works.is_empty() && !board.ticking {
            let (shared, inner) = (Arc::clone(shared), Arc::clone(&self.inner));
            let ticker = std::thread::Builder::new().name("progress".to_owned());
            board.ticking = ticker.spawn(move || tick(&shared, inner.as_ref())).is_ok();
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool> {
        let Some(shared) = &self.board else { return self.inner.ask(question) };
        Box::pin(async move {
            let _quiet = Quiet::new(shared);
            self.inner.ask(question).await
        })
    }
}

/// No line is drawn while a question is on the screen, also if the question is taken back.
struct Quiet<'a>(&'a Mutex<Board>);

impl<'a> Quiet<'a> {
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

fn tick(shared: &Mutex<Board>, inner: &dyn Shows) {
    loop {
        std::thread::sleep(TICK);
        let mut board = lock(shared);
        if board.works.is_empty() {
            board.wipe();
            board.ticking = false;
            return;
        }
        board.draw(Instant::now(), inner);
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
    fn note(&mut self, event: &AgentEvent<'_>) {
        match *event {
            AgentEvent::ModelStarted { model } => self.begin(What::Model { name: model.to_owned() }),
            AgentEvent::ModelFinished => self.end(|what| matches!(what, What::Model { .. })),
            AgentEvent::ToolState { name, state: ToolState::Executing, .. } => {
                self.begin(What::Tool { name: name.to_owned() });
            }
            AgentEvent::ToolState { name, state: ToolState::Idle, .. } => {
                self.end(|what| matches!(what, What::Tool { name: tool } if tool == name));
            }
            AgentEvent::HookStarted { event, name } => {
                self.begin(What::Hook { event, name: name.to_owned() });
            }
            AgentEvent::HookFinished { event, run } => {
                let name = &run.hook.name;
                self.end(
                    |what| matches!(what, What::Hook { event: of, name: hook } if *of == event && hook == name),
                );
            }
            _ => {}
        }
    }

    fn begin(&mut self, what: What) {
        self.works.push(Work { what, since: Instant::now() });
    }

    /// Ends the oldest work of this kind; calls of one tool may run side by side.
    fn end(&mut self, is_it: impl Fn(&What) -> bool) {
        if let Some(index) = self.works.iter().position(|work| is_it(&work.what)) {
            self.works.remove(index);
        }
    }

    fn wipe(&mut self) {
        if self.drawn {
            let _ = self.screen.write_all(WIPE.as_bytes()).and_then(|()| self.screen.flush());
            self.drawn = false;
        }
    }

    fn draw(&mut self, now: Instant, inner: &dyn Shows) {
        if self.asking {
            return;
        }
        let Some(line) = self.line(now) else { return };
        if inner.has_open_line() {
            if self.works.iter().all(|work| matches!(work.what, What::Model { .. })) {
                // The answer itself tells that the model is at work.
                return;
            }
            inner.end_line();
        }
        let _ = write!(self.screen, "{WIPE}{line}").and_then(|()| self.screen.flush());
        self.drawn = true;
    }

    /// What is waited for, innermost first: hooks before the call that they are about. Of several hooks, or calls, the
    /// one that has run longest comes first, because it is the one to look at.
    fn line(&self, now: Instant) -> Option<String> {
        let mut waits: Vec<&Work> =
            self.works.iter().filter(|work| now.duration_since(work.since) >= PATIENCE).collect();
        waits.sort_by_key(|work| (work.what.depth(), work.since));
        let texts: Vec<String> = waits
            .into_iter()
            .map(|work| {
                let what = match &work.what {
                    What::Hook { event, name } => format!("hook {} ({event})", escape_line(name)),
                    What::Tool { name } => format!("tool {}", escape_line(name)),
                    What::Model { name } => format!("model {}", escape_line(name)),
                };
                format!("{what} {:.1} s", now.duration_since(work.since).as_secs_f64())
            })
            .collect();
        // In the last column some terminals wrap, and a wrapped line cannot be wiped.
        (!texts.is_empty()).then(|| cut(&texts.join(" · "), (self.columns)().saturating_sub(1)))
    }
}

/// The beginning of a text that fits.
fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A screen that a test can read.
    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Shows notices as lines, and the answer as it comes.
    struct Notices(Screen, Mutex<bool>);

    impl Shows for Notices {
        fn has_open_line(&self) -> bool {
            *self.1.lock().unwrap()
        }

        fn end_line(&self) {
            self.notify(&AgentEvent::AnswerText("\n"));
        }
    }

    impl Ui for Notices {
        fn notify(&self, event: &AgentEvent<'_>) {
            match event {
                AgentEvent::Notice(text) => writeln!(self.0.clone(), "{text}").unwrap(),
                AgentEvent::AnswerText(text) => {
                    write!(self.0.clone(), "{text}").unwrap();
                    *self.1.lock().unwrap() = !text.ends_with('\n');
                }
                _ => {}
            }
        }

        fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool> {
            Box::pin(async move {
                std::thread::sleep(TICK * 3);
                write!(self.0.clone(), "Allow {}?", question.title).unwrap();
                true
            })
        }
    }

    fn progress() -> (Progress<Notices>, Screen) {
        let screen = Screen::default();
        let notices = Arc::new(Notices(screen.clone(), Mutex::new(false)));
        (Progress::on(notices, Box::new(screen.clone()), || 40), screen)
    }

    fn wait_for(screen: &Screen, text: &str) {
        let start = Instant::now();
        while !screen.text().contains(text) {
            assert!(start.elapsed() < Duration::from_secs(20), "{text:?} never came: {:?}", screen.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait_until_the_ticker_ends(progress: &Progress<Notices>) {
        let start = Instant::now();
        while lock(progress.board.as_ref().unwrap()).ticking {
            assert!(start.elapsed() < Duration::from_secs(20), "the ticker never ended");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_line_is_wiped_before_other_output_and_at_the_end() {
        let (progress, screen) = progress();
        progress.notify(&AgentEvent::ModelStarted { model: "m\u{1b}[2J" });
        wait_for(&screen, "model m\\u{1b}[2J 0.");
        progress.notify(&AgentEvent::Notice("a notice"));
        let text = screen.text();
        assert!(text.contains(&format!(" s{WIPE}a notice\n")), "{text:?}");
        wait_for(&screen, &format!("a notice\n{WIPE}model"));
        progress.notify(&AgentEvent::ModelFinished);
        assert!(screen.text().ends_with(WIPE), "{:?}", screen.text());
        wait_until_the_ticker_ends(&progress);
    }

    #[test]
    fn work_that_was_given_up_leaves_no_line() {
        let (progress, screen) = progress();
        progress.notify(&AgentEvent::HookStarted { event: EventName::BeforeTool, name: "slow" });
        wait_for(&screen, "hook slow (BeforeTool) 0.");
        progress.idle();
        assert!(screen.text().ends_with(WIPE), "{:?}", screen.text());
        wait_until_the_ticker_ends(&progress);
    }

    #[test]
    fn an_unfinished_line_of_the_answer_is_not_wiped() {
        let (progress, screen) = progress();
        progress.notify(&AgentEvent::ModelStarted { model: "m" });
        progress.notify(&AgentEvent::AnswerText("half a"));
        std::thread::sleep(PATIENCE + TICK * 3);
        assert_eq!(screen.text(), "half a");
        progress.notify(&AgentEvent::AnswerText(" line\n"));
        wait_for(&screen, &format!("half a line\n{WIPE}model m 0."));
        progress.notify(&AgentEvent::AnswerText("the end"));
        progress.notify(&AgentEvent::ModelFinished);
        progress.notify(&AgentEvent::HookStarted { event: EventName::AfterAgent, name: "h" });
        wait_for(&screen, &format!("the end\n{WIPE}hook h (AfterAgent) 0."));
    }

    #[test]
    fn nothing_is_drawn_over_a_question() {
        let (progress, screen) = progress();
        progress.notify(&AgentEvent::ModelStarted { model: "m" });
        wait_for(&screen, "model m 0.");
        let question = Question {
            tool: "t".to_owned(),
            title: "it".to_owned(),
            preview: None,
            asked_for: None,
            always: None,
            hook_reason: None,
            why: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(runtime.block_on(progress.ask(&question)));
        let text = screen.text();
        let (_, last) = text.split_once("Allow it?").unwrap();
        assert!(text.contains(&format!(" s{WIPE}Allow it?")), "{text:?}");
        assert!(last.is_empty() || last.starts_with(WIPE), "{text:?}");
    }

    #[test]
    fn a_long_line_is_cut_to_the_screen() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "abc");
        assert_eq!(cut("日本語", 5), "日本");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn the_slowest_hook_comes_first() {
        let (progress, _) = progress();
        let board = progress.board.as_ref().unwrap();
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).unwrap();
        let hook = |name: &str| What::Hook { event: EventName::BeforeTool, name: name.to_owned() };
        lock(board).works = vec![
            Work { what: What::Model { name: "m".to_owned() }, since: ago(9) },
            Work { what: What::Tool { name: "t".to_owned() }, since: ago(8) },
            Work { what: hook("quick"), since: ago(1) },
            Work { what: hook("slow"), since: ago(5) },
        ];
        lock(board).columns = || 200;
        assert_eq!(
            lock(board).line(now).unwrap(),
            "hook slow (BeforeTool) 5.0 s · hook quick (BeforeTool) 1.0 s · tool t 8.0 s · model m 9.0 s"
        );
        lock(board).works.clear();
    }
}
