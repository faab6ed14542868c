//! Hooks that were written for another agent: what they are given, which tools they listen to, what their answers mean.
//!
//! Tables and functions only. The bridge translates whole agents; this is the one dialect in which single scripts exist,
//! so that it has to work in every program, and in a host that knows no bridge.

use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::output::json::parse_json;
use crate::output::{Decision, HookOutput};

/// In which agent's terms a command hook is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum HookDialect {
    /// Ours.
    #[default]
    Own,
    /// Claude Code's; `"dialect": "claude"`.
    Claude,
}

/// Our name of a tool, theirs, and the arguments that are called otherwise.
type ToolRow = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Our tools and Claude Code's, with the arguments that have another name there.
const TOOLS: [ToolRow; 9] = [
    ("run_shell_command", "Bash", &[]),
    ("read_file", "Read", &[]),
    ("write_file", "Write", &[]),
    ("replace", "Edit", &[]),
    ("list_directory", "LS", &[]),
    ("glob", "Glob", &[]),
    ("search_file_content", "Grep", &[("include", "glob")]),
    ("web_fetch", "WebFetch", &[]),
    ("google_web_search", "WebSearch", &[]),
];

impl HookDialect {
    /// What a hook of this dialect calls a tool, or the word that a session event is about.
    pub(crate) fn word(self, event: EventName, ours: &str) -> &str {
        match (self, event) {
            (Self::Own, _) => ours,
            (Self::Claude, event) if event.has_tool() => {
                TOOLS.iter().find(|(own, ..)| *own == ours).map_or(ours, |(_, theirs, _)| theirs)
            }
            (Self::Claude, _) => match ours {
                "compress" => "compact",
                "exit" => "other",
                "ToolPermission" => "permission_prompt",
                _ => ours,
            },
        }
    }

    /// What a hook reads in place of our payload; `None` where it reads that.
    pub(crate) fn payload(self, ours: &[u8]) -> Option<JsonObject> {
        match (self, serde_json::from_slice(ours)) {
            (Self::Claude, Ok(Value::Object(ours))) => claude_payload(ours),
            _ => None,
        }
    }
}

/// Claude Code's name of an event; `None` for those that it does not have.
pub(crate) const fn claude_event(event: EventName) -> Option<&'static str> {
    Some(match event {
        EventName::BeforeTool => "PreToolUse",
        EventName::AfterTool => "PostToolUse",
        EventName::BeforeAgent => "UserPromptSubmit",
        EventName::AfterAgent => "Stop",
        EventName::SessionStart => "SessionStart",
        EventName::SessionEnd => "SessionEnd",
        EventName::PreCompress => "PreCompact",
        EventName::Notification => "Notification",
        EventName::BeforeModel | EventName::AfterModel | EventName::BeforeToolSelection => return None,
    })
}

/// Our payload as Claude Code would have sent it. Where Claude Code did send it, its own values are under `agent`.
fn claude_payload(mut ours: JsonObject) -> Option<JsonObject> {
    let event: EventName = ours.get("hook_event_name")?.as_str()?.parse().ok()?;
    let agent = ours.shift_remove("agent").unwrap_or_default();
    let native = agent.get("name").and_then(Value::as_str) == Some("claude");
    let theirs = |key: &str| agent.get(key).filter(|_| native);
    let name = theirs("event").and_then(Value::as_str).map(str::to_owned);
    ours.insert("hook_event_name".to_owned(), name.map_or_else(|| claude_event(event).into(), Value::from));
    ours.shift_remove("timestamp");
    if !ours.contains_key("permission_mode") && !native {
        ours.insert("permission_mode".to_owned(), "default".into());
    }
    if event.has_tool() {
        tool_fields(&mut ours, event, &theirs);
    }
    for key in ["source", "reason", "trigger", "notification_type"] {
        if let Some(Value::String(word)) = ours.get(key) {
            let word = HookDialect::Claude.word(event, word).to_owned();
            ours.insert(key.to_owned(), theirs(key).cloned().unwrap_or_else(|| word.into()));
        }
    }
    if event == EventName::AfterAgent {
        ours.shift_remove("prompt");
        if let Some(said) = ours.shift_remove("prompt_response") {
            ours.insert("last_assistant_message".to_owned(), said);
        }
    }
    if event == EventName::Notification {
        let details = ours.shift_remove("details").unwrap_or_default();
        if let (Some(title), false) = (details.get("title"), ours.contains_key("title")) {
            ours.insert("title".to_owned(), title.clone());
        }
    }
    Some(ours)
}

