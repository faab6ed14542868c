//! The engine's own log: one line for each hook that ran and one for each event, without payloads.
//!
//! Several programs append to the same file at once. A line is one write in append mode, so that lines never mix;
//! a line that races with a rotation ends up in the file that was just moved aside, where readers look as well.

mod bounded;
mod decision;
mod read;
mod secrets;
mod stats;
mod tail;
mod time;
mod tool_name;
mod unread;
mod workers;

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use hookrail::components::WorkerStatus;
use hookrail::observer::{DecidedEvent, HookBatch, HookCall, HookObserver};
use hookrail::settings::make_state_dir;
pub(crate) use hookrail_agent::log::GrantLine;
use hookrail_agent::log::{HookCallLine, LogLine, call_id, millis};

pub(crate) use decision::summary_of;
pub(crate) use read::{
    CallOutcome, LogEntry, LoggedCall, LoggedDecision, LoggedVerdict, OpenLogs, READ_AT_MOST, SHORT_ID,
    find_decision, open_named, open_with_rotated,
};
pub(crate) use stats::{HookStats, Statistics, percentile};
pub(crate) use tail::Tail;
pub(crate) use time::{Since, local_time, short_local_time, span};
pub(crate) use unread::{Position, lost, position_file, read_batch};
pub(crate) use workers::{PastWorker, PastWorkers, WorkerReport};

use crate::terminal::printer::escape_line;

/// The size past which the log is moved aside.
const MAX_BYTES: u64 = 10 * 1024 * 1024;

/// How many logs that were moved aside are kept.
const KEPT: u32 = 3;

/// Opening a pipe waits for its other end, unless it is opened like this. Files are not affected.
pub(crate) const NEVER_WAIT: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// Where the log of a state folder is.
pub(crate) fn path_in(state_dir: &Path) -> PathBuf {
    state_dir.join("log.jsonl")
}

/// The log, open for appending. It is opened at the first line, and whatever goes wrong with it is reported once and
/// stops nothing.
#[derive(Default)]
pub(crate) struct HookLog {
    path: PathBuf,
    max_bytes: u64,
    session_id: OnceLock<String>,
    /// The folder whose hooks these are.
    project: OnceLock<String>,
    /// The other agent that the lines come from.
    agent: OnceLock<String>,
    state: Mutex<LogState>,
}

/// `has_warned` keeps a full disk from being reported with every line.
#[derive(Default)]
struct LogState {
    open: Option<OpenLog>,
    has_warned: bool,
}

/// The file that lines go to, and which one it is: its name may belong to another file by now.
struct OpenLog {
    file: File,
    identity: (u64, u64),
}

