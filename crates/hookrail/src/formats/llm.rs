//! The stable model format: what hooks see of a model call, whatever SDK the agent uses.
//!
//! Texts are borrowed from the SDK's types, so that a large conversation is never copied on its way
//! to a hook.
//!
//! The descriptions in the JSON Schemas of hook inputs and outputs are the doc comments of these types.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

pub(crate) use self::partial::{PartialLlmRequest, PartialLlmResponse};
pub use self::request::{HookToolConfig, LlmConfig, LlmMessage, LlmRequest, ToolMode};
pub(crate) use self::response::response_text;
pub use self::response::{LlmCandidate, LlmContent, LlmResponse, LlmSafetyRating, LlmUsage};

mod partial;
pub(crate) mod read;
mod request;
mod response;

/// Text in several pieces that reads as one. Most messages have a single piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedText<'a>(pub Vec<Cow<'a, str>>);

impl fmt::Display for JoinedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece))
    }
}

impl Serialize for JoinedText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'a> JoinedText<'a> {
    fn borrowed(&self) -> JoinedText<'_> {
        JoinedText(borrowed_texts(&self.0))
    }

    /// The text in one piece. Only several pieces are copied.
    pub(crate) fn into_text(mut self) -> Cow<'a, str> {
        match self.0.len() {
            0 | 1 => self.0.pop().unwrap_or_default(),
            _ => Cow::Owned(self.0.concat()),
        }
    }
}

fn borrowed_texts<'t>(texts: &'t [Cow<'_, str>]) -> Vec<Cow<'t, str>> {
    texts.iter().map(|text| Cow::Borrowed(&**text)).collect()
}
