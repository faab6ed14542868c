//! Whether a file is open for writing. The system then refuses to execute it, and its content may change
//! at any moment without a changed time stamp.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::system_calls;

/// How long a program may be open for writing before it counts as held: an editor or a checkout is done by then.
const HELD_AFTER: Duration = Duration::from_millis(200);

/// The pause between two looks at it.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether a file is open for writing now and stays so for 200 ms.
pub(crate) async fn stays_open_for_writing(file: &Path) -> bool {
    if !is_open_for_writing(file) {
        return false;
    }
    let deadline = Instant::now() + HELD_AFTER;
    while Instant::now() < deadline {
        sleep(PAUSE).await;
        if !is_open_for_writing(file) {
            return false;
        }
    }
    true
}

/// Whether a file is open for writing now; no, if it cannot be opened.
fn is_open_for_writing(path: &Path) -> bool {
    // Without blocking: the path may be a pipe by now.
    let open = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    open.is_ok_and(|file| system_calls::is_open_for_writing(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_writer_is_seen_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sh");
        std::fs::write(&path, "exit 0").unwrap();
        assert!(!is_open_for_writing(&path));
        let writer = File::options().write(true).open(&path).unwrap();
        assert!(is_open_for_writing(&path));
        assert!(stays_open_for_writing(&path).await);
        drop(writer);
        assert!(!is_open_for_writing(&path), "and a lease of ours is not left behind");
        drop(File::options().append(true).open(&path).unwrap());
        assert!(!is_open_for_writing(&dir.path().join("missing")));
    }
}
