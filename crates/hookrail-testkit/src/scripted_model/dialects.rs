//! The wire forms of the four model APIs: which tools a request offers, how many results it holds, what an answer looks
//! like.
#![expect(clippy::indexing_slicing, reason = "a key that a value does not have reads as null")]

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::Turn;

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Anthropic's Messages.
    Messages,
    /// `OpenAI`'s Responses.
    Responses,
    /// `OpenAI`'s Chat Completions.
    Chat,
    /// Google's `generateContent`.
    Gemini,
}

/// A tool as a request offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// The name by which the model calls it.
    pub name: String,
    /// The JSON Schema of its arguments; null for a tool that takes free text.
    pub schema: Value,
}

impl OfferedTool {
    /// A declaration of any of the APIs. A tool that the model's maker runs has no name.
    fn read(declared: &Value) -> Option<Self> {
        let places = ["input_schema", "parameters", "parametersJsonSchema"];
        let schema = places.iter().find_map(|place| declared.get(place)).cloned().unwrap_or_default();
        Some(Self { name: declared["name"].as_str()?.to_owned(), schema })
    }
}

/// Names of shell tools in other agents, and the argument that holds the command.
const SHELL_TOOLS: [(&str, &str); 6] = [
    ("Bash", "command"),
    ("bash", "command"),
    ("run_shell_command", "command"),
    ("exec_command", "cmd"),
    ("shell_command", "command"),
    ("shell", "command"),
];

impl Dialect {
    /// The API that a path belongs to.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path {
            _ if path.ends_with("/messages") => Some(Self::Messages),
            _ if path.ends_with("/responses") => Some(Self::Responses),
            _ if path.ends_with("/chat/completions") => Some(Self::Chat),
            _ if path.ends_with("enerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The tools on offer.
    pub(super) fn tools(self, body: &Value) -> Vec<OfferedTool> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut declared = list(&body["tools"]);
        if self == Self::Responses {
            // Newer models of Codex find their tools among the messages.
            let items = list(&body["input"]);
            let further = items.iter().filter(|item| item["type"] == "additional_tools");
            declared.extend(further.flat_map(|item| list(&item["tools"])));
        }
        let mut tools = Vec::new();
        for entry in &declared {
            let inner = [&entry["functionDeclarations"], &entry["tools"]].map(list).concat();
            match entry {
                _ if !inner.is_empty() => tools.extend(inner.iter().filter_map(OfferedTool::read)),
                _ if self == Self::Chat => {
                    tools
                        .extend(["function", "custom"].iter().find_map(|key| OfferedTool::read(&entry[key])));
                }
                _ => tools.extend(OfferedTool::read(entry)),
            }
        }
        tools
    }

    /// How many results of tools the conversation holds.
    pub(super) fn results(self, body: &Value) -> usize {
        let count = |list: &Value, is: &dyn Fn(&Value) -> bool| {
            list.as_array().into_iter().flatten().filter(|entry| is(entry)).count()
        };
        let inside = |list: &Value, key: &str, is: &dyn Fn(&Value) -> bool| {
            list.as_array().into_iter().flatten().map(|entry| count(&entry[key], is)).sum()
        };
        match self {
            Self::Messages => inside(&body["messages"], "content", &|part| part["type"] == "tool_result"),
            Self::Responses => count(&body["input"], &|item| item["type"] == "function_call_output"),
            Self::Chat => count(&body["messages"], &|message| message["role"] == "tool"),
            Self::Gemini => {
                inside(&body["contents"], "parts", &|part| part.get("functionResponse").is_some())
            }
        }
    }

    /// Whether the answer is to come as an event stream.
    pub(super) fn streams(self, path: &str, body: &Value) -> bool {
        if self == Self::Gemini { path.contains(":stream") } else { body["stream"] == true }
    }

    /// The shell tool on offer and its arguments for a command.
    fn shell_call(self, command: &str, body: &Value) -> (String, Value) {
        let tools = self.tools(body);
        let offered = |name: &str| tools.iter().find(|tool| tool.name == name);
        let found = SHELL_TOOLS.iter().find_map(|(name, key)| Some((offered(name)?, *key)));
        let Some((OfferedTool { name, schema }, key)) = found else {
            return ("no_shell_tool".to_owned(), json!({}));
        };
        let properties = &schema["properties"];
        let mut arguments = Map::new();
        let value =
            if properties[key]["type"] == "array" { json!(["bash", "-c", command]) } else { json!(command) };
        arguments.insert(key.to_owned(), value);
        for (extra, value) in [("description", json!("as scripted")), ("is_background", json!(false))] {
            if properties.get(extra).is_some() {
                arguments.insert(extra.to_owned(), value);
            }
        }
        (name.clone(), Value::Object(arguments))
    }

