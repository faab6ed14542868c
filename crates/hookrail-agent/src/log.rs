//! The session log: JSON Lines, one line for each event, written at once. It is the transcript that
//! hooks get the path of.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail::{HookBatch, HookCall, JsonObject, ToolResult};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// An open session log. A line is written with a single call, so that a killed process loses at most
/// the line in flight.
pub struct SessionLog {
    session_id: String,
    path: PathBuf,
    file: Mutex<File>,
    problem: OnceLock<String>,
}

/// A line of the log; `timestamp` and `sessionId` are added to each.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are the contract's; see the protocol page")]
pub enum LogLine<'a> {
    SessionStart {
        source: &'a str,
        cwd: &'a str,
        model: &'a str,
    },
    User {
        prompt: &'a str,
    },
    ModelRequest {
        #[schemars(with = "JsonObject")]
        request: &'a GenerateContentParameters,
    },
    ModelResponse {
        #[schemars(with = "JsonObject")]
        response: &'a GenerateContentResponse,
        /// `true` when a hook answered instead of the model.
        synthetic: bool,
        /// `true` when a hook changed what the model answered.
        modified: bool,
    },
    ToolCall {
        name: &'a str,
        /// As executed.
        args: &'a JsonObject,
        status: ToolStatus,
        duration_ms: u64,
        /// As the model got it.
        #[schemars(with = "JsonObject")]
        result: &'a ToolResult,
        /// The tool's own result, where a hook replaced it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<JsonObject>")]
        original_result: Option<&'a ToolResult>,
    },
    HookCall(HookCallLine<'a>),
    HookBatch {
        event: &'a str,
        hook_count: usize,
        success_count: usize,
        failure_count: usize,
        duration_ms: u64,
    },
    /// What another agent cannot carry out and became something stronger.
    Bridge {
        event: &'a str,
        strengthened: &'a [String],
    },
    Stop {
        reason: &'a str,
    },
    /// What a worker did until now; written when its session ends, and by a server from time to time.
    #[serde(rename_all = "camelCase")]
    Worker {
        /// The command of its hooks.
        command: &'a str,
        started: u64,
        answered: u64,
        restarts: u64,
        last_failure: Option<&'a str>,
        /// Whether it has a process now.
        running: bool,
        /// What the processes of its group hold, in bytes, where the system tells.
        memory: Option<u64>,
    },
    SessionEnd {
        reason: &'a str,
    },
}

/// What one hook was given and what it did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the contract's; see the protocol page")]
pub struct HookCallLine<'a> {
    /// Names what it was given; the same for all hooks of one event that were given the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    pub event: &'a str,
    pub name: &'a str,
    /// The tool that a tool event is about; in the engine's own log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'a str>,
    /// The project's folder; in the engine's own log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<&'a str>,
    /// As configured.
    pub command: Option<&'a str>,
    /// What it was given on stdin; left out of the engine's own log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<JsonObject>")]
    pub input: Option<&'a RawValue>,
    #[schemars(with = "Option<JsonObject>")]
    pub output: Option<Value>,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub duration_ms: u64,
    pub success: bool,
    pub error: Option<Cow<'a, str>>,
}

impl<'a> HookCallLine<'a> {
    /// The record of a finished hook, without its input.
    pub fn of(call: &'a HookCall<'a>) -> Self {
        let run = call.run;
        Self {
            id: None,
            event: call.event.as_str(),
            name: &run.hook.name,
            tool: None,
            project: None,
            command: run.hook.command_text(),
            input: None,
            output: run.output.as_ref().and_then(|output| serde_json::to_value(output).ok()),
            exit_code: run.exit_code(),
            signal: run.signal(),
            stdout: &run.stdout,
            stderr: &run.stderr,
            duration_ms: millis(run.duration),
            success: run.success(),
            error: run.failure.as_ref().map(|failure| failure.to_string().into()),
        }
    }
}

impl LogLine<'_> {
    /// The line as it is written, with the present time, its session, the agent that it comes from (where that is
    /// another one) and its end.
    pub fn to_bytes(&self, session_id: &str, agent: Option<&str>) -> io::Result<Vec<u8>> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Stamped<'a> {
            #[serde(flatten)]
            line: &'a LogLine<'a>,
            timestamp: String,
            session_id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            agent: Option<&'a str>,
        }
        let stamped =
            Stamped { line: self, timestamp: hookrail::internal::timestamp_now(), session_id, agent };
        let mut bytes = serde_json::to_vec(&stamped)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl LogLine<'static> {
    /// The record of a finished event.
    pub fn batch(batch: &HookBatch) -> Self {
        LogLine::HookBatch {
            event: batch.event.as_str(),
            hook_count: batch.hook_count,
            success_count: batch.success_count,
            failure_count: batch.failure_count,
            duration_ms: millis(batch.duration),
        }
    }
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// It ran.
    Success,
    /// It failed, or there is no such tool.
    Error,
    /// A hook blocked it.
    Blocked,
    /// The user, the approval mode or the list of allowed tools said no.
    Denied,
    /// The run ended first.
    Cancelled,
}

impl ToolStatus {
    /// The word in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Blocked => "blocked",
            Self::Denied => "denied",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The id of a hook call in logs: a hash (FNV-1a) of what the hook was given. It needs no counter that programs would have
/// to share, and is the same in every log that tells of the call.
pub fn call_id(payload: &[u8]) -> String {
    let hash = payload.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Milliseconds as they stand in logs.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl SessionLog {
    /// Opens the log for appending; its folder is made, and both are private to the user.
    pub fn open(path: &Path, session_id: &str) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            use std::os::unix::fs::DirBuilderExt as _;
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // A pipe that nobody reads is refused, and one whose reader is slow loses lines: neither holds the agent up.
        let never_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file =
            File::options().create(true).append(true).mode(0o600).custom_flags(never_wait).open(path)?;
        let path = std::path::absolute(path)?;
        Ok(Self { session_id: session_id.to_owned(), path, file: Mutex::new(file), problem: OnceLock::new() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the log is not complete, if a line could not be written.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    /// Writes a line. A log that cannot be written never stops the agent; [`SessionLog::problem`] tells of it.
    pub fn write(&self, line: &LogLine<'_>) {
        let written = line.to_bytes(&self.session_id, None).and_then(|mut bytes| {
            if self.problem.get().is_some() {
                // What came before may have lost its end; this line shall not be lost with it.
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
        let bytes = call.input.to_bytes().ok();
        let id = bytes.as_deref().map(call_id);
        let input = bytes.and_then(|bytes| String::from_utf8(bytes.into_owned()).ok());
        let input = input.and_then(|text| RawValue::from_string(text).ok());
        let line = HookCallLine { id: id.as_deref(), input: input.as_deref(), ..HookCallLine::of(call) };
        self.write(&LogLine::HookCall(line));
    }
}
