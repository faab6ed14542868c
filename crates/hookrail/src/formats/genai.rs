//! The SDK's types: what agents send to and get from a Gemini-like model.
//!
//! They mirror the `@google/genai` shapes. Fields that hookrail has no use for are kept in `extra`, so
//! that a request or response which passes through comes out as it went in.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use crate::formats::json_object::JsonObject;

/// Defines types of the SDK. Every field may be absent, and what a type does not name is kept in `extra`.
macro_rules! sdk_types {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$attribute:meta])+ $field:ident: $type:ty,)+ })+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                $(#[$attribute])+
                #[serde(default, skip_serializing_if = "Field::is_left_out")]
                pub $field: $type,
            )+
            /// Fields this type does not name.
            #[serde(flatten)]
            pub extra: JsonObject,
        }
    )+};
}

/// Only optional fields are left out where they are absent.
trait Field {
    fn is_left_out(&self) -> bool {
        false
    }
}

impl Field for String {}

impl<T> Field for Vec<T> {}

impl<T> Field for Option<T> {
    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

sdk_types! {
    /// A model call: `{ model, contents, config }`.
    GenerateContentParameters {
        /// The model's name.
        model: String,
        /// The conversation. A bare string, a single content or a list of parts is read as a list of contents.
        #[serde(deserialize_with = "contents_from_any_spelling")]
        contents: Vec<Content>,
        /// Everything that steers the call.
        config: Option<GenerateContentConfig>,
    }

    /// One entry of a conversation.
    Content {
        /// `user` or `model`.
        role: Option<String>,
        /// What it is made of.
        #[serde(deserialize_with = "null_as_default")]
        parts: Vec<Part>,
    }

    /// One part of a content. Images, files and whatever the SDK adds next are kept in `extra`.
    Part {
        /// Plain text.
        text: Option<String>,
        /// Whether the text is the model's thinking and not part of its answer.
        thought: Option<bool>,
        /// A tool call the model asks for.
        function_call: Option<FunctionCall>,
        /// The result of a tool call.
        function_response: Option<FunctionResponse>,
    }

    /// A tool call.
    FunctionCall {
        /// The call's id, where the provider gives one.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The tool's arguments.
        args: Option<JsonObject>,
    }

    /// The answer to a tool call.
    FunctionResponse {
        /// The id of the call this answers.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The tool's result.
        response: Option<JsonObject>,
    }

    /// What steers a model call. Numbers are kept as written.
    GenerateContentConfig {
        /// The system prompt, in any of the SDK's spellings.
        system_instruction: Option<Value>,
        /// Sampling temperature.
        temperature: Option<Number>,
        /// Longest answer.
        max_output_tokens: Option<Number>,
        /// Nucleus sampling.
        top_p: Option<Number>,
        /// Top-k sampling.
        top_k: Option<Number>,
        /// Texts that end the answer.
        stop_sequences: Option<Vec<String>>,
        /// How many answers are wanted.
        candidate_count: Option<Number>,
        /// Penalty for tokens that occurred.
        presence_penalty: Option<Number>,
        /// Penalty for tokens that occurred often.
        frequency_penalty: Option<Number>,
        /// Tool definitions.
        tools: Option<Vec<Value>>,
        /// Which tools the model may or must call.
        tool_config: Option<ToolConfig>,
    }

    /// Which tools the model may or must call.
    ToolConfig {
        /// Mode and names.
        function_calling_config: Option<FunctionCallingConfig>,
    }

    /// Mode and names of a [`ToolConfig`].
    FunctionCallingConfig {
        /// How free the model is.
        mode: Option<FunctionCallingMode>,
        /// The tools it may call.
        allowed_function_names: Option<Vec<String>>,
    }

    /// A model's answer, or one chunk of it.
    GenerateContentResponse {
        /// The alternatives; usually one.
        #[serde(deserialize_with = "null_as_default")]
        candidates: Vec<Candidate>,
        /// Token counts.
        usage_metadata: Option<UsageMetadata>,
    }

    /// One alternative of a [`GenerateContentResponse`].
    Candidate {
        /// What the model said.
        content: Option<Content>,
        /// Why it ended.
        finish_reason: Option<String>,
        /// Its place in the list.
        index: Option<u64>,
        /// Safety verdicts.
        safety_ratings: Option<Vec<SafetyRating>>,
    }

    /// One safety verdict.
    SafetyRating {
        /// What was judged.
        category: Option<String>,
        /// How likely it is.
        probability: Option<String>,
    }

    /// Token counts of a model call.
    UsageMetadata {
        /// Tokens of the request.
        prompt_token_count: Option<u64>,
        /// Tokens of the answer.
        candidates_token_count: Option<u64>,
        /// Both.
        total_token_count: Option<u64>,
    }
}

impl Content {
    /// A content with a single text part.
    pub fn text(role: &str, text: impl Into<String>) -> Self {
        Self { role: Some(role.to_owned()), parts: vec![Part::text(text)], extra: JsonObject::new() }
    }
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// The text, if this part is text that belongs to the answer (not the model's thinking).
    pub fn answer_text(&self) -> Option<&str> {
        if self.thought == Some(true) { None } else { self.text.as_deref() }
    }
}

/// How free the model is to call tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FunctionCallingMode {
    /// It may call tools.
    Auto,
    /// It must call a tool.
    Any,
    /// It must not call tools.
    None,
    /// A mode of the SDK that hooks do not know.
    #[serde(untagged)]
    Other(String),
}

impl GenerateContentResponse {
    /// One candidate that says `text` and finished with `STOP`.
    pub fn from_text(text: &str) -> Self {
        let parts = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
        let content = Content { role: Some("model".to_owned()), parts, extra: JsonObject::new() };
        let candidate = Candidate {
            content: Some(content),
            finish_reason: Some("STOP".to_owned()),
            index: Some(0),
            ..Candidate::default()
        };
        Self { candidates: vec![candidate], ..Self::default() }
    }

    /// The answer's text: text parts of the first candidate, without thinking.
    pub fn text(&self) -> String {
        self.first_parts().iter().filter_map(Part::answer_text).collect()
    }

    /// The tool calls of the first candidate, in order.
    pub fn function_calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.first_parts().iter().filter_map(|part| part.function_call.as_ref())
    }

    fn first_parts(&self) -> &[Part] {
        self.candidates
            .first()
            .and_then(|candidate| candidate.content.as_ref())
            .map_or(&[], |content| &content.parts)
    }
}

/// Reads `null`, which some clients write for what is absent, as nothing.
fn null_as_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn contents_from_any_spelling<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Content>, D::Error> {
    contents_from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// Reads the SDK's `ContentListUnion`: a text, a content, a part, or a list of any of them.
pub(crate) fn contents_from_value(value: Value) -> Result<Vec<Content>, serde_json::Error> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(entries) => entries.into_iter().map(content_from_value).collect(),
        single => Ok(vec![content_from_value(single)?]),
    }
}

/// Reads one entry of a conversation. A bare text or part has the role of the user.
fn content_from_value(value: Value) -> Result<Content, serde_json::Error> {
    match value {
        Value::String(text) => Ok(Content::text("user", text)),
        Value::Object(object)
            if !object.contains_key("parts") && !object.contains_key("role") && !object.is_empty() =>
        {
            let part = serde_json::from_value(Value::Object(object))?;
            Ok(Content { role: Some("user".to_owned()), parts: vec![part], extra: JsonObject::new() })
        }
        other => serde_json::from_value(other),
    }
}
