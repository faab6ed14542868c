//! One transcript from its beginning to its end: calls are asked about as they come, and kept until their result is
//! read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use hookrail_bridge::Agent;

use super::Replay;
use super::call::{PastCall, PastOutcome, TranscriptEntry};
use super::decide::PresentDecision;
use super::formats::{self, TranscriptFormat};
use super::lines::{MAX_LINE, TranscriptLine, TranscriptLines};
use super::zst::{self, Unpacked};
use crate::plain_file;

/// How many calls, and how many bytes of them, wait for their results at most. Agents run few calls at once.
const MAX_WAITING: usize = 1_024;
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// How much of a file is looked at to find the id of its session.
const HEAD_BYTES: u64 = 64 * 1024;

/// How many lines of a file are looked at to find out whose it is.
const FIRST_LINES: usize = 64;

/// What was found in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReadTranscript {
    pub(super) is_transcript: bool,
    /// Lines, or calls in them, that could not be read.
    pub(super) unreadable: u64,
}

/// Reads a file, whatever transcript it is. One that was not named and is not a transcript is left alone.
/// The agent is recognised by the first lines, since file names do not contain it. A chat that is one JSON document is
/// read in pieces, because it may be larger than memory.
pub(super) fn read(path: &Path, is_named: bool, replay: &mut Replay<'_>) -> anyhow::Result<ReadTranscript> {
    let mut file = plain_file::open(path)?;
    let is_regular = file.metadata()?.is_file();
    if is_regular && let Some(session) = session_of(&mut file)? {
        replay.session = Some(session);
    }
    if is_regular && zst::is_compressed(path) {
        return compressed(file, is_named, replay);
    }
    // A pipe can be read only once, so that it is taken for lines.
    let format = if is_regular { first_format(&mut file)? } else { None };
    let mut waiting = UnfinishedCalls::default();
    if format.is_some() || !is_regular {
        return lines(buffered(file), format, &mut waiting, replay);
    }
    let is_qwen = path.components().any(|part| part.as_os_str() == ".qwen");
    let agent = if is_qwen { Agent::Qwen } else { Agent::Gemini };
    let mut unreadable = 0;
    let read =
        formats::document(agent, BufReader::with_capacity(64 * 1024, &file), MAX_LINE, &mut |entries| {
            waiting.take(entries, &mut unreadable, replay)
        })?;
    if read.is_chat {
        waiting.finish(replay)?;
        replay.read(file.metadata()?.len());
        return Ok(ReadTranscript { is_transcript: true, unreadable: unreadable + read.unreadable });
    }
    if !is_named {
        return Ok(ReadTranscript::default());
    }
    file.seek(SeekFrom::Start(0))?;
    lines(buffered(file), None, &mut waiting, replay)
}

/// A large buffer: transcripts of months are gigabytes.
fn buffered(file: File) -> BufReader<File> {
    BufReader::with_capacity(256 * 1024, file)
}

/// A compressed file of lines. Where it is torn, what is before the tear counts, as for any other file.
fn compressed(file: File, is_named: bool, replay: &mut Replay<'_>) -> anyhow::Result<ReadTranscript> {
    let size = file.metadata()?.len();
    let Ok(unpacked) = Unpacked::new(buffered(file)) else {
        return Ok(ReadTranscript { is_transcript: false, unreadable: 1 });
    };
    let unpacked = BufReader::with_capacity(256 * 1024, unpacked);
    // Progress is counted in bytes of files, and not in what they unpack to.
    let before = replay.bytes;
    let found = lines(unpacked, None, &mut UnfinishedCalls::default(), replay)?;
    replay.bytes = before;
    replay.read(size);
    Ok(if found.is_transcript || is_named { found } else { ReadTranscript::default() })
}

/// The session that the beginning of a file names: under `sessionId`, or as the `id` of a Codex rollout.
fn session_of(file: &mut File) -> anyhow::Result<Option<String>> {
    let mut head = Vec::new();
    std::io::Read::by_ref(file).take(HEAD_BYTES).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    let head = String::from_utf8_lossy(&head);
    let value_after = |text: &str| {
        let value = text.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let id = value.split('"').next()?;
        (!id.is_empty() && !id.contains('\\')).then(|| id.to_owned())
    };
    let named = head.split("\"sessionId\"").nth(1).and_then(value_after);
    let of_codex = || {
        let meta = head.split("\"session_meta\"").nth(1)?;
        value_after(meta.split("\"id\"").nth(1)?)
    };
    Ok(named.or_else(of_codex))
}

