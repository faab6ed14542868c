//! HTTP, as much of it as a scripted server needs.

use std::io::{self, BufRead, BufReader, Read as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A server on loopback, until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it on a port of its own. Connections are answered one after another; what is set once the server is to end
    /// comes with each.
    pub fn start(mut answer: impl FnMut(TcpStream, &AtomicBool) + Send + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || {
                for connection in listener.incoming().map_while(Result::ok) {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    answer(connection, &stop);
                }
            }
        });
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// Its base URL, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The connection wakes the listener up.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// A request as it arrived.
pub struct Request {
    /// The request line and all headers, with the blank line that ends them.
    pub head: String,
    /// The body, put together if it came in chunks.
    pub body: Vec<u8>,
}

/// Reads a whole request; `None` if the client went away before, or sent something else. A body of unknown length is
/// taken for an empty one.
pub fn read_request(connection: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let body = if field(&head, "transfer-encoding:").as_deref() == Some("chunked") {
        read_chunks(&mut reader)?
    } else {
        let length = field(&head, "content-length:").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        body
    };
    Some(Request { head, body })
}

/// The value of a header, in lower case.
fn field(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| Some(line.to_ascii_lowercase().strip_prefix(name)?.trim().to_owned()))
}

/// The pieces of a chunked body.
fn read_chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim(), 16).ok()?;
        let mut piece = vec![0; length + 2];
        reader.read_exact(&mut piece).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(piece.get(..length)?);
    }
}
