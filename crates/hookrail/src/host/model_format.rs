//! The formats of model requests. Hooks read and write the stable one; a host's own is translated by its implementation of
//! [`RequestFormat`] and [`ResponseFormat`], and by nothing else.

use std::borrow::Cow;
use std::fmt::Debug;

use crate::formats::field::FieldPath;
use crate::formats::genai::{
    Content, FunctionCallingMode, GenerateContentParameters, GenerateContentResponse, ToolConfig,
};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{Writer, read_config, read_request, read_tool_config};
use crate::formats::llm::{HookToolConfig, LlmConfig, LlmMessage, LlmRequest, LlmResponse, ToolMode};
use crate::formats::translator::{
    DEFAULT_HOOK_TRANSLATOR, TranslationError, apply_hook_llm_request, apply_hook_llm_response,
    apply_hook_tool_config, fields,
};
use crate::payload::stable_response;

/// A request of some model: what hooks see of it, and what their answers make of it.
pub trait RequestFormat: Clone + Debug + PartialEq {
    /// What the model answers with.
    type Response: ResponseFormat;
    /// Which tools the model may call.
    type ToolConfig;

    /// What hooks see of the request.
    fn to_hook(&self) -> LlmRequest<'_>;

    /// The request after a hook answered with this `llm_request`, which may be partial. A field that cannot be read is left
    /// as it was, and reported.
    fn changed(&self, llm_request: &JsonObject) -> (Self, Vec<TranslationError>);

    /// Adds a message of hooks for the model.
    fn add_system_message(&mut self, text: &str);

    /// Whether it offers tools to the model.
    fn offers_tools(&self) -> bool;

    /// The restriction of tools after a hook answered with this `toolConfig`, which may be partial.
    fn changed_tools(&self, tool_config: &JsonObject) -> Result<Self::ToolConfig, TranslationError>;

    /// Restricts the tools.
    fn set_tools(&mut self, tool_config: Self::ToolConfig);

    /// The tools that it lets the model call.
    fn allowed_tools(&self) -> AllowedTools;
}

/// An answer of some model: what hooks see of it, and what their answers make of it.
pub trait ResponseFormat: Clone + Debug + PartialEq {
    /// What hooks see of the answer.
    fn to_hook(&self) -> LlmResponse<'_>;

    /// The answer that a hook gives in the model's place.
    fn from_hook(llm_response: &JsonObject) -> Result<Self, TranslationError>;

    /// The answer after a hook answered with this `llm_response`, which may be partial; `None` if nothing changes.
    fn changed(&self, llm_response: &JsonObject) -> Result<Option<Self>, TranslationError>;

    /// An answer that says this.
    fn from_text(text: &str) -> Self;

    /// How many tool calls are in it.
    fn tool_calls(&self) -> usize;
}

/// The tools that a request let the model call. A reply may call others all the same, and those must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedTools {
    /// All that the request offered.
    All,
    /// Those with these names.
    Only(Vec<String>),
}

impl AllowedTools {
    /// Whether this tool may run.
    pub fn permits(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|allowed| allowed == name),
        }
    }
}

/// A hook's message to the model as an entry of a request to Gemini.
pub fn system_message(text: &str) -> Content {
    Content::text("user", marked(text))
}

/// A message of hooks, marked so that it differs from what the user says.
fn marked(text: &str) -> String {
    format!("[System] {text}")
}

impl RequestFormat for GenerateContentParameters {
    type Response = GenerateContentResponse;
    type ToolConfig = ToolConfig;

    fn to_hook(&self) -> LlmRequest<'_> {
        DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(self)
    }

    fn changed(&self, llm_request: &JsonObject) -> (Self, Vec<TranslationError>) {
        apply_hook_llm_request(llm_request, self)
    }

    fn add_system_message(&mut self, text: &str) {
        self.contents.push(system_message(text));
    }

    fn offers_tools(&self) -> bool {
        let tools = self.config.as_ref().and_then(|config| config.tools.as_ref());
        tools.is_some_and(|tools| !tools.is_empty())
    }

    fn changed_tools(&self, tool_config: &JsonObject) -> Result<ToolConfig, TranslationError> {
        let own = self.config.as_ref().and_then(|config| config.tool_config.as_ref());
        apply_hook_tool_config(tool_config, own)
    }

    fn set_tools(&mut self, tool_config: ToolConfig) {
        self.config.get_or_insert_default().tool_config = Some(tool_config);
    }

    fn allowed_tools(&self) -> AllowedTools {
        let config = self.config.as_ref().and_then(|config| config.tool_config.as_ref());
        let calling = config.and_then(|config| config.function_calling_config.as_ref());
        let Some(calling) = calling else { return AllowedTools::All };
        match (&calling.mode, &calling.allowed_function_names) {
            (Some(FunctionCallingMode::None), _) => AllowedTools::Only(Vec::new()),
            (_, Some(names)) => AllowedTools::Only(names.clone()),
            (_, None) => AllowedTools::All,
        }
    }
}

impl ResponseFormat for GenerateContentResponse {
    fn to_hook(&self) -> LlmResponse<'_> {
        DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(self)
    }

    fn from_hook(llm_response: &JsonObject) -> Result<Self, TranslationError> {
        DEFAULT_HOOK_TRANSLATOR.from_hook_llm_response(llm_response)
    }

    fn changed(&self, llm_response: &JsonObject) -> Result<Option<Self>, TranslationError> {
        apply_hook_llm_response(llm_response, self)
    }

    fn from_text(text: &str) -> Self {
        Self::from_text(text)
    }

    fn tool_calls(&self) -> usize {
        self.function_calls().count()
    }
}

