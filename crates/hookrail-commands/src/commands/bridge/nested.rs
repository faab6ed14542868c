//! A bridge inside of a bridge: a hook that starts an agent, whose entries call the bridge again.
//!
//! The outer one tells its hooks its process id and start time. The inner one believes it only if a process with that id
//! and start time is above it and runs this same program: what a project puts into the environment silences nothing.

use std::path::Path;

use crate::commands::allow::processes::{self, Process};

/// Holds the mark of the outer bridge.
pub(crate) const VARIABLE: &str = "HOOKRAIL_BRIDGE";

/// What this process tells its hooks; `None` where processes cannot be looked at.
pub(crate) fn mark() -> Option<String> {
    Process::of(std::process::id()).map(|process| process.mark())
}

/// Whether a bridge above this process runs the hook that led here.
pub(crate) fn is_inside_bridge() -> bool {
    let Some(mark) = std::env::var_os(VARIABLE) else { return false };
    mark.to_str().is_some_and(|mark| is_above(mark).is_some_and(runs_this_program))
}

/// The id of the process above this one that has this mark.
fn is_above(mark: &str) -> Option<u32> {
    processes::above().find(|process| process.mark() == mark).map(|process| process.id)
}

/// Whether a process runs the same file as this one. The first process of a system has a start time that can be guessed.
fn runs_this_program(id: u32) -> bool {
    let own = program(std::process::id());
    own.is_some() && own == program(id)
}

/// The file that a process runs, by device and number.
#[cfg(target_os = "linux")]
fn program(id: u32) -> Option<(u64, u64)> {
    file(Path::new(&format!("/proc/{id}/exe")))
}

fn file(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// The file that a process runs, by device and number.
#[cfg(not(target_os = "linux"))]
fn program(id: u32) -> Option<(u64, u64)> {
    file(Path::new(&processes::ps(id, "comm=")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_above_has_the_mark() {
        let Process { id: parent, start, .. } = processes::above().next().unwrap();
        assert_eq!(is_above(&format!("{parent} {start}")), Some(parent));
        for forged in [
            String::new(),
            "1".to_owned(),
            "true".to_owned(),
            format!("{parent}"),
            format!("{parent} "),
            format!("{parent} {start}1"),
            format!("{parent}  {start}"),
            // This process is not above itself.
            mark().unwrap(),
        ] {
            assert_eq!(is_above(&forged), None, "{forged}");
        }
    }

    #[test]
    fn another_program_is_not_a_bridge() {
        assert!(runs_this_program(std::process::id()));
        assert!(!runs_this_program(processes::above().next().unwrap().id), "cargo, or a shell");
    }
}
