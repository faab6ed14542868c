//! What a line between an MCP client and a server is. Pure: text in, text out.
//!
//! Servers are written in many languages, and their readers differ: of a key that occurs twice some take the first value,
//! some the last; some compare keys without regard to case. A line is a tool call if any such reader would take it for
//! one. If they would not all see the same call that hooks see, it is [`ClientLine::Unclear`].

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;

use hookrail::JsonObject;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// The one method that is held.
const CALL: &str = "tools/call";

/// A line of the client, as far as it matters here.
#[derive(Debug, PartialEq)]
pub(super) enum ClientLine<'a> {
    /// Nothing that concerns hooks.
    Other,
    /// The first request, with the client's description of itself.
    Initialize(Option<Value>),
    /// The client no longer waits for a request.
    Cancelled(Id),
    Call(ToolCall),
    /// A line that some reader would take for a tool call. What the call is depends on the reader.
    Unclear {
        /// The id to answer, as it was written; `None` where nobody waits for an answer.
        id: Option<String>,
        why: String,
    },
    /// Several messages in one line, of which one at least concerns hooks.
    Batch(Vec<&'a str>),
    /// It cannot be read. A server with a tolerant reader might read it.
    NotJson(String),
}

/// A call of a tool, with everything that decides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    /// `None` for a notification, which is not answered.
    pub(super) id: Option<CallId>,
    pub(super) tool: String,
    pub(super) arguments: JsonObject,
}

/// The id of a request: what it is compared by, and how it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallId {
    pub(super) key: Id,
    pub(super) raw: String,
}

/// An id that can be compared: `1` and `1.0` are the same one, `"1"` is another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Text(String),
    Number(String),
    Null,
    /// Ours, for a call that is not answered.
    Unanswered(u64),
}

#[derive(Debug, PartialEq)]
pub(super) enum ServerLine<'a> {
    /// Nothing that concerns hooks.
    Other,
    Answer(Id),
    /// An answer to this request, or to another one: it depends on the reader.
    UnclearAnswer(Id),
    /// Several messages in one line, of which one at least is an answer that is waited for.
    Batch(Vec<&'a str>),
}

pub(super) fn read_client_line(line: &[u8]) -> ClientLine<'_> {
    let Ok(text) = std::str::from_utf8(line) else {
        return ClientLine::NotJson("it is not UTF-8".to_owned());
    };
    let text = text.trim_ascii();
    if text.contains('\r') {
        // Python's SDK, for one, ends a line there: what this message contains would be a message of its own.
        let why = "some servers end a line at its carriage return, and what is left is not JSON";
        return ClientLine::NotJson(why.to_owned());
    }
    let read = match text.bytes().next() {
        None => return ClientLine::Other,
        Some(b'[') => batch(text).map(|parts| {
            let concerns_hooks = |part: &&str| read_client_line(part.as_bytes()) != ClientLine::Other;
            if parts.iter().any(concerns_hooks) { ClientLine::Batch(parts) } else { ClientLine::Other }
        }),
        Some(b'{') => serde_json::from_str(text).map(|message| client_message(&message)),
        Some(_) => serde_json::from_str::<serde::de::IgnoredAny>(text).map(|_| ClientLine::Other),
    };
    read.unwrap_or_else(|error| ClientLine::NotJson(error.to_string()))
}

