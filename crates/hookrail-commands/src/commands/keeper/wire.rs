//! What bridge and keeper say to each other: frames of a JSON head and a body, both of bounded length.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use hookrail::Hook;
use hookrail::approvals::Terms;
use hookrail::components::KeptExit;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::digest;

/// The longest question: variables and payload.
pub(super) const LONGEST_QUESTION: usize = 16 << 20;
/// The longest answer: what is kept of both streams of a hook, generously.
pub(super) const LONGEST_ANSWER: usize = 80 << 20;
const LONGEST_HEAD: usize = 64 << 10;

/// A digest of everything that decides how a hook runs, for a process that has to find the same one.
pub(super) fn hook_digest(hook: &Hook) -> String {
    // Terms are plain data.
    let terms =
        serde_json::to_vec(&(Terms::of(hook), &hook.origin, &hook.enclosing, format!("{:?}", hook.worker)));
    digest::of(terms.unwrap_or_default(), 32)
}

/// To the keeper, one in a connection.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Request {
    Ask(Ask),
    Status,
    Stop,
}

/// A question about one hook. The body is the variables, then the payload.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ask {
    pub(super) level: String,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) digest: String,
    pub(super) project: PathBuf,
    pub(super) timeout_ms: u64,
    /// How long the bridge can wait, with the time until the worker is free.
    pub(super) left_ms: u64,
    pub(super) variable_bytes: usize,
}

/// From the keeper. Every connection begins with `Hello`, and a question's goes on with `Begun`, when its worker is free.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reply {
    Hello,
    Begun,
    /// The body is stdout, then stderr.
    Answer {
        exit: KeptExit,
        stdout_bytes: usize,
        stdout_truncated: bool,
        duration_us: u64,
    },
    Unavailable(String),
    Status(Status),
}

/// What a keeper says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) version: String,
    pub(crate) pid: u32,
    pub(crate) since: String,
    pub(crate) workers: usize,
    pub(crate) answered: u64,
}

pub(super) fn frame(head: &impl Serialize, body: &[&[u8]]) -> io::Result<Vec<u8>> {
    let head = serde_json::to_vec(head)?;
    let length = body.iter().map(|part| part.len()).sum::<usize>();
    let number = |length: usize| u32::try_from(length).map_err(io::Error::other);
    let mut bytes = Vec::with_capacity(8 + head.len() + length);
    bytes.extend(number(head.len())?.to_be_bytes());
    bytes.extend(number(length)?.to_be_bytes());
    bytes.extend(head);
    bytes.extend(body.concat());
    Ok(bytes)
}

pub(super) async fn send(stream: &mut UnixStream, head: &impl Serialize, body: &[&[u8]]) -> io::Result<()> {
    stream.write_all(&frame(head, body)?).await
}

/// Reads a frame whose body is no longer than this.
pub(super) async fn receive<T: DeserializeOwned>(
    stream: &mut UnixStream,
    longest: usize,
) -> io::Result<(T, Vec<u8>)> {
    let head_length = usize::try_from(stream.read_u32().await?).unwrap_or(usize::MAX);
    let body_length = usize::try_from(stream.read_u32().await?).unwrap_or(usize::MAX);
    if head_length > LONGEST_HEAD || body_length > longest {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut head = vec![0; head_length];
    stream.read_exact(&mut head).await?;
    let mut body = Vec::new();
    // It grows as it comes: a length alone takes no memory.
    (&mut *stream).take(body_length as u64).read_to_end(&mut body).await?;
    if body.len() < body_length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((serde_json::from_slice(&head)?, body))
}

pub(super) fn variables_to_bytes<'v>(variables: impl Iterator<Item = &'v (OsString, OsString)>) -> Vec<u8> {
    variables.fold(Vec::new(), |mut bytes, (name, value)| {
        bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        bytes
    })
}

pub(super) fn variables_of(bytes: &[u8]) -> Vec<(OsString, OsString)> {
    let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let all = bytes.split(|byte| *byte == 0).filter_map(|variable| {
        let at = variable.iter().position(|byte| *byte == b'=')?;
        Some((text(variable.get(..at)?), text(variable.get(at + 1..)?)))
    });
    all.collect()
}
