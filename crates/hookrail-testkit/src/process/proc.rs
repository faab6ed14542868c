//! Processes as Linux's `/proc` shows them.

use std::fs;
use std::path::PathBuf;

use super::Process;

pub(super) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("/proc is readable").flatten();
    entries.filter_map(|entry| one(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// `None` for a process that does not exist.
pub(super) fn one(pid: u32) -> Option<Process> {
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

/// The processes that have this variable.
pub(super) fn with_variable(variable: &str) -> Vec<Process> {
    let has_it = |process: &Process| {
        fs::read(format!("/proc/{}/environ", process.pid))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes()))
    };
    all().into_iter().filter(has_it).collect()
}

/// The processes with this text in their command line.
pub(super) fn with_argument(text: &str) -> Vec<Process> {
    let has_it = |process: &Process| {
        fs::read(format!("/proc/{}/cmdline", process.pid))
            .is_ok_and(|line| line.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    all().into_iter().filter(has_it).collect()
}

pub(super) fn descriptors() -> Vec<(u32, PathBuf)> {
    let entries = fs::read_dir("/proc/self/fd").expect("/proc is readable").flatten();
    entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            // The descriptor that reads this very list is closed by now.
            Some((number, fs::read_link(entry.path()).ok()?))
        })
        .filter(|(_, target)| !target.ends_with("fd") || !target.starts_with("/proc"))
        .collect()
}

pub(super) fn descriptors_of(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").count()
}

pub(super) fn threads() -> u64 {
    status(std::process::id(), "Threads:")
}

pub(super) fn resident_memory(pid: u32) -> u64 {
    status(pid, "VmRSS:") * 1024
}

pub(super) fn peak_memory() -> u64 {
    status(std::process::id(), "VmHWM:") * 1024
}

/// A number of `/proc/PID/status`.
fn status(pid: u32, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = text.lines().find_map(|line| line.strip_prefix(field)).expect("a field of the status");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}
