//! The interactive prompt: what a person types, line by line, until the session ends.
//!
//! The session itself begins and ends elsewhere; here is only what lies between. Everything that is not an
//! answer goes to stderr.

mod lines;

use std::path::PathBuf;

use hookrail::SessionEndReason;
use hookrail::components::HookTrust;
use hookrail_agent::{PromptOutcome, Session};

use self::lines::{Input, LineReader};
use crate::exit::ExitStatus;
use crate::interrupt::Interrupt;
use crate::terminal::agent_ui::AgentUi;
use crate::terminal::error::report;
use crate::terminal::layout::table;
use crate::terminal::printer::{ClosedPipe, Printer, escape_line};
use crate::terminal::progress::Progress;

/// The interactive prompt: what it needs besides the session.
/// It is made once for the program's run; `/clear` begins another session with the same prompt.
pub(crate) struct InteractivePrompt<'a> {
    pub(crate) ui: &'a AgentUi,
    pub(crate) progress: &'a Progress,
    /// Notified of each Ctrl-C, whichever code receives it.
    pub(crate) interrupt: &'a Interrupt,
    /// Where typed lines are kept for the next time, if there is a home to keep them in.
    pub(crate) history: Option<PathBuf>,
    /// Whether the first line, about how to get help, is left out.
    pub(crate) quiet: bool,
}

/// How it came to an end: the exit code, and the reason that `SessionEnd` hooks receive.
pub(crate) struct SessionEnded {
    pub(crate) status: anyhow::Result<ExitStatus>,
    pub(crate) reason: SessionEndReason,
}

impl SessionEnded {
    /// An end that is not an error.
    fn new(status: ExitStatus, reason: SessionEndReason) -> Self {
        Self { status: Ok(status), reason }
    }
}

/// Works on what the person types. The session is started already, and is ended by the caller.
/// Ctrl-C at the prompt asks for a second one, so that a key pressed a moment too late does not end a session.
pub(crate) async fn run(session: &mut Session, prompt: &InteractivePrompt<'_>) -> SessionEnded {
    let mut lines = match LineReader::start(prompt.history.clone()) {
        Ok(lines) => lines,
        Err(error) => return SessionEnded { status: Err(error), reason: SessionEndReason::Other },
    };
    if !prompt.quiet {
        Printer::new().message("Type a prompt. /help lists the commands, Ctrl-D ends the session.");
    }
    loop {
        let input = prompt.next_input(&mut lines).await;
        let line = match input {
            Input::Line(line) => line,
            Input::End => return SessionEnded::new(ExitStatus::Success, SessionEndReason::PromptInputExit),
            Input::Interrupted if prompt.interrupt.is_ended() => {
                return SessionEnded::new(ExitStatus::Interrupted, SessionEndReason::PromptInputExit);
            }
            Input::Interrupted => {
                prompt.ui.print_always(AGAIN);
                continue;
            }
            Input::Failed(error) => {
                return SessionEnded { status: Err(error), reason: SessionEndReason::Other };
            }
        };
        // After an interrupted turn the next one starts afresh.
        session.set_cancel(prompt.interrupt.turn());
        if let Some(ended) = prompt.execute(session, &line).await {
            return ended;
        }
    }
}

/// Printed where Ctrl-C did not end the session.
const AGAIN: &str = "Ctrl-C again within a second, or Ctrl-D, ends the session.";

