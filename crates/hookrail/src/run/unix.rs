//! Questions to the system about processes and groups.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(target_os = "linux")]
use rustix::io::Errno;
pub(super) use rustix::process::{Pid, Signal};
use rustix::process::{WaitId, WaitIdOptions};

use crate::verdict::hook_run::Exit;

/// Locks a mutex, also after a panic of a thread that held it: what is locked here is never left half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of a child.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChildState {
    /// It has not ended.
    Running,
    /// It has ended, and is still there as a zombie.
    Ended(Exit),
    /// It is not ours any more: the host ignores `SIGCHLD`, or waits for children it did not start.
    Lost,
}

/// Looks at a child without reaping it, so that its process id and group id stay taken.
pub(super) fn peek(pid: Pid) -> ChildState {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), options)) {
        Ok(Some(status)) => ChildState::Ended(match status.exit_status() {
            Some(code) => Exit::Code(code),
            None => Exit::Signal(status.terminating_signal().unwrap_or_default()),
        }),
        Ok(None) => ChildState::Running,
        Err(_) => ChildState::Lost,
    }
}

/// Signals a whole process group. A group that is gone already is not an error.
pub(super) fn signal_group(leader: Pid, signal: Signal) {
    let _ = rustix::process::kill_process_group(leader, signal);
}

/// What a pipe holds by default.
pub(super) const PIPE: usize = 64 * 1024;

/// One read without waiting, appended to `bytes`; 0 at the end of the stream.
pub(super) fn read_more(pipe: impl std::os::fd::AsFd, bytes: &mut Vec<u8>) -> io::Result<usize> {
    bytes.reserve(PIPE);
    Ok(rustix::io::retry_on_intr(|| rustix::io::read(&pipe, rustix::buffer::spare_capacity(bytes)))?)
}

/// The processes of this system at one moment, as far as process groups go.
#[derive(Debug, Default)]
pub(super) struct ProcessTable {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is no table to read"))]
    seen: Vec<i32>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is no table to read"))]
    living_groups: Vec<i32>,
}

#[cfg(target_os = "linux")]
impl ProcessTable {
    /// Whether no process of the leader's group is alive. The leader itself must still be there, as a zombie:
    /// a table that does not show it is not used (it may be that of another pid namespace).
    pub(super) fn shows_end_of_group(&self, leader: Pid) -> bool {
        self.seen.contains(&leader.as_raw_pid()) && !self.shows_life_in_group(leader)
    }

    /// Whether a process of the group is alive.
    pub(super) fn shows_life_in_group(&self, leader: Pid) -> bool {
        self.living_groups.contains(&leader.as_raw_pid())
    }

    /// Reads the table. There is no cheaper question to ask: as long as the leader is a zombie, signal 0 to its
    /// group succeeds whether or not another member is left, and once it is reaped its number may be reused.
    pub(super) fn load() -> Option<Self> {
        let mut table = Self::default();
        for entry in std::fs::read_dir("/proc").ok()? {
            let entry = entry.ok()?;
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            match std::fs::read(entry.path().join("stat")) {
                Ok(stat) => {
                    let ProcessStat { is_alive, group } = ProcessStat::parse(&stat)?;
                    table.seen.push(pid);
                    if is_alive {
                        table.living_groups.push(group);
                    }
                }
                // Gone since the folder was listed.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound
                        || Errno::from_io_error(&error) == Some(Errno::SRCH) => {}
                Err(_) => return None,
            }
        }
        Some(table)
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same functions as Linux's table")]
impl ProcessTable {
    /// Whether no process of the leader's group is alive: outside of Linux, zombies cannot be signalled.
    pub(super) fn shows_end_of_group(&self, leader: Pid) -> bool {
        !self.shows_life_in_group(leader)
    }

    /// Whether a process of the group is alive.
    pub(super) fn shows_life_in_group(&self, leader: Pid) -> bool {
        rustix::process::test_kill_process_group(leader).is_ok()
    }

    /// There is no table to read here; groups are asked about one by one.
    pub(super) fn load() -> Option<Self> {
        Some(Self::default())
    }
}

/// What `/proc/PID/stat` says of a process.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProcessStat {
    /// Whether it is not a zombie.
    is_alive: bool,
    /// Its process group.
    pub(super) group: i32,
}

impl ProcessStat {
    /// Reads `pid (name) state parent group …`. The name may contain anything.
    pub(super) fn parse(stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let group = fields.nth(1)?.parse().ok()?;
        Some(Self { is_alive: !matches!(state, "Z" | "X" | "x"), group })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