/// The stable format itself. It has no tool definitions of its own: a request offers tools if it restricts them, or names
/// them in a field `tools`.
impl RequestFormat for LlmRequest<'_> {
    type Response = LlmResponse<'static>;
    type ToolConfig = HookToolConfig;

    fn to_hook(&self) -> LlmRequest<'_> {
        self.clone()
    }

    fn changed(&self, llm_request: &JsonObject) -> (Self, Vec<TranslationError>) {
        let (given, problems) = read_request(llm_request.clone(), Writer::Hook);
        let mut request = self.clone();
        request.model = given.model.unwrap_or(request.model);
        request.messages = given.messages.unwrap_or(request.messages);
        if let Some(given) = given.config {
            let mut config = fields(&request.config);
            config.extend(fields(&LlmConfig { extra: Cow::default(), ..given }));
            request.config = Some(read_config(config));
        }
        if let Some(given) = given.tool_config {
            request.tool_config = Some(request.with_tools(&given));
        }
        (request, problems)
    }

    fn add_system_message(&mut self, text: &str) {
        self.messages.push(LlmMessage::new("user", marked(text)));
    }

    fn offers_tools(&self) -> bool {
        self.tool_config.is_some() || self.extra.contains_key("tools")
    }

    fn changed_tools(&self, tool_config: &JsonObject) -> Result<HookToolConfig, TranslationError> {
        Ok(self.with_tools(&read_tool_config(tool_config.clone(), &FieldPath::Root("toolConfig"))?))
    }

    fn set_tools(&mut self, tool_config: HookToolConfig) {
        self.tool_config = Some(tool_config);
    }

    fn allowed_tools(&self) -> AllowedTools {
        match &self.tool_config {
            Some(HookToolConfig { mode: Some(ToolMode::None), .. }) => AllowedTools::Only(Vec::new()),
            Some(HookToolConfig { allowed_function_names: Some(names), .. }) => {
                AllowedTools::Only(names.clone())
            }
            _ => AllowedTools::All,
        }
    }
}

impl LlmRequest<'_> {
    /// The restriction of tools where this one is given as well.
    fn with_tools(&self, given: &HookToolConfig) -> HookToolConfig {
        let both = self.tool_config.iter().chain([given]);
        both.fold(HookToolConfig::default(), HookToolConfig::restricted)
    }
}

impl ResponseFormat for LlmResponse<'static> {
    fn to_hook(&self) -> LlmResponse<'_> {
        self.clone()
    }

    fn from_hook(llm_response: &JsonObject) -> Result<Self, TranslationError> {
        stable_response(llm_response.clone(), Writer::Hook)
    }

    fn changed(&self, llm_response: &JsonObject) -> Result<Option<Self>, TranslationError> {
        let mut new = Self::from_hook(llm_response)?;
        new.usage_metadata = new.usage_metadata.or(self.usage_metadata);
        let text = |response: &Self| response.text.clone().unwrap_or_default();
        let says = |response: &Self| -> Vec<Vec<Cow<'static, str>>> {
            response.candidates.iter().map(|candidate| candidate.content.parts.clone()).collect()
        };
        let is_same = text(&new) == text(self)
            && (!llm_response.contains_key("candidates") || says(&new) == says(self))
            && new.usage_metadata == self.usage_metadata;
        Ok((!is_same).then_some(new))
    }

    fn from_text(text: &str) -> Self {
        Self::said(text.to_owned())
    }

    fn tool_calls(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AllowedTools, RequestFormat, ResponseFormat};
    use crate::formats::json_object::JsonObject;
    use crate::formats::llm::{LlmMessage, LlmRequest, LlmResponse};

    fn object(value: &Value) -> &JsonObject {
        value.as_object().unwrap()
    }

    #[test]
    fn the_stable_format_changes_where_a_hook_says_so() {
        let mut request = LlmRequest::new("m", vec![LlmMessage::new("user", "my key is 1234")]);
        let given = json!({
            "messages": [{ "role": "user", "content": "my key is [hidden]" }],
            "config": { "temperature": 0.5, "topK": "many" },
            "toolConfig": { "allowedFunctionNames": ["a"] },
        });
        let (changed, problems) = request.changed(object(&given));
        assert_eq!(problems.len(), 1, "{problems:?}");
        let shown = serde_json::to_value(changed.to_hook()).unwrap();
        assert_eq!(
            shown,
            json!({
                "model": "m", "messages": [{ "role": "user", "content": "my key is [hidden]" }],
                "config": { "temperature": 0.5 }, "toolConfig": { "allowedFunctionNames": ["a"] },
            })
        );
        assert_eq!(changed.allowed_tools(), AllowedTools::Only(vec!["a".to_owned()]));
        assert_eq!(request.changed(&JsonObject::new()), (request.clone(), Vec::new()), "nothing given");
        assert!(!request.offers_tools() && changed.offers_tools());
        let none = changed.changed_tools(object(&json!({ "mode": "NONE" }))).unwrap();
        request.set_tools(none);
        assert_eq!(request.allowed_tools(), AllowedTools::Only(Vec::new()));
    }

    #[test]
    fn an_answer_that_a_hook_gives_back_is_not_changed() {
        let answer = LlmResponse::from_text("hello");
        let shown = serde_json::to_value(answer.to_hook()).unwrap();
        for (given, expected) in [
            (shown, None),
            (json!({ "text": "hello" }), None),
            (json!({ "text": "bye" }), Some("bye")),
            (json!({ "candidates": [{ "content": { "role": "model", "parts": ["bye"] } }] }), Some("bye")),
        ] {
            let changed = answer.changed(object(&given)).unwrap();
            let text = changed.map(|changed| changed.text.unwrap().to_string());
            assert_eq!(text.as_deref(), expected, "{given}");
        }
        assert!(answer.changed(object(&json!({ "text": 5 }))).is_err());
    }
}
