//! A scripted HTTP server on loopback: what it sends, byte by byte and pause by pause, is up to the test.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookrail_live::http;

/// One thing the server does on a connection. After the last one it closes.
#[derive(Debug, Clone)]
pub enum Step {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Keeps the connection open and silent until the client or the test has gone.
    Hang,
}

/// Sends these bytes.
pub fn send(bytes: impl AsRef<[u8]>) -> Step {
    Step::Send(bytes.as_ref().to_vec())
}

/// A response with its length, so that its end is certain.
pub fn sized(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<Step> {
    let length = body.as_ref().len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    vec![send(head), send(body)]
}

/// The head of an event stream of chunks.
pub fn chunked_head() -> Step {
    send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
    )
}

/// One HTTP chunk.
pub fn chunk(body: impl AsRef<[u8]>) -> Step {
    let body = body.as_ref();
    let mut bytes = format!("{:x}\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(b"\r\n");
    Step::Send(bytes)
}

/// The end of a chunked body.
pub fn last_chunk() -> Step {
    send("0\r\n\r\n")
}

/// A complete event stream, sent in one HTTP chunk per piece.
pub fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Step> {
    let pieces = pieces.into_iter().map(chunk);
    std::iter::once(chunked_head()).chain(pieces).chain([last_chunk()]).collect()
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// The request line and all headers.
    pub head: String,
    /// The body.
    pub body: String,
}

/// The server. The first connection gets the first script, and so on; the last script is repeated. Connections are taken
/// one at a time, in the order in which they come: tests depend on it.
#[derive(Debug)]
pub struct Server {
    server: http::Server,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Starts it on a port of its own.
    pub fn start(scripts: Vec<Vec<Step>>) -> Self {
        let received = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&received);
        let server = http::Server::start(move |connection, stop| {
            let Some(http::Request { head, body }) = http::read_request(&connection) else { return };
            let request = Received { head, body: String::from_utf8_lossy(&body).into_owned() };
            let number = {
                let mut received = requests.lock().expect("no thread of the server has panicked");
                received.push(request);
                received.len() - 1
            };
            let script = scripts.get(number).or(scripts.last()).map_or(&[][..], Vec::as_slice);
            // A client that went away in the middle is not a problem of the server.
            drop(play(connection, script, stop));
        });
        Self { server: server.expect("a port on loopback"), received }
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The requests that came so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no thread of the server has panicked").clone()
    }
}

/// Bytes go out step by step, without being held back.
fn play(mut connection: TcpStream, script: &[Step], stop: &AtomicBool) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    for step in script {
        match step {
            Step::Send(bytes) => connection.write_all(bytes)?,
            Step::Pause(time) => std::thread::sleep(*time),
            Step::Hang => {
                connection.set_read_timeout(Some(Duration::from_millis(20)))?;
                // Reading gives 0 when the client has closed, and a timeout as long as it has not.
                while !stop.load(Ordering::SeqCst) && !matches!(connection.read(&mut [0; 64]), Ok(0)) {}
            }
        }
    }
    connection.shutdown(Shutdown::Both)
}
