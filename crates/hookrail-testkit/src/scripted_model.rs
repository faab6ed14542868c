//! A scripted model on loopback that other agents' programs take for their own: it implements Anthropic's Messages,
//! `OpenAI`'s Responses and Chat Completions, and Gemini's API, as far as a turn with one tool needs it.
//!
//! Which line of the script a request gets depends on the conversation in it, not on how many requests came before:
//! agents ask for titles and summaries on the side, and repeat a request whose answer they cannot use.

mod dialects;

use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use self::dialects::Dialect;
pub use self::dialects::OfferedTool;
use crate::http;

/// One answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// It calls the shell tool that the request offers.
    Shell(String),
    /// It answers.
    Say(String),
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
    #[must_use]
    pub fn tools(&self) -> Vec<OfferedTool> {
        Dialect::of(&self.path).map(|dialect| dialect.tools(&self.body)).unwrap_or_default()
    }

    /// Whether a text stands anywhere in the request.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.body.to_string().contains(text)
    }
}

/// The model. The n-th turn answers a conversation with n results of tools; the last one is repeated.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<ModelCall>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Starts it on a port of its own.
    #[must_use]
    pub fn start(turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("the address of the server");
        let calls = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (calls, stop, turns) = (Arc::clone(&calls), Arc::clone(&stop), Arc::new(turns));
            move || {
                for connection in listener.incoming().map_while(Result::ok) {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let (calls, turns) = (Arc::clone(&calls), Arc::clone(&turns));
                    std::thread::spawn(move || answer(connection, &turns, &calls));
                }
            }
        });
        Self { address, calls, stop, thread: Some(thread) }
    }

    /// Its base URL, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The turns that were asked for so far, without requests on the side.
    #[must_use]
    pub fn calls(&self) -> Vec<ModelCall> {
        self.calls.lock().expect("no thread of the server has panicked").clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The connection wakes the listener up.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Answers one request and closes.
fn answer(mut connection: TcpStream, turns: &[Turn], calls: &Mutex<Vec<ModelCall>>) {
    // A client that went away in the middle is no problem of the server.
    let _ = connection.set_read_timeout(Some(Duration::from_secs(30)));
    let Some(request) = http::read_request(&connection) else { return };
    let Some(path) = request.head.split(' ').nth(1) else { return };
    let body = serde_json::from_slice(&request.body).unwrap_or_default();
    let (kind, text) = respond(path, &body, turns, calls);
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
    turns: &[Turn],
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
            calls
                .lock()
                .expect("no thread of the server has panicked")
                .push(ModelCall { path: path.to_owned(), body: body.clone() });
            let results = dialect.results(body);
            turns.get(results).or(turns.last()).cloned().unwrap_or_else(|| Turn::Say("done".to_owned()))
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