    /// An answer in one piece.
    pub(super) fn whole(self, turn: &Turn, body: &Value) -> Value {
        match self {
            Self::Messages => {
                let (content, why) = match turn {
                    Turn::Say(text) => (json!([{ "type": "text", "text": text }]), "end_turn"),
                    Turn::Shell(command) => {
                        let (name, input) = self.shell_call(command, body);
                        let id = format!("toolu_{}", self.results(body));
                        (json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]), "tool_use")
                    }
                };
                json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                    "content": content, "stop_reason": why, "stop_sequence": null,
                    "usage": { "input_tokens": 1, "output_tokens": 1 } })
            }
            Self::Responses => {
                let item = match turn {
                    Turn::Say(text) => json!({ "type": "message", "role": "assistant", "id": "msg_1",
                        "content": [{ "type": "output_text", "text": text }] }),
                    Turn::Shell(command) => {
                        let (name, arguments) = self.shell_call(command, body);
                        json!({ "type": "function_call", "id": "fc_1",
                            "call_id": format!("call_{}", self.results(body)),
                            "name": name, "arguments": arguments.to_string() })
                    }
                };
                json!({ "id": "resp_1", "object": "response", "status": "completed", "output": [item],
                    "usage": { "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
                               "output_tokens_details": null, "total_tokens": 2 } })
            }
            Self::Chat => {
                let (message, why) = match turn {
                    Turn::Say(text) => (json!({ "role": "assistant", "content": text }), "stop"),
                    Turn::Shell(command) => {
                        let (name, arguments) = self.shell_call(command, body);
                        let call = json!({ "index": 0, "id": format!("call_{}", self.results(body)),
                            "type": "function",
                            "function": { "name": name, "arguments": arguments.to_string() } });
                        (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
                    }
                };
                json!({ "id": "chatcmpl_1", "object": "chat.completion", "created": 1, "model": body["model"],
                    "choices": [{ "index": 0, "message": message, "finish_reason": why }],
                    "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 } })
            }
            Self::Gemini => {
                let part = match turn {
                    Turn::Say(text) => json!({ "text": text }),
                    Turn::Shell(command) => {
                        let (name, args) = self.shell_call(command, body);
                        json!({ "functionCall": { "name": name, "args": args } })
                    }
                };
                json!({ "candidates": [{ "index": 0, "finishReason": "STOP",
                        "content": { "role": "model", "parts": [part] } }],
                    "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 } })
            }
        }
    }

    /// An answer as an event stream.
    pub(super) fn stream(self, turn: &Turn, body: &Value) -> String {
        let whole = self.whole(turn, body);
        let mut text = String::new();
        for event in self.events(&whole) {
            if let Some(name) = event["type"].as_str().filter(|_| self != Self::Chat) {
                let _ = writeln!(text, "event: {name}");
            }
            let _ = write!(text, "data: {event}\n\n");
        }
        if self == Self::Chat {
            text.push_str("data: [DONE]\n\n");
        }
        text
    }

    fn events(self, whole: &Value) -> Vec<Value> {
        match self {
            Self::Messages => {
                let mut start = whole.clone();
                start["content"] = json!([]);
                start["stop_reason"] = Value::Null;
                let block = &whole["content"][0];
                let (empty, delta) = if block["type"] == "tool_use" {
                    let mut empty = block.clone();
                    empty["input"] = json!({});
                    let delta =
                        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() });
                    (empty, delta)
                } else {
                    (
                        json!({ "type": "text", "text": "" }),
                        json!({ "type": "text_delta", "text": block["text"] }),
                    )
                };
                vec![
                    json!({ "type": "message_start", "message": start }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
                    json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
                    json!({ "type": "content_block_stop", "index": 0 }),
                    json!({ "type": "message_delta", "usage": { "output_tokens": 1 },
                        "delta": { "stop_reason": whole["stop_reason"], "stop_sequence": null } }),
                    json!({ "type": "message_stop" }),
                ]
            }
            Self::Responses => vec![
                json!({ "type": "response.created", "response": { "id": "resp_1" } }),
                json!({ "type": "response.output_item.done", "output_index": 0, "item": whole["output"][0] }),
                json!({ "type": "response.completed", "response": whole }),
            ],
            Self::Chat => {
                let choice = &whole["choices"][0];
                let piece = |delta: &Value, why: &Value| {
                    json!({ "id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 1,
                        "model": whole["model"],
                        "choices": [{ "index": 0, "delta": delta, "finish_reason": why }] })
                };
                let mut last = piece(&json!({}), &choice["finish_reason"]);
                last["usage"] = whole["usage"].clone();
                vec![piece(&choice["message"], &Value::Null), last]
            }
            Self::Gemini => vec![whole.clone()],
        }
    }
}
