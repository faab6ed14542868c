//! The replay model: plays a file of recorded answers instead of asking a model.
//!
//! The file is JSON Lines, one model call a line, consumed in order whatever the requests are:
//! `{"method":"generateContentStream","response":[CHUNK,…]}` or
//! `{"method":"generateContent","response":RESPONSE}`. It is read and checked as a whole before the first
//! call, so that a typo in its last line does not end a run half way.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures_util::stream;
use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use serde_json::Value;

use super::wire::{kind, response_from_value};
use super::{ModelClient, ResponseStream};

/// Why a replay file cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("cannot read the replay file `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        #[source]
        source: std::io::Error,
    },
    /// A line is not a recorded call.
    #[error("the replay file `{}` has a mistake in line {line}: {problem}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The field and what is wrong with it.
        problem: String,
    },
    /// Every recorded call has been played.
    #[error(
        "the replay file `{}` has no answer left: it holds {calls} model call{}, and this is one more; add a \
         line for it",
        .path.display(), if *.calls == 1 { "" } else { "s" }
    )]
    Exhausted {
        /// The file.
        path: PathBuf,
        /// How many calls it holds.
        calls: usize,
    },
}

/// A model that answers with the content of a file.
#[derive(Debug)]
pub struct ReplayModel {
    path: PathBuf,
    calls: usize,
    remaining: Mutex<VecDeque<Vec<GenerateContentResponse>>>,
}

impl ReplayModel {
    /// Reads and checks the file.
    pub fn load(path: impl Into<PathBuf>) -> Result<Self, ReplayError> {
        let path = path.into();
        match std::fs::read(&path) {
            Ok(text) => Self::parse(path, &text),
            Err(source) => Err(ReplayError::Unreadable { path, source }),
        }
    }

    /// Reads and checks the content of a file; `path` is its name in messages.
    pub fn parse(path: impl Into<PathBuf>, text: &[u8]) -> Result<Self, ReplayError> {
        let path = path.into();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let mut calls = VecDeque::new();
        for (line, text) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if !text.trim_ascii().is_empty() {
                let call = parse_call(text);
                calls.push_back(call.map_err(|problem| ReplayError::Malformed {
                    path: path.clone(),
                    line,
                    problem,
                })?);
            }
        }
        Ok(Self { path, calls: calls.len(), remaining: Mutex::new(calls) })
    }

    /// The file that is played.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl ModelClient for ReplayModel {
    fn stream(&self, _request: &GenerateContentParameters) -> ResponseStream {
        let next = self.remaining.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match next {
            Some(chunks) => ResponseStream::new(stream::iter(chunks.into_iter().map(Ok))),
            None => ResponseStream::failed(
                ReplayError::Exhausted { path: self.path.clone(), calls: self.calls }.into(),
            ),
        }
    }
}

fn parse_call(line: &[u8]) -> Result<Vec<GenerateContentResponse>, String> {
    // The line number of the JSON parser is always 1, so only its column is shown.
    let call: Value = serde_json::from_slice(line)
        .map_err(|error| format!("not JSON at column {} ({:?} error)", error.column(), error.classify()))?;
    let Value::Object(mut call) = call else {
        return Err(format!("expected an object, found {}", kind(&call)));
    };
    let method = call.remove("method").ok_or("the field `method` is missing")?;
    let response = call.remove("response").ok_or("the field `response` is missing")?;
    match (method.as_str(), response) {
        (Some("generateContentStream"), Value::Array(chunks)) => (0..)
            .zip(chunks)
            .map(|(index, chunk): (usize, _)| {
                response_from_value(chunk).map_err(|why| format!("the field `response[{index}]`: {why}"))
            })
            .collect(),
        (Some("generateContentStream"), other) => {
            Err(format!("the field `response`: expected a list of chunks, found {}", kind(&other)))
        }
        (Some("generateContent"), response) => response_from_value(response)
            .map(|whole| vec![whole])
            .map_err(|why| format!("the field `response`: {why}")),
        _ => Err(format!(
            "the field `method`: expected `generateContentStream` or `generateContent`, found `{method}`"
        )),
    }
}

#[cfg(test)]
mod tests;
