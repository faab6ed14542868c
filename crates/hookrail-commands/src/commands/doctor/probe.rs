//! One call through an agent's own entry, with a payload that reaches no hook and no log. The bridge refuses it at a
//! guarded event with a text of its own, which a program that is gone cannot print.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use hookrail_bridge::{BridgeInputError, PROBE};

use crate::commands::other_programs::run_within;

/// How long an entry may take.
const TIMEOUT: Duration = Duration::from_secs(10);

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
    let (output, writer) = std::io::pipe().ok()?;
    let (question, mut asking) = std::io::pipe().ok()?;
    // It fits into the pipe, whoever reads it.
    asking.write_all(PROBE.as_bytes()).ok()?;
    drop(asking);
    let mut command = Command::new("sh");
    // Where `doctor` is run by a hook of a bridge, the entry must answer as well.
    command.args(["-c", entry]).current_dir(directory).env_remove("HOOKRAIL_BRIDGE");
    command.stdin(question).stdout(writer.try_clone().ok()?).stderr(writer);
    run_within(TIMEOUT, command, output).ok()?.map(|(_, printed)| printed)
}
