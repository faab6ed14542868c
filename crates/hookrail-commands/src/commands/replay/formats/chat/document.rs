//! A chat that is one JSON document. Its messages are read one after another, so that a document of any size takes
//! the memory of its largest message.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use hookrail_bridge::Agent;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::ChatMessage;
use crate::commands::replay::call::TranscriptEntry;

/// What was found in a document.
/// A document that is not a chat has no entries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::commands::replay) struct Document {
    /// Whether it is a chat at all.
    pub(in crate::commands::replay) is_chat: bool,
    /// Pieces that could not be read; the end of a torn document is one.
    pub(in crate::commands::replay) unreadable: u64,
}

/// Reads a document and hands over the entries of each message. An error is the caller's own: `on_entries` may fail.
/// `most` bounds the bytes of one message, and so the memory.
pub(in crate::commands::replay) fn document<E>(
    agent: Agent,
    reader: impl Read,
    most: usize,
    on_entries: &mut dyn FnMut(Vec<TranscriptEntry>) -> Result<(), E>,
) -> Result<Document, E> {
    let place = Rc::new(ReadPosition { line: Cell::new(1), budget: Cell::new(most) });
    let counted = Counted { reader, place: Rc::clone(&place) };
    let mut found = Document::default();
    let mut failed = None;
    let mut sink = |entries: Vec<TranscriptEntry>| match on_entries(entries) {
        Ok(()) => true,
        Err(error) => {
            failed = Some(error);
            false
        }
    };
    let mut json = serde_json::Deserializer::from_reader(counted);
    let top = Chat { agent, place: &place, most, found: &mut found, sink: &mut sink };
    let read = top.deserialize(&mut json).is_ok() && json.end().is_ok();
    if let Some(error) = failed {
        return Err(error);
    }
    if !read && found.is_chat {
        found.unreadable += 1;
    }
    Ok(found)
}

/// Where the reader is, and how much it may still read for the piece at hand.
/// Shared with the reader below the parser, since `serde_json` shows neither while it reads.
struct ReadPosition {
    line: Cell<u64>,
    budget: Cell<usize>,
}

/// Counts lines and bytes on the way to the parser, which reads byte by byte.
/// It has to sit between the parser and the buffer, where the position is exact.
struct Counted<R> {
    reader: R,
    place: Rc<ReadPosition>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let Some(left) = self.place.budget.get().checked_sub(read) else {
            return Err(io::Error::other("a message is too large"));
        };
        self.place.budget.set(left);
        // The parser asks for one byte at a time.
        for byte in buffer.get(..read).unwrap_or_default() {
            self.place.line.set(self.place.line.get() + u64::from(*byte == b'\n'));
        }
        Ok(read)
    }
}

/// Takes the entries of one message; `false` ends the reading.
type Sink<'s> = &'s mut dyn FnMut(Vec<TranscriptEntry>) -> bool;

/// The document's object, or a list of messages. Keys that are no messages are skipped without being kept; each message is
/// read, handed over and dropped before the next one.
struct Chat<'s> {
    agent: Agent,
    place: &'s ReadPosition,
    most: usize,
    found: &'s mut Document,
    sink: Sink<'s>,
}

impl<'de> DeserializeSeed<'de> for Chat<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Chat<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chat or a list of messages")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.place.budget.set(self.most);
            // Other documents have messages too; one of a session, or with a message of a chat, is a chat.
            self.found.is_chat |= key == "sessionId";
            if key == "messages" || key == "history" {
                let Self { agent, place, most, ref mut found, ref mut sink } = self;
                map.next_value_seed(Chat { agent, place, most, found, sink })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        loop {
            self.place.budget.set(self.most);
            let mut line = 0;
            let Some(value) = seq.next_element_seed(Element { place: self.place, line: &mut line })? else {
                return Ok(());
            };
            let is_message =
                ["toolCalls", "parts", "role", "content"].iter().any(|key| value.get(key).is_some());
            self.found.is_chat |= is_message;
            let Ok(message) = <ChatMessage<'_> as serde::Deserialize>::deserialize(&value) else {
                self.found.unreadable += 1;
                continue;
            };
            let mut entries = Vec::new();
            message.add_entries(self.agent, line, &mut entries);
            if !entries.is_empty() && !(self.sink)(entries) {
                return Err(serde::de::Error::custom("stopped"));
            }
        }
    }
}

/// A message and the line on which it begins.
struct Element<'p> {
    place: &'p ReadPosition,
    line: &'p mut u64,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        *self.line = self.place.line.get();
        serde::Deserialize::deserialize(deserializer)
    }
}
