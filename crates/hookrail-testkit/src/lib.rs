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
pub mod model_server;
pub mod module_order;
pub mod process;
mod project;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub use self::project::TestProject;

/// Writes an executable file, whose folder exists. Another process does it: what this one has open for writing is
/// also open in every child that another test starts just then, and cannot be run until that child has become its program.
pub fn write_executable(path: &Path, content: impl AsRef<[u8]>) {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    child.stdin.take().expect("a pipe").write_all(content.as_ref()).expect("a content");
    assert!(child.wait().expect("its end").success(), "cannot write {}", path.display());
}

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
