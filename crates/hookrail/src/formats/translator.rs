//! SDK format to stable format and back; the only module that knows both.
//!
//! The way to a hook borrows: no text of a conversation is copied. The way back is a careful merge over the
//! request that the hook was shown, because the stable format knows text only: what a hook never saw
//! (tool calls, images, tool definitions, the system instruction, fields of the next SDK) stays as it was.

mod align;
#[cfg(test)]
mod laws;
mod request;
mod response;
#[cfg(test)]
mod tests;
mod tool_config;

pub(crate) use request::{apply_hook_llm_request, fields, read_messages};
pub(crate) use response::apply_hook_llm_response;
pub(crate) use tool_config::apply_hook_tool_config;

pub(crate) use crate::formats::field::FieldPath;
pub use crate::formats::field::TranslationError;
use crate::formats::genai::Part;

/// The translator between the `@google/genai` types and version 1 of the stable format, under the
/// specification's name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookTranslatorGenAiV1;

/// The translator in use.
pub const DEFAULT_HOOK_TRANSLATOR: HookTranslatorGenAiV1 = HookTranslatorGenAiV1;

/// The text that hooks see of a part: none for thinking, and none for an empty text, which says nothing
/// and often only carries a signature.
fn shown_text(part: &Part) -> Option<&str> {
    part.answer_text().filter(|text| !text.is_empty())
}
