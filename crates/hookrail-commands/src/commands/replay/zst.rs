//! Compressed transcripts: Codex keeps old rollouts as `rollout-….jsonl.zst`. They are unpacked while they are read.

use std::io::{self, BufRead, Read};
use std::path::Path;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// What the names of compressed transcripts end in.
const ENDING: &str = ".jsonl.zst";

/// Whether a file is a compressed transcript, by its name.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(ENDING.as_bytes()))
}

/// Whether the same transcript lies beside it unpacked, as it does while an agent works with it.
pub(super) fn is_doubled(path: &Path) -> bool {
    is_compressed(path) && path.with_extension("").exists()
}

/// The content of a compressed file, frame after frame.
/// Memory is bounded by the frame's window, however large the transcript is.
pub(super) struct Unpacked<R: BufRead> {
    frame: Option<StreamingDecoder<R, FrameDecoder>>,
}

impl<R: BufRead> Unpacked<R> {
    /// Begins with the first frame.
    /// Fails if the file does not begin as a compressed one does.
    pub(super) fn new(source: R) -> io::Result<Self> {
        let frame = StreamingDecoder::new(source).map_err(io::Error::other)?;
        Ok(Self { frame: Some(frame) })
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let read = frame.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut source) = self.frame.take().map(StreamingDecoder::into_inner) else { break };
            if !source.fill_buf()?.is_empty() {
                self.frame = Some(StreamingDecoder::new(source).map_err(io::Error::other)?);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests;
