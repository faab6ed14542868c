//! A scripted model on loopback that other agents' programs take for their own: it implements Anthropic's Messages,
//! `OpenAI`'s Responses and Chat Completions, and Gemini's API, as far as a turn with tools needs it.
//!
//! Which line of the script a request gets depends on the conversation in it, not on how many requests came before:
//! agents ask for titles and summaries on the side, and repeat a request whose answer they cannot use.

mod dialects;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use self::dialects::Dialect;
pub use self::dialects::OfferedTool;
use crate::http;

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// It calls these tools at once.
    Calls(Vec<Call>),
    /// It answers.
    Say(String),
}

impl Turn {
    /// It calls the shell tool that the request offers.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Calls(vec![Call::shell(command)])
    }

    /// Puts a text in the place of a word in shell commands.
    pub(crate) fn replace(&mut self, word: &str, text: &str) {
        let Self::Calls(calls) = self else { return };
        for call in calls {
            if let Value::String(command) = &mut call.arguments {
                *command = command.replace(word, text);
            }
        }
    }

    /// How many results the conversation has more after it.
    fn results(&self) -> usize {
        match self {
            Self::Calls(calls) => calls.len(),
            Self::Say(_) => 0,
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    tool: CalledTool,
    /// Its arguments. A tool that takes free text gets what `input` holds.
    arguments: Value,
    /// Arguments that are added if the tool's schema does not know them.
    stray: BTreeMap<String, String>,
}

/// Which tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CalledTool {
    /// The shell tool, whatever the agent calls it.
    Shell,
    /// The one with this name, or with a name that ends with it.
    Named(String),
}

impl Call {
    /// A call of a tool by its name or by the end of its name: agents put the name of an MCP server before that of its
    /// tool.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: CalledTool::Named(tool.into()), arguments, stray: BTreeMap::new() }
    }

    /// A call of the agent's shell tool.
    pub fn shell(command: impl Into<String>) -> Self {
        Self { tool: CalledTool::Shell, arguments: Value::String(command.into()), stray: BTreeMap::new() }
    }

    /// The same with arguments that the tool does not have.
    #[must_use]
    pub fn with_stray(self, stray: BTreeMap<String, String>) -> Self {
        Self { stray, ..self }
    }
}

/// What the model answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The turns. The n-th one answers a conversation in which the ones before it have their results; the last one is
    /// repeated.
    pub turns: Vec<Turn>,
    /// The turns of a subagent: of a conversation whose prompt has this text.
    pub subagent: Option<(String, Vec<Turn>)>,
}

impl Script {
    /// The turn that answers a request.
    fn turn(&self, dialect: Dialect, body: &Value) -> Turn {
        let is_subagent = |(text, _): &&(String, Vec<Turn>)| dialect.told(body).contains(text.as_str());
        let turns = self.subagent.as_ref().filter(is_subagent).map_or(&self.turns, |(_, turns)| turns);
        let mut left = dialect.results(body);
        for turn in turns {
            match left.checked_sub(turn.results()) {
                Some(rest) if turn.results() > 0 => left = rest,
                _ => return turn.clone(),
            }
        }
        turns.last().cloned().unwrap_or_else(|| Turn::Say("done".to_owned()))
    }
}

/// A request for a turn of the conversation, as it arrived.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// The request's path.
    pub path: String,
    /// The request's body.
    pub body: Value,
}

impl ModelCall {
    /// The tools that the request offers.
    pub fn tools(&self) -> Vec<OfferedTool> {
        Dialect::of(&self.path).map(|dialect| dialect.tools(&self.body)).unwrap_or_default()
    }

    /// Whether a text is anywhere in the request.
    pub fn contains(&self, text: &str) -> bool {
        self.body.to_string().contains(text)
    }
}

/// The model.
#[derive(Debug)]
pub struct ScriptedModel {
    server: http::Server,
    calls: Arc<Mutex<Vec<ModelCall>>>,
}

impl ScriptedModel {
    /// Starts it on a port of its own.
    pub fn start(script: Script) -> io::Result<Self> {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let server = http::Server::start({
            let (calls, script) = (Arc::clone(&calls), Arc::new(script));
            move |connection, _| {
                let (calls, script) = (Arc::clone(&calls), Arc::clone(&script));
                std::thread::spawn(move || answer(connection, &script, &calls));
            }
        })?;
        Ok(Self { server, calls })
    }

    /// Its base URL, without a path.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The turns that were asked for so far, without requests on the side.
    pub fn calls(&self) -> Vec<ModelCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers one request and closes.
fn answer(mut connection: TcpStream, script: &Script, calls: &Mutex<Vec<ModelCall>>) {
    // A client that went away in the middle is not a problem of the server.
    let _ = connection.set_read_timeout(Some(Duration::from_secs(30)));
    let Some(request) = http::read_request(&connection) else { return };
    let Some(path) = request.head.split(' ').nth(1) else { return };
    let body = serde_json::from_slice(&request.body).unwrap_or_default();
    let (kind, text) = respond(path, &body, script, calls);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(text.as_bytes()));
    let _ = connection.shutdown(Shutdown::Write);
}

/// The content type and the body of an answer.
fn respond(
    path: &str,
    body: &Value,
    script: &Script,
    calls: &Mutex<Vec<ModelCall>>,
) -> (&'static str, String) {
    const JSON: &str = "application/json";
    let Some(dialect) = Dialect::of(path) else {
        let nothing = json!({ "data": [], "models": [], "input_tokens": 1, "totalTokens": 1 });
        return (JSON, nothing.to_string());
    };
    let turn = match dialect.tools(body) {
        tools if tools.is_empty() => Turn::Say("a title".to_owned()),
        _ => {
            let call = ModelCall { path: path.to_owned(), body: body.clone() };
            calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
            script.turn(dialect, body)
        }
    };
    if dialect.streams(path, body) {
        ("text/event-stream", dialect.stream(&turn, body))
    } else {
        (JSON, dialect.whole(&turn, body).to_string())
    }
}

#[cfg(test)]
mod tests;