/// Tool, arguments and result in Claude Code's names, with absolute paths of files.
fn tool_fields<'a>(ours: &mut JsonObject, event: EventName, theirs: &dyn Fn(&str) -> Option<&'a Value>) {
    let own_name = ours.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = match ours.get("tool_input") {
        Some(Value::Object(arguments)) => arguments.clone(),
        _ => JsonObject::new(),
    };
    // A call for one file of a patch is no call of the agent's own.
    let native = theirs("tool_name").and_then(Value::as_str).filter(|_| own_name != "apply_patch");
    let input = if let Some(Value::Object(native)) = theirs("tool_input") {
        let changed = |(key, value): (&String, &Value)| {
            let value = arguments.get(key).unwrap_or(value);
            (key.clone(), value.clone())
        };
        native.iter().map(changed).collect()
    } else {
        let cwd = ours.get("cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
        renamed(&own_name, arguments, |(own, theirs)| (own, theirs))
            .into_iter()
            .map(|(key, value)| match value.as_str() {
                Some(path) if matches!(key.as_str(), "file_path" | "path") && !cwd.is_empty() => {
                    let path = std::path::Path::new(&cwd).join(path).to_string_lossy().into_owned();
                    (key, path.into())
                }
                _ => (key, value),
            })
            .collect()
    };
    let name = native.unwrap_or_else(|| HookDialect::Claude.word(event, &own_name)).to_owned();
    if let (EventName::AfterTool, Some(response)) = (event, ours.get("tool_response")) {
        let response = theirs("tool_response").cloned().unwrap_or_else(|| result(&name, &input, response));
        ours.insert("tool_response".to_owned(), response);
    }
    ours.insert("tool_name".to_owned(), name.into());
    ours.insert("tool_input".to_owned(), input.into());
    if !ours.contains_key("tool_use_id") {
        ours.insert("tool_use_id".to_owned(), "toolu_hookrail".into());
    }
}

/// A result in the shape that Claude Code gives a tool's.
fn result(tool: &str, input: &JsonObject, response: &Value) -> Value {
    let text = match response.get("llmContent") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => response.to_string(),
    };
    let given = |key: &str| input.get(key).cloned().unwrap_or_default();
    match tool {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": false }),
        "Write" => json!({ "type": "create", "filePath": given("file_path"), "content": given("content") }),
        "Edit" => json!({ "filePath": given("file_path"), "oldString": given("old_string"),
                          "newString": given("new_string"), "replaceAll": false }),
        "Read" => json!({ "type": "text", "file": { "filePath": given("file_path"), "content": text } }),
        _ => text.into(),
    }
}

/// Arguments of one of our tools under other names.
fn renamed(
    own_name: &str,
    arguments: JsonObject,
    direction: fn((&'static str, &'static str)) -> (&'static str, &'static str),
) -> JsonObject {
    let pairs = TOOLS.iter().find(|(own, ..)| *own == own_name).map_or(&[][..], |(_, _, pairs)| *pairs);
    let name = |key: String| {
        let pair = pairs.iter().map(|pair| direction(*pair)).find(|(from, _)| *from == key);
        pair.map_or(key, |(_, to)| to.to_owned())
    };
    arguments.into_iter().map(|(key, value)| (name(key), value)).collect()
}

/// What a hook written for Claude Code asks for, by how it exited and what it wrote. `None` where it gave no verdict.
pub(crate) fn claude_answer(
    event: EventName,
    code: i32,
    stdout: &str,
    stderr: &str,
    own_tool: &str,
) -> Option<HookOutput> {
    let (stdout, stderr) = (stdout.trim(), stderr.trim());
    let parsed = stdout.starts_with('{').then(|| parse_json(stdout).ok()).flatten();
    let answer = match parsed {
        Some(Value::Object(fields)) => Some(claude_fields(event, fields, own_tool)),
        _ => None,
    };
    match code {
        2 => {
            let said = answer.as_ref().and_then(|answer| answer.reason.as_deref());
            let reason =
                [said, Some(stderr), Some(stdout)].into_iter().flatten().find(|text| !text.is_empty());
            Some(blocked(event, answer.clone().unwrap_or_default(), reason.unwrap_or("Blocked by hook")))
        }
        _ if answer.is_some() => answer,
        0 if matches!(event, EventName::BeforeAgent | EventName::SessionStart) && !stdout.is_empty() => {
            Some(with_context(HookOutput::default(), stdout))
        }
        0 => Some(HookOutput::default()),
        _ => None,
    }
}

/// Claude Code's fields as ours.
fn claude_fields(event: EventName, fields: JsonObject, own_tool: &str) -> HookOutput {
    let (mut output, _) = HookOutput::from_object(fields);
    // For the person there, for the model here.
    if let Some(message) = output.system_message.take() {
        output.extra.insert("userMessage".to_owned(), message.into());
    }
    if let Some(specific) = &mut output.hook_specific_output {
        specific.shift_remove("hookEventName");
        if let Some(Value::Object(input)) = specific.shift_remove("updatedInput") {
            let input = renamed(own_tool, input, |(own, theirs)| (theirs, own));
            specific.insert("tool_input".to_owned(), input.into());
        }
        if let Some(result) = specific.shift_remove("updatedToolOutput") {
            let text = ["stdout", "content", "text"].iter().find_map(|key| result.get(*key)?.as_str());
            let text = text.or(result.as_str()).map_or_else(|| result.to_string(), str::to_owned);
            specific.insert("tool_response".to_owned(), json!({ "llmContent": text, "returnDisplay": text }));
        }
    }
    match output.decision.take() {
        Some(decision) if decision.blocks() => {
            let reason = output.reason.clone().unwrap_or_default();
            blocked(event, output, &reason)
        }
        Some(Decision::Approve | Decision::Allow) if event == EventName::BeforeTool => {
            let reason = output.reason.clone().unwrap_or_default();
            let specific = output.hook_specific_output.get_or_insert_default();
            specific.entry("permissionDecision").or_insert_with(|| "allow".into());
            specific.entry("permissionDecisionReason").or_insert_with(|| reason.into());
            output
        }
        other => {
            output.decision = other.filter(|decision| *decision == Decision::Ask);
            output
        }
    }
}

/// A block where the event has one; after a tool, a text for the model.
fn blocked(event: EventName, mut output: HookOutput, reason: &str) -> HookOutput {
    if event.can_block() {
        output.decision = Some(Decision::Block);
        output.reason = Some(reason.to_owned());
        return output;
    }
    output.reason = None;
    if event == EventName::AfterTool { with_context(output, reason) } else { output }
}

fn with_context(mut output: HookOutput, text: &str) -> HookOutput {
    let specific = output.hook_specific_output.get_or_insert_default();
    let before = specific.get("additionalContext").and_then(Value::as_str);
    let text = before.map_or_else(|| text.to_owned(), |before| format!("{before}\n{text}"));
    specific.insert("additionalContext".to_owned(), text.into());
    output
}

#[cfg(test)]
mod tests;
