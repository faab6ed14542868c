//! Workers that misbehave, for the tests of the code that asks them.
//!
//! Each row is a small program that is started as a worker (`HOOKRAIL_WORKER=1`; one question per line on stdin, one
//! answer per line on stdout) and does one thing that it should not. Those that answer block with the reason `no`.
//! What comes of the first event is in the row; no other hook must be affected by any of them, and the next event of the
//! same hook must get a worker that works as the first did.

use std::path::{Path, PathBuf};

use crate::write_executable;

/// What comes of the first event that a worker is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The worker's answer counts: a block with the reason `no`.
    Answer,
    /// A block with a reason that begins with `no`; the rest is what became of bytes that are not text.
    AnswerInPart,
    /// The hook failed before its deadline.
    Failure,
    /// Nothing but the deadline ends it.
    TimedOut,
}

/// A worker that misbehaves.
#[derive(Debug, Clone, Copy)]
pub struct HostileWorker {
    /// The name of its file, which describes what it does.
    pub name: &'static str,
    /// The whole script, beginning with its interpreter.
    pub script: &'static str,
    /// What comes of the first event.
    pub first: Outcome,
}

impl HostileWorker {
    /// Writes the script to a folder, executable. Returns its path.
    #[must_use]
    pub fn install(&self, folder: &Path) -> PathBuf {
        let path = folder.join(self.name);
        write_executable(&path, self.script);
        path
    }
}

macro_rules! workers {
    ($($name:literal => $first:ident,)+) => {
        /// All of them.
        pub const HOSTILE_WORKERS: &[HostileWorker] = &[
            $(HostileWorker {
                name: $name,
                script: include_str!(concat!("hostile_workers/", $name)),
                first: Outcome::$first,
            },)+
        ];
    };
}

workers! {
    "dies_at_start.sh" => Failure,
    "dies_before_answering.sh" => Failure,
    "dies_while_answering.py" => Failure,
    "dies_without_newline.py" => Failure,
    "dies_after_answering.py" => Answer,
    "exits_well_without_answering.sh" => Failure,
    "exits_blocking_without_answering.sh" => Failure,
    "answers_twice.py" => Answer,
    "answers_late.py" => TimedOut,
    "answers_for_another_id.py" => Failure,
    "answers_with_a_number_as_id.py" => Failure,
    "answers_before_the_question.py" => Failure,
    "answers_in_pieces.py" => Answer,
    "answers_in_pieces_forever.py" => TimedOut,
    "answers_with_a_gibibyte.py" => Failure,
    "answers_with_invalid_utf8.py" => AnswerInPart,
    "answers_with_both.py" => Failure,
    "answers_with_neither.py" => Failure,
    "answers_with_odd_exit_codes.py" => Failure,
    "answers_with_text_before.py" => Failure,
    "answers_with_plain_text.sh" => Failure,
    "answers_with_nothing_but_lines.sh" => Failure,
    "answers_with_nul.py" => Failure,
    "answers_deeply_nested.py" => Failure,
    "says_ready_strangely.py" => Answer,
    "says_ready_for_millions.py" => Answer,
    "says_ready_again.py" => Failure,
    "closes_stdin.sh" => Failure,
    "closes_stdout.sh" => Failure,
    "closes_everything.sh" => Failure,
    "closes_stdin_after_answering.py" => Answer,
    "stops_itself.sh" => TimedOut,
    "ignores_term.sh" => TimedOut,
    "ignores_the_end_of_input.py" => Answer,
    "forks_and_dies.py" => Failure,
    "forks_and_answers.py" => Answer,
    "forks_and_both_answer.py" => Answer,
    "floods_stderr.py" => Answer,
    "floods_stderr_when_idle.py" => Answer,
    "fills_its_pipe_while_written_to.py" => Failure,
    "never_reads.sh" => TimedOut,
    "reads_slowly.py" => Answer,
    "leaves_its_group.py" => Failure,
}

#[cfg(test)]
mod tests;
