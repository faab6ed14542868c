//! What a person or a program sees of `hookrail agent`: the answer on stdout, the hook trace on stderr.
//!
//! `text.rs` and `json.rs` make the three output formats, `trace.rs` the lines of the hook trace, and this file
//! holds them together and asks permission on a terminal.

mod json;
mod text;
mod trace;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use clap::ValueEnum;
use hookrail_agent::PromptOutcome;
use hookrail_agent::tools::BoxFuture;
use hookrail_agent::ui::{AgentEvent, Always, Question, Ui};

use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::progress::TerminalUi;
use crate::terminal::question::{self, PermissionReply};
use crate::terminal::screen;
use crate::terminal::style::paint;

use json::{PromptSummary, stream_line};
use text::AnswerStream;
pub(crate) use trace::TraceView;

/// How the agent prints its answer. The comments of the variants are part of the help text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum OutputFormat {
    /// The answer
    #[default]
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object per event
    StreamJson,
}

/// Shows the agent's events and asks for permissions.
/// Several hooks end at once, so everything that prints is behind one lock and lines never mix.
pub(crate) struct AgentUi {
    format: OutputFormat,
    quiet: bool,
    state: Mutex<UiState>,
    /// What the person allowed for the rest of the session.
    allowed: Mutex<HashSet<Always>>,
    /// What the hook trace needs; set once the settings are read.
    view: OnceLock<TraceView>,
}

/// What printing needs, together.
struct UiState {
    /// One for the whole run, so that what is buffered keeps its order.
    printer: Printer,
    /// Whether a line of the answer is open on the terminal.
    answer: AnswerStream,
    /// Counted in every format, printed in the JSON ones.
    summary: PromptSummary,
    /// Why stdout takes no more, if so. The run goes on; its log is complete.
    broken: Option<anyhow::Error>,
}

impl AgentUi {
    /// Shows one session. With a stream of JSON, the first line is printed at once.
    pub(crate) fn new(format: OutputFormat, quiet: bool, session_id: &str, model: &str) -> Self {
        let streams = format == OutputFormat::Text && screen::is_stdout_shown();
        let state = UiState {
            printer: Printer::new(),
            answer: AnswerStream::new(streams),
            summary: PromptSummary::new(session_id),
            broken: None,
        };
        let this = Self {
            format,
            quiet,
            state: Mutex::new(state),
            allowed: Mutex::default(),
            view: OnceLock::new(),
        };
        if format == OutputFormat::StreamJson {
            this.state().print_json(&json::init(session_id, model));
        }
        this
    }

    /// Forgets what was allowed for a session that is over.
    /// "Always" holds for one conversation, which `/clear` ends.
    pub(crate) fn begin_session(&self) {
        self.allowed().clear();
    }

    /// Answers of "always" in this session.
    fn allowed(&self) -> MutexGuard<'_, HashSet<Always>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the hook trace what it needs of the session; the first view stays.
    pub(crate) fn set_view(&self, view: TraceView) {
        let _ = self.view.set(view);
    }

    /// Prints something that is neither an answer nor an error.
    pub(crate) fn print_message(&self, text: &str) {
        if !self.quiet {
            self.print_always(text);
        }
    }

    /// Prints something that `--quiet` does not hide.
    pub(crate) fn print_always(&self, text: &str) {
        let mut state = self.state();
        state.end_line();
        state.printer.message(text);
    }

    /// Prints what a prompt came to and gives the exit status for it.
    /// A blocked prompt is not a failure of the program: the hook did what it is for.
    pub(crate) fn finish(&self, outcome: PromptOutcome) -> anyhow::Result<ExitStatus> {
        let printed = self.print_outcome(&outcome);
        match outcome {
            PromptOutcome::ModelFailed(error) => Err(error.into()),
            PromptOutcome::MaxTurns(_) => Err(anyhow::Error::msg(outcome_text(&outcome))),
            PromptOutcome::Stopped(_) => Ok(ExitStatus::Stopped),
            PromptOutcome::Cancelled => Ok(ExitStatus::Interrupted),
            PromptOutcome::Answered(_) | PromptOutcome::PromptBlocked(_) => {
                printed.map(|()| ExitStatus::Success)
            }
        }
    }

