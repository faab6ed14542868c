//! What a process has open and which processes it left behind, from Linux's `/proc`.

use std::fs;
use std::path::PathBuf;

/// A variable that marks a test's processes: a process that inherits it, whatever group or session it goes
/// to, is found by [`marked`].
pub const MARK: &str = "HOOKRAIL_TEST_MARK";

/// One process as the process table shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its group's.
    pub group: u32,
    /// It has ended and was not waited for.
    pub zombie: bool,
    /// Its program, shortened by the kernel.
    pub name: String,
}

/// Every process that can be seen. One that ends meanwhile may be missing.
#[must_use]
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("/proc is readable").flatten();
    entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// The children of this process, zombies included.
#[must_use]
pub fn children() -> Vec<Process> {
    let me = std::process::id();
    all().into_iter().filter(|process| process.parent == me).collect()
}

/// The children of this process that ended without being waited for.
#[must_use]
pub fn zombies() -> Vec<Process> {
    children().into_iter().filter(|process| process.zombie).collect()
}

/// The running processes whose environment carries this mark, this one excepted.
#[must_use]
pub fn marked(mark: &str) -> Vec<Process> {
    let wanted = format!("{MARK}={mark}");
    let me = std::process::id();
    let carries = |process: &Process| {
        fs::read(format!("/proc/{}/environ", process.pid))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes()))
    };
    all().into_iter().filter(|process| process.pid != me && !process.zombie && carries(process)).collect()
}

/// What this process has open: descriptor numbers with what they lead to.
#[must_use]
pub fn descriptors() -> Vec<(u32, PathBuf)> {
    let entries = fs::read_dir("/proc/self/fd").expect("/proc is readable").flatten();
    let mut open: Vec<_> = entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            // The descriptor that reads this very list is closed by now.
            Some((number, fs::read_link(entry.path()).ok()?))
        })
        .filter(|(_, target)| !target.ends_with("fd") || !target.starts_with("/proc"))
        .collect();
    open.sort();
    open
}

/// How many threads this process has.
#[must_use]
pub fn threads() -> u64 {
    status("Threads:")
}

/// The memory this process has resident now, in bytes.
#[must_use]
pub fn resident_memory() -> u64 {
    status("VmRSS:") * 1024
}

/// The most memory this process ever had resident, in bytes.
#[must_use]
pub fn peak_memory() -> u64 {
    status("VmHWM:") * 1024
}

/// A number of `/proc/self/status`.
fn status(field: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("/proc is readable");
    let line = text.lines().find_map(|line| line.strip_prefix(field)).expect("a field of the status");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

/// `None` for a process that ended meanwhile.
fn read(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything, parentheses included.
    let (before, rest) = stat.rsplit_once(") ")?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = rest.split_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Process { pid, parent, group, zombie, name })
}