/// Reads a line of the server, of which only answers that are waited for matter.
pub(super) fn read_server_line<'a>(line: &'a [u8], is_awaited: &dyn Fn(&Id) -> bool) -> ServerLine<'a> {
    let Ok(text) = std::str::from_utf8(line) else { return ServerLine::Other };
    let text = text.trim_ascii();
    match text.bytes().next() {
        Some(b'[') => match batch(text) {
            Ok(parts)
                if parts
                    .iter()
                    .any(|part| read_server_line(part.as_bytes(), is_awaited) != ServerLine::Other) =>
            {
                ServerLine::Batch(parts)
            }
            _ => ServerLine::Other,
        },
        Some(b'{') => {
            let Ok(message) = serde_json::from_str::<RawObject<'_>>(text) else { return ServerLine::Other };
            let outcomes = message.like("result").chain(message.like("error")).count();
            let ids: Vec<Id> = message.like("id").filter_map(Id::read).collect();
            let awaited = ids.iter().find(|id| is_awaited(id)).filter(|_| outcomes > 0);
            match awaited {
                None => ServerLine::Other,
                Some(id) if ids.len() == 1 && outcomes == 1 => ServerLine::Answer(id.clone()),
                Some(id) => ServerLine::UnclearAnswer(id.clone()),
            }
        }
        _ => ServerLine::Other,
    }
}

fn batch(text: &str) -> serde_json::Result<Vec<&str>> {
    Ok(serde_json::from_str::<Vec<&RawValue>>(text)?.into_iter().map(RawValue::get).collect())
}

fn client_message<'a>(message: &RawObject<'_>) -> ClientLine<'a> {
    let is_call = |method: &str| folded(method.trim()) == CALL;
    if message.like("method").filter_map(as_text).any(|method| is_call(&method)) {
        return tool_call(message).map_or_else(
            |why| ClientLine::Unclear {
                id: message.like("id").last().filter(|id| Id::read(id).is_some()).map(str::to_owned),
                why,
            },
            ClientLine::Call,
        );
    }
    let method = message.get("method").and_then(as_text);
    let params = || message.get("params").and_then(|params| serde_json::from_str::<Value>(params).ok());
    match method.as_deref() {
        Some("initialize") => {
            ClientLine::Initialize(params().and_then(|params| params.get("clientInfo").cloned()))
        }
        Some("notifications/cancelled") => {
            let id = params().and_then(|params| Id::read(&params.get("requestId")?.to_string()));
            id.map_or(ClientLine::Other, ClientLine::Cancelled)
        }
        _ => ClientLine::Other,
    }
}

/// The call that every reader sees in a message, or why they see different ones.
fn tool_call(message: &RawObject<'_>) -> Result<ToolCall, String> {
    let once = |object: &RawObject<'_>, key: &str| match object.like(key).count() {
        1 if object.get(key).is_none() => Err(format!("`{key}` is spelt in another way")),
        0 | 1 => Ok(()),
        _ => Err(format!("`{key}` occurs more than once")),
    };
    for key in ["id", "method", "params"] {
        once(message, key)?;
    }
    if message.get("method").and_then(as_text).as_deref() != Some(CALL) {
        return Err(format!("its method is nearly `{CALL}`"));
    }
    let id = match message.get("id") {
        None => None,
        Some(raw) => {
            let key = Id::read(raw).ok_or("its id is not a text, a number or null")?;
            Some(CallId { key, raw: raw.to_owned() })
        }
    };
    let params = message.get("params").ok_or("it has no `params`")?;
    let params: RawObject<'_> = serde_json::from_str(params).map_err(|_| "`params` is not an object")?;
    for key in ["name", "arguments"] {
        once(&params, key)?;
    }
    let tool = params.get("name").and_then(as_text).filter(|name| !name.is_empty());
    let tool = tool.ok_or("`name` is not a text that every server reads in the same way")?;
    let arguments = match params.get("arguments") {
        None | Some("null") => JsonObject::new(),
        Some(raw) => arguments(raw)?,
    };
    Ok(ToolCall { id, tool, arguments })
}

