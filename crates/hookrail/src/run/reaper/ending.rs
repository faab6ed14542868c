//! One process group that has to end: the signals that are due, its outputs, its end.

use std::cell::LazyCell;
use std::io::{ErrorKind, PipeReader, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::unix::{self, ChildState, Pid, ProcessTable, Signal};

/// How long the end of a killed group is waited for before its leader is reaped regardless. Only a process that
/// hangs inside the kernel takes this long.
const REAP_AFTER_KILL: Duration = Duration::from_secs(10);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How many bytes are read at once of outputs that are no longer needed.
const DRAINED_AT_ONCE: usize = 64 * 1024;
/// How often such an output is read in one look.
const DRAINS_PER_LOOK: usize = 16;

/// Another process whose child a leader is, and which reports its end. Until [`Parent::reap`] is called, the leader stays
/// there as a zombie.
pub(in crate::run) trait Parent: std::fmt::Debug + Send + Sync {
    /// Looks at the leader.
    fn peek(&self) -> ChildState;
    /// The leader may go.
    fn reap(&self);
}

/// A group that has to end. Its leader stays unreaped until the last signal is sent, because that keeps the
/// kernel from giving the group's number to another process.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) leader: Pid,
    pub(super) since: Instant,
    pub(super) kill_at: Instant,
    pub(super) killed: bool,
    /// The group's outputs. Were they closed, the first write of a hook that cleans up would end it:
    /// bash itself reports that a signal ended its child, before it runs the trap for that signal.
    pub(super) outputs: Vec<PipeReader>,
    /// Whose child the leader is, if not ours.
    pub(super) parent: Option<Arc<dyn Parent>>,
}

impl Ending {
    /// Makes the kill due now.
    pub(super) fn end_grace(&mut self) {
        self.kill_at = self.kill_at.min(Instant::now());
    }

    /// Does what is due; `true` when nothing is left to do for the group.
    pub(super) fn step(&mut self, table: &LazyCell<Option<ProcessTable>>) -> bool {
        self.drain_outputs();
        let peek = self.parent.as_ref().map_or_else(|| unix::peek(self.leader), |parent| parent.peek());
        let leader_ended = match peek {
            ChildState::Running => false,
            ChildState::Ended(_) => true,
            // Another part of this program reaped it; its number is not ours to signal.
            ChildState::Lost => return true,
        };
        let mut group_ended = false;
        let mut unknown = false;
        if leader_ended {
            match &**table {
                Some(table) => group_ended = table.shows_end_of_group(self.leader),
                None => unknown = true,
            }
        }
        let now = Instant::now();
        if !group_ended && !self.killed && now >= self.kill_at {
            unix::signal_group(self.leader, Signal::KILL);
            self.killed = true;
        }
        let waited_long = now.saturating_duration_since(self.kill_at) > REAP_AFTER_KILL;
        if group_ended || (self.killed && ((leader_ended && unknown) || waited_long)) {
            // The table is no snapshot: a member that forked while it was read can be missing from it.
            unix::signal_group(self.leader, Signal::KILL);
            match &self.parent {
                Some(parent) => parent.reap(),
                None => _ = unix::reap(self.leader),
            }
            return true;
        }
        false
    }

    /// Reads and drops what the group still writes, a bounded amount for each look.
    fn drain_outputs(&mut self) {
        if self.outputs.is_empty() {
            return;
        }
        let mut dropped = vec![0; DRAINED_AT_ONCE];
        self.outputs.retain_mut(|output| {
            for _ in 0..DRAINS_PER_LOOK {
                match output.read(&mut dropped) {
                    Ok(0) => return false,
                    Ok(_) => {}
                    Err(error) => {
                        return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted);
                    }
                }
            }
            true
        });
    }

    /// Most groups end within milliseconds of a signal: look often at first, then less so.
    pub(super) fn pause(&self) -> Duration {
        let last_signal = if self.killed { self.kill_at } else { self.since };
        let now = Instant::now();
        let pause =
            (now.saturating_duration_since(last_signal) / 4).clamp(Duration::from_millis(1), LONGEST_PAUSE);
        if self.killed { pause } else { pause.min(self.kill_at.saturating_duration_since(now)) }
    }
}
