//! How a connection fails: which question gets the failure, and what happens to the others.

use super::{ConnectionState, MAX_LINE_OVERHEAD, Process};
use crate::run::unix::ChildState;
use crate::run::worker::connection::{Failure, Outcome};
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// Which question fails when the process does. The others are asked once more.
#[derive(Clone, Copy)]
pub(super) enum Charge {
    /// The one that was asked first.
    Oldest,
    /// The question of this number.
    Question(u64),
}

impl ConnectionState {
    /// The process has ended by itself. What it wrote before its end is read first.
    pub(super) fn process_ended(&mut self, peek: &ChildState) {
        self.read_available();
        let why = match peek {
            ChildState::Ended(Exit::Code(code)) => WorkerFailure::Exited { code: *code },
            ChildState::Ended(Exit::Signal(signal)) => WorkerFailure::Signal { signal: *signal },
            _ => WorkerFailure::Ended,
        };
        self.fail(why, Charge::Oldest, Vec::new());
    }

    /// Settles a question that was not answered in time, and ends the process.
    pub(super) fn time_out(&mut self, number: u64) {
        let stderr = self.process.as_mut().map(|process| process.pipes.stderr_tail()).unwrap_or_default();
        self.open.settle(number, Outcome::TimedOut(stderr));
        self.abandon_others();
    }

    /// Ends the process because of what it did. At most one question fails.
    pub(super) fn fail(&mut self, why: WorkerFailure, charge: Charge, mut unexpected_output: Vec<u8>) {
        let Some(Process { pipes, .. }) = &mut self.process else { return };
        if !unexpected_output.is_empty() {
            // What follows the line may say more than the line itself.
            unexpected_output.truncate(MAX_LINE_OVERHEAD);
            unexpected_output.push(b'\n');
            let rest = pipes.half_line();
            unexpected_output.extend_from_slice(rest.get(..MAX_LINE_OVERHEAD).unwrap_or(rest));
        }
        let stderr = pipes.stderr_tail();
        // A process that has answered before and has not read a byte of a question failed at something else.
        let read = pipes.read_by_process();
        let answered_before = self.answered > 0;
        let was_read = |begins_at: Option<u64>| !answered_before || begins_at.is_some_and(|at| read > at);
        let charged = match charge {
            Charge::Question(number) => Some(number),
            Charge::Oldest => {
                self.open.unanswered().next().filter(|open| was_read(open.begins_at)).map(|open| open.number)
            }
        };
        if let Some(number) = charged {
            self.open.settle(number, Outcome::Failed(Failure { why, unexpected_output, stderr }));
        }
        self.abandon_others();
    }

    /// Ends the process. Callers that wait may ask another process.
    pub(super) fn abandon_others(&mut self) {
        let waiting: Vec<u64> = self.open.unanswered().map(|open| open.number).collect();
        for number in waiting {
            self.open.settle(number, Outcome::AskAgain);
        }
        self.end();
    }
}
