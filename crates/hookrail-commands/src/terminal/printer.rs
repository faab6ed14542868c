//! Where output goes: stdout is data, stderr is messages. Text that comes from outside is escaped.

mod safe_json;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead as _, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use self::safe_json::SafeJson;

/// Prints for people and programs. A closed pipe ends the program quietly.
///
/// Every command gets one. What the caller passes to `data` and `message` is printed as it is: text from outside has to be
/// escaped before, JSON is escaped here.
pub(crate) struct Printer {
    out: Box<dyn Write + Send>,
    /// The same stream for what holds no escape sequences: looking for them takes longer than writing.
    plain_out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
}

/// Stdout was closed by its reader, which is not an error: `hookrail list | head -1`.
#[derive(Debug, thiserror::Error)]
#[error("stdout was closed")]
pub(crate) struct ClosedPipe;

impl Printer {
    /// Prints to the process's streams; colors only where they are wanted.
    pub(crate) fn new() -> Self {
        Self {
            out: Box::new(anstream::stdout()),
            plain_out: Box::new(io::stdout()),
            err: Box::new(anstream::stderr()),
        }
    }

    /// Prints a line of data.
    /// An error means that the reader has closed the stream, and ends the command.
    pub(crate) fn data(&mut self, text: impl fmt::Display) -> anyhow::Result<()> {
        closed_pipe_or(writeln!(self.out, "{text}"))
    }

    /// Prints a value as a line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        self.stream_json(value, CompactFormatter)
    }

    /// Prints a value as indented JSON.
    pub(crate) fn json_pretty(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        self.stream_json(value, PrettyFormatter::new())
    }

    /// Writes while it goes through the value: what hooks print may be long, and six times as long in JSON.
    fn stream_json(&mut self, value: &impl Serialize, layout: impl Formatter) -> anyhow::Result<()> {
        let mut out = io::BufWriter::with_capacity(64 * 1024, &mut self.plain_out);
        let mut serializer = Serializer::with_formatter(SafeJson(&mut out), layout);
        let written = value.serialize(&mut serializer).map_err(io::Error::from);
        let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        // What could not be written is not tried again.
        drop(out.into_parts());
        closed_pipe_or(written)
    }

    /// Sends data elsewhere from now on.
    pub(super) fn redirect(&mut self, out: Box<dyn Write + Send>) {
        self.out = out;
    }

    /// Gives up on stdout: what is printed from here on is dropped.
    pub(crate) fn abandon_stdout(&mut self) {
        self.out = Box::new(io::sink());
        self.plain_out = Box::new(io::sink());
    }

    /// Prints a piece of data at once, without ending the line.
    pub(crate) fn piece(&mut self, text: &str) -> anyhow::Result<()> {
        closed_pipe_or(self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()))
    }

    /// Prints a message on stderr.
    /// A stderr that is gone is not a reason to fail.
    pub(crate) fn message(&mut self, text: impl fmt::Display) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Asks the person something, on a line that the answer ends; `None` when no answer will ever come.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let _ = write!(self.err, "{question}");
        let _ = self.err.flush();
        let mut answer = Vec::new();
        let length = io::stdin().lock().read_until(b'\n', &mut answer)?;
        Ok((length > 0).then(|| String::from_utf8_lossy(&answer).trim().to_owned()))
    }

    /// Delivers what is buffered.
    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        closed_pipe_or(self.out.flush())
    }
}

/// Distinguished here once, so that no command looks at kinds of errors.
fn closed_pipe_or(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ClosedPipe.into()),
        other => Ok(other?),
    }
}

/// Makes text from outside safe to show: control characters (except newline and tab) and characters
/// that reorder or hide text are written as escapes, so that a review shows what is there.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_where(text, is_deceptive, escaped_char)
}

/// A character as its number.
pub(super) fn escaped_char(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// The text with these characters replaced.
pub(super) fn escape_where(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escaped: impl Fn(char) -> String,
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) { safe.push_str(&escaped(c)) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Like [`escape`], for text that must stay on one line.
pub(crate) fn escape_line(text: &str) -> String {
    escape(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// A text of several lines without anything that a terminal acts on; the lines after the first are indented, so that
/// none of them looks like a line of ours.
pub(crate) fn escape_lines(text: &str) -> String {
    escape(text).replace('\n', "\n    ")
}

/// Makes JSON text safe to show without changing what it means: deceptive characters, which can be in its
/// strings only, are written as JSON's own escapes.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    let unit = |unit: &mut u16| format!("\\u{unit:04x}");
    escape_where(json, is_deceptive, |c| c.encode_utf16(&mut [0; 2]).iter_mut().map(unit).collect())
}

/// Characters that a terminal acts on, and those that no reader sees or that change the order in which text is read.
fn is_deceptive(c: char) -> bool {
    let invisible_or_reordering = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    (c.is_control() && c != '\n' && c != '\t') || invisible_or_reordering
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_is_there() {
        for (text, shown) in [
            ("plain text\n\twith tab", "plain text\n\twith tab"),
            ("\u{1b}[2Jrm -rf", "\\u{1b}[2Jrm -rf"),
            ("safe\r\u{8}", "safe\\u{d}\\u{8}"),
            ("if\u{202e}then\u{2066}", "if\\u{202e}then\\u{2066}"),
            ("a\u{200b}b\u{ad}c", "a\\u{200b}b\\u{ad}c"),
            ("C1 \u{9b}31m", "C1 \\u{9b}31m"),
            ("grüße 日本 🎉", "grüße 日本 🎉"),
        ] {
            assert_eq!(escape(text), shown);
        }
        assert_eq!(escape_line("a\nb"), "a\\nb");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "grüße \u{202e}\u{7f}\u{9b}\u{e0041}\u{1b}\n";
        let json = serde_json::to_string(text).unwrap();
        let safe = escape_json(&json);
        assert_eq!(safe, r#""grüße \u202e\u007f\u009b\udb40\udc41\u001b\n""#);
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }
}
