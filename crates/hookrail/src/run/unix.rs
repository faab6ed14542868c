//! The system calls of the process layer, in one place so that another system can be added beside it.
//!
//! Whatever only Linux has (pidfds, memory files, `splice`, `/proc`) answers "not available" elsewhere, and the
//! callers have a slower way for that answer: the same way they take when descriptors have run out.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
pub(super) use rustix::process::{Pid, Signal};
use rustix::process::{WaitId, WaitIdOptions, WaitIdStatus};

use crate::verdict::hook_run::Exit;

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
    wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)
}

/// Reaps a child that has ended. From here on its id may belong to another process.
pub(super) fn reap(pid: Pid) -> ChildState {
    wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG)
}

/// What is known of a child. One that was reaped elsewhere, or was never ours, is lost.
fn wait(pid: Pid, options: WaitIdOptions) -> ChildState {
    match rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), options)) {
        Ok(Some(status)) => ChildState::Ended(exit_of(&status)),
        Ok(None) => ChildState::Running,
        Err(_) => ChildState::Lost,
    }
}

fn exit_of(status: &WaitIdStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

/// Signals a whole process group. A group that is gone already is no error.
pub(super) fn signal_group(leader: Pid, signal: Signal) {
    let _ = rustix::process::kill_process_group(leader, signal);
}

/// Makes reads and writes on our end of a pipe return instead of wait. The other end is not affected.
pub(super) fn set_nonblocking(pipe: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// A descriptor that becomes readable when the child ends.
#[cfg(target_os = "linux")]
pub(super) fn exit_descriptor(pid: Pid) -> Option<OwnedFd> {
    // Close-on-exec is implied. Failure (an old kernel, no descriptor left) means looking from time to time.
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::NONBLOCK).ok()
}

/// There is no such descriptor here.
#[cfg(not(target_os = "linux"))]
pub(super) fn exit_descriptor(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// Lets a pipe hold more, as far as the system allows it.
#[cfg(target_os = "linux")]
pub(super) fn widen(pipe: impl AsFd, bytes: usize) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, bytes);
}

/// Pipes have a fixed width here.
#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_pipe: impl AsFd, _bytes: usize) {}

/// An empty file in memory, or `None` where there is no such thing.
#[cfg(target_os = "linux")]
pub(super) fn memory_file() -> Option<std::fs::File> {
    use rustix::fs::MemfdFlags;
    use rustix::process::{Resource, getrlimit};
    // A limit on file sizes holds for memory files too, and going over it sends a signal that ends the process.
    if getrlimit(Resource::Fsize).current.is_some() {
        return None;
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    rustix::fs::memfd_create("hookrail-payload", flags).ok().map(std::fs::File::from)
}

/// There are no memory files here.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory_file() -> Option<std::fs::File> {
    None
}

/// Makes a memory file immutable, if that is possible: its pages travel through pipes by reference. The kernel refuses a
/// seal while it uses a page of the file itself, as it does now and then under load. Nothing but this process has the
/// file, so that its content is the same without a seal, and an event must not fail for want of one.
#[cfg(target_os = "linux")]
pub(super) fn seal(file: impl AsFd) {
    use rustix::fs::SealFlags;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    let _ = rustix::fs::fcntl_add_seals(file, seals);
}

/// There are no memory files to seal here.
#[cfg(not(target_os = "linux"))]
pub(super) fn seal(_file: impl AsFd) {}

/// Moves bytes of a file, from an offset on, into a pipe without copying and without waiting.
#[cfg(target_os = "linux")]
pub(super) fn splice(file: impl AsFd, offset: u64, pipe: impl AsFd, length: usize) -> Result<usize, Errno> {
    let mut offset = offset;
    let flags = rustix::pipe::SpliceFlags::NONBLOCK;
    rustix::io::retry_on_intr(|| rustix::pipe::splice(&file, Some(&mut offset), &pipe, None, length, flags))
}

/// There is no such call here: the bytes are copied.
#[cfg(not(target_os = "linux"))]
pub(super) fn splice(
    _file: impl AsFd,
    _offset: u64,
    _pipe: impl AsFd,
    _length: usize,
) -> Result<usize, Errno> {
    Err(Errno::NOSYS)
}

/// The processes of this system at one moment, as far as process groups go.
#[derive(Debug, Default)]
pub(super) struct ProcessTable {
    seen: Vec<i32>,
    living_groups: Vec<i32>,
}

impl ProcessTable {
    /// Whether no process of the leader's group is alive. The leader itself must still be there, as a zombie:
    /// a table that does not show it is not used (it may be that of another pid namespace).
    pub(super) fn shows_end_of_group(&self, leader: Pid) -> bool {
        self.seen.contains(&leader.as_raw_nonzero().get()) && !self.shows_life_in_group(leader)
    }

    /// Whether a process of the group is alive.
    pub(super) fn shows_life_in_group(&self, leader: Pid) -> bool {
        self.living_groups.contains(&leader.as_raw_nonzero().get())
    }

    /// Reads the table. There is no cheaper question to ask: as long as the leader is a zombie, signal 0 to its
    /// group succeeds whether or not another member is left, and once it is reaped its number may be reused.
    #[cfg(target_os = "linux")]
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

    /// There is no process table to read here.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn load() -> Option<Self> {
        None
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
mod tests {
    use super::*;

    #[test]
    fn the_process_table_is_read_past_hostile_names() {
        for (stat, expected) in [
            ("12 (bash) S 1 12 12 0", Some((true, 12))),
            ("13 (a) Z 1 99 (b) Z 7 12 12 0", Some((false, 12))),
            ("14 (x) R", None),
            ("", None),
        ] {
            let expected = expected.map(|(is_alive, group)| ProcessStat { is_alive, group });
            assert_eq!(ProcessStat::parse(stat.as_bytes()), expected, "{stat}");
        }
    }

    #[test]
    fn the_own_group_is_alive() {
        let table = ProcessTable::load().expect("/proc is readable");
        assert!(!table.shows_end_of_group(rustix::process::getpgrp()));
    }
}
