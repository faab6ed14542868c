//! The terminal as the place where a person is asked for permission.
//!
//! Reading happens on a thread of its own that gives up by itself, because a thread that waits in a
//! read cannot be cancelled: Ctrl-C at a question must not leave one behind that swallows the next line.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use hookrail_agent::ui::{Always, Question};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::oneshot;

use crate::terminal::printer::{escape_line, escape_lines};
use crate::terminal::screen;

/// How often the reading thread checks whether an answer is still needed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How often an answer that is neither yes nor no is asked for again.
const ATTEMPTS: usize = 3;

/// May this call run? Without a terminal the answer is no. Dropping the future takes the question back.
/// The question is asked again a few times when the answer is unclear; then it is no.
pub(crate) async fn ask(question: &Question) -> PermissionReply {
    if !screen::can_ask() {
        return PermissionReply::No;
    }
    let text = question_text(question);
    // Where a hook asks for a person's decision, only a yes counts as one.
    let empty = question.hook_reason.as_ref().map(|_| PermissionReply::No);
    let may_be_always = question.always.is_some();
    let (mut answer, answered) = oneshot::channel();
    let thread = std::thread::Builder::new().name("question".to_owned()).spawn(move || {
        let reply = read_answer(&text, empty, may_be_always, &mut answer);
        let _ = answer.send(reply);
    });
    let Ok(thread) = thread else { return PermissionReply::No };
    let mut reading = AnswerThread { answered: Some(answered), thread: Some(thread) };
    match &mut reading.answered {
        Some(answered) => answered.await.unwrap_or(PermissionReply::No),
        None => PermissionReply::No,
    }
}

/// The thread that reads an answer. No other code reads from the terminal before it has ended: it would take the next
/// line away from the prompt.
struct AnswerThread {
    answered: Option<oneshot::Receiver<PermissionReply>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for AnswerThread {
    fn drop(&mut self) {
        // The thread sees that the receiver is gone, and ends after at most one interval.
        self.answered = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What a person answered to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermissionReply {
    /// This once.
    Yes,
    /// From now on, as far as the question allows it.
    Always,
    /// No, or there is no terminal.
    No,
}

/// The hook's reason comes first, since it is why the person is asked; then what would change; the call comes last.
fn question_text(question: &Question) -> String {
    let mut text = String::new();
    if let Some(reason) = &question.hook_reason {
        let _ = writeln!(text, "A hook asks for your decision: {}", escape_lines(reason.trim_end()));
    }
    if let Some(asked_for) = &question.asked_for {
        let _ =
            writeln!(text, "A hook changed this call; the model had asked for: {}", escape_line(asked_for));
    }
    for line in question.preview.as_deref().unwrap_or_default().lines() {
        let _ = writeln!(text, "  {}", escape_line(line));
    }
    let choices = match question.always {
        Some(Always::Edits) => "y/n/always: all edits of this session",
        Some(Always::Command(_)) => "y/n/always: this command in this session",
        None if question.hook_reason.is_some() => "y/N",
        None => "y/n",
    };
    let why = question.why.as_ref().map(|why| format!(" ({})", escape_line(why))).unwrap_or_default();
    let _ = write!(text, "Allow {}?{why} [{choices}] ", escape_line(&question.title));
    text
}

/// Yes only for a clear yes. `empty` is what Enter alone means, if anything.
fn read_answer(
    question: &str,
    empty: Option<PermissionReply>,
    may_be_always: bool,
    answer: &mut oneshot::Sender<PermissionReply>,
) -> PermissionReply {
    // What was typed before the question was on the screen is not an answer to it.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    for _ in 0..ATTEMPTS {
        let mut screen = io::stderr().lock();
        let _ = screen.write_all(question.as_bytes()).and_then(|()| screen.flush());
        drop(screen);
        let Some(line) = read_line(answer) else { return PermissionReply::No };
        let reply = if line.trim().is_empty() { empty } else { meaning(&line) };
        if let Some(reply) = reply.filter(|reply| may_be_always || *reply != PermissionReply::Always) {
            return reply;
        }
    }
    PermissionReply::No
}

/// What a typed line means, if it is clear. Only whole words count: a line with an arrow key in it is not one of them.
fn meaning(line: &str) -> Option<PermissionReply> {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(PermissionReply::Yes),
        "a" | "always" => Some(PermissionReply::Always),
        "n" | "no" => Some(PermissionReply::No),
        _ => None,
    }
}

/// A line from the terminal; `None` at its end, on an error, and when the answer is no longer waited for.
fn read_line(answer: &oneshot::Sender<PermissionReply>) -> Option<String> {
    let stdin = io::stdin();
    let mut line = Vec::new();
    let interval = Timespec::try_from(POLL_INTERVAL).ok()?;
    while !line.ends_with(b"\n") {
        if answer.is_closed() {
            return None;
        }
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&interval)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        // Not through the buffer of `Stdin`: a terminal gives one line per read, and nothing may be kept
        // back from the next reader.
        let mut piece = [0; 1024];
        match rustix::io::read(&stdin, &mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(length) => line.extend_from_slice(piece.get(..length)?),
        }
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for (line, expected) in [
            ("y\n", Some(PermissionReply::Yes)),
            (" YES \r\n", Some(PermissionReply::Yes)),
            ("n\n", Some(PermissionReply::No)),
            ("No\n", Some(PermissionReply::No)),
            (" Always\n", Some(PermissionReply::Always)),
            ("a\n", Some(PermissionReply::Always)),
            ("\n", None),
            ("yn\n", None),
            ("\u{1b}[A y\n", None),
        ] {
            assert_eq!(meaning(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_question_shows_what_would_run_and_escapes_control_characters() {
        let question = Question {
            tool: "run_shell_command".to_owned(),
            title: "run: rm x\u{1b}[2K\nAllow".to_owned(),
            preview: None,
            asked_for: None,
            always: None,
            hook_reason: None,
            why: None,
        };
        assert_eq!(question_text(&question), "Allow run: rm x\\u{1b}[2K\\nAllow? [y/n] ");
        let question = Question {
            title: "write a".to_owned(),
            preview: Some("@@ -1,0 +1,1 @@\n+x\u{202e}".to_owned()),
            asked_for: Some("write b".to_owned()),
            always: Some(Always::Edits),
            ..question
        };
        assert_eq!(
            question_text(&question),
            "A hook changed this call; the model had asked for: write b\n  @@ -1,0 +1,1 @@\n  +x\\u{202e}\n\
             Allow write a? [y/n/always: all edits of this session] "
        );
        let asked = Question {
            title: "it".to_owned(),
            preview: None,
            asked_for: None,
            always: None,
            hook_reason: Some("prod\u{1b}[2K\nAllow? [y/n]\n".to_owned()),
            ..question
        };
        assert_eq!(
            question_text(&asked),
            "A hook asks for your decision: prod\\u{1b}[2K\n    Allow? [y/n]\nAllow it? [y/N] "
        );
        let protected = Question { hook_reason: None, why: Some("it guards you".to_owned()), ..asked };
        assert!(question_text(&protected).ends_with("? (it guards you) [y/n] "));
    }
}
