//! The reader of the stable model format.
//!
//! Payloads that other programs send and answers of hooks are read by the same code, into the same types. A payload
//! is moved into what is read, and keeps its unknown fields; an answer is borrowed from, and loses them. No text is
//! copied in either case. What else depends on who wrote it is decided by [`Writer`].
//!
//! What a request or a response is missing, and what becomes of it in the SDK's form, is not decided here.

mod members;
mod request;
mod response;
mod texts;

pub(crate) use self::request::{given_members, read_config, read_messages, read_request, read_tool_config};
pub(crate) use self::response::read_response;
use crate::formats::field::TranslationError;

/// An error names the field by its path from where the reading began.
type Result<T> = std::result::Result<T, TranslationError>;

/// The spellings of a member, its own in the stable format first. Other guides for the same protocol use the others.
type Spellings = [&'static str; 2];

const MESSAGES: Spellings = ["messages", "contents"];
/// Both are accepted from programs and hooks.
const CONFIG: Spellings = ["config", "generationConfig"];
/// What a message or a candidate says.
const CONTENT: Spellings = ["content", "parts"];
/// What a system instruction says; it is the SDK's form that hooks write here.
const PARTS: Spellings = ["parts", "content"];

/// Who wrote what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A program that sends a payload. It has read the protocol: messages have a role, safety ratings are complete,
    /// and everything stands in its own place.
    Program,
    /// A hook that answers. It may leave out what follows from the rest, write what is shortest, and use the
    /// spellings of other guides.
    Hook,
}

impl Writer {
    /// The spellings that are accepted.
    fn spellings(self, spellings: &'static Spellings) -> &'static [&'static str] {
        match self {
            Self::Program => &spellings[..1],
            Self::Hook => spellings,
        }
    }
}

#[cfg(test)]
mod tests;