    /// A stdout that broke in the middle is reported here, once, so that the run ends in its own way before.
    fn print_outcome(&self, outcome: &PromptOutcome) -> anyhow::Result<()> {
        let mut state = self.state();
        match self.format {
            OutputFormat::Text => state.print_answer(|answer, printer| answer.end(printer, outcome)),
            OutputFormat::Json => {
                let result = state.summary.result(outcome, None);
                state.print_json(&result);
            }
            OutputFormat::StreamJson => {
                let result = state.summary.result(outcome, Some("result"));
                state.print_json(&result);
            }
        }
        state.broken.take().map_or(Ok(()), Err)
    }

    /// A panic elsewhere must not silence the rest of the run.
    fn state(&self) -> MutexGuard<'_, UiState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ui for AgentUi {
    /// Errors of printing are kept and reported at the end: the agent must not stop in the middle of a tool call for them.
    fn notify(&self, event: &AgentEvent<'_>) {
        let mut state = self.state();
        state.summary.count(event);
        match self.format {
            OutputFormat::Text => {
                if let AgentEvent::AnswerText(piece) = event {
                    state.print_answer(|answer, printer| answer.show(printer, piece));
                }
            }
            OutputFormat::Json => {}
            OutputFormat::StreamJson => {
                if let Some(line) = stream_line(event) {
                    state.print_json(&line);
                }
            }
        }
        // A stop explains the exit code, so that it is printed even where nothing else is.
        let is_stop = matches!(event, AgentEvent::Stopped { .. });
        if (!self.quiet || is_stop)
            && let Some(line) = trace::line(event, self.view.get())
        {
            state.end_line();
            state.printer.message(paint(trace::style(event), &line));
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool> {
        Box::pin(async {
            // Without a terminal no one can answer, so the answer is no.
            if !screen::can_ask() {
                let title = escape_line(&question.title);
                self.print_message(&match &question.hook_reason {
                    None => {
                        let more = match &question.why {
                            Some(why) => format!("and {}", escape_line(why)),
                            None => "see --approval-mode".to_owned(),
                        };
                        format!("{title}: permission denied, there is no terminal to ask on; {more}")
                    }
                    Some(reason) => format!(
                        "{title}: refused, a hook requires a person to decide and there is no terminal to ask on: {}",
                        escape_line(reason)
                    ),
                });
                return false;
            }
            if question.always.as_ref().is_some_and(|always| self.allowed().contains(always)) {
                self.print_message(&format!("{}: allowed for this session", escape_line(&question.title)));
                return true;
            }
            self.end_line();
            let answer = question::ask(question).await;
            if answer == PermissionReply::Always {
                self.allowed().extend(question.always.clone());
            }
            answer != PermissionReply::No
        })
    }
}

impl TerminalUi for AgentUi {
    fn has_open_line(&self) -> bool {
        self.state().answer.open
    }

    fn end_line(&self) {
        self.state().end_line();
    }
}

/// What went wrong with a prompt, in one sentence; empty if nothing did.
fn outcome_text(outcome: &PromptOutcome) -> String {
    match outcome {
        PromptOutcome::ModelFailed(error) => error.to_string(),
        PromptOutcome::MaxTurns(turns) => {
            format!("the model still called tools after {turns} model calls; raise --max-turns")
        }
        PromptOutcome::Cancelled => "interrupted".to_owned(),
        PromptOutcome::Answered(_) | PromptOutcome::PromptBlocked(_) | PromptOutcome::Stopped(_) => {
            String::new()
        }
    }
}

impl UiState {
    /// Each line is flushed, because its reader waits for it.
    fn print_json(&mut self, value: &serde_json::Value) {
        let printed = self.printer.json(value).and_then(|()| self.printer.flush());
        self.keep_first_problem(printed);
    }

    /// Prints a part of the answer, or ends a line of it that a message would otherwise be glued to.
    fn print_answer(&mut self, print: impl FnOnce(&mut AnswerStream, &mut Printer) -> anyhow::Result<()>) {
        let printed = print(&mut self.answer, &mut self.printer);
        self.keep_first_problem(printed);
    }

    fn end_line(&mut self) {
        self.print_answer(AnswerStream::end_line);
    }

    /// Later ones follow from the first.
    fn keep_first_problem(&mut self, printed: anyhow::Result<()>) {
        if let Err(problem) = printed {
            self.broken.get_or_insert(problem);
        }
    }
}
