//! A command in the form in which the system takes it.
//!
//! The standard library does the same, but copies the environment twice for each process it starts: most of the
//! instructions that an event with one hook takes in this process. Here the strings are made once.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

use super::environment::EnvironmentVariable;
use super::system_calls;
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
    /// `argv` begins with the name that the program receives. Fails if there is a NUL in any of these.
    pub(super) fn new<'a>(
        program: &OsStr,
        argv: impl IntoIterator<Item = &'a OsStr>,
        env: &[EnvironmentVariable],
        cwd: &Path,
    ) -> io::Result<Self> {
        let assignment = |(name, value): &EnvironmentVariable| {
            Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?)
        };
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
        system_calls::posix_spawn(&self.program, &self.argv, &self.envp, &self.cwd, &descriptors)
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
