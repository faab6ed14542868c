//! One HTTP request, as much of it as a scripted server needs.

use std::io::{BufRead, BufReader, Read as _};
use std::net::TcpStream;

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
