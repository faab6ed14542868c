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

pub(crate) use request::{
    apply_hook_llm_request, fields, from_hook_llm_request, read_messages, to_hook_llm_request,
};
pub(crate) use response::{apply_hook_llm_response, from_hook_llm_response, to_hook_llm_response};
pub(crate) use tool_config::{apply_hook_tool_config, to_hook_tool_config};

pub(crate) use crate::formats::field::FieldPath;
pub use crate::formats::field::TranslationError;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, Part};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmRequest, LlmResponse};

/// The translator between the `@google/genai` types and version 1 of the stable format, under the
/// specification's name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookTranslatorGenAiV1;

/// The translator in use.
pub const DEFAULT_HOOK_TRANSLATOR: HookTranslatorGenAiV1 = HookTranslatorGenAiV1;

impl HookTranslatorGenAiV1 {
    /// What hooks see of a model request. Every text is borrowed. Parts that are not text are left out, and so
    /// are messages without text; the system instruction and the tool definitions have no place in the
    /// stable format.
    pub fn to_hook_llm_request(self, request: &GenerateContentParameters) -> LlmRequest<'_> {
        to_hook_llm_request(request)
    }

    /// The request that is sent after a hook answered with `given`, which may be partial.
    ///
    /// - Fields that are absent or `null` leave the base as it is; steering fields and tool restrictions are
    ///   merged one by one. Fields that the stable format does not know never reach the SDK.
    /// - Accepted spellings: `messages` or `contents`, `config` or `generationConfig`, `systemInstruction`, and
    ///   texts as a string, or as parts that are strings or `{text}`.
    /// - A message that did not change keeps its original entry. A changed one gets its new text where its first
    ///   text stood and keeps everything that is not text. A removed one loses its text; its entry goes too
    ///   unless tool calls, tool results, images or the like are in it. Entries without text keep their place.
    /// - An added message comes right before the message that follows it in the answer, or last; but never
    ///   between a tool call and its result.
    pub fn from_hook_llm_request(
        self,
        given: &JsonObject,
        base: &GenerateContentParameters,
    ) -> Result<GenerateContentParameters, TranslationError> {
        from_hook_llm_request(given, base)
    }

    /// What hooks see of a model's answer: its texts without thinking, and safety ratings without the SDK's
    /// `blocked` flag. `text` is the whole text of the first candidate. Every text is borrowed.
    pub fn to_hook_llm_response(self, response: &GenerateContentResponse) -> LlmResponse<'_> {
        to_hook_llm_response(response)
    }

    /// Builds a response from what a hook gave, text parts only. With `text` alone it has one candidate that
    /// says it. A candidate without a finish reason finished with `STOP`.
    pub fn from_hook_llm_response(
        self,
        given: &JsonObject,
    ) -> Result<GenerateContentResponse, TranslationError> {
        from_hook_llm_response(given)
    }
}

/// The text that hooks see of a part: none for thinking, and none for an empty text, which says nothing
/// and often only carries a signature.
fn shown_text(part: &Part) -> Option<&str> {
    part.answer_text().filter(|text| !text.is_empty())
}
