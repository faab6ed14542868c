//! Hooks that were written for another agent: what they are given, which tools they listen to, what their answers mean.
//!
//! Tables and functions only. The bridge translates whole agents; this is the one dialect in which single scripts exist,
//! so that it has to work in every program, and in a host that knows no bridge.
//!
//! Where a script makes a mistake in the form of its answer, Claude Code ignores all of it. Here a block counts all the
//! same, and anything else is a failure of the hook, to which `onFailure` applies.

mod answer;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use crate::event::{Event, EventName};
use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;

pub(crate) use self::answer::{ClaudeAnswer, claude_answer};

/// In which agent's terms a command hook is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum HookDialect {
    /// Ours.
    #[default]
    Own,
    /// Claude Code's; `"dialect": "claude"`.
    Claude,
    /// The same under `PostToolUseFailure`, which Claude Code fires for calls that failed, in place of `PostToolUse`.
    ClaudeFailure,
}

/// Our name of a tool, theirs, and the arguments that are called otherwise.
type ToolRow = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Our tools and Claude Code's, with the arguments that have another name there. The rows at the end are tools of other
/// agents that have no name of ours.
const TOOLS: [ToolRow; 14] = [
    ("run_shell_command", "Bash", &[("is_background", "run_in_background")]),
    ("read_file", "Read", &[]),
    ("write_file", "Write", &[]),
    ("replace", "Edit", &[]),
    ("list_directory", "LS", &[]),
    ("glob", "Glob", &[]),
    ("search_file_content", "Grep", &[("include", "glob")]),
    ("web_fetch", "WebFetch", &[]),
    ("google_web_search", "WebSearch", &[]),
    ("task", "Agent", &[]),
    ("agent", "Agent", &[]),
    ("todowrite", "TodoWrite", &[]),
    ("todo_write", "TodoWrite", &[]),
    ("write_todos", "TodoWrite", &[]),
];

/// Names of tools that Claude Code has changed, newest first. Matchers with the older ones still count there.
const OLDER_NAMES: [(&str, &str); 3] =
    [("Agent", "Task"), ("TaskStop", "KillShell"), ("TaskStop", "KillBash")];

impl HookDialect {
    /// Whether it is Claude Code's.
    pub const fn is_claude(self) -> bool {
        matches!(self, Self::Claude | Self::ClaudeFailure)
    }

