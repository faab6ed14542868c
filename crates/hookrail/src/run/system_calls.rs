//! The system calls for which no crate that we use has a safe function: `posix_spawn`, and `fcntl` with leases. All
//! unsafe code of the engine is in this file.
#![allow(unsafe_code, reason = "see the module's documentation")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use super::unix::Pid;

/// Starts a process in a group of its own, with these as its descriptors 0, 1 and 2, which must all be above 2 here. No
/// signal is blocked for it, and `SIGPIPE`, which Rust programs ignore, has its usual effect.
pub(super) fn posix_spawn(
    program: &CStr,
    argv: &[CString],
    envp: &[CString],
    directory: &CStr,
    descriptors: &[OwnedFd; 3],
) -> io::Result<Pid> {
    let attributes = Attributes::new()?;
    let mut actions = Actions::new()?;
    actions.enter(directory)?;
    for (descriptor, place) in descriptors.iter().zip(0..) {
        actions.place(descriptor, place)?;
    }
    let (argv, envp) = (pointers(argv), pointers(envp));
    let mut pid = 0;
    // SAFETY: all pointers are valid during the call: the strings are borrowed, the lists of pointers to them end with
    // null, attributes and actions are initialised. The call changes none of them.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            envp.as_ptr(),
        )
    })?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave an impossible process id"))
}

/// Whether this file is open for writing. Asks for a read lease, which the kernel refuses while it is, and gives it back
/// at once. Where leases are not to be had (another owner, some network file systems) the answer is no.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_open_for_writing(file: &std::fs::File) -> bool {
    /// The request that chooses the signal of a broken lease; the `libc` crate does not name it for every target.
    const F_SETSIG: c_int = 10;
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
    io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
}

/// There are no leases here, so that the answer is no.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_open_for_writing(_: &std::fs::File) -> bool {
    false
}

/// A list that C can read.
fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// What the process is to be like.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let flags = libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the constants are small; on some systems C declares them wider than the function that takes them"
        )]
        let flags = flags as libc::c_short;
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::uninit();
        // SAFETY: `init` and `sigemptyset` initialise what they are given, and nothing reads it before. From the
        // first success on `Self` owns the attributes and destroys them.
        unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut attributes = Self(attributes.assume_init());
            check(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags))?;
            check(libc::posix_spawnattr_setpgroup(&raw mut attributes.0, 0))?;
            libc::sigemptyset(signals.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, signals.as_ptr()))?;
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            check(libc::posix_spawnattr_setsigdefault(&raw mut attributes.0, signals.as_ptr()))?;
            Ok(attributes)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and not used after this.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

/// What the process does before it becomes the program.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: `init` initialises what it is given if it succeeds. From then on `Self` owns and destroys it.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Ok(Self(actions.assume_init()))
        }
    }

    fn enter(&mut self, directory: &CStr) -> io::Result<()> {
        // SAFETY: the actions are initialised; the string is copied.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&raw mut self.0, directory.as_ptr()) })
    }

    fn place(&mut self, descriptor: &OwnedFd, place: c_int) -> io::Result<()> {
        // SAFETY: the actions are initialised. The descriptor is a number to the call.
        check(unsafe {
            libc::posix_spawn_file_actions_adddup2(&raw mut self.0, descriptor.as_raw_fd(), place)
        })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and not used after this.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}
