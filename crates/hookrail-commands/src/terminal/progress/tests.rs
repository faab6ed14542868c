use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookrail::EventName;
use hookrail_agent::tools::BoxFuture;
use hookrail_agent::ui::{AgentEvent, Question, Ui};

use super::board::{Activity, RunningItem, SHOWN_AFTER, cut};
use super::{Progress, TICK, TerminalUi, lock};
use crate::terminal::screen::WIPE;

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

impl TerminalUi for Notices {
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
            write!(self.0.clone(), "Allow {}?", question.title).unwrap();
            // Long enough for a line to be drawn, if it were.
            std::thread::sleep(TICK * 3);
            write!(self.0.clone(), " yes").unwrap();
            true
        })
    }
}

fn progress() -> (Progress, Screen) {
    let screen = Screen::default();
    let notices = Arc::new(Notices(screen.clone(), Mutex::new(false)));
    (Progress::on(Some(notices), Box::new(screen.clone()), || 40), screen)
}

fn wait_for(screen: &Screen, text: &str) {
    let start = Instant::now();
    while !screen.text().contains(text) {
        assert!(start.elapsed() < Duration::from_secs(20), "{text:?} never came: {:?}", screen.text());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_until_the_ticker_ends(progress: &Progress) {
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
    wait_for(&screen, "model m\\u{1b}[2J ");
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
    wait_for(&screen, "hook slow (BeforeTool) ");
    progress.idle();
    assert!(screen.text().ends_with(WIPE), "{:?}", screen.text());
    wait_until_the_ticker_ends(&progress);
}

#[test]
fn an_unfinished_line_of_the_answer_is_not_wiped() {
    let (progress, screen) = progress();
    progress.notify(&AgentEvent::ModelStarted { model: "m" });
    progress.notify(&AgentEvent::AnswerText("half a"));
    std::thread::sleep(SHOWN_AFTER + TICK * 3);
    assert_eq!(screen.text(), "half a");
    progress.notify(&AgentEvent::AnswerText(" line\n"));
    wait_for(&screen, &format!("half a line\n{WIPE}model m "));
    progress.notify(&AgentEvent::AnswerText("the end"));
    progress.notify(&AgentEvent::ModelFinished);
    progress.notify(&AgentEvent::HookStarted { event: EventName::AfterAgent, name: "h" });
    wait_for(&screen, &format!("the end\n{WIPE}hook h (AfterAgent) "));
}

#[test]
fn nothing_is_drawn_over_a_question() {
    let (progress, screen) = progress();
    progress.notify(&AgentEvent::ModelStarted { model: "m" });
    wait_for(&screen, "model m ");
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
    assert!(text.contains(&format!(" s{WIPE}Allow it? yes")), "{text:?}");
    wait_for(&screen, &format!("Allow it? yes{WIPE}model m "));
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
    let item = |kind, text: &str, seconds| RunningItem { kind, text: text.to_owned(), since: ago(seconds) };
    lock(board).running = vec![
        item(Activity::Model, "model m", 9),
        item(Activity::Tool, "tool t", 8),
        item(Activity::Hook, "hook quick (BeforeTool)", 1),
        item(Activity::Hook, "hook slow (BeforeTool)", 5),
    ];
    lock(board).columns = || 200;
    assert_eq!(
        lock(board).line(now).unwrap(),
        "hook slow (BeforeTool) 5.0 s · hook quick (BeforeTool) 1.0 s · tool t 8.0 s · model m 9.0 s"
    );
    lock(board).running.clear();
}
