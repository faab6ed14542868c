//! What the benchmark needs from the system and safe Rust does not offer: the bare `posix_spawn` that engines are
//! compared with, the CPU time of this process and its children, and a count of allocations.
//!
//! All unsafe code of the benchmark is in this file.
#![allow(unsafe_code, reason = "the floor is the C function itself, without the standard library around it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A command line as C wants it, made once: the floor does nothing but spawn.
pub(crate) struct Image {
    path: CString,
    argv: Strings,
    envp: Strings,
}

/// A list of strings that ends with a null pointer.
struct Strings {
    /// Owns what the pointers point to.
    _strings: Vec<CString>,
    pointers: Vec<*mut c_char>,
}

impl Strings {
    fn new(strings: Vec<CString>) -> Self {
        let pointers =
            strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect();
        Self { _strings: strings, pointers }
    }
}

/// A child and our ends of its three pipes.
pub(crate) struct Child {
    pid: libc::pid_t,
    /// Where it reads from.
    pub(crate) stdin: OwnedFd,
    /// What it writes.
    pub(crate) stdout: OwnedFd,
    /// What it complains.
    pub(crate) stderr: OwnedFd,
}

impl Image {
    /// The first argument is the program, with a slash in it. The environment is that of this process and the
    /// variables given.
    pub(crate) fn new(arguments: &[&str], variables: &[(&str, PathBuf)]) -> Self {
        let argv: Vec<CString> = arguments.iter().map(|argument| c_string((*argument).into())).collect();
        let given =
            variables.iter().map(|(name, value)| (OsString::from(name), value.clone().into_os_string()));
        let envp = std::env::vars_os().chain(given).map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            c_string(name.into_vec())
        });
        Self { path: argv[0].clone(), envp: Strings::new(envp.collect()), argv: Strings::new(argv) }
    }

    /// Three pipes, one `posix_spawn`.
    pub(crate) fn spawn(&self) -> io::Result<Child> {
        let (child_stdin, stdin) = pipe()?;
        let (stdout, child_stdout) = pipe()?;
        let (stderr, child_stderr) = pipe()?;
        let mut actions = MaybeUninit::uninit();
        let mut pid = 0;
        // SAFETY: `actions` is initialised before its use and destroyed after it; the strings and the null-terminated
        // lists live in `self` and are not changed by the call; the descriptors are open.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            for (descriptor, place) in [(&child_stdin, 0), (&child_stdout, 1), (&child_stderr, 2)] {
                let raw = descriptor.as_raw_fd();
                check(libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), raw, place))?;
            }
            check(libc::posix_spawn(
                &raw mut pid,
                self.path.as_ptr(),
                actions.as_ptr(),
                ptr::null(),
                self.argv.pointers.as_ptr(),
                self.envp.pointers.as_ptr(),
            ))?;
            check(libc::posix_spawn_file_actions_destroy(actions.as_mut_ptr()))?;
        }
        Ok(Child { pid, stdin, stdout, stderr })
    }
}

/// Waits for a child, whose pipes are closed by now, and takes its exit code.
pub(crate) fn reap(pid: libc::pid_t) -> io::Result<i32> {
    let mut status: c_int = 0;
    // SAFETY: the status outlives the call.
    if unsafe { libc::waitpid(pid, &raw mut status, 0) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 })
}

impl Child {
    /// Its number, and the pipes without it.
    pub(crate) fn into_parts(self) -> (libc::pid_t, OwnedFd, OwnedFd, OwnedFd) {
        (self.pid, self.stdin, self.stdout, self.stderr)
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [c_int; 2] = [0; 2];
    // SAFETY: the array has room for both descriptors, which are ours alone once the call succeeded.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

fn c_string(bytes: Vec<u8>) -> CString {
    CString::new(bytes).expect("arguments and variables contain no NUL")
}

/// Runs something on one core, with all processes that it starts.
pub(crate) fn on_one_core<T>(work: impl FnOnce() -> T) -> T {
    let size = size_of::<libc::cpu_set_t>();
    let mut all = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: both sets outlive the calls, their size is given, and every bit pattern of them is valid.
    let all = unsafe {
        libc::sched_getaffinity(0, size, all.as_mut_ptr());
        let all = all.assume_init();
        let mut one = MaybeUninit::<libc::cpu_set_t>::zeroed().assume_init();
        libc::CPU_SET(usize::try_from(libc::sched_getcpu()).unwrap_or_default(), &mut one);
        libc::sched_setaffinity(0, size, &raw const one);
        all
    };
    let done = work();
    // SAFETY: as above.
    unsafe { libc::sched_setaffinity(0, size, &raw const all) };
    done
}

/// The CPU time that this process and the children it has reaped used so far.
pub(crate) fn cpu_time() -> Duration {
    usage(libc::RUSAGE_SELF) + usage(libc::RUSAGE_CHILDREN)
}

/// The part of it that is not the children's.
pub(crate) fn own_cpu_time() -> Duration {
    usage(libc::RUSAGE_SELF)
}

fn usage(who: c_int) -> Duration {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure outlives the call and every bit pattern of it is valid.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// The directory of a name in `PATH`, searched as `execvp` does.
pub(crate) fn find_program(name: &str) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':').map(|directory| format!("{directory}/{name}")).find(|candidate| is_executable(candidate))
}

fn is_executable(path: &str) -> bool {
    let path: &CStr = &c_string(path.into());
    // SAFETY: the string is null-terminated and outlives the call.
    unsafe { libc::access(path.as_ptr(), libc::X_OK) == 0 }
}

/// The system's allocator with a count of what is asked of it.
pub(crate) struct CountingAllocator;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// How often memory was asked for so far, by any thread.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::Relaxed)
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}
