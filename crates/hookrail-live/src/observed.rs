//! What can be seen after a run, and what is concluded from it. Every conclusion needs something that is there: a text
//! that reached the model or the user, a file, a line of hookrail's log. What left no trace is `?`, never a guess.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::model::ModelCall;
use crate::program::Program;
use crate::scenario::ANSWER;

/// How the agent's program ended.
/// It is part of the cell unless it is exit code 0, because some agents refuse a call by giving up altogether.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code; `None` after a signal.
    Exited(Option<i32>),
    /// It was still there when the time was over, and was ended.
    TimedOut,
}

/// What is left of a run.
/// Scenarios ask the questions below and never look at files themselves, so that a question has one answer in all rows.
pub(crate) struct Observed<'a> {
    /// The project's folder.
    pub(crate) work: &'a Path,
    /// What the model was asked.
    pub(crate) calls: &'a [ModelCall],
    /// What the agent printed, both streams.
    pub(crate) printed: &'a str,
    /// What the agent wrote below its home directory: session logs and the like, without its settings.
    pub(crate) recorded: &'a str,
    /// The agent, which prints or records words of its own when a hook took effect.
    pub(crate) program: &'a Program,
    /// Whether the same agent with the same rules answered a harmless prompt. Without that, silence means nothing.
    pub(crate) answers_otherwise: bool,
    /// hookrail's own log.
    pub(crate) log: &'a str,
    /// How the program ended.
    pub(crate) ending: Ending,
    /// How long it ran.
    pub(crate) took: Duration,
}

impl Observed<'_> {
    /// Whether a file is in the project's folder.
    pub(crate) fn exists(&self, file: &str) -> bool {
        self.work.join(file).exists()
    }

    /// Whether a text reached the model with any of its calls.
    /// Agents put the texts of hooks into different fields of a request, so the whole body is searched.
    pub(crate) fn model_received(&self, text: &str) -> bool {
        self.calls.iter().any(|call| call.contains(text))
    }

    /// Whether the agent showed a text to its user.
    /// Marks are words that no scripted answer of the model has, so a text that is found came from a hook.
    pub(crate) fn user_saw(&self, text: &str) -> bool {
        self.printed.contains(text)
    }

    /// Whether a hook or rule of this name ran and gave an answer.
    /// Names are those of the settings in [`crate::scenario::SETTINGS`].
    pub(crate) fn ran(&self, hook: &str) -> bool {
        self.log.contains(&format!("\"name\":\"{hook}\""))
    }

    /// Whether hookrail noted that this agent cannot carry out what a hook asked for.
    /// The bridge then answers with the nearest stronger effect, which a cell with "yes" alone would hide.
    pub(crate) fn was_strengthened(&self) -> bool {
        self.log.contains("\"strengthened\":")
    }

    /// A tool call that is to be refused: the file it makes is not there, and the model reads why.
    pub(crate) fn refused(&self, file: &str, reason: &str) -> Cell {
        match (self.exists(file), self.model_received(reason)) {
            (true, _) => Cell::Fails,
            (false, true) => Cell::Works(""),
            (false, false) => Cell::Unknown("not run, and the model does not receive the reason"),
        }
    }

    /// The command that the user's rule forbids, which is to be refused.
    pub(crate) fn refused_rm(&self) -> Cell {
        match (self.exists("victim.txt"), self.model_received("MARK-NO-RM")) {
            (true, true) => Cell::Works("the model reads why"),
            (true, false) => Cell::Unknown("not removed, and the model does not receive the reason"),
            (false, _) => Cell::Fails,
        }
    }

    /// A tool call that is to be refused because an earlier one broke the guard. Agents that fire a guarded event before
    /// each model call come to that one first.
    pub(crate) fn refused_after(&self, earlier: &str, file: &str, reason: &str) -> Cell {
        match (self.exists(earlier), self.exists(file), self.calls.len()) {
            (false, ..) => Cell::Unknown("nothing was broken"),
            (true, false, 1) if self.user_saw(reason) => {
                Cell::Works("the next model call is refused, and the user reads why")
            }
            (true, false, 1) if self.ends_without_answer() => {
                Cell::Works("the next model call is refused: the run ends without an answer")
            }
            _ => self.refused(file, reason),
        }
    }

    /// A prompt that is to be refused, by a rule or by a guard that does not work.
    pub(crate) fn unsent_prompt(&self, reason: &str) -> Cell {
        let is_signed = self.program.prompt_refused.as_ref().is_some_and(|sign| self.user_saw(sign));
        match (self.calls.is_empty(), self.user_saw(reason)) {
            (false, _) => Cell::Fails,
            (true, true) => Cell::Works("the user reads why"),
            (true, false) if is_signed => Cell::Works("the user reads that a hook blocked it, not why"),
            (true, false) if self.ends_without_answer() => {
                Cell::Works("the run ends without an answer and without a message")
            }
            (true, false) => Cell::Unknown("no model call, and no sign of a refusal"),
        }
    }

    /// A stop: the agent itself reports that a hook ended the run, or it ends where it would have answered.
    pub(crate) fn stopped(&self, reason: &str) -> Cell {
        let stopped = self.program.stopped.as_ref();
        let is_signed = stopped.is_some_and(|sign| self.user_saw(sign) || self.recorded.contains(sign));
        match (is_signed && self.ends_without_answer(), self.user_saw(reason)) {
            (true, true) => Cell::Works("nothing runs, the run ends, and the user reads why"),
            (true, false) => Cell::Works("nothing runs, the run ends, and the session's log says why"),
            (false, _) => Cell::Unknown("nothing ran, and no sign of a stop"),
        }
    }

    /// Whether the program ended by itself and did not print the model's last text, which it prints otherwise.
    fn ends_without_answer(&self) -> bool {
        self.answers_otherwise && self.ending != Ending::TimedOut && !self.user_saw(ANSWER)
    }
}

/// One cell of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The agent did what the hook asked for; how, if there is more to report.
    Works(&'static str),
    /// The agent has no way to do it, and this was seen to happen instead.
    Instead(&'static str),
    /// What the hook asked for was not done, and nothing in its place.
    Fails,
    /// The run shows neither.
    Unknown(&'static str),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Works("") => f.write_str("yes"),
            Self::Works(how) => write!(f, "yes: {how}"),
            Self::Instead(what) => write!(f, "not possible: {what}"),
            Self::Fails => f.write_str("**no**"),
            Self::Unknown(why) => write!(f, "? ({why})"),
        }
    }
}

/// The cell with how the run ended, where that is not as usual.
pub(crate) fn describe(cell: Cell, observed: &Observed<'_>) -> String {
    match observed.ending {
        Ending::Exited(Some(0)) => cell.to_string(),
        Ending::Exited(Some(code)) => format!("{cell} (exit {code})"),
        Ending::Exited(None) => format!("{cell} (ended by a signal)"),
        Ending::TimedOut => format!("{cell} (timed out after {} s)", observed.took.as_secs()),
    }
}
