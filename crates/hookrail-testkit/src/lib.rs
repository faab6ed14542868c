//! Test support: a temporary project with its own home and system settings, hook scripts on disk,
//! and waiting with a generous deadline. It uses file layouts, not the engine, so that every crate
//! of the workspace can use it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "test support fails a test by panicking"
)]

pub mod hostile_workers;
mod http;
pub mod model_server;
pub mod process;
mod project;
pub mod rooms;
pub mod scripted_model;

use std::fs;
use std::time::{Duration, Instant};

pub use self::project::TestProject;

/// Waits until `done` holds, at most `limit`; panics with `what` otherwise.
/// The limit is for a machine that is stuck and may be generous: a test must not depend on how fast anything is.
pub fn wait_until(limit: Duration, what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < limit, "waited {limit:?} for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process exists and is not a zombie.
pub fn process_is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit(") ").next().is_some_and(|rest| !rest.starts_with('Z')))
}
