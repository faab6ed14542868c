//! The session log: JSON Lines, one line for each event, written at once. It is the transcript that
//! hooks get the path of.

mod line;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use hookrail::observer::HookCall;
use serde_json::value::RawValue;

pub use self::line::{DecisionLine, GrantLine, HookCallLine, LogLine, ToolStatus, call_id, millis};

/// An open session log. A line is written with a single call, so that a killed process loses at most
/// the line in flight.
pub struct SessionLog {
    session_id: String,
    path: PathBuf,
    file: Mutex<File>,
    problem: OnceLock<String>,
}

impl SessionLog {
    /// Opens the log for appending; its folder is made, and both are private to the user.
    pub fn open(path: &Path, session_id: &str) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            use std::os::unix::fs::DirBuilderExt as _;
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // A pipe without a reader is refused, and one with a slow reader loses lines: neither delays the agent.
        let never_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file =
            File::options().create(true).append(true).mode(0o600).custom_flags(never_wait).open(path)?;
        let path = std::path::absolute(path)?;
        Ok(Self { session_id: session_id.to_owned(), path, file: Mutex::new(file), problem: OnceLock::new() })
    }

    /// The absolute path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the log is not complete, if a line could not be written.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    /// Writes a line. A log that cannot be written never stops the agent; [`SessionLog::problem`] gives the reason.
    pub fn write(&self, line: &LogLine<'_>) {
        let written = line.to_bytes(&self.session_id, None).and_then(|mut bytes| {
            if self.problem.get().is_some() {
                // What came before may have lost its end; this line must not be lost with it.
                bytes.insert(0, b'\n');
            }
            self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes)
        });
        if let Err(error) = written {
            self.problem.get_or_init(|| error.to_string());
        }
    }

    /// Writes what a hook was given and what it did.
    pub fn hook_call(&self, call: &HookCall<'_>) {
        let id = call_id(call.input.as_bytes());
        let input = String::from_utf8(call.input.as_bytes().to_vec()).ok();
        let input = input.and_then(|text| RawValue::from_string(text).ok());
        let line = HookCallLine { id: Some(&id), input: input.as_deref(), ..HookCallLine::of(call) };
        self.write(&LogLine::HookCall(line));
    }
}
