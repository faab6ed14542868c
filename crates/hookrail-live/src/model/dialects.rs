//! The wire forms of the four model APIs: which tools a request offers, how many results it holds, what an answer looks
//! like.
#![expect(clippy::indexing_slicing, reason = "a key that a value does not have reads as null")]

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Call, CalledTool, Turn};

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
    /// The group of tools in which a Responses request has it.
    pub(super) namespace: Option<String>,
    /// Whether it takes free text.
    pub(super) is_custom: bool,
}

impl OfferedTool {
    /// A declaration of any of the APIs. A tool that the model's maker runs has no name.
    fn read(declared: &Value, namespace: Option<&str>) -> Option<Self> {
        let places = ["input_schema", "parameters", "parametersJsonSchema"];
        let schema = places.iter().find_map(|place| declared.get(place)).cloned().unwrap_or_default();
        Some(Self {
            name: declared["name"].as_str()?.to_owned(),
            schema,
            namespace: namespace.map(str::to_owned),
            is_custom: declared["type"] == "custom",
        })
    }

    /// A tool that the request does not offer.
    fn unknown(name: &str) -> Self {
        Self { name: name.to_owned(), schema: Value::Null, namespace: None, is_custom: false }
    }
}

/// Names of shell tools in other agents, and the argument that holds the command.
const SHELL_TOOLS: [(&str, &str); 9] = [
    ("Bash", "command"),
    ("bash", "command"),
    ("run_shell_command", "command"),
    ("exec_command", "cmd"),
    ("shell_command", "command"),
    ("shell", "command"),
    ("run_terminal_command", "command"),
    ("run_commands", "commands"),
    ("terminal", "command"),
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
            let namespace = entry["name"].as_str();
            match self {
                _ if !inner.is_empty() => {
                    tools.extend(inner.iter().filter_map(|tool| OfferedTool::read(tool, namespace)));
                }
                Self::Chat if entry["type"] == "custom" => {
                    let tool = OfferedTool::read(&entry["custom"], None);
                    tools.extend(tool.map(|tool| OfferedTool { is_custom: true, ..tool }));
                }
                Self::Chat => tools.extend(OfferedTool::read(&entry["function"], None)),
                _ => tools.extend(OfferedTool::read(entry, None)),
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
            Self::Responses => count(&body["input"], &|item| {
                item["type"] == "function_call_output" || item["type"] == "custom_tool_call_output"
            }),
            Self::Chat => count(&body["messages"], &|message| message["role"] == "tool"),
            Self::Gemini => {
                inside(&body["contents"], "parts", &|part| part.get("functionResponse").is_some())
            }
        }
    }

    /// What the user and the agent wrote, without the model's calls and their results.
    pub(super) fn told(self, body: &Value) -> String {
        let key = match self {
            Self::Messages | Self::Chat => "messages",
            Self::Responses => "input",
            Self::Gemini => "contents",
        };
        let is_told = |message: &&Value| match self {
            Self::Gemini => {
                message["parts"].as_array().into_iter().flatten().all(|part| part.get("text").is_some())
            }
            Self::Messages => {
                let parts = message["content"].as_array();
                !parts.into_iter().flatten().any(|part| part["type"] == "tool_result")
            }
            Self::Responses | Self::Chat => true,
        };
        let told = body[key].as_array().into_iter().flatten().filter(|message| message["role"] == "user");
        told.filter(is_told).map(Value::to_string).collect()
    }

    /// Whether the answer is to come as an event stream.
    pub(super) fn streams(self, path: &str, body: &Value) -> bool {
        if self == Self::Gemini { path.contains(":stream") } else { body["stream"] == true }
    }

    /// The tools that a turn calls, with their arguments.
    fn calls(self, turn: &Turn, body: &Value) -> Vec<(OfferedTool, Value)> {
        let Turn::Calls(calls) = turn else { return Vec::new() };
        let tools = self.tools(body);
        let offered = |name: &str| tools.iter().find(|tool| tool.name == name);
        let find = |call: &Call| match &call.tool {
            CalledTool::Shell => {
                let found = SHELL_TOOLS.iter().find_map(|(name, key)| Some((offered(name)?, *key)));
                let Some((tool, key)) = found else {
                    return (OfferedTool::unknown("no_shell_tool"), json!({}));
                };
                let command = call.arguments.as_str().unwrap_or_default();
                (tool.clone(), shell_arguments(tool, key, command))
            }
            CalledTool::Named(name) => {
                let by_end = || tools.iter().find(|tool| tool.name.ends_with(name.as_str()));
                let tool = offered(name).or_else(by_end).cloned();
                (tool.unwrap_or_else(|| OfferedTool::unknown(name)), call.arguments.clone())
            }
        };
        let complete = |call: &Call| {
            let (tool, mut arguments) = find(call);
            if let Some(arguments) = arguments.as_object_mut() {
                // Some agents want to know what a call is for.
                let required = tool.schema["required"].as_array();
                if required.is_some_and(|names| names.contains(&json!("description"))) {
                    arguments.entry("description").or_insert(json!("as scripted"));
                }
                let is_stray = |name: &str| tool.schema["properties"].get(name).is_none();
                let stray = call.stray.iter().filter(|(name, _)| is_stray(name));
                arguments.extend(stray.map(|(name, value)| (name.clone(), json!(value))));
            }
            (tool, arguments)
        };
        calls.iter().map(complete).collect()
    }

    /// An answer in one piece.
    pub(super) fn whole(self, turn: &Turn, body: &Value) -> Value {
        let calls = self.calls(turn, body);
        let earlier = self.results(body);
        let id = |number: usize| format!("call_{earlier}_{number}");
        let calls = || calls.iter().enumerate();
        let text =
            |arguments: &Value| arguments["input"].as_str().map_or(arguments.to_string(), str::to_owned);
        match self {
            Self::Messages => {
                let mut content: Vec<Value> = calls()
                    .map(|(number, (tool, input))| {
                        json!({ "type": "tool_use", "id": id(number), "name": tool.name, "input": input })
                    })
                    .collect();
                let why = if content.is_empty() { "end_turn" } else { "tool_use" };
                if let Turn::Say(text) = turn {
                    content.push(json!({ "type": "text", "text": text }));
                }
                json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                    "content": content, "stop_reason": why, "stop_sequence": null,
                    "usage": { "input_tokens": 1, "output_tokens": 1 } })
            }
            Self::Responses => {
                let mut output: Vec<Value> = calls()
                    .map(|(number, (tool, arguments))| {
                        let mut item = if tool.is_custom {
                            json!({ "type": "custom_tool_call", "id": format!("ctc_{number}"),
                                "call_id": id(number), "name": tool.name, "input": text(arguments) })
                        } else {
                            json!({ "type": "function_call", "id": format!("fc_{number}"),
                                "call_id": id(number), "name": tool.name, "arguments": arguments.to_string() })
                        };
                        if let Some(namespace) = &tool.namespace {
                            item["namespace"] = json!(namespace);
                        }
                        item
                    })
                    .collect();
                if let Turn::Say(text) = turn {
                    output.push(json!({ "type": "message", "role": "assistant", "id": "msg_1",
                        "content": [{ "type": "output_text", "text": text }] }));
                }
                json!({ "id": "resp_1", "object": "response", "status": "completed", "output": output,
                    "usage": { "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
                               "output_tokens_details": null, "total_tokens": 2 } })
            }
            Self::Chat => {
                let list: Vec<Value> = calls()
                    .map(|(number, (tool, arguments))| {
                        let (kind, call) = if tool.is_custom {
                            ("custom", json!({ "name": tool.name, "input": text(arguments) }))
                        } else {
                            ("function", json!({ "name": tool.name, "arguments": arguments.to_string() }))
                        };
                        json!({ "index": number, "id": id(number), "type": kind, kind: call })
                    })
                    .collect();
                let (message, why) = match turn {
                    Turn::Say(text) => (json!({ "role": "assistant", "content": text }), "stop"),
                    Turn::Calls(_) => {
                        (json!({ "role": "assistant", "content": null, "tool_calls": list }), "tool_calls")
                    }
                };
                json!({ "id": "chatcmpl_1", "object": "chat.completion", "created": 1, "model": body["model"],
                    "choices": [{ "index": 0, "message": message, "finish_reason": why }],
                    "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 } })
            }
            Self::Gemini => {
                let mut parts: Vec<Value> = calls()
                    .map(|(_, (tool, args))| json!({ "functionCall": { "name": tool.name, "args": args } }))
                    .collect();
                if let Turn::Say(text) = turn {
                    parts.push(json!({ "text": text }));
                }
                json!({ "candidates": [{ "index": 0, "finishReason": "STOP",
                        "content": { "role": "model", "parts": parts } }],
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
                let mut events = vec![json!({ "type": "message_start", "message": start })];
                for (index, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
                    let (empty, delta) = if block["type"] == "tool_use" {
                        let mut empty = block.clone();
                        empty["input"] = json!({});
                        let input = block["input"].to_string();
                        (empty, json!({ "type": "input_json_delta", "partial_json": input }))
                    } else {
                        let delta = json!({ "type": "text_delta", "text": block["text"] });
                        (json!({ "type": "text", "text": "" }), delta)
                    };
                    events.extend([
                        json!({ "type": "content_block_start", "index": index, "content_block": empty }),
                        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                        json!({ "type": "content_block_stop", "index": index }),
                    ]);
                }
                events.extend([
                    json!({ "type": "message_delta", "usage": { "output_tokens": 1 },
                        "delta": { "stop_reason": whole["stop_reason"], "stop_sequence": null } }),
                    json!({ "type": "message_stop" }),
                ]);
                events
            }
            Self::Responses => {
                let mut events = vec![json!({ "type": "response.created", "response": { "id": "resp_1" } })];
                for (index, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
                    events.push(
                        json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
                    );
                }
                events.push(json!({ "type": "response.completed", "response": whole }));
                events
            }
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

/// The arguments of a shell call, in the form that the tool's schema asks for.
fn shell_arguments(tool: &OfferedTool, key: &str, command: &str) -> Value {
    let properties = &tool.schema["properties"];
    let mut arguments = Map::new();
    let value = match properties[key]["type"].as_str() {
        // Cline's are lines, others are the words of one.
        Some("array") if key == "commands" => json!([command]),
        Some("array") => json!(["bash", "-c", command]),
        _ => json!(command),
    };
    arguments.insert(key.to_owned(), value);
    for (extra, value) in [("description", json!("as scripted")), ("is_background", json!(false))] {
        if properties.get(extra).is_some() {
            arguments.insert(extra.to_owned(), value);
        }
    }
    Value::Object(arguments)
}
