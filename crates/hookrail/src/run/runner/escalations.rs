//! A handle on hooks that ran out of time.

use super::super::reaper::Reaper;
use super::super::worker::WeakPool;

/// The hooks that ran out of time and are given a moment to clean up. It outlives the hook system, for a
/// program that has to exit at once.
#[derive(Debug, Clone)]
pub struct Escalations {
    pub(super) reaper: Reaper,
    pub(super) workers: WeakPool,
}

impl Escalations {
    /// The process groups that are still given time to clean up.
    pub fn groups(&self) -> Vec<i32> {
        self.reaper.groups()
    }

    /// Kills all of them and all workers, and from now on every hook that runs out of time.
    pub fn kill(&self) {
        self.workers.end();
        self.reaper.kill_all();
    }
}
