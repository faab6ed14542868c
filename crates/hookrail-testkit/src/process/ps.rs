//! Processes as `ps` shows them, where there is no `/proc`. Linux compiles this for a test that compares both.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

use super::Process;

/// What `ps` prints about one process; a name may hold blanks and comes last.
const COLUMNS: &str = "pid=,ppid=,pgid=,stat=,ucomm=";

pub(super) fn all() -> Vec<Process> {
    processes(&["-axo", COLUMNS])
}

/// `None` for a process that does not exist.
pub(super) fn one(pid: u32) -> Option<Process> {
    processes(&["-o", COLUMNS, "-p", &pid.to_string()]).pop()
}

/// The processes that have this variable.
pub(super) fn with_variable(variable: &str) -> Vec<Process> {
    // `-E` is macOS's word for showing the environment behind the command.
    let environment = if cfg!(target_os = "macos") { "-axwwEo" } else { "axwweo" };
    of_lines(&ps(&[environment, "pid=,command="]), |line| {
        line.split_whitespace().any(|word| word == variable)
    })
}

/// The processes with this text in their command line.
pub(super) fn with_argument(text: &str) -> Vec<Process> {
    of_lines(&ps(&["-axwwo", "pid=,command="]), |line| line.contains(text))
}

/// The processes of lines that begin with a number, `ps` itself excepted: it has ended.
fn of_lines(lines: &str, wanted: impl Fn(&str) -> bool) -> Vec<Process> {
    let wanted = lines.lines().filter(|line| wanted(line));
    wanted.filter_map(|line| one(line.split_whitespace().next()?.parse().ok()?)).collect()
}

pub(super) fn descriptors() -> Vec<(u32, PathBuf)> {
    let numbers: Vec<u32> = fs::read_dir("/dev/fd")
        .expect("/dev/fd is readable")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    // The descriptor that read this very list is closed by now.
    let is_open = |number: &u32| fs::metadata(format!("/dev/fd/{number}")).is_ok();
    numbers.into_iter().filter(is_open).map(|number| (number, PathBuf::new())).collect()
}

/// There is no table of another process's descriptors.
#[cfg(not(target_os = "linux"))]
pub(super) fn descriptors_of(_pid: u32) -> usize {
    0
}

pub(super) fn threads() -> u64 {
    // One line for each thread, below a heading.
    let option = if cfg!(target_os = "macos") { "-M" } else { "-L" };
    ps(&[option, "-p", &std::process::id().to_string()]).lines().skip(1).count() as u64
}

pub(super) fn resident_memory(pid: u32) -> u64 {
    let kilobytes = ps(&["-o", "rss=", "-p", &pid.to_string()]);
    kilobytes.trim().parse::<u64>().expect("a number") * 1024
}

pub(super) fn peak_memory() -> u64 {
    let peak = getrusage(UsageWho::RUSAGE_SELF).expect("this process's own usage").max_rss();
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    peak.unsigned_abs() * unit
}

/// The processes in a table with our columns, `ps` itself excepted.
fn processes(arguments: &[&str]) -> Vec<Process> {
    let table = ps(arguments);
    let me = std::process::id();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse().ok();
        let (pid, parent, group) = (number()?, number()?, number()?);
        let zombie = words.next()?.starts_with('Z');
        Some(Process { pid, parent, group, zombie, name: words.collect::<Vec<_>>().join(" ") })
    };
    table.lines().filter_map(row).filter(|process| process.parent != me || process.name != "ps").collect()
}

fn ps(arguments: &[&str]) -> String {
    let output = Command::new("ps").args(arguments).stderr(Stdio::null()).output().expect("ps runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
