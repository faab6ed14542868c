//! A guarded call of a model that is not Gemini: the request is in the chat format of `OpenAI`, and stays in it.
//!
//! Run it with `cargo run -p hookrail --example openai_chat`. The model is a function; no network is needed.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]
#![expect(
    clippy::indexing_slicing,
    reason = "the requests are objects, and reading a missing key gives null"
)]

use std::convert::Infallible;

use hookrail::components::{LlmMessage, LlmRequest, LlmResponse, TranslationError};
use hookrail::model::{AllowedTools, ModelEnd, OutgoingCall, RequestFormat, ResponseFormat};
use hookrail::{HookSession, JsonObject, TrustPolicy, permit_unless_asked};
use serde_json::{Value, json};

/// The body of a request to `/v1/chat/completions`.
#[derive(Debug, Clone, PartialEq)]
struct ChatRequest(Value);

/// The message that comes back.
#[derive(Debug, Clone, PartialEq)]
struct ChatMessage(Value);

/// The text of a message; none if it calls tools or has images.
fn text(message: &Value) -> Option<&str> {
    message.get("content").and_then(Value::as_str).filter(|text| !text.is_empty())
}

impl ChatRequest {
    fn messages(&self) -> &[Value] {
        self.0.get("messages").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl RequestFormat for ChatRequest {
    type Response = ChatMessage;
    type ToolConfig = Vec<String>;

    fn to_hook(&self) -> LlmRequest<'_> {
        let model = self.0.get("model").and_then(Value::as_str).unwrap_or_default();
        let messages = self.messages().iter().filter_map(|message| {
            let role = match message.get("role").and_then(Value::as_str) {
                Some("assistant") => "model",
                Some("system" | "developer") => "system",
                _ => "user",
            };
            Some(LlmMessage::new(role, text(message)?))
        });
        LlmRequest::new(model, messages.collect())
    }

    fn changed(&self, llm_request: &JsonObject) -> (Self, Vec<TranslationError>) {
        // The stable format knows how a hook's answer is read; what is left is to write the texts back.
        let (changed, problems) = self.to_hook().changed(llm_request);
        let mut texts = changed.messages.iter();
        let mut messages: Vec<Value> = Vec::new();
        for message in self.messages() {
            let mut message = message.clone();
            if text(&message).is_some() {
                let Some(new) = texts.next() else { continue };
                message["content"] = new.content.to_string().into();
            }
            messages.push(message);
        }
        let added = texts.map(|new| json!({ "role": "user", "content": new.content.to_string() }));
        messages.extend(added);
        let mut request = self.clone();
        request.0["model"] = changed.model.into();
        request.0["messages"] = messages.into();
        (request, problems)
    }

    fn add_system_message(&mut self, text: &str) {
        if let Some(messages) = self.0.get_mut("messages").and_then(Value::as_array_mut) {
            messages.push(json!({ "role": "system", "content": text }));
        }
    }

    fn offers_tools(&self) -> bool {
        self.0.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
    }

    fn changed_tools(&self, tool_config: &JsonObject) -> Result<Vec<String>, TranslationError> {
        let allowed = self.to_hook().changed_tools(tool_config)?;
        Ok(allowed.allowed_function_names.unwrap_or_default())
    }

    fn set_tools(&mut self, names: Vec<String>) {
        let Some(tools) = self.0.get_mut("tools").and_then(Value::as_array_mut) else { return };
        tools.retain(|tool| names.iter().any(|name| tool["function"]["name"] == *name));
    }

    fn allowed_tools(&self) -> AllowedTools {
        let tools = self.0.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let names = tools.iter().filter_map(|tool| tool["function"]["name"].as_str());
        AllowedTools::Only(names.map(str::to_owned).collect())
    }
}

impl ResponseFormat for ChatMessage {
    fn to_hook(&self) -> LlmResponse<'_> {
        LlmResponse::said(text(&self.0).unwrap_or_default())
    }

    fn from_hook(llm_response: &JsonObject) -> Result<Self, TranslationError> {
        let said = LlmResponse::from_hook(llm_response)?.text;
        Ok(Self::from_text(&said.map(|said| said.to_string()).unwrap_or_default()))
    }

    fn changed(&self, llm_response: &JsonObject) -> Result<Option<Self>, TranslationError> {
        let new = Self::from_hook(llm_response)?;
        Ok(Some(new).filter(|new| text(&new.0) != text(&self.0)))
    }

    fn from_text(text: &str) -> Self {
        Self(json!({ "role": "assistant", "content": text }))
    }

    fn tool_calls(&self) -> usize {
        self.0.get("tool_calls").and_then(Value::as_array).map_or(0, Vec::len)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // What looks like a key does not leave the machine.
    let guard = r#"sed -nE 's/.*"content":"([^"]*)sk-[0-9]+([^"]*)".*/{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":"\1[hidden]\2"}]}}}/p'"#;
    let session = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll)
        .settings(json!({
            "enableHooks": true,
            "hooks": { "BeforeModel": [{ "hooks": [{ "type": "command", "command": guard }] }] },
        }))
        .build();
    let request = ChatRequest(json!({
        "model": "gpt-x",
        "messages": [{ "role": "user", "content": "My key is sk-1234, is that fine?" }],
    }));
    let Ok(outcome) = session.call_model(request, permit_unless_asked, ask_the_model).await;
    if let ModelEnd::Answered(answer) = outcome.end {
        println!("{}", text(&answer.response.0).unwrap_or_default());
    }
    session.drain().await;
}

/// Sends the request as hooks left it.
async fn ask_the_model(call: OutgoingCall<'_, ChatRequest>) -> Result<ChatMessage, Infallible> {
    println!("sent: {}", call.request.0["messages"]);
    Ok(ChatMessage::from_text("Do not tell anyone."))
}