/// The arguments, if every reader sees the same ones.
fn arguments(raw: &str) -> Result<JsonObject, String> {
    let unclear = |why: &str| format!("its arguments cannot be read in one way only: {why}");
    let value: Value = serde_json::from_str(raw).map_err(|error| {
        // Without the place, which would be one in the arguments only.
        let text = error.to_string();
        unclear(text.rsplit_once(" at line").map_or(text.as_str(), |(text, _)| text))
    })?;
    let Value::Object(arguments) = value else { return Err("`arguments` is not an object".to_owned()) };
    match ambiguity(raw) {
        Some(Ambiguity::RepeatedKey(key)) => return Err(unclear(&format!("`{key}` occurs more than once"))),
        Some(Ambiguity::LongInteger(number)) => {
            return Err(format!("its arguments hold {number}, which not every reader takes exactly"));
        }
        None => {}
    }
    let mut seen = HashSet::new();
    if let Some(key) = arguments.keys().find(|key| !seen.insert(folded(key))) {
        return Err(format!("the argument `{key}` occurs in several spellings"));
    }
    Ok(arguments)
}

/// What readers take in different ways.
enum Ambiguity {
    /// A key that an object has twice.
    RepeatedKey(String),
    /// An integer that has more digits than one of any usual reader, shortened.
    LongInteger(String),
}

/// The first such thing in a JSON value, at any depth.
fn ambiguity(raw: &str) -> Option<Ambiguity> {
    let inner = match raw.bytes().next()? {
        b'{' => {
            let RawObject(entries) = serde_json::from_str(raw).ok()?;
            let mut seen = HashSet::new();
            if let Some((key, _)) = entries.iter().find(|(key, _)| !seen.insert(key)) {
                return Some(Ambiguity::RepeatedKey(key.clone()));
            }
            entries.into_iter().map(|(_, value)| value).collect()
        }
        b'[' => batch(raw).ok()?,
        b'-' | b'0'..=b'9' => {
            let is_exact =
                raw.contains(['.', 'e', 'E']) || raw.parse::<i64>().is_ok() || raw.parse::<u64>().is_ok();
            return (!is_exact).then(|| Ambiguity::LongInteger(raw.chars().take(24).collect()));
        }
        _ => Vec::new(),
    };
    inner.into_iter().find_map(ambiguity)
}

/// Keys that some reader takes for the same one: Go's compares them in this way.
fn folded(key: &str) -> String {
    key.chars()
        .map(|sign| match sign {
            '\u{17f}' => 's',
            '\u{212a}' => 'k',
            _ => sign.to_ascii_lowercase(),
        })
        .collect()
}

fn as_text(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

impl Id {
    /// `None` for what cannot be an id.
    pub(super) fn read(raw: &str) -> Option<Self> {
        match serde_json::from_str(raw).ok()? {
            Value::String(text) => Some(Self::Text(text)),
            Value::Number(number) => Some(Self::Number(normal(&number))),
            Value::Null => Some(Self::Null),
            _ => None,
        }
    }
}

fn normal(number: &Number) -> String {
    let whole = number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() < 9e15);
    whole.map_or_else(|| number.to_string(), |value| format!("{value:.0}"))
}

/// An object whose values are as they were written. Keys may occur more than once.
#[derive(Debug)]
pub(super) struct RawObject<'a>(Vec<(String, &'a str)>);

impl RawObject<'_> {
    /// The value of a key in exactly this spelling.
    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The values of all keys that some reader takes for this one.
    fn like(&self, key: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(name, _)| folded(name) == key).map(|(_, value)| *value)
    }

    /// The text of the object with other values for some keys; `None` takes a key out, and one that is not there is
    /// added.
    fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let new_value = |name: &str| changes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let kept = self.0.iter().filter_map(|(name, value)| {
            let value = new_value(name).unwrap_or(Some(*value))?;
            Some((name.as_str(), value))
        });
        let added = changes.iter().filter(|(key, _)| self.get(key).is_none());
        let added = added.filter_map(|(key, value)| Some((*key, (*value)?)));
        let entries: Vec<String> =
            kept.chain(added).map(|(key, value)| format!("{}:{value}", Value::from(key))).collect();
        format!("{{{}}}", entries.join(","))
    }
}

