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

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub use self::process::is_alive as process_is_alive;
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

/// Makes a named pipe that its owner may read, write and execute.
pub fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").args(["-m", "700"]).arg(path).status().expect("mkfifo runs");
    assert!(made.success(), "cannot make a pipe at {}", path.display());
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