/// Whose transcript a file of lines is, by its first lines.
/// The file is at its start again afterwards.
fn first_format(file: &mut File) -> anyhow::Result<Option<TranscriptFormat>> {
    let mut lines = TranscriptLines::new(BufReader::new(&mut *file), MAX_LINE);
    let mut format = None;
    for _ in 0..FIRST_LINES {
        match lines.next_line()? {
            Some(TranscriptLine::Text(text)) => format = formats::recognise(without_mark(text)),
            Some(TranscriptLine::TooLong) => {}
            None => break,
        }
        if format.is_some() {
            break;
        }
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(format)
}

/// Some editors write a byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Lines of another kind than calls are passed over; what is not JSON at all is counted as unreadable.
fn lines(
    reader: impl BufRead,
    mut format: Option<TranscriptFormat>,
    waiting: &mut UnfinishedCalls,
    replay: &mut Replay<'_>,
) -> anyhow::Result<ReadTranscript> {
    let mut lines = TranscriptLines::new(reader, MAX_LINE);
    let mut unreadable = 0;
    let mut entries = Vec::new();
    let mut before = 0;
    loop {
        let number = lines.number + 1;
        match lines.next_line() {
            // A disk that fails, or a compressed file that is torn: what was read until here counts.
            Err(_) if number > 1 => {
                unreadable += 1;
                break;
            }
            Err(error) => return Err(error.into()),
            Ok(None) => break,
            Ok(Some(TranscriptLine::TooLong)) => unreadable += 1,
            Ok(Some(TranscriptLine::Text(text))) => {
                let text = without_mark(text).trim_ascii();
                format = format.or_else(|| formats::recognise(text));
                let is_read = match format {
                    _ if text.is_empty() => true,
                    Some(format) => formats::read(format, text, number, &mut entries),
                    None => serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok(),
                };
                unreadable += u64::from(!is_read);
            }
        }
        replay.read(lines.bytes - before);
        before = lines.bytes;
        waiting.take(std::mem::take(&mut entries), &mut unreadable, replay)?;
    }
    waiting.finish(replay)?;
    Ok(ReadTranscript { is_transcript: format.is_some(), unreadable })
}

/// Calls whose end was not read yet. There are few of them at a time, so that they are looked for one by one.
#[derive(Default)]
struct UnfinishedCalls {
    /// By id, the oldest first, with today's decision.
    waiting: VecDeque<(String, PastCall, PresentDecision)>,
    bytes: usize,
    /// Calls that were read with their end. Gemini CLI writes a message again whenever it changes.
    finished: VecDeque<String>,
}

impl UnfinishedCalls {
    /// Takes the entries of one line, asks about each call and hands over those whose end is known.
    fn take(
        &mut self,
        entries: Vec<TranscriptEntry>,
        unreadable: &mut u64,
        replay: &mut Replay<'_>,
    ) -> anyhow::Result<()> {
        for entry in entries {
            match entry {
                TranscriptEntry::Unreadable => *unreadable += 1,
                TranscriptEntry::Finished(call, _) if !self.is_first(call.id.as_deref()) => {}
                TranscriptEntry::Finished(call, was) => {
                    let now = replay.call(&call)?;
                    replay.ended(call, was, now)?;
                }
                TranscriptEntry::Call(call) => {
                    let now = replay.call(&call)?;
                    match call.id.clone() {
                        // Its end will never be read.
                        None => replay.ended(call, PastOutcome::Allow, now)?,
                        Some(id) => self.wait(id, call, now, replay)?,
                    }
                }
                TranscriptEntry::Result { id, was } => self.end(&id, was, replay)?,
            }
        }
        Ok(())
    }

    /// Whether a finished call is read for the first time, as far as is remembered.
    fn is_first(&mut self, id: Option<&str>) -> bool {
        let Some(id) = id else { return true };
        if self.finished.iter().any(|known| known == id) {
            return false;
        }
        self.finished.push_back(id.to_owned());
        self.finished.drain(..self.finished.len().saturating_sub(MAX_WAITING));
        true
    }

    /// Keeps a call until its result comes. The oldest calls are given up as allowed when too many wait.
    fn wait(
        &mut self,
        id: String,
        call: PastCall,
        now: PresentDecision,
        replay: &mut Replay<'_>,
    ) -> anyhow::Result<()> {
        // An id that is used twice: the earlier call's result cannot be assigned.
        self.end(&id, PastOutcome::Allow, replay)?;
        self.bytes += size_of_call(&call);
        self.waiting.push_back((id, call, now));
        while self.waiting.len() > MAX_WAITING || self.bytes > MAX_WAITING_BYTES {
            self.end_at(0, PastOutcome::Allow, replay)?;
        }
        Ok(())
    }

    /// Hands over the call with this id, if it waits.
    fn end(&mut self, id: &str, was: PastOutcome, replay: &mut Replay<'_>) -> anyhow::Result<()> {
        let at = self.waiting.iter().position(|(known, ..)| known == id);
        at.map_or(Ok(()), |at| self.end_at(at, was, replay))
    }

    fn end_at(&mut self, at: usize, was: PastOutcome, replay: &mut Replay<'_>) -> anyhow::Result<()> {
        let Some((_, call, now)) = self.waiting.remove(at) else { return Ok(()) };
        self.bytes -= size_of_call(&call);
        replay.ended(call, was, now)
    }

    /// Calls without a result: nothing is known to have stopped them.
    fn finish(&mut self, replay: &mut Replay<'_>) -> anyhow::Result<()> {
        while !self.waiting.is_empty() {
            self.end_at(0, PastOutcome::Allow, replay)?;
        }
        Ok(())
    }
}

fn size_of_call(call: &PastCall) -> usize {
    call.input.values().map(size_of_value).sum()
}

/// About how much memory a value takes.
fn size_of_value(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len() + 32,
        serde_json::Value::Array(values) => values.iter().map(size_of_value).sum::<usize>() + 32,
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + size_of_value(value)).sum::<usize>() + 32
        }
        _ => 32,
    }
}