impl HookLog {
    /// The log of a state folder.
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self::with_limit(path_in(state_dir), MAX_BYTES)
    }

    /// Tests rotate early.
    fn with_limit(path: PathBuf, max_bytes: u64) -> Self {
        Self { path, max_bytes, ..Self::default() }
    }

    /// Names the session whose lines these are; the first name stays.
    pub(crate) fn set_session(&self, id: &str) {
        let _ = self.session_id.set(id.to_owned());
    }

    /// Names the project whose hooks these are; the first name stays.
    pub(crate) fn set_project(&self, project: &Path) {
        let _ = self.project.set(project.to_string_lossy().into_owned());
    }

    /// Names the other agent that the lines come from; the first name stays.
    pub(crate) fn set_agent(&self, agent: &str) {
        let _ = self.agent.set(agent.to_owned());
    }

    /// Notes what a person let pass, or took back.
    pub(crate) fn grant(&self, line: &GrantLine<'_>) {
        self.write(&LogLine::Grant(*line));
    }

    /// Notes what another agent could not carry out.
    pub(crate) fn bridged(&self, event: &str, strengthened: &[String]) {
        if !strengthened.is_empty() {
            self.write(&LogLine::Bridge { event, strengthened });
        }
    }

    /// Notes that an agent is not of the version that was measured.
    pub(crate) fn version(&self, note: &str) {
        self.write(&LogLine::Version { note });
    }

    /// Notes a refusal that no hook decided on.
    pub(crate) fn refused(&self, event: &str, tool: Option<&str>, reason: &str) {
        let project = self.project.get().map(String::as_str);
        self.write(&LogLine::Decision(decision::refusal(event, project, tool, reason)));
    }

    /// Writes down what workers did.
    /// A worker that never started is not recorded.
    pub(crate) fn workers(&self, workers: &[WorkerStatus]) {
        for worker in workers.iter().filter(|worker| worker.started > 0) {
            let last_failure = worker.last_failure.as_ref().map(ToString::to_string);
            let last_failure = last_failure.as_deref().map(bounded::text);
            self.write(&LogLine::Worker {
                command: &worker.command,
                started: worker.started,
                answered: worker.answered,
                restarts: worker.restarts,
                last_failure: last_failure.as_deref(),
                running: worker.process.is_some(),
                memory: worker.memory,
            });
        }
    }

    /// A log that cannot be written never fails a hook: the first problem is a line on stderr.
    fn write(&self, line: &LogLine<'_>) {
        let session_id = self.session_id.get().map_or("", String::as_str);
        self.write_as(line, session_id, self.agent.get().map(String::as_str));
    }

    /// The same with the session and the agent that the line is about.
    fn write_as(&self, line: &LogLine<'_>, session_id: &str, agent: Option<&str>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let written = line.to_bytes(session_id, agent).and_then(|bytes| self.append(&mut state.open, &bytes));
        if let Err(error) = written
            && !std::mem::replace(&mut state.has_warned, true)
        {
            let path = escape_line(&self.path.to_string_lossy());
            let _ = writeln!(io::stderr(), "warning: cannot write the hook log `{path}`: {error}");
        }
    }

    /// The file at the path is compared with the open one for each line, because another program may have moved it
    /// aside.
    fn append(&self, open: &mut Option<OpenLog>, line: &[u8]) -> io::Result<()> {
        let at_path = self.metadata()?;
        let size = at_path.as_ref().map_or(0, Metadata::len);
        let is_full = size > 0 && size.saturating_add(line.len() as u64) > self.max_bytes;
        if is_full {
            self.rotate(line.len() as u64)?;
            *open = None;
        } else if at_path.as_ref().map(identity) != open.as_ref().map(|open| open.identity) {
            *open = None;
        }
        let open = match open {
            Some(open) => open,
            None => open.insert(self.open()?),
        };
        match open.file.write(line)? {
            written if written == line.len() => Ok(()),
            // The disk is full. The line is lost, but the next one must begin on a line of its own.
            _ => {
                let _ = open.file.write(b"\n");
                Err(io::ErrorKind::StorageFull.into())
            }
        }
    }

    /// What is at the log's path. A pipe or a device there could block the program that opens it.
    fn metadata(&self) -> io::Result<Option<Metadata>> {
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
            Ok(_) => Err(io::Error::other("it is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Folder and file are for their owner alone.
    fn open(&self) -> io::Result<OpenLog> {
        let mut options = File::options();
        options.create(true).append(true).mode(0o600).custom_flags(NEVER_WAIT);
        if let Some(folder) = self.path.parent() {
            make_state_dir(folder)?;
        }
        let file = options.open(&self.path)?;
        let metadata = file.metadata()?;
        if metadata.permissions().mode() & 0o077 != 0 {
            // It was made readable for others; what hooks print is private.
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        Ok(OpenLog { identity: identity(&metadata), file })
    }

    /// Moves a full log aside, unless another program is doing it or has done it.
    fn rotate(&self, incoming: u64) -> io::Result<()> {
        let lock = self.path.with_extension("lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(NEVER_WAIT)
            .open(lock)?;
        match lock.try_lock() {
            Ok(()) => {}
            // Never waited for: a line in a file that is too long is better than a hook that waits.
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if self.metadata()?.is_none_or(|now| now.len().saturating_add(incoming) <= self.max_bytes) {
            return Ok(());
        }
        let kept = unread::files_to_keep(&self.path);
        // Kept for an exporter that has read them since.
        let mut number = kept + 1;
        while fs::remove_file(rotated(&self.path, number)).is_ok() {
            number += 1;
        }
        for number in (1..kept).rev() {
            rename_if_there(&rotated(&self.path, number), &rotated(&self.path, number + 1))?;
        }
        rename_if_there(&self.path, &rotated(&self.path, 1))
    }
}

impl HookObserver for HookLog {
    fn hook_call(&self, call: &HookCall<'_>) {
        let run = call.run;
        let (stdout, stderr) = (bounded::text(&run.stdout), bounded::text(&run.stderr));
        let failure = run.failure().map(ToString::to_string);
        let error = failure.as_deref().map(bounded::text);
        let input = call.input.as_bytes();
        let id = call_id(input);
        let tool = if call.event.has_tool() { tool_name::in_payload(input) } else { None };
        self.write(&LogLine::HookCall(HookCallLine {
            id: Some(&id),
            event: call.event.as_str(),
            name: &run.hook.name,
            tool: tool.as_deref(),
            project: self.project.get().map(String::as_str),
            command: run.hook.command_text(),
            input: None,
            output: run.output.as_ref().map(bounded::output),
            exit_code: run.exit_code(),
            signal: run.signal(),
            stdout: &stdout,
            stderr: &stderr,
            duration_ms: millis(run.duration),
            success: run.success(),
            error,
        }));
    }

    fn hook_batch(&self, batch: &HookBatch) {
        self.write(&LogLine::batch(batch));
    }

    fn event_decided(&self, decided: &DecidedEvent<'_>) {
        let agent = self.agent.get().map(String::as_str);
        // Without a project the log is that of a service for other machines: who asks says where it is, and for whom.
        let (project, agent) = match self.project.get() {
            Some(project) => (Some(project.as_str()), agent),
            None => (
                decided.base.cwd.to_str(),
                agent.or_else(|| decided.extra.get("agent")?.get("name")?.as_str()),
            ),
        };
        let line = LogLine::Decision(decision::line(decided, project));
        self.write_as(&line, &decided.base.session_id, Some(agent.unwrap_or("hookrail")));
    }
}

/// The path of a log that was moved aside: 1 is the youngest.
fn rotated(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// Device and inode, which distinguish a file from another one of the same name.
fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Another program may have moved it first.
fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
