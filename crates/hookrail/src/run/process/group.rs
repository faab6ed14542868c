//! A process group that has to be reaped or ended, whatever becomes of the future that waits for it.

use std::io::PipeReader;

use super::super::reaper::Reaper;
use super::super::unix::{self, Pid};

/// A process group that has to be reaped or ended.
#[derive(Debug)]
pub(in crate::run) struct ProcessGroup {
    leader: Pid,
    reaper: Reaper,
    /// The leader is not reaped, so that its number is still that of our group.
    ours: bool,
}

impl ProcessGroup {
    /// The group of a child that was just started.
    pub(in crate::run) fn new(leader: Pid, reaper: &Reaper) -> Self {
        Self { leader, reaper: reaper.clone(), ours: true }
    }

    /// The process that the group is named after.
    pub(in crate::run) fn leader(&self) -> Pid {
        self.leader
    }

    /// The leader has ended and the rest, if any, is left alone.
    pub(super) fn reap(mut self) {
        self.ours = false;
        unix::reap(self.leader);
    }

    /// Another part of this program reaped the leader.
    pub(super) fn forget(mut self) {
        self.ours = false;
    }

    /// The group has to end, and may clean up before.
    pub(in crate::run) fn terminate(mut self, outputs: Vec<PipeReader>) {
        self.ours = false;
        self.reaper.terminate(self.leader, outputs);
    }
}

impl Drop for ProcessGroup {
    /// The verdict is no longer waited for: the caller gave up, or panicked.
    fn drop(&mut self) {
        if self.ours {
            self.reaper.kill(self.leader);
        }
    }
}