    /// Claude Code's name of one of our tools; `None` for one that it does not have.
    pub fn claude_tool(ours: &str) -> Option<&'static str> {
        TOOLS.iter().find(|(own, ..)| *own == ours).map(|(_, theirs, _)| *theirs)
    }

    /// What a hook of this dialect calls a tool, or the word that a session event is about. Older names come last.
    pub(crate) fn words(self, event: EventName, ours: &str) -> impl Iterator<Item = &str> {
        let newest = self.word(event, ours);
        let older = OLDER_NAMES.iter().filter(move |(new, _)| self.is_claude() && *new == newest);
        std::iter::once(newest).chain(older.map(|(_, old)| *old))
    }

    pub(crate) fn word(self, event: EventName, ours: &str) -> &str {
        if !self.is_claude() {
            ours
        } else if event.has_tool() {
            Self::claude_tool(ours).unwrap_or(ours)
        } else {
            match ours {
                "compress" => "compact",
                "exit" => "other",
                "ToolPermission" => "permission_prompt",
                _ => ours,
            }
        }
    }

    /// Whether an event that matches is one for which Claude Code would call the hook. It has two events where we have
    /// one: for calls that succeeded or failed, and for questions and messages about them.
    pub(crate) fn hears(self, event: &Event<'_>, extra: &JsonObject) -> bool {
        match (self, event) {
            (Self::Own, _) => true,
            (_, Event::AfterTool { tool_response, .. }) => {
                failure(tool_response, extra.get("agent")).is_some() == (self == Self::ClaudeFailure)
            }
            (_, Event::Notification { .. }) => {
                let field = |key: &str| extra.get("agent").and_then(|agent| agent.get(key)?.as_str());
                (field("name"), field("event")) != (Some("claude"), Some("PermissionRequest"))
            }
            _ => true,
        }
    }

    /// What a hook with this matcher reads in place of our payload; `None` where it reads that.
    pub(crate) fn payload(self, matcher: &Matcher, ours: &[u8]) -> Option<JsonObject> {
        if !self.is_claude() {
            return None;
        }
        match serde_json::from_slice(ours) {
            Ok(Value::Object(ours)) => claude_payload(matcher, ours),
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

/// What went wrong with a call: the error of its tool, or the exit code of its command, where the agent gives one in a
/// field. Texts are not searched for it, because commands write them.
fn failure(response: &JsonObject, agent: Option<&Value>) -> Option<Value> {
    if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
        return Some(error.get("message").unwrap_or(error).clone());
    }
    let native = agent.and_then(|agent| agent.get("tool_response")?.get("metadata"));
    let code = [(response.get("metadata"), "exit_code"), (native, "exit")]
        .into_iter()
        .find_map(|(metadata, key)| metadata?.get(key)?.as_i64())
        .filter(|code| *code != 0)?;
    let text = response.get("llmContent").and_then(Value::as_str).unwrap_or_default();
    Some(format!("Exit code {code}\n{text}").into())
}

/// Our payload as Claude Code would have sent it. Where Claude Code did send it, its own values are under `agent`.
fn claude_payload(matcher: &Matcher, mut ours: JsonObject) -> Option<JsonObject> {
    let event: EventName = ours.get("hook_event_name")?.as_str()?.parse().ok()?;
    let agent = ours.shift_remove("agent").unwrap_or_default();
    let native = agent.get("name").and_then(Value::as_str) == Some("claude");
    let theirs = |key: &str| agent.get(key).filter(|_| native);
    ours.insert("hook_event_name".to_owned(), claude_event(event)?.into());
    ours.shift_remove("timestamp");
    if !ours.contains_key("permission_mode") && !native {
        ours.insert("permission_mode".to_owned(), "default".into());
    }
    if event.has_tool() {
        tool_fields(&mut ours, event, &agent, native);
        // Of the names that an MCP tool may have, the one that the hook listens to.
        let listens = |name: &Value| name.as_str().is_some_and(|name| matcher.matches_tool(name).is_match());
        let names = agent.get("mcp_names").and_then(Value::as_array).into_iter().flatten();
        if !ours.get("tool_name").is_some_and(listens)
            && let Some(name) = names.into_iter().find(|name| listens(name))
        {
            ours.insert("tool_name".to_owned(), name.clone());
        }
    }
    for key in ["source", "reason", "trigger", "notification_type"] {
        if let Some(Value::String(word)) = ours.get(key) {
            let word = HookDialect::Claude.word(event, word).to_owned();
            ours.insert(key.to_owned(), theirs(key).cloned().unwrap_or_else(|| word.into()));
        }
    }
    match event {
        EventName::AfterAgent => {
            ours.shift_remove("prompt");
            if let Some(said) = ours.shift_remove("prompt_response") {
                ours.insert("last_assistant_message".to_owned(), said);
            }
        }
        EventName::PreCompress => {
            ours.entry("custom_instructions").or_insert_with(|| "".into());
        }
        EventName::Notification => {
            let details = ours.shift_remove("details").unwrap_or_default();
            if let (Some(title), false) = (details.get("title"), ours.contains_key("title")) {
                ours.insert("title".to_owned(), title.clone());
            }
        }
        _ => {}
    }
    Some(ours)
}

/// Tool, arguments and result in Claude Code's names, with absolute paths of files.
fn tool_fields(ours: &mut JsonObject, event: EventName, agent: &Value, native: bool) {
    let theirs = |key: &str| agent.get(key).filter(|_| native);
    let own_name = ours.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = match ours.shift_remove("tool_input") {
        Some(Value::Object(arguments)) => renamed(&own_name, arguments, |(own, theirs)| (own, theirs)),
        _ => JsonObject::new(),
    };
    let input = if let Some(Value::Object(native)) = theirs("tool_input") {
        // What hooks before this one have changed, in the arguments as they were given.
        let path = if native.contains_key("notebook_path") { "notebook_path" } else { "file_path" };
        let name = |key: String| if key == "file_path" { path.to_owned() } else { key };
        let mut input = native.clone();
        input.extend(arguments.into_iter().map(|(key, value)| (name(key), value)));
        input
    } else {
        let cwd = ours.get("cwd").and_then(Value::as_str).unwrap_or_default();
        let absolute = |(key, value): (String, Value)| match value.as_str() {
            Some(path) if matches!(key.as_str(), "file_path" | "path") && !cwd.is_empty() => {
                let path = std::path::Path::new(cwd).join(path).to_string_lossy().into_owned();
                (key, path.into())
            }
            _ => (key, value),
        };
        arguments.into_iter().map(absolute).collect()
    };
    let native = theirs("tool_name").and_then(Value::as_str);
    let name = native.unwrap_or_else(|| HookDialect::Claude.word(event, &own_name)).to_owned();
    if let (EventName::AfterTool, Some(response)) = (event, ours.shift_remove("tool_response")) {
        if let Some(error) = response.as_object().and_then(|response| failure(response, Some(agent))) {
            ours.insert("hook_event_name".to_owned(), "PostToolUseFailure".into());
            ours.insert("error".to_owned(), error);
            ours.entry("is_interrupt").or_insert(Value::Bool(false));
        } else {
            let response =
                theirs("tool_response").cloned().unwrap_or_else(|| result(&name, &input, &response));
            ours.insert("tool_response".to_owned(), response);
        }
    }
    if !ours.contains_key("tool_use_id") {
        // The same before and after the call, so that a script can tell which belong together.
        let mut hasher = DefaultHasher::new();
        (ours.get("session_id").map(ToString::to_string), &name, Value::from(input.clone()).to_string())
            .hash(&mut hasher);
        ours.insert("tool_use_id".to_owned(), format!("toolu_{:016x}", hasher.finish()).into());
    }
    ours.insert("tool_name".to_owned(), name.into());
    ours.insert("tool_input".to_owned(), input.into());
}

/// A result in the shape that Claude Code gives a tool's.
fn result(tool: &str, input: &JsonObject, response: &Value) -> Value {
    let text = match response.get("llmContent") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => response.to_string(),
    };
    let given = |key: &str| input.get(key).cloned().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    match tool {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": false }),
        "Write" => json!({ "type": "create", "filePath": given("file_path"), "content": given("content"),
                           "structuredPatch": [], "originalFile": null, "userModified": false }),
        "Edit" => json!({ "filePath": given("file_path"), "oldString": given("old_string"),
                          "newString": given("new_string"), "structuredPatch": [], "userModified": false,
                          "replaceAll": false }),
        "Read" => {
            json!({ "type": "text", "file": { "filePath": given("file_path"), "content": text,
                         "numLines": lines.len(), "startLine": 1, "totalLines": lines.len() } })
        }
        "Glob" => json!({ "filenames": lines, "numFiles": lines.len(), "truncated": false }),
        "Grep" => json!({ "mode": "content", "content": text, "numLines": lines.len(), "filenames": [] }),
        "WebFetch" => json!({ "result": text, "url": given("url") }),
        name if name.starts_with("mcp__") => json!([{ "type": "text", "text": text }]),
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

#[cfg(test)]
mod tests;
