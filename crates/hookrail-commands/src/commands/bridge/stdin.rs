//! An agent's stdin, within its time and a bound. An agent that keeps the pipe open gets its answer all the same.

use std::io;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// More than this is refused without being read; the dialects take less.
const MOST_BYTES: usize = 257 * 1024 * 1024;
/// How much is read at once.
const PIECE: usize = 16 * 1024;
/// After this time without a byte, a payload that is whole is not waited for any longer.
const QUIET: Duration = Duration::from_secs(1);

/// Reads until the end, or until a whole payload is there and nothing follows. What came before a failure stays in
/// `into`.
pub(super) fn read(into: &mut Vec<u8>, until: Instant) -> io::Result<()> {
    let mut is_looked_at = false;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(out_of_time()); // Also while more and more comes.
        }
        let wait = if is_looked_at { left } else { left.min(QUIET) };
        let timeout = Timespec::try_from(wait).map_err(io::Error::other)?;
        let handle = rustix::stdio::stdin();
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if !is_looked_at && is_whole(into) => return Ok(()),
            Ok(0) if wait < left => {
                is_looked_at = true;
                continue;
            }
            Ok(0) => return Err(out_of_time()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        into.reserve(PIECE);
        match rustix::io::read(handle, spare_capacity(into)) {
            Ok(0) => return Ok(()),
            Ok(_) => is_looked_at = false,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if into.len() > MOST_BYTES {
            return Err(io::Error::other("it is too long"));
        }
    }
}

fn out_of_time() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the agent did not end it in time")
}

/// Whether this is one JSON object, to its last brace.
fn is_whole(bytes: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(b"}") && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}
