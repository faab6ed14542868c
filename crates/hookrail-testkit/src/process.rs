//! What a process has open and which processes it left behind: from `/proc` where there is one, else from `ps` and `/dev/fd`.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
#[path = "process/proc.rs"]
mod table;
#[cfg(not(target_os = "linux"))]
#[path = "process/ps.rs"]
mod table;

#[cfg(all(test, target_os = "linux"))]
#[path = "process/ps.rs"]
mod ps;
#[cfg(all(test, target_os = "linux"))]
mod tests;

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
    table::all()
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

/// The running processes whose environment carries this mark, this one excepted. macOS hides the environment of its own programs:
/// there only other programs are found, such as a Python that was installed.
#[must_use]
pub fn marked(mark: &str) -> Vec<Process> {
    let me = std::process::id();
    let marked = table::with_variable(&format!("{MARK}={mark}"));
    marked.into_iter().filter(|process| process.pid != me && !process.zombie).collect()
}

/// The running processes with this text in their command line.
#[must_use]
pub fn with_argument(text: &str) -> Vec<Process> {
    table::with_argument(text)
}

/// Whether a process exists and is not a zombie.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    table::one(pid).is_some_and(|process| !process.zombie)
}

/// What this process has open: descriptor numbers with what they lead to, where the system tells.
#[must_use]
pub fn descriptors() -> Vec<(u32, PathBuf)> {
    let mut open = table::descriptors();
    open.sort();
    open
}

/// How many descriptors a running process has open. macOS tells only about this process: 0 for another one.
#[must_use]
pub fn descriptors_of(pid: u32) -> usize {
    table::descriptors_of(pid)
}

/// How many threads this process has.
#[must_use]
pub fn threads() -> u64 {
    table::threads()
}

/// The memory this process has resident now, in bytes.
#[must_use]
pub fn resident_memory() -> u64 {
    resident_memory_of(std::process::id())
}

/// The memory a running process has resident now, in bytes.
#[must_use]
pub fn resident_memory_of(pid: u32) -> u64 {
    table::resident_memory(pid)
}

/// The most memory this process ever had resident, in bytes.
#[must_use]
pub fn peak_memory() -> u64 {
    table::peak_memory()
}
