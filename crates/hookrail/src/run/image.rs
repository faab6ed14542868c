//! A command in the form in which the system takes it, and the system call that starts it.
//!
//! The standard library does the same, but copies the environment twice for each process it starts: most of the
//! instructions that an event with one hook takes in this process. Here the strings are made once.
//!
//! The unsafe code of this file calls `posix_spawn`, and nothing else.
#![allow(unsafe_code, reason = "the standard library has no way to start a process with ready-made strings")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use super::environment::Variable;
use super::unix::Pid;

/// A place for an image, which is made when its command is executed for the first time.
#[derive(Debug, Default)]
pub(crate) struct OnceImage(OnceLock<Image>);

impl OnceImage {
    /// The image, made now if there is none.
    pub(super) fn get_or_try_init(&self, make: impl FnOnce() -> io::Result<Image>) -> io::Result<&Image> {
        if let Some(image) = self.0.get() {
            return Ok(image);
        }
        let image = make()?;
        Ok(self.0.get_or_init(|| image))
    }
}

impl Clone for OnceImage {
    /// A copy of a command may be changed, and has a place of its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Program, arguments, environment and directory of a process to be started any number of times.
#[derive(Debug)]
pub(super) struct Image {
    program: CString,
    argv: Vec<CString>,
    envp: Vec<CString>,
    cwd: CString,
}

impl Image {
    /// `argv` begins with the name that the program is told. Fails if there is a NUL in any of these.
    pub(super) fn new<'a>(
        program: &OsStr,
        argv: impl IntoIterator<Item = &'a OsStr>,
        env: &[Variable],
        cwd: &Path,
    ) -> io::Result<Self> {
        let assignment =
            |(name, value): &Variable| Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?);
        Ok(Self {
            program: CString::new(program.as_bytes())?,
            argv: argv
                .into_iter()
                .map(|word| Ok(CString::new(word.as_bytes())?))
                .collect::<io::Result<_>>()?,
            envp: env.iter().map(assignment).collect::<io::Result<_>>()?,
            cwd: CString::new(cwd.as_os_str().as_bytes())?,
        })
    }

    /// Starts the process in a group of its own, with these as its descriptors 0, 1 and 2. No signal is blocked for
    /// it, and `SIGPIPE`, which Rust programs ignore, has its usual effect.
    pub(super) fn spawn(&self, descriptors: [OwnedFd; 3]) -> io::Result<Pid> {
        let [stdin, stdout, stderr] = descriptors;
        let descriptors = [out_of_the_way(stdin)?, out_of_the_way(stdout)?, out_of_the_way(stderr)?];
        let attributes = Attributes::new()?;
        let mut actions = Actions::new()?;
        actions.enter(&self.cwd)?;
        for (descriptor, place) in descriptors.iter().zip(0..) {
            actions.place(descriptor, place)?;
        }
        let (argv, envp) = (pointers(&self.argv), pointers(&self.envp));
        let mut pid = 0;
        // SAFETY: all pointers are valid during the call: the strings live in `self`, the lists of pointers to
        // them end with null, attributes and actions are initialised. The call changes none of them.
        check(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                self.program.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                argv.as_ptr(),
                envp.as_ptr(),
            )
        })?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave an impossible process id"))
    }
}

/// A descriptor above 2. In a host that has closed its own standard streams a pipe may have taken their place, and
/// putting one descriptor there would overwrite another.
fn out_of_the_way(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if descriptor.as_raw_fd() > 2 {
        return Ok(descriptor);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&descriptor, 3)?)
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
        // The constants are small; C declares them wider than the function that takes them.
        #[allow(clippy::cast_possible_truncation)]
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
