//! The answer for programs: one JSON object at the end, or one per event.
//!
//! `json` prints the object of [`PromptSummary::result`]; `stream-json` prints `init`, then `message`, `tool_use`,
//! `tool_state`, `tool_result`, `hook`, `blocked`, `stop` and `notice` lines, then that object as `result`.

use std::collections::BTreeMap;
use std::time::Instant;

use hookrail_agent::PromptOutcome;
use hookrail_agent::log::millis;
use hookrail_agent::ui::AgentEvent;
use serde_json::{Map, Value, json};

/// Counts what happened to one prompt.
pub(super) struct PromptSummary {
    session_id: String,
    start: Instant,
    model_calls: u64,
    /// Of the prompts, of the answers, and in all, added up over all model calls.
    tokens: [u64; 3],
    tools: BTreeMap<&'static str, u64>,
    hooks: u64,
    failed_hooks: u64,
}

impl PromptSummary {
    /// Counting begins with the session, also where the prompt is typed later.
    pub(super) fn new(session_id: &str) -> Self {
        Self {
            session_id: session_id.to_owned(),
            start: Instant::now(),
            model_calls: 0,
            tokens: [0; 3],
            tools: BTreeMap::new(),
            hooks: 0,
            failed_hooks: 0,
        }
    }

    /// Tool calls are counted by the word of their status.
    pub(super) fn count(&mut self, event: &AgentEvent<'_>) {
        match event {
            AgentEvent::ModelStarted { .. } => self.model_calls += 1,
            // A provider that does not count adds nothing.
            AgentEvent::Usage(usage) => {
                let more = [usage.prompt_token_count, usage.candidates_token_count, usage.total_token_count];
                self.tokens.iter_mut().zip(more).for_each(|(sum, more)| *sum += more.unwrap_or(0));
            }
            AgentEvent::ToolFinished { status, .. } => *self.tools.entry(status.as_str()).or_default() += 1,
            AgentEvent::HookFinished { run, .. } => {
                self.hooks += 1;
                self.failed_hooks += u64::from(run.failure().is_some());
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
            put("timestamp", hookrail::components::timestamp_now().into());
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
        let [prompt, answer, total] = self.tokens;
        put(
            "stats",
            json!({
                "durationMs": millis(self.start.elapsed()),
                "modelCalls": self.model_calls,
                "tokens": { "prompt": prompt, "answer": answer, "total": total },
                "toolCalls": self.tools,
                "hooks": { "total": self.hooks, "failed": self.failed_hooks },
            }),
        );
        Value::Object(result)
    }
}

/// `type` is stable, `message` is for people.
fn error(kind: &str, message: &str) -> Value {
    json!({ "type": kind, "message": message })
}

/// The first line of a stream.
pub(super) fn init(session_id: &str, model: &str) -> Value {
    json!({ "type": "init", "timestamp": hookrail::components::timestamp_now(), "sessionId": session_id, "model": model })
}

/// The line of a stream for one event, if programs have a use for it.
/// A reader has to ignore unknown types: more may come. Output that a hook suppressed is null here too.
pub(super) fn stream_line(event: &AgentEvent<'_>) -> Option<Value> {
    let mut line = match event {
        AgentEvent::AnswerText(text) => json!({ "type": "message", "role": "assistant", "delta": text }),
        AgentEvent::ToolRequested { id, name, args } => {
            json!({ "type": "tool_use", "id": id, "name": name, "args": args })
        }
        AgentEvent::ToolState { id, name, state } => {
            json!({ "type": "tool_state", "id": id, "name": name, "state": state.as_str() })
        }
        AgentEvent::ToolFinished { id, name, status, display, result } => json!({
            "type": "tool_result", "id": id, "name": name, "status": status.as_str(), "output": display,
            "error": result.error.as_ref().filter(|_| display.is_some()),
        }),
        AgentEvent::HookFinished { event, run } => json!({
            "type": "hook", "event": event, "name": run.hook.name, "durationMs": millis(run.duration),
            "success": run.success(), "exitCode": run.exit_code(), "signal": run.signal(),
            "output": run.output, "error": run.failure(),
        }),
        AgentEvent::Blocked { what, reason } => json!({ "type": "blocked", "what": what, "reason": reason }),
        AgentEvent::Stopped { reason } => json!({ "type": "stop", "reason": reason }),
        AgentEvent::Notice(text) => json!({ "type": "notice", "message": text }),
        AgentEvent::Compressed { before, after } => {
            json!({ "type": "compressed", "bytesBefore": before, "bytesAfter": after })
        }
        _ => return None,
    };
    if let Some(line) = line.as_object_mut() {
        line.insert("timestamp".to_owned(), hookrail::components::timestamp_now().into());
    }
    Some(line)
}
