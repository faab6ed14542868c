//! Lines from the terminal, with editing and history, read on a thread of their own.
//!
//! The library reads until a line is complete and cannot be interrupted, so the session waits for an answer of the
//! thread and not for the terminal.

use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Behavior, Cmd, Config, Editor, KeyEvent};
use tokio::sync::oneshot;

use crate::terminal::screen;

/// Short, because the prompt is not what people read.
const PROMPT: &str = "> ";

/// Pasted text comes as it is again, and what follows begins on a new line.
const END_OF_EDITING: &str = "\u{1b}[?2004l\r\n";

/// What the person did at the prompt.
pub(super) enum Input {
    Line(String),
    /// Ctrl-D.
    End,
    Interrupted,
    /// The terminal is gone.
    Failed(anyhow::Error),
}

/// How long the editor may take from being called until it has the terminal.
const TAKES_TERMINAL: Duration = Duration::from_secs(2);

/// Asks the reading thread for lines. The thread ends when this is dropped, or with the process if it
/// is waiting for a key then.
pub(super) struct LineReader {
    /// Each message asks for one line.
    wanted: mpsc::Sender<oneshot::Sender<Input>>,
    /// The modes of the terminal before lines were edited on it; `None` where none are edited.
    modes: Option<Termios>,
    /// Shared with the thread: whether it has the terminal in its modes.
    state: Arc<Mutex<ReaderState>>,
}

/// What the reading thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    /// It waits to be asked.
    Idle,
    /// The editor is called, and has the terminal soon if not already.
    Editing,
    /// It will not be asked again, and must leave the terminal alone.
    Over,
}

impl LineReader {
    /// Starts the thread. A history that cannot be read or kept is not a reason not to work.
    pub(super) fn start(history: Option<PathBuf>) -> anyhow::Result<Self> {
        let mut terminal = LineEditor::open(history).context("cannot read from the terminal")?;
        let modes = tcgetattr(io::stdin()).ok().filter(|_| !terminal.simple);
        let (wanted, requests) = mpsc::channel::<oneshot::Sender<Input>>();
        let state = Arc::new(Mutex::new(ReaderState::Idle));
        let shared = Arc::clone(&state);
        std::thread::Builder::new().name("prompt".to_owned()).spawn(move || {
            for request in requests {
                if !begin_editing(&shared) {
                    return;
                }
                let input = terminal.read();
                let state = std::mem::replace(&mut *lock(&shared), ReaderState::Idle);
                if state == ReaderState::Over || request.send(input).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { wanted, modes, state })
    }

    /// The next line.
    /// One line at a time: while the agent works nothing is read, and what is typed waits in the terminal.
    pub(super) async fn next(&mut self) -> Input {
        let (answer, answered) = oneshot::channel();
        let gone = || Input::Failed(anyhow::anyhow!("the input thread has ended"));
        if self.wanted.send(answer).is_err() {
            return gone();
        }
        answered.await.unwrap_or_else(|_| gone())
    }
}

impl Drop for LineReader {
    /// A signal may end the session while a line is being edited: the shell gets its terminal back as it was, and a
    /// further Ctrl-C is a signal again.
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *lock(&self.state), ReaderState::Over);
        let Some(modes) = self.modes.as_ref().filter(|_| state == ReaderState::Editing) else { return };
        // An editor that was called and does not have the terminal yet would take it after it was given back.
        let start = Instant::now();
        let is_edited = || tcgetattr(io::stdin()).is_ok_and(|now| now.local_modes != modes.local_modes);
        let may_take_it = || *lock(&self.state) == ReaderState::Over && start.elapsed() < TAKES_TERMINAL;
        while !is_edited() && may_take_it() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
        let _ = io::stderr().write_all(END_OF_EDITING.as_bytes());
    }
}

/// Whether a line may be edited now.
fn begin_editing(state: &Mutex<ReaderState>) -> bool {
    let mut state = lock(state);
    if *state == ReaderState::Over {
        return false;
    }
    *state = ReaderState::Editing;
    true
}

fn lock(state: &Mutex<ReaderState>) -> MutexGuard<'_, ReaderState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread owns.
struct LineEditor {
    editor: Editor<(), FileHistory>,
    history: Option<PathBuf>,
    /// Whether the terminal is too simple for editing; then the prompt is ours to print.
    simple: bool,
}

impl LineEditor {
    /// Lines that begin with a space are not kept, as in shells.
    fn open(history: Option<PathBuf>) -> rustyline::Result<Self> {
        // Stdout carries the answer alone, so that the prompt goes elsewhere if stdout is not the terminal.
        let behavior = if screen::is_stdout_shown() { Behavior::Stdio } else { Behavior::PreferTerm };
        let config =
            Config::builder().behavior(behavior).history_ignore_space(true).max_history_size(1000)?;
        let mut editor = Editor::with_config(config.build())?;
        // A Ctrl-D that was typed while the agent was at work reaches the editor as a NUL, because the
        // terminal had taken it for its own.
        editor.bind_sequence(KeyEvent::ctrl('@'), Cmd::EndOfFile);
        if let Some(history) = &history {
            let _ = editor.load_history(history);
        }
        let term = std::env::var("TERM").unwrap_or_default().to_ascii_lowercase();
        let simple = matches!(term.as_str(), "dumb" | "cons25" | "emacs");
        Ok(Self { editor, history, simple })
    }

    /// Blocks the thread until a line, Ctrl-C or Ctrl-D.
    fn read(&mut self) -> Input {
        let prompt = if self.simple {
            let _ = io::stderr().write_all(PROMPT.as_bytes());
            ""
        } else {
            PROMPT
        };
        match self.editor.readline(prompt) {
            Ok(line) => {
                self.keep(&line);
                Input::Line(line)
            }
            Err(ReadlineError::Eof) => Input::End,
            Err(ReadlineError::Interrupted) => Input::Interrupted,
            Err(error) => Input::Failed(error.into()),
        }
    }

    /// A line is written at once, so that a killed session loses none.
    fn keep(&mut self, line: &str) {
        let added = !line.trim().is_empty() && self.editor.add_history_entry(line).unwrap_or(false);
        if added && let Some(history) = &self.history {
            let _ = history.parent().map(private_folder);
            // The library makes the file readable for its owner only.
            let _ = self.editor.append_history(history);
        }
    }
}

/// Prompts may hold anything.
fn private_folder(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
