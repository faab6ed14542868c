//! Whether a file is open for writing. The system then refuses to execute it, and its content may change
//! at any moment without a changed time stamp. The only unsafe code of the engine is here: no crate that we use has a
//! safe function for leases.
#![allow(unsafe_code, reason = "see the module's documentation")]

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

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
    open.is_ok_and(|file| refuses_lease(&file))
}

/// Asks for a read lease, which the kernel refuses while a file is open for writing, and gives it back at once. Where leases
/// are not to be had (another owner, some network file systems) the answer is no.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn refuses_lease(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    /// The request that chooses the signal of a broken lease; the `libc` crate does not name it for every target.
    const F_SETSIG: libc::c_int = 10;
    let descriptor = file.as_raw_fd();
    // SAFETY: the descriptor is open for the whole block, and these requests take plain numbers.
    unsafe {
        // A process that opens the file while the lease exists makes the kernel send a signal, by default one that kills.
        if libc::fcntl(descriptor, F_SETSIG, libc::SIGURG) != 0 {
            return false;
        }
        if libc::fcntl(descriptor, libc::F_SETLEASE, libc::F_RDLCK) == 0 {
            libc::fcntl(descriptor, libc::F_SETLEASE, libc::F_UNLCK);
            return false;
        }
    }
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock
}

/// This system has no leases, so that nothing is known.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn refuses_lease(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_writer_is_seen_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sh");
        std::fs::write(&path, "exit 0").unwrap();
        // A process that another test starts meanwhile has the file open, too, until it is its own program.
        assert!(!stays_open_for_writing(&path).await);
        let writer = File::options().write(true).open(&path).unwrap();
        assert!(is_open_for_writing(&path));
        assert!(stays_open_for_writing(&path).await);
        drop(writer);
        assert!(!stays_open_for_writing(&path).await, "and a lease of ours is not left behind");
        drop(File::options().append(true).open(&path).unwrap());
        assert!(!is_open_for_writing(&dir.path().join("missing")));
    }
}
