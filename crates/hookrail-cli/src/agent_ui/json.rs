//! The answer for programs: one JSON object at the end, or one per happening.
//!
//! `json` prints the object of [`Summary::result`]; `stream-json` prints `init`, then `message`, `tool_use`,
//! `tool_state`, `tool_result`, `hook`, `blocked`, `stop` and `notice` lines, then that object as `result`.

use std::collections::BTreeMap;
use std::time::Instant;

use hookrail::genai::UsageMetadata;
use hookrail_agent::PromptOutcome;
use hookrail_agent::log::millis;
use hookrail_agent::ui::Happening;
use serde_json::{Map, Value, json};

/// Counts what happened to one prompt.
pub(super) struct Summary {
    session_id: String,
    start: Instant,
    model_calls: u64,
    tokens: Tokens,
    tools: BTreeMap<&'static str, u64>,
    hooks: u64,
    failed_hooks: u64,
}

#[derive(Default)]
struct Tokens {
    prompt: u64,
    answer: u64,
    total: u64,
}

impl Summary {
    pub(super) fn new(session_id: &str) -> Self {
        Self {
            session_id: session_id.to_owned(),
            start: Instant::now(),
            model_calls: 0,
            tokens: Tokens::default(),
            tools: BTreeMap::new(),
            hooks: 0,
            failed_hooks: 0,
        }
    }

    pub(super) fn count(&mut self, happening: &Happening<'_>) {
        match happening {
            Happening::ModelStarted { .. } => self.model_calls += 1,
            Happening::Usage(usage) => self.tokens.add(usage),
            Happening::ToolFinished { status, .. } => *self.tools.entry(status.as_str()).or_default() += 1,
            Happening::HookFinished { run, .. } => {
                self.hooks += 1;
                self.failed_hooks += u64::from(run.failure.is_some());
            }
            _ => {}
        }
    }

    /// The result of a prompt. What does not apply is left out, except the response, which is null then.
    pub(super) fn result(&self, outcome: &PromptOutcome, kind: Option<&str>) -> Value {
        let mut result = Map::new();
        let mut put = |key: &str, value: Value| {
            result.insert(key.to_owned(), value);
        };
        if let Some(kind) = kind {
            put("type", kind.into());
            put("timestamp", hookrail::timestamp_now().into());
        }
        put("sessionId", self.session_id.as_str().into());
        put(
            "response",
            match outcome {
                PromptOutcome::Answered(answer) if !answer.suppressed => answer.text.as_str().into(),
                _ => Value::Null,
            },
        );
        match outcome {
            PromptOutcome::Answered(answer) if answer.suppressed => put("suppressed", true.into()),
            PromptOutcome::Answered(_) => {}
            PromptOutcome::PromptBlocked(reason) => put("blocked", json!({ "reason": reason })),
            PromptOutcome::Stopped(reason) => put("stop", json!({ "reason": reason })),
            PromptOutcome::MaxTurns(_) => put("error", error("max_turns", &super::outcome_text(outcome))),
            PromptOutcome::ModelFailed(_) => put("error", error("model", &super::outcome_text(outcome))),
            PromptOutcome::Cancelled => put("error", error("cancelled", &super::outcome_text(outcome))),
        }
        put(
            "stats",
            json!({
                "durationMs": millis(self.start.elapsed()),
                "modelCalls": self.model_calls,
                "tokens": { "prompt": self.tokens.prompt, "answer": self.tokens.answer, "total": self.tokens.total },
                "toolCalls": self.tools,
                "hooks": { "total": self.hooks, "failed": self.failed_hooks },
            }),
        );
        Value::Object(result)
    }
}

impl Tokens {
    fn add(&mut self, usage: &UsageMetadata) {
        self.prompt += usage.prompt_token_count.unwrap_or(0);
        self.answer += usage.candidates_token_count.unwrap_or(0);
        self.total += usage.total_token_count.unwrap_or(0);
    }
}

fn error(kind: &str, message: &str) -> Value {
    json!({ "type": kind, "message": message })
}

/// The first line of a stream.
pub(super) fn init(session_id: &str, model: &str) -> Value {
    json!({ "type": "init", "timestamp": hookrail::timestamp_now(), "sessionId": session_id, "model": model })
}

/// The line of a stream for one happening, if programs have a use for it.
pub(super) fn stream_line(happening: &Happening<'_>) -> Option<Value> {
    let mut line = match happening {
        Happening::AnswerText(text) => json!({ "type": "message", "role": "assistant", "delta": text }),
        Happening::ToolRequested { id, name, args } => {
            json!({ "type": "tool_use", "id": id, "name": name, "args": args })
        }
        Happening::ToolState { id, name, state } => {
            json!({ "type": "tool_state", "id": id, "name": name, "state": state.as_str() })
        }
        Happening::ToolFinished { id, name, status, display, result } => json!({
            "type": "tool_result", "id": id, "name": name, "status": status.as_str(), "output": display,
            "error": result.error.as_ref().filter(|_| display.is_some()),
        }),
        Happening::HookFinished { event, run } => json!({
            "type": "hook", "event": event, "name": run.hook.name, "durationMs": millis(run.duration),
            "success": run.success(), "exitCode": run.exit_code(), "signal": run.signal(),
            "output": run.output, "error": run.failure,
        }),
        Happening::Blocked { what, reason } => json!({ "type": "blocked", "what": what, "reason": reason }),
        Happening::Stopped { reason } => json!({ "type": "stop", "reason": reason }),
        Happening::Notice(text) => json!({ "type": "notice", "message": text }),
        Happening::Compressed { before, after } => {
            json!({ "type": "compressed", "bytesBefore": before, "bytesAfter": after })
        }
        _ => return None,
    };
    if let Some(line) = line.as_object_mut() {
        line.insert("timestamp".to_owned(), hookrail::timestamp_now().into());
    }
    Some(line)
}
