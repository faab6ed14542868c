//! A conversation with a model, from its start to its end.
//!
//! Here is what a session is made of and what a host can do with it. What happens between a prompt and its answer is in
//! `turns`, one model call in `model_call`, the tool calls of one response in `scheduler`.

mod compress;
mod model_call;
mod outcome;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use hookrail::effects::AgentGate;
use hookrail::genai::Content;
use hookrail::{HookSession, PreCompressTrigger, SessionEndReason, SessionStartSource, StopReason};
use tokio_util::sync::CancellationToken;

use self::outcome::Interrupt;
pub use self::outcome::{FinalAnswer, PromptOutcome};
use crate::approval::ApprovalMode;
use crate::history::History;
use crate::log::{LogLine, SessionLog};
use crate::model::ModelClient;
use crate::tools::{ProtectedPaths, ToolContext, ToolTable};
use crate::ui::{AgentEvent, Ui};

/// What a session is made of.
pub struct SessionParts {
    /// The engine's session, which runs the hooks.
    pub hooks: HookSession,
    /// The client of the model that answers.
    pub model: Arc<dyn ModelClient>,
    /// The tools that are declared to the model.
    pub tools: ToolTable,
    /// Where tools work, and the token that cancels them.
    pub context: ToolContext,
    /// The session log, whose path hooks get as the transcript.
    pub log: Arc<SessionLog>,
    /// Shows events and asks for permissions.
    pub ui: Arc<dyn Ui>,
    /// The model's name, the approval mode and limits.
    pub options: SessionOptions,
}

/// Limits and choices of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The model's name, as the client sends it.
    pub model: String,
    /// What may run without asking.
    pub approval: ApprovalMode,
    /// How many model calls a prompt may take.
    pub max_turns: u32,
    /// History size in bytes past which the oldest turns are summarised.
    pub history_budget: usize,
}

/// A conversation with a model: its history, and everything that a turn needs.
pub struct Session {
    parts: SessionParts,
    history: History,
    /// Messages of `AfterModel` hooks for the next request that is sent.
    pending_messages: Vec<String>,
    /// The history's size after it was summarised last, or after the attempt.
    summarised_to: usize,
    /// How many tool calls the model asked for.
    tool_calls: usize,
}

impl Session {
    /// A session with an empty history.
    pub fn new(parts: SessionParts) -> Self {
        Self {
            parts,
            history: History::default(),
            pending_messages: Vec::new(),
            summarised_to: 0,
            tool_calls: 0,
        }
    }

    /// The engine's session, which runs the hooks.
    pub fn hooks(&self) -> &HookSession {
        &self.parts.hooks
    }

    /// What the session was made of.
    pub fn parts(&self) -> &SessionParts {
        &self.parts
    }

    /// Begins the session: its hooks may add context, or stop it, if the settings let them.
    pub async fn start(&mut self, source: SessionStartSource) -> Result<(), PromptOutcome> {
        self.parts.log.write(&LogLine::SessionStart {
            source: source.as_str(),
            cwd: &self.parts.hooks.working_dir().to_string_lossy(),
            model: &self.parts.options.model,
        });
        let result = self.unless_cancelled(self.parts.hooks.fire_session_start(source)).await?;
        self.stop_if_asked(&result.gate)?;
        if let AgentGate::Proceed { additional_context: Some(context) } = result.gate {
            self.history.push(Content::text("user", context));
        }
        self.pending_messages.extend(result.notes.system_message);
        Ok(())
    }

    /// Ends the session; its hooks get no longer than `limit`, if there is one. The log is complete
    /// afterwards.
    pub async fn end(&mut self, reason: SessionEndReason, limit: Option<Duration>) {
        let hooks = self.parts.hooks.fire_session_end(reason);
        // Nothing comes after the end that a hook could stop.
        let ended = match limit {
            None => Ok(hooks.await),
            // Those that are late are killed.
            Some(limit) => tokio::time::timeout(limit, hooks).await,
        };
        if ended.is_err() {
            self.notice("SessionEnd hooks took too long and were ended");
        }
        self.parts.log.write(&LogLine::SessionEnd { reason: reason.as_str() });
    }

    /// Clears the conversation: one session ends and another begins, unless a hook of the end stops the agent.
    pub async fn clear(&mut self) -> Result<(), PromptOutcome> {
        let reason = SessionEndReason::Clear;
        let ended = self.parts.hooks.fire_session_end(reason).await;
        self.parts.log.write(&LogLine::SessionEnd { reason: reason.as_str() });
        self.history.clear();
        self.pending_messages.clear();
        self.stop_if_asked(&ended.gate)?;
        self.start(SessionStartSource::Clear).await
    }

    /// Works on a prompt until the model is done, then runs `AfterAgent` hooks, which may send it back.
    pub async fn prompt(&mut self, prompt: &str) -> PromptOutcome {
        // Not before: making a session reads no hooks.
        self.parts.context.protected = ProtectedPaths::of(self.parts.hooks.settings());
        match self.prompt_to_its_end(prompt).await {
            Ok(outcome) => outcome,
            Err(interrupt) => interrupt.into(),
        }
    }

    /// `/compress`: summarises the conversation now.
    pub async fn compress(&mut self) -> PromptOutcome {
        match self.summarise(PreCompressTrigger::Manual).await {
            Ok(()) => PromptOutcome::Answered(FinalAnswer::default()),
            Err(interrupt) => interrupt.into(),
        }
    }

    /// Replaces the token that gives up what is running: a turn that was interrupted leaves its own cancelled.
    pub fn set_cancel(&mut self, cancel: CancellationToken) {
        self.parts.context.cancel = cancel;
    }

    /// Waits for hooks, unless the user gives up first; dropping them ends them.
    async fn unless_cancelled<T>(&self, hooks: impl Future<Output = T>) -> Result<T, Interrupt> {
        tokio::select! {
            biased;
            () = self.parts.context.cancel.cancelled() => Err(Interrupt::Cancelled),
            result = hooks => Ok(result),
        }
    }

    /// Ends the turn if hooks asked for a stop, alone or together with a block.
    fn stop_if_asked(&self, gate: &AgentGate) -> Result<(), Interrupt> {
        match gate {
            AgentGate::Stop { reason } | AgentGate::Block { stop: Some(reason), .. } => {
                Err(self.stopped(reason.clone()))
            }
            AgentGate::Proceed { .. } | AgentGate::Block { stop: None, .. } => Ok(()),
        }
    }

    /// Records that a hook stopped the agent, shows it, and ends the turn.
    fn stopped(&self, reason: StopReason) -> Interrupt {
        let reason = reason.into_string();
        self.parts.log.write(&LogLine::Stop { reason: &reason });
        self.parts.ui.notify(&AgentEvent::Stopped { reason: &reason });
        Interrupt::Stopped(reason)
    }

    /// Shows a message that has no event of its own.
    fn notice(&self, text: &str) {
        self.parts.ui.notify(&AgentEvent::Notice(text));
    }
}
