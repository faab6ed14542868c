//! An agent's stdin, within its time and a bound. An agent that keeps the pipe open gets its answer all the same.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// More than this is refused without being read; the dialects take less.
const MOST_BYTES: usize = 257 * 1024 * 1024;
/// How much is read at once. It is written once before that, so that a large one costs pages in every call.
const PIECE: usize = 16 * 1024;
/// After this time without a byte, a payload that is whole is not waited for any longer.
const QUIET: Duration = Duration::from_secs(1);

/// Reads until the end, or until a whole payload is there and nothing follows. What came before a failure stays in
/// `into`.
pub(super) fn read(into: &mut Vec<u8>, until: Instant) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let mut piece = vec![0; PIECE];
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
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match stdin.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                into.extend_from_slice(piece.get(..length).unwrap_or_default());
                is_looked_at = false;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
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