/// What a typed line asks for.
/// Words with a slash that are no command are errors and are not sent to the model: `/clera` is a typo.
#[derive(Debug, PartialEq, Eq)]
enum TypedCommand<'a> {
    Nothing,
    Clear,
    Compress,
    Hooks,
    Help,
    Quit,
    Unknown(&'a str),
    Prompt(&'a str),
}

/// What `/help` shows.
const HELP: &str = "\
/clear      clear the conversation and begin a new session
/compress   let the model summarise the conversation
/hooks      list the hooks of this session
/help       show this list
/quit       end the session (also Ctrl-D)
Ctrl-C      give up what is running; twice within a second: end the session";

impl<'a> TypedCommand<'a> {
    /// Space around a line is dropped; a command has no arguments.
    fn read(line: &'a str) -> Self {
        let line = line.trim();
        match line {
            "" => Self::Nothing,
            "/clear" => Self::Clear,
            "/compress" => Self::Compress,
            "/hooks" => Self::Hooks,
            "/help" | "/?" => Self::Help,
            "/quit" | "/exit" => Self::Quit,
            // A path such as `/etc/hosts` is not a command.
            _ => match line.split_whitespace().next().and_then(|word| word.strip_prefix('/')) {
                Some(word) if !word.is_empty() && word.chars().all(char::is_alphanumeric) => {
                    Self::Unknown(line)
                }
                _ => Self::Prompt(line),
            },
        }
    }
}

impl InteractivePrompt<'_> {
    /// What the person does at the prompt. Ctrl-C is a key there, and for a moment between two prompts a signal.
    async fn next_input(&self, lines: &mut LineReader) -> Input {
        // One question to the reading thread, however often it is interrupted.
        let next = lines.next();
        tokio::pin!(next);
        loop {
            let turn = self.interrupt.turn();
            tokio::select! {
                biased;
                () = self.interrupt.ended() => return Input::Interrupted,
                input = &mut next => {
                    if matches!(input, Input::Interrupted) {
                        self.interrupt.press();
                    }
                    return input;
                }
                () = turn.cancelled() => self.ui.print_always(AGAIN),
            }
        }
    }

    /// Does what a line asks for; `Some` when the session is over.
    /// A model that fails is reported and the person can try again.
    async fn execute(&self, session: &mut Session, line: &str) -> Option<SessionEnded> {
        match TypedCommand::read(line) {
            TypedCommand::Nothing => None,
            TypedCommand::Quit => Some(SessionEnded::new(ExitStatus::Success, SessionEndReason::Exit)),
            TypedCommand::Help => Self::print(HELP),
            TypedCommand::Hooks => Self::print(hooks(session)),
            TypedCommand::Unknown(word) => Self::print(format_args!(
                "error: there is no command `{}`\nhint: /help lists the commands",
                escape_line(word)
            )),
            TypedCommand::Clear => {
                let turn = self.interrupt.turn();
                let cleared = tokio::select! {
                    biased;
                    () = turn.cancelled() => Err(PromptOutcome::Cancelled),
                    cleared = session.clear() => cleared,
                };
                match cleared {
                    Ok(()) => {
                        self.progress.idle();
                        self.ui.begin_session();
                        self.ui.print_message("The conversation is cleared.");
                        None
                    }
                    Err(outcome) => self.finish(outcome),
                }
            }
            TypedCommand::Compress => {
                let outcome = session.compress().await;
                self.finish(outcome)
            }
            TypedCommand::Prompt(prompt) => {
                let outcome = session.prompt(prompt).await;
                self.finish(outcome)
            }
        }
    }

    /// Shows what a prompt came to. Only a stop, Ctrl-C and a terminal that is gone end the session.
    fn finish(&self, outcome: PromptOutcome) -> Option<SessionEnded> {
        self.progress.idle();
        match self.ui.finish(outcome) {
            Ok(ExitStatus::Interrupted) if !self.interrupt.is_ended() => {
                self.ui.print_always(&format!("interrupted. {AGAIN}"));
                None
            }
            Ok(status @ (ExitStatus::Stopped | ExitStatus::Interrupted)) => {
                Some(SessionEnded::new(status, SessionEndReason::Exit))
            }
            Ok(_) => None,
            Err(error) if error.is::<ClosedPipe>() => {
                Some(SessionEnded { status: Err(error), reason: SessionEndReason::Other })
            }
            Err(error) => {
                report(&error);
                None
            }
        }
    }

    /// Prints a text; it never ends the session.
    fn print(text: impl std::fmt::Display) -> Option<SessionEnded> {
        Printer::new().message(text);
        None
    }
}

/// The hooks of the session, one a line.
/// Shown are the hooks as the session has them, and not as the settings are by now.
fn hooks(session: &Session) -> String {
    let Some(system) = session.hooks().hook_system() else {
        let off = session.hooks().settings().why_off();
        let words = off.map(|off| format!("{}; {}", off.message, off.help.unwrap_or_default()));
        return escape_line(&words.unwrap_or_default());
    };
    let rows: Vec<[String; 4]> = system
        .all_hooks()
        .iter()
        .map(|status| {
            let hook = &status.hook;
            let matcher = hook.matcher.text().filter(|text| !text.is_empty()).unwrap_or("*");
            let enabled = if status.enabled { "enabled" } else { "disabled" };
            let trust = match &status.trust {
                HookTrust::Trusted => "trusted".to_owned(),
                HookTrust::Approved => "approved".to_owned(),
                HookTrust::NotApproved { why } => format!("not approved ({})", escape_line(why)),
            };
            let event = hook.event.to_string();
            [escape_line(&hook.name), event, escape_line(matcher), format!("{enabled}, {trust}")]
        })
        .collect();
    if rows.is_empty() {
        return "There are no hooks. `hookrail init` writes a first one.".to_owned();
    }
    table(&rows).join("\n")
}

#[cfg(test)]
mod tests;
