//! The answer as text: piece by piece on a terminal, else the final answer alone.

use hookrail_agent::PromptOutcome;

use crate::terminal::printer::{Printer, escape_where, escaped_char};

/// Prints an answer.
/// A hook that replaces an answer works on the whole of it, so the agent streams only what no hook can change.
pub(super) struct AnswerStream {
    /// Whether pieces are shown as they come.
    streams: bool,
    /// Whether the last piece left its line open.
    pub(super) open: bool,
}

impl AnswerStream {
    /// `streams` only on a terminal: a program needs the answer as it is in the end.
    pub(super) fn new(streams: bool) -> Self {
        Self { streams, open: false }
    }

    /// Shows a piece, if stdout is a terminal.
    pub(super) fn show(&mut self, printer: &mut Printer, piece: &str) -> anyhow::Result<()> {
        if !self.streams || piece.is_empty() {
            return Ok(());
        }
        self.open = !piece.ends_with('\n');
        printer.piece(&escape_controls(piece))
    }

    /// Ends the answer. Where it was not shown in pieces, this prints it: escaped too, because what a program passes on
    /// ends on a terminal as well. The JSON formats have it as it is.
    pub(super) fn end(&mut self, printer: &mut Printer, outcome: &PromptOutcome) -> anyhow::Result<()> {
        self.end_line(printer)?;
        match outcome {
            PromptOutcome::Answered(answer)
                if !self.streams && !answer.suppressed && !answer.text.is_empty() =>
            {
                let text = answer.text.strip_suffix('\n').unwrap_or(&answer.text);
                printer.data(escape_controls(text))
            }
            _ => Ok(()),
        }
    }

    /// Makes sure that what follows begins on a line of its own.
    pub(super) fn end_line(&mut self, printer: &mut Printer) -> anyhow::Result<()> {
        if std::mem::take(&mut self.open) { printer.piece("\n") } else { Ok(()) }
    }
}

/// Escapes what a terminal would act on in a model's answer. Unlike a review of hooks, an answer may
/// contain joiners and variants, which emoji are made of, and marks of direction, which some scripts need; overrides
/// and isolates, which make text look like other text, it may not. A line may end with a carriage return and a newline.
fn escape_controls(text: &str) -> String {
    let is_control = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{206a}'..='\u{206f}')
    };
    let lines = text.split("\r\n").map(|line| escape_where(line, is_control, escaped_char));
    lines.collect::<Vec<_>>().join("\r\n")
}

#[cfg(test)]
mod tests;
