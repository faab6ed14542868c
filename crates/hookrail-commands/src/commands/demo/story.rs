//! A session log, printed for a person: messages, hook verdicts and results.
//!
//! It is made from the log alone, not from the scene: a hook that did nothing would show as one that did nothing.

use serde_json::Value;

use crate::terminal::printer::escape_line;
use crate::terminal::style::{Style, paint};

/// Longest text of one line, in characters.
const WIDTH: usize = 160;

/// What happened in one session.
pub(super) struct Story<'a> {
    /// The lines of the session log, in order.
    log: &'a [Value],
    /// What the user saw of the answer.
    shown: &'a str,
    /// A text whose presence in a command is printed, for comparison with what a rule sees.
    pattern: Option<&'a str>,
}

/// One line: who, in which style, and what.
pub(super) fn line(who: &str, style: Style, text: &str) -> String {
    let text = escape_line(text.trim_end());
    let mut short: String = text.chars().take(WIDTH).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("   {} {short}", paint(style, &format!("{who:<7}")))
}

impl<'a> Story<'a> {
    /// Reads a log; `shown` is what the user saw of the answer.
    pub(super) fn read(log: &'a [Value], shown: &'a str, pattern: Option<&'a str>) -> Self {
        Self { log, shown, pattern }
    }

    /// How many hooks ran. A rule starts nothing.
    pub(super) fn hook_runs(&self) -> usize {
        self.log.iter().filter(|entry| kind(entry) == "hook_call" && !is_rule(entry)).count()
    }

    /// The lines to print, in the order of the log, without repetitions.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, entry) in self.log.iter().enumerate() {
            let before = self.log.get(..index).unwrap_or_default();
            let of_one_call = ["BeforeTool", "AfterTool"].contains(&text(entry, "/event"))
                || ["model_response", "tool_call"].contains(&kind(entry));
            for next in self.lines_about(entry, before) {
                // What a hook answers at every model call is printed once. A line about a tool call belongs to that
                // call.
                if of_one_call || !lines.contains(&next) {
                    lines.push(next);
                }
            }
        }
        lines
    }

    /// Kinds of lines that a person need not see give none.
    fn lines_about(&self, entry: &Value, before: &[Value]) -> Vec<String> {
        match kind(entry) {
            "user" => vec![line("you", Style::Plain, text(entry, "/prompt"))],
            "hook_call" => hook(entry),
            "model_request" => request(entry, before),
            "model_response" => self.response(entry),
            "tool_call" => tool(entry, before),
            "stop" => vec![result(&format!("the agent stopped: {}", text(entry, "/reason")))],
            _ => Vec::new(),
        }
    }

    /// Where a hook changed the answer, this is what the user saw; the model's own text is printed with the hook.
    fn response(&self, entry: &Value) -> Vec<String> {
        if entry.pointer("/modified") == Some(&Value::Bool(true)) {
            return vec![result(&format!("you see: {}", self.shown))];
        }
        parts(entry)
            .flat_map(|part| {
                let text = part.get("text").and_then(Value::as_str).map(str::to_owned);
                let command = part.pointer("/functionCall/args/command").and_then(Value::as_str);
                let searched = command.and_then(|command| self.search(command));
                let text = text.or_else(|| part.get("functionCall").map(call));
                text.map(|text| line("model", Style::Plain, &text)).into_iter().chain(searched)
            })
            .collect()
    }

    /// Whether a search of the text would have found the command.
    fn search(&self, command: &str) -> Option<String> {
        let pattern = self.pattern?;
        let finds = if command.contains(pattern) { "finds it" } else { "finds nothing" };
        Some(line("pattern", Style::Plain, &format!("a search for \"{pattern}\" {finds}")))
    }
}

/// What a hook answered; a hook without output gets no line.
fn hook(entry: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if text(entry, "/event") == "AfterModel" {
        // The log keeps the answer as changed; the model's own text is in the hook's input.
        lines.push(line("model", Style::Plain, text(entry, "/input/llm_response/text")));
    }
    if is_rule(entry) {
        lines.push(line("rule", Style::Yellow, text(entry, "/output/reason")));
        return lines;
    }
    let exit = entry.pointer("/exitCode").and_then(Value::as_i64);
    let stderr = text(entry, "/stderr").trim();
    let stdout = text(entry, "/stdout").trim();
    let text = match exit {
        Some(0) if stdout.is_empty() => return lines,
        Some(0) => stdout.to_owned(),
        Some(code) => format!("exit {code}: {stderr}"),
        None => text(entry, "/error").to_owned(),
    };
    lines.push(line("hook", Style::Yellow, &text));
    lines
}

/// What hooks changed about a request.
fn request(entry: &Value, before: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    let allowed = "/request/config/toolConfig/functionCallingConfig/allowedFunctionNames";
    if let Some(names) = entry.pointer(allowed).and_then(Value::as_array) {
        let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
        lines.push(result(&format!("the model may call only {}", names.join(", "))));
    }
    let sent = texts(entry.pointer("/request/contents").unwrap_or(&Value::Null));
    for context in before.iter().filter_map(|entry| {
        entry.pointer("/output/hookSpecificOutput/additionalContext").and_then(Value::as_str)
    }) {
        if sent.iter().any(|text| text.contains(context)) {
            lines.push(result(&format!("the model reads it with the tool's result: {context}")));
        }
    }
    lines
}

/// How a tool call ended, and whether it ran with the model's arguments.
fn tool(entry: &Value, before: &[Value]) -> Vec<String> {
    let name = text(entry, "/name");
    let reason = text(entry, "/result/error/message");
    let wanted = before.iter().rev().find(|entry| kind(entry) == "model_response").and_then(|response| {
        parts(response)
            .filter_map(|part| part.get("functionCall"))
            .find(|call| call.get("name").and_then(Value::as_str) == Some(name))
    });
    let changed = wanted.is_some_and(|wanted| wanted.get("args") != entry.get("args"));
    let line = match text(entry, "/status") {
        "blocked" => result(&format!("{name} was blocked: {reason}")),
        "denied" => result(&format!("{name} was refused: {reason}")),
        "error" => line("tool", Style::Plain, &format!("{name} failed: {reason}")),
        "success" if changed => result(&format!("instead, this ran: {}", call(entry))),
        status => line("tool", Style::Plain, &format!("{name}: {status}")),
    };
    vec![line]
}

/// What came of it, set off by its colour.
fn result(text: &str) -> String {
    line("result", Style::BoldGreen, text)
}

/// A rule has no command.
fn is_rule(hook_call: &Value) -> bool {
    hook_call.get("command").is_none_or(Value::is_null)
}

/// The type of a line of the session log.
fn kind(entry: &Value) -> &str {
    text(entry, "/type")
}

/// Empty where the log has no text there.
fn text<'a>(entry: &'a Value, pointer: &str) -> &'a str {
    entry.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The parts of the first candidate, which is the one that the agent uses.
fn parts(response: &Value) -> impl Iterator<Item = &Value> {
    response.pointer("/response/candidates/0/content/parts").and_then(Value::as_array).into_iter().flatten()
}

/// A tool call in one line.
fn call(call: &Value) -> String {
    let args = call.get("args").map(Value::to_string).unwrap_or_default();
    format!("{} {args}", text(call, "/name"))
}

/// Every text inside of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