impl<'de> Deserialize<'de> for RawObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = RawObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    entries.push((key, value.get()));
                }
                Ok(RawObject(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// The line of a call with other arguments. Everything else keeps its value as it was written.
pub(super) fn with_arguments(line: &[u8], arguments: &JsonObject) -> Option<Vec<u8>> {
    let message: RawObject<'_> = serde_json::from_slice(line).ok()?;
    let params: RawObject<'_> = serde_json::from_str(message.get("params")?).ok()?;
    let arguments = serde_json::to_string(arguments).ok()?;
    let params = params.with(&[("arguments", Some(&arguments))]);
    Some(as_line(message.with(&[("params", Some(&params))])))
}

/// The result of an answer, for hooks: `Ok` of a call that was carried out, `Err` of a protocol error. What cannot be
/// read as a value is its text.
pub(super) fn result_of(line: &[u8]) -> Result<Value, Value> {
    let message: Option<RawObject<'_>> = serde_json::from_slice(line).ok();
    let value = |raw: &str| serde_json::from_str(raw).unwrap_or_else(|_| Value::from(raw));
    let of = |key: &str| message.as_ref().and_then(|message| message.get(key)).map(value);
    of("result").ok_or_else(|| of("error").unwrap_or_default())
}

/// What hooks make of a result.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ResultChange {
    /// Stands in for the whole content.
    pub(super) replaced: Option<Value>,
    /// Further texts.
    pub(super) added: Vec<String>,
    /// The result counts as an error.
    pub(super) is_error: bool,
}

/// The line of an answer with a changed result. A protocol error has no content and stays as it is, unless it is replaced.
pub(super) fn with_result(line: &[u8], change: &ResultChange) -> Option<Vec<u8>> {
    let message: RawObject<'_> = serde_json::from_slice(line).ok()?;
    let empty = RawObject(Vec::new());
    let result = match (message.get("result"), &change.replaced) {
        (Some(raw), _) => serde_json::from_str(raw).unwrap_or(empty),
        (None, Some(_)) => empty,
        (None, None) => return Some(line.to_vec()),
    };
    let mut contents: Vec<String> = if let Some(value) = &change.replaced {
        replaced_content(value)
    } else {
        let parts: Vec<&RawValue> =
            result.get("content").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        parts.into_iter().map(|part| part.get().to_owned()).collect()
    };
    contents.extend(change.added.iter().map(|text| text_content(text)));
    let contents = format!("[{}]", contents.join(","));
    let structured =
        change.replaced.as_ref().map(|value| value.get("structuredContent").map(Value::to_string));
    let mut changes = vec![("content", Some(contents.as_str()))];
    if let Some(structured) = &structured {
        // What was replaced must not be readable beside its replacement.
        changes.push(("structuredContent", structured.as_deref()));
    }
    if change.is_error {
        changes.push(("isError", Some("true")));
    }
    let result = result.with(&changes);
    Some(as_line(message.with(&[("error", None), ("result", Some(&result))])))
}

/// The content that a hook gave: a list as in a result of a server, our own form of a result, a text, or any value as
/// JSON.
fn replaced_content(value: &Value) -> Vec<String> {
    if let Some(Value::Array(parts)) = value.get("content") {
        return parts.iter().map(Value::to_string).collect();
    }
    let ours = value.get("llmContent").or_else(|| value.get("returnDisplay")).unwrap_or(value);
    vec![text_content(ours.as_str().unwrap_or(&ours.to_string()))]
}

fn text_content(text: &str) -> String {
    serde_json::json!({ "type": "text", "text": text }).to_string()
}

/// The answer to a call that is not carried out: a result, so that the model reads why.
pub(super) fn refusal(id: &str, texts: &[String]) -> Vec<u8> {
    let contents: Vec<String> = texts.iter().map(|text| text_content(text)).collect();
    let result = format!("{{\"content\":[{}],\"isError\":true}}", contents.join(","));
    as_line(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"))
}

pub(super) fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let message = Value::from(message);
    as_line(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}}}}}"
    ))
}

fn as_line(mut text: String) -> Vec<u8> {
    text.push('\n');
    text.into_bytes()
}
