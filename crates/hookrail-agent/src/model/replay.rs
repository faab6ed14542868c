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
        /// What the system said.
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

/// A model that answers with what a file says.
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
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_by_line_and_field() {
        for (lines, line, expected) in [
            ("\n\n{\"method\":", 3, "not JSON at column 10 (Eof error)"),
            ("[]", 1, "expected an object, found a list"),
            ("{\"response\":[]}", 1, "the field `method` is missing"),
            ("{\"method\":\"generateContent\"}\n", 1, "the field `response` is missing"),
            (
                "{\"method\":\"countTokens\",\"response\":{}}",
                1,
                "the field `method`: expected `generateContentStream` or `generateContent`, found `\"countTokens\"`",
            ),
            (
                "{\"method\":\"generateContentStream\",\"response\":{}}",
                1,
                "the field `response`: expected a list of chunks, found an object",
            ),
            (
                "{\"method\":\"generateContent\",\"response\":[]}",
                1,
                "the field `response`: expected an object, found a list",
            ),
            (
                "{\"method\":\"generateContentStream\",\"response\":[{},{\"candidates\":{}}]}",
                1,
                "the field `response[1]`: `candidates`: invalid type: map, expected a sequence",
            ),
        ] {
            let error = ReplayModel::parse("run.jsonl", lines.as_bytes()).unwrap_err();
            let expected = format!("the replay file `run.jsonl` has a mistake in line {line}: {expected}");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[tokio::test]
    async fn calls_are_played_in_order_and_run_out() {
        let text = "\u{feff}{\"method\":\"generateContentStream\",\"response\":[\
            {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},{\"candidates\":[{\"content\":{}}]},\
            {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}]}\r\n\
            \r\n  \n{\"method\":\"generateContent\",\"response\":{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"c\"}]}}]}}";
        let model = ReplayModel::parse("run.jsonl", text.as_bytes()).unwrap();
        let request = GenerateContentParameters::default();
        let mut shown = Vec::new();
        let first = model.stream(&request).complete(|chunk| shown.push(chunk.text())).await.unwrap();
        assert_eq!(
            (first.text().as_str(), shown),
            ("ab", vec!["a".to_owned(), String::new(), "b".to_owned()])
        );
        assert_eq!(model.stream(&request).complete(|_| ()).await.unwrap().text(), "c");
        let error = model.stream(&request).complete(|_| ()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the replay file `run.jsonl` has no answer left: it holds 2 model calls, and this is one more; add a line for it"
        );
    }

    #[tokio::test]
    async fn answers_that_say_nothing_and_blocked_prompts_are_errors() {
        let text = "{\"method\":\"generateContentStream\",\"response\":[]}\n\
            {\"method\":\"generateContent\",\"response\":{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}}";
        let model = ReplayModel::parse("run.jsonl", text.as_bytes()).unwrap();
        for expected in [
            "the model's response is empty; try again or use another model",
            "the prompt was blocked by the model's provider (SAFETY); change the prompt",
        ] {
            let mut stream = model.stream(&GenerateContentParameters::default());
            let error = stream.next().await.unwrap().unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(stream.next().await.is_none(), "nothing comes after an error");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = ReplayModel::load("/nonexistent/run.jsonl").unwrap_err();
        assert_eq!(error.to_string(), "cannot read the replay file `/nonexistent/run.jsonl`");
    }
}
