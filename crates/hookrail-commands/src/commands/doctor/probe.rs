//! One call through an agent's own entry, with a payload that reaches no hook and no log. The bridge refuses it at a
//! guarded event with a text of its own, which a program that is gone cannot print.

use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hookrail_bridge::{BridgeInputError, PROBE};

/// How long an entry may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an answer is looked at.
const MOST: u64 = 64 * 1024;

/// How an entry answered the probe.
pub(super) enum ProbeResult {
    /// It reached the bridge, which refused.
    Works,
    /// It failed closed: the program is not there, or does not start.
    Gone,
    /// Anything else, with the beginning of what it printed.
    Odd(String),
}

/// Runs an entry as its agent would.
pub(super) fn probe(entry: &str, directory: &Path) -> ProbeResult {
    let Some(printed) = run(entry, directory) else {
        return ProbeResult::Odd("it gave no answer in time".to_owned());
    };
    if printed.contains(&BridgeInputError::Probe.to_string()) {
        ProbeResult::Works
    } else if printed.contains(hookrail_bridge::NOT_RUN) || printed.contains("not found") {
        ProbeResult::Gone
    } else {
        ProbeResult::Odd(printed.chars().take(200).collect())
    }
}

/// Both streams of an entry, if it ends in time.
fn run(entry: &str, directory: &Path) -> Option<String> {
    let (mut reader, writer) = std::io::pipe().ok()?;
    let (question, mut asking) = std::io::pipe().ok()?;
    // It fits into the pipe, whoever reads it.
    asking.write_all(PROBE.as_bytes()).ok()?;
    drop(asking);
    let mut child = Command::new("sh")
        .args(["-c", entry])
        .current_dir(directory)
        // Where `doctor` is run by a hook of a bridge, the entry must answer as well.
        .env_remove("HOOKRAIL_BRIDGE")
        .stdin(question)
        .stdout(writer.try_clone().ok()?)
        .stderr(writer)
        .process_group(0)
        .spawn()
        .ok()?;
    let started = Instant::now();
    let mut is_over = false;
    while !is_over && started.elapsed() < TIMEOUT {
        std::thread::sleep(Duration::from_millis(5));
        is_over = child.try_wait().ok()?.is_some();
    }
    if !is_over {
        let _ = rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)
            .map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
        let _ = child.wait();
        return None;
    }
    let mut printed = Vec::new();
    let mut limited = reader.by_ref().take(MOST);
    limited.read_to_end(&mut printed).ok()?;
    Some(String::from_utf8_lossy(&printed).into_owned())
}
