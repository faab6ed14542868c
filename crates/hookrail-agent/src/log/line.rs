//! The lines of a session log, which are a contract: other programs read them.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail::observer::{HookBatch, HookCall};
use hookrail::{JsonObject, ToolResult};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A line of the log; `timestamp` and `sessionId` are added to each.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "log-schema", derive(schemars::JsonSchema))]
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
        #[cfg_attr(feature = "log-schema", schemars(with = "JsonObject"))]
        request: &'a GenerateContentParameters,
    },
    ModelResponse {
        #[cfg_attr(feature = "log-schema", schemars(with = "JsonObject"))]
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
        #[cfg_attr(feature = "log-schema", schemars(with = "JsonObject"))]
        result: &'a ToolResult,
        /// The tool's own result, where a hook replaced it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "log-schema", schemars(with = "Option<JsonObject>"))]
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
    Decision(DecisionLine<'a>),
    Grant(GrantLine<'a>),
    /// Effects that another agent cannot carry out and that were replaced by stronger ones.
    Bridge {
        event: &'a str,
        strengthened: &'a [String],
    },
    /// An agent of another version than the one that was measured, and what to run.
    Version {
        note: &'a str,
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
        /// What the processes of its group hold, in bytes, where the system reports it.
        memory: Option<u64>,
    },
    SessionEnd {
        reason: &'a str,
    },
}

/// What one hook was given and what it did.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "log-schema", derive(schemars::JsonSchema))]
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
    #[cfg_attr(feature = "log-schema", schemars(with = "Option<JsonObject>"))]
    pub input: Option<&'a RawValue>,
    #[cfg_attr(feature = "log-schema", schemars(with = "Option<JsonObject>"))]
    pub output: Option<Value>,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub duration_ms: u64,
    pub success: bool,
    pub error: Option<Cow<'a, str>>,
}

/// What came of one event; in the engine's own log.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "log-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the contract's; see the protocol page")]
pub struct DecisionLine<'a> {
    /// The agent's own id of the call, else that of the `hook_call` lines.
    pub call_id: Option<String>,
    pub event: &'a str,
    pub project: Option<&'a str>,
    pub tool: Option<&'a str>,
    /// The beginning of the command, path or prompt, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `allow`, `block`, `ask`, `stop`, `changed` or `failed`.
    pub decision: &'a str,
    /// `policy` or `failure` of a block.
    pub block_cause: Option<&'a str>,
    /// The hook that decided.
    pub hook: Option<&'a str>,
    /// Where it is configured, `file:line`.
    pub source: Option<String>,
    pub reason: Option<String>,
    /// Old and new values of changed arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<JsonObject>,
    pub duration_ms: u64,
}

/// What a person let pass with `hookrail allow`, or took back; in the engine's own log.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "log-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the contract's; see the protocol page")]
pub struct GrantLine<'a> {
    /// `given` or `revoked`.
    pub action: &'a str,
    pub id: &'a str,
    /// The rules that the call passes.
    pub rule: &'a str,
    pub project: &'a str,
    pub tool: &'a str,
    /// The beginning of the command or path, with secrets masked.
    pub summary: &'a str,
    pub until: &'a str,
    /// For one call only.
    pub once: bool,
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
            error: run.failure().map(|failure| failure.to_string().into()),
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
            Stamped { line: self, timestamp: hookrail::components::timestamp_now(), session_id, agent };
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "log-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// It ran.
    Success,
    /// It failed, or there is no such tool.
    Error,
    /// A hook blocked it.
    Blocked,
    /// The user, the approval mode or the list of allowed tools refused it.
    Denied,
    /// The run ended first.
    Cancelled,
}

impl ToolStatus {
    /// Its word in the log and in events for programs.
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

/// The id of a hook call in logs: a hash (FNV-1a) of what the hook was given. It needs no counter that
/// programs would have to share, and is the same in every log that has the call.
pub fn call_id(payload: &[u8]) -> String {
    let hash = payload.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Milliseconds as logs have them.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
