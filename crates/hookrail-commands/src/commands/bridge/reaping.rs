//! Hooks that ran out of time while an agent waits for an answer: the bridge exits at once, and a process of its own
//! ends what ignored the request to end.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use hookrail::components::HookSystem;

/// How long such a hook may clean up, in seconds.
const GRACE: u32 = 5;

/// Starts a detached process that kills the groups which are still there after the grace.
pub(super) fn kill_after_grace(system: &HookSystem) {
    let escalations = system.escalations();
    let groups = escalations.groups();
    if groups.is_empty() {
        return;
    }
    let groups: Vec<String> = groups.iter().map(|group| format!("-{group}")).collect();
    // Signal 0 first: a group that is gone is left alone, and its number is hardly given away within seconds. Only
    // this spelling, with `-s`, takes the number of a group in every shell.
    let script = format!(
        "sleep {GRACE}; for g in {}; do kill -s 0 -- $g 2>/dev/null && kill -s KILL -- $g; done",
        groups.join(" ")
    );
    let detached = Command::new("/bin/sh")
        .args(["-c", &script])
        // The agent's environment may hold another `sleep`, or functions that the shell takes for programs.
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A signal to our group does not reach it.
        .process_group(0)
        .spawn();
    if detached.is_err() {
        escalations.kill();
    }
}
