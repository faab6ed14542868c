//! Where a keeper listens: one socket for each version, program file, pair of namespaces and home.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::cli::Places;
use crate::digest;
use hookrail::rules::order;

/// The longest path of a socket on every system, with its NUL.
const LONGEST: usize = 103;

/// The folder of sockets and locks.
pub(super) fn folder(state_dir: &Path) -> PathBuf {
    state_dir.join("run")
}

/// Makes the folder, for its owner alone.
pub(super) fn make_folder(state_dir: &Path) -> std::io::Result<()> {
    hookrail::settings::make_state_dir(state_dir)?;
    match fs::DirBuilder::new().mode(0o700).create(folder(state_dir)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder(state_dir))?;
    let for_others = found.mode() & 0o077;
    let is_ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && for_others == 0;
    is_ours.then_some(()).ok_or_else(|| std::io::Error::other("the folder `run` is not the user's alone"))
}

/// The socket of this program in these places; `None` where no keeper can be told from another. Two sandboxes never share
/// one: what is started in one must not answer for the other. Without `connect`, the search path is the agent's, and a keeper
/// has it for life, so that it is part of the name.
pub(super) fn socket(state_dir: &Path, places: &Places, path: Option<&OsString>) -> Option<PathBuf> {
    let parts = (own_program()?, namespaces()?, state_dir, &places.system, path);
    let name = digest::of(format!("{parts:?}"), 8);
    let socket = folder(state_dir).join(format!("{}-{name}.sock", env!("CARGO_PKG_VERSION")));
    (socket.as_os_str().len() < LONGEST).then_some(socket)
}

/// All sockets of a home.
pub(super) fn sockets(state_dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(state_dir)).into_iter().flatten().flatten();
    let mut sockets: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .collect();
    order::sort(&mut sockets);
    sockets
}

/// The file of this program: device, number, time of change. Another file is another version, whatever it says.
pub(super) fn own_program() -> Option<(u64, u64, i64)> {
    let file =
        if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe().ok()? };
    program_at(&file)
}

/// The same of another file.
pub(super) fn program_at(file: &Path) -> Option<(u64, u64, i64)> {
    fs::metadata(file).ok().map(|found| (found.dev(), found.ino(), found.mtime_nsec() ^ found.mtime()))
}

/// Mount and user namespace, and whether this process has given up new privileges, as sandboxes without namespaces do.
#[cfg(target_os = "linux")]
fn namespaces() -> Option<(u64, u64, bool)> {
    let number = |name: &str| fs::metadata(format!("/proc/self/ns/{name}")).ok().map(|found| found.ino());
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some((number("mnt")?, number("user")?, status.contains("NoNewPrivs:\t1")))
}

/// There are none. A sandbox that lets a process write to the user's `run` folder protects nothing of the user's.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the same function as on Linux")]
fn namespaces() -> Option<(u64, u64, bool)> {
    Some((0, 0, false))
}
