//! The JSON text that hooks read from stdin: serialised once, fed to any number of pipes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rustix::io::Errno;
use serde::Serialize;

use super::{json_text, unix};

/// What a pipe holds by default. A payload up to this size is in the pipe before the hook starts.
pub(super) const PIPE_CAPACITY: usize = 64 * 1024;
/// What the pipes of larger payloads are asked to hold, which saves switching to and fro between writer and
/// reader. All pipes of a user share a budget (64 MiB by default), so this is not the maximum.
pub(super) const WIDE_PIPE: usize = 256 * 1024;
/// How much is fed into one pipe before the future yields.
const FEED_PER_TURN: usize = 1024 * 1024;

/// The one JSON object that each hook of an event receives.
///
/// Clones share the text. A small payload is bytes. A large one is a sealed file in memory whose pages go into
/// each pipe by reference, so that the number of hooks does not matter for the memory it takes.
#[derive(Debug, Clone)]
pub struct Payload {
    store: Store,
}

#[derive(Debug, Clone)]
enum Store {
    Bytes(Arc<Vec<u8>>),
    File(Arc<File>, usize),
}

/// Why there is no payload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The input has no JSON form, or the memory for it could not be had.
    #[error("cannot write the hook input as JSON")]
    Serialize(#[from] serde_json::Error),
    /// The memory file could not be written.
    #[error("cannot store the hook input")]
    Store(#[from] io::Error),
}

impl Payload {
    /// Serialises the input.
    pub fn new(input: &impl Serialize) -> Result<Self, PayloadError> {
        Self::written_by(Spool::default(), input)
    }

    /// The same, for a caller that sends a large payload on while it is being written: `on_growth` gets what there is of
    /// it, more each time. It is not called for a small one.
    pub(super) fn new_growing(
        input: &impl Serialize,
        on_growth: &mut dyn FnMut(&Self),
    ) -> Result<Self, PayloadError> {
        Self::written_by(Spool { on_growth: Some(on_growth), ..Spool::default() }, input)
    }

    fn written_by(mut spool: Spool<'_>, input: &impl Serialize) -> Result<Self, PayloadError> {
        #[cfg(test)]
        injected::failure()?;
        json_text::write(&mut spool, input)?;
        Ok(Self { store: spool.finish()? })
    }

    /// The length of the text in bytes.
    #[expect(clippy::len_without_is_empty, reason = "JSON text is never empty")]
    pub fn len(&self) -> usize {
        match &self.store {
            Store::Bytes(bytes) => bytes.len(),
            Store::File(_, length) => *length,
        }
    }

    /// The text; read back into memory if it is a large one.
    pub fn to_bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.store {
            Store::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Store::File(file, length) => {
                let mut bytes = vec![0; *length];
                file.read_exact_at(&mut bytes, 0)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Opens a hook's stdin and puts in what it takes at once. No writer remains if that is all of it: the
    /// hook then finds the end of its input by itself.
    pub(super) fn stdin_pipe(&self) -> io::Result<(PipeReader, Option<Feed>)> {
        let (reader, writer) = io::pipe()?;
        unix::set_nonblocking(&writer)?;
        if self.len() > PIPE_CAPACITY {
            unix::widen(&writer, WIDE_PIPE);
        }
        let mut feed = Feed { cursor: PayloadCursor::new(self), pipe: writer };
        match feed.cursor.push(&feed.pipe) {
            Ok(true) => Ok((reader, None)),
            Ok(false) => Ok((reader, Some(feed))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok((reader, Some(feed))),
            Err(error) => Err(error),
        }
    }
}

/// A payload on its way into one pipe.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) cursor: PayloadCursor,
    pub(super) pipe: PipeWriter,
}

/// How much of a payload one pipe has taken.
#[derive(Debug)]
pub(super) struct PayloadCursor {
    payload: Payload,
    sent: usize,
    /// Splicing did not work, so the bytes are copied.
    copy: bool,
}

impl PayloadCursor {
    /// Nothing of this payload is fed yet.
    pub(super) fn new(payload: &Payload) -> Self {
        Self { payload: payload.clone(), sent: 0, copy: false }
    }

    /// Takes over what was added to the same payload.
    pub(super) fn grow(&mut self, payload: &Payload) {
        self.payload = payload.clone();
    }

    /// How many bytes the pipe has taken.
    pub(super) fn sent(&self) -> usize {
        self.sent
    }

    /// Feeds without waiting. `true` when all is fed, `false` when it is others' turn, `WouldBlock` when the
    /// pipe is full. Any other error means that the rest will not be read.
    pub(super) fn push(&mut self, pipe: impl AsFd) -> io::Result<bool> {
        let length = self.payload.len();
        let turn_end = self.sent.saturating_add(FEED_PER_TURN);
        while self.sent < length {
            if self.sent >= turn_end {
                return Ok(false);
            }
            match self.push_once(pipe.as_fd()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.sent += count,
                Err(Errno::INVAL | Errno::NOSYS | Errno::PERM) if !self.copy => self.copy = true,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    fn push_once(&self, pipe: impl AsFd) -> Result<usize, Errno> {
        let write = |bytes: &[u8]| rustix::io::retry_on_intr(|| rustix::io::write(&pipe, bytes));
        match &self.payload.store {
            Store::Bytes(bytes) => write(bytes.get(self.sent..).unwrap_or_default()),
            Store::File(file, length) if !self.copy => {
                unix::splice(file, self.sent as u64, &pipe, length - self.sent)
            }
            Store::File(file, _) => {
                let mut chunk = Vec::with_capacity(PIPE_CAPACITY);
                rustix::io::pread(file, rustix::buffer::spare_capacity(&mut chunk), self.sent as u64)?;
                write(&chunk)
            }
        }
    }
}

/// Takes the serialiser's output: in memory while it is small, then in a memory file.
#[derive(Default)]
struct Spool<'g> {
    buffer: Vec<u8>,
    file: Option<Arc<File>>,
    written: usize,
    /// There are no memory files here.
    in_memory: bool,
    /// Gets what is in the file, whenever that is more.
    on_growth: Option<&'g mut dyn FnMut(&Payload)>,
}

impl Spool<'_> {
    fn finish(mut self) -> io::Result<Store> {
        let Some(file) = self.file else {
            return Ok(Store::Bytes(Arc::new(self.buffer)));
        };
        (&*file).write_all(&self.buffer)?;
        self.written += self.buffer.len();
        // The system waits with a seal until no page of the file is in a pipe.
        if self.on_growth.is_none() {
            unix::seal(&file);
        }
        Ok(Store::File(file, self.written))
    }
}

impl Write for Spool<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > PIPE_CAPACITY && !self.in_memory {
            return self.spill(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Spool<'_> {
    #[cold]
    fn spill(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.file = unix::memory_file().map(Arc::new);
        }
        let Some(file) = &self.file else {
            self.in_memory = true;
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        };
        let mut writer = &**file;
        writer.write_all(&self.buffer)?;
        self.written += self.buffer.len();
        self.buffer.clear();
        if bytes.len() < PIPE_CAPACITY {
            self.buffer.extend_from_slice(bytes);
        } else {
            // A long text is one piece to the serialiser: it need not pass through the buffer.
            writer.write_all(bytes)?;
            self.written += bytes.len();
        }
        if let Some(on_growth) = &mut self.on_growth {
            on_growth(&Payload { store: Store::File(Arc::clone(file), self.written) });
        }
        Ok(())
    }
}

/// Payloads that cannot be stored, for tests of what comes of that.
#[cfg(test)]
pub(crate) mod injected {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static FAILS: Cell<bool> = const { Cell::new(false) };
    }

    /// From now on, payloads fail on this thread.
    pub(crate) fn fail_from_now_on() {
        FAILS.set(true);
    }

    pub(super) fn failure() -> io::Result<()> {
        if FAILS.get() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn long_texts(count: usize, length: usize) -> Value {
        (0..count).map(|n| Value::from(format!("{n}:{}\n", "é".repeat(length / 2)))).collect()
    }

    #[test]
    fn the_text_is_the_same_wherever_it_is_stored() {
        for (value, in_file) in [
            (json!({}), false),
            (long_texts(1, 60_000), false),
            (long_texts(1, 70_000), true),
            (long_texts(100_000, 10), true),
            (long_texts(7, 300_000), true),
        ] {
            let expected = serde_json::to_vec(&value).unwrap();
            let payload = Payload::new(&value).unwrap();
            assert_eq!(matches!(payload.store, Store::File(..)), in_file && cfg!(target_os = "linux"));
            assert_eq!(payload.len(), expected.len());
            assert!(payload.to_bytes().unwrap() == expected);

            let mut spool = Spool { in_memory: true, ..Spool::default() };
            serde_json::to_writer(&mut spool, &value).unwrap();
            let payload = Payload { store: spool.finish().unwrap() };
            assert!(payload.to_bytes().unwrap() == expected);
        }
    }

    #[test]
    fn what_has_no_json_form_is_refused() {
        let map = std::collections::HashMap::from([(vec![1, 2], 3)]);
        assert!(matches!(Payload::new(&map), Err(PayloadError::Serialize(_))));
    }

    #[test]
    fn a_large_payload_cannot_be_changed_any_more() {
        let payload = Payload::new(&long_texts(1, 100_000)).unwrap();
        if let Store::File(file, _) = &payload.store {
            assert!(file.write_at(b"x", 0).is_err());
            assert!(file.set_len(0).is_err());
        }
    }

    #[test]
    fn a_page_that_is_in_use_does_not_keep_the_payload_from_being_read() {
        let mut spool = Spool::default();
        let text = "x".repeat(3 * PIPE_CAPACITY);
        spool.write_all(text.as_bytes()).unwrap();
        // A page in a pipe keeps the file from being sealed, as does the kernel's own use of a page.
        let (_reader, writer) = io::pipe().unwrap();
        if let Some(file) = &spool.file {
            assert!(unix::splice(file, 0, &writer, PIPE_CAPACITY).unwrap() > 0);
        }
        let payload = Payload { store: spool.finish().unwrap() };
        assert!(payload.to_bytes().unwrap() == text.as_bytes());
    }

    #[test]
    fn a_pipe_is_fed_by_splice_or_by_copy() {
        use std::io::Read;
        let value = long_texts(40, 30_000);
        let expected = serde_json::to_vec(&value).unwrap();
        let file = Payload::new(&value).unwrap();
        let bytes = Payload { store: Store::Bytes(Arc::new(expected.clone())) };
        for (payload, copy) in [(&file, false), (&file, true), (&bytes, false)] {
            let (mut reader, feed) = payload.stdin_pipe().unwrap();
            let mut feed = feed.expect("more than a pipe holds");
            feed.cursor.copy = copy;
            let reading = std::thread::spawn(move || {
                let mut read = Vec::new();
                reader.read_to_end(&mut read).map(|_| read)
            });
            loop {
                match feed.cursor.push(&feed.pipe) {
                    Ok(true) => break,
                    Ok(false) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
            drop(feed);
            assert!(reading.join().unwrap().unwrap() == expected, "copy: {copy}");
        }
    }

    #[test]
    fn a_small_payload_needs_no_writer() {
        let payload = Payload::new(&json!({"tool_name": "ls"})).unwrap();
        let (mut reader, feed) = payload.stdin_pipe().unwrap();
        assert!(feed.is_none());
        assert_eq!(io::read_to_string(&mut reader).unwrap(), r#"{"tool_name":"ls"}"#);
    }
}
