//! A bridge inside of a bridge: a hook that starts an agent, whose entries call the bridge again.
//!
//! The outer one tells its hooks its process id and start time. The inner one believes it only if a process with that id
//! and start time is above it and runs this same program: what a project puts into the environment silences nothing.

use std::path::Path;

/// Holds the mark of the outer bridge.
pub(super) const VARIABLE: &str = "HOOKRAIL_BRIDGE";

/// How many processes above this one are looked at.
const HIGHEST: usize = 256;

/// A process, as far as it matters here.
struct Process {
    parent: u32,
    /// Together with the id this is one process only, also when ids are given again.
    start: String,
}

/// What this process tells its hooks; `None` where processes cannot be looked at.
pub(super) fn mark() -> Option<String> {
    let id = std::process::id();
    Some(format!("{id} {}", process(id)?.start))
}

/// Whether a bridge above this process runs the hook that led here.
pub(crate) fn is_inside_bridge() -> bool {
    let Some(mark) = std::env::var_os(VARIABLE) else { return false };
    mark.to_str().is_some_and(|mark| is_above(mark).is_some_and(runs_this_program))
}

/// The id of the process above this one that has this mark.
fn is_above(mark: &str) -> Option<u32> {
    let (id, start) = mark.split_once(' ')?;
    let id: u32 = id.parse().ok()?;
    let mut above = process(std::process::id())?.parent;
    for _ in 0..HIGHEST {
        let found = process(above)?;
        if above == id {
            return (found.start == start).then_some(id);
        }
        above = found.parent;
    }
    None
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

/// Looks at a process.
#[cfg(target_os = "linux")]
fn process(id: u32) -> Option<Process> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name before it may contain anything, also parentheses and spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    Some(Process { parent, start: fields.nth(17)?.to_owned() })
}

/// The file that a process runs, by device and number.
#[cfg(not(target_os = "linux"))]
fn program(id: u32) -> Option<(u64, u64)> {
    file(Path::new(&ps(id, "comm=")?))
}

/// Looks at a process.
#[cfg(not(target_os = "linux"))]
fn process(id: u32) -> Option<Process> {
    let parent = ps(id, "ppid=")?.parse().ok()?;
    Some(Process { parent, start: ps(id, "lstart=")? })
}

/// What `ps` knows of a process. There is no `/proc` here.
#[cfg(not(target_os = "linux"))]
fn ps(id: u32, column: &str) -> Option<String> {
    let output = std::process::Command::new("/bin/ps")
        .args(["-o", column, "-p", &id.to_string()])
        .env_clear()
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_above_has_the_mark() {
        let own = std::process::id();
        let parent = process(own).unwrap().parent;
        let start = process(parent).unwrap().start;
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
        assert!(!runs_this_program(process(std::process::id()).unwrap().parent), "cargo, or a shell");
    }
}
