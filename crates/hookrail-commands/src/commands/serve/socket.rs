//! The Unix socket: private from its first moment, never taken from a running server, removed at the end.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::fs::{FlockOperation, Mode, flock};
use rustix::process::{geteuid, umask};

/// How long another server that is starting in the same folder is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A socket file with its listener. The file is removed at the end.
/// A request over it can run hooks, so no other user may reach it.
#[derive(Debug)]
pub(super) struct BoundSocket {
    /// Absolute, as it is shown to the person.
    pub(super) path: PathBuf,
    /// The file as we made it: device and inode. Another server's file in its place is left alone.
    identity: (u64, u64),
    listener: Option<UnixListener>,
}

impl BoundSocket {
    /// Binds and listens. Call it before other threads make files: the umask belongs to all of them.
    pub(super) fn bind(path: &Path) -> anyhow::Result<Self> {
        let path =
            std::path::absolute(path).with_context(|| format!("`{}` is not a path", path.display()))?;
        let folder = path.parent().context("a socket needs a folder")?;
        check_folder(folder)?;
        // Two servers that start at once must not both remove a leftover, nor one of them the other's new socket.
        let _one_at_a_time = lock(folder)?;
        remove_leftover(&path)?;
        let shown = path.display();
        let before = umask(Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(&path);
        umask(before);
        let listener = bound.with_context(|| format!("cannot listen on `{shown}`"))?;
        let made = fs::symlink_metadata(&path).with_context(|| format!("`{shown}` is gone already"))?;
        listener.set_nonblocking(true).with_context(|| format!("cannot listen on `{shown}`"))?;
        Ok(Self { path, identity: (made.dev(), made.ino()), listener: Some(listener) })
    }

    /// The listener, once.
    pub(super) fn listener(&mut self) -> anyhow::Result<UnixListener> {
        self.listener.take().context("the socket is in use already")
    }
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        let is_ours =
            fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.identity);
        if is_ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// In a folder where any user may rename files, any user could replace the socket.
fn check_folder(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    let found = fs::metadata(folder).with_context(|| format!("cannot make a socket in `{shown}`"))?;
    anyhow::ensure!(found.is_dir(), "cannot make a socket in `{shown}`: it is not a folder");
    let mode = found.mode();
    anyhow::ensure!(
        mode & 0o002 == 0 || mode & 0o1000 != 0,
        "any user may write to `{shown}`; choose a folder of your own for the socket"
    );
    Ok(())
}

/// Held until it is dropped. A lock on the folder itself leaves no file behind.
fn lock(folder: &Path) -> anyhow::Result<File> {
    let shown = folder.display();
    let opened = File::open(folder).with_context(|| format!("cannot open `{shown}`"))?;
    let start = Instant::now();
    loop {
        match flock(&opened, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(opened),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(error) => {
                return Err(io::Error::from(error)).with_context(|| format!("cannot lock `{shown}`"));
            }
        }
        anyhow::ensure!(start.elapsed() < LOCK_TIMEOUT, "another program keeps `{shown}` locked");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Removes the socket of a server that was killed. Anything else in its place is an error.
fn remove_leftover(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot look at `{shown}`")),
        Ok(found) => anyhow::ensure!(
            found.file_type().is_socket(),
            "`{shown}` exists and is not a socket; it was left alone"
        ),
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).with_context(|| format!("cannot remove the dead socket `{shown}`"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot tell whether `{shown}` is in use")),
        Ok(_) => anyhow::bail!("another server listens on `{shown}`"),
    }
}

/// Whether the other end belongs to the user that the server runs as, or to root. The file's mode has the same effect,
/// but a mode can be changed.
pub(super) fn same_user(stream: &tokio::net::UnixStream) -> Result<(), String> {
    let own = geteuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == own || peer.uid() == 0 => Ok(()),
        Ok(peer) => Err(format!("it belongs to user {}, the server to user {own}", peer.uid())),
        Err(error) => Err(format!("its owner is not known: {error}")),
    }
}
