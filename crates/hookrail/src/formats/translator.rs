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

pub use request::{AppliedRequest, apply_hook_llm_request, from_hook_llm_request, to_hook_llm_request};
pub(crate) use request::{fields, read_messages};
pub use response::{apply_hook_llm_response, from_hook_llm_response, to_hook_llm_response};
pub use tool_config::{apply_hook_tool_config, to_hook_tool_config};

pub(crate) use crate::formats::field::FieldPath;
pub use crate::formats::field::TranslationError;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, Part};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmRequest, LlmResponse};

/// The translator between the `@google/genai` types and version 1 of the stable format, under the
/// specification's name. Its functions are also free functions of this crate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookTranslatorGenAiV1;

/// The translator in use.
pub const DEFAULT_HOOK_TRANSLATOR: HookTranslatorGenAiV1 = HookTranslatorGenAiV1;

impl HookTranslatorGenAiV1 {
    /// See [`to_hook_llm_request`].
    pub fn to_hook_llm_request(self, request: &GenerateContentParameters) -> LlmRequest<'_> {
        to_hook_llm_request(request)
    }

    /// See [`from_hook_llm_request`].
    pub fn from_hook_llm_request(
        self,
        given: &JsonObject,
        base: &GenerateContentParameters,
    ) -> Result<GenerateContentParameters, TranslationError> {
        from_hook_llm_request(given, base)
    }

    /// See [`to_hook_llm_response`].
    pub fn to_hook_llm_response(self, response: &GenerateContentResponse) -> LlmResponse<'_> {
        to_hook_llm_response(response)
    }

    /// See [`from_hook_llm_response`].
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
