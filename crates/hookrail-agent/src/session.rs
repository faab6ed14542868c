//! The turn loop: prompt → model → tools → model, until the model is done or a hook stops it.

use std::sync::Arc;
use std::time::Duration;

use hookrail::genai::{
    Content, GenerateContentConfig, GenerateContentParameters, GenerateContentResponse, Part,
};
use hookrail::{
    AgentGate, HookSession, PreCompressTrigger, SessionEndReason, SessionStartSource, StopReason,
    system_message,
};
use serde_json::json;

use tokio_util::sync::CancellationToken;

use crate::approval::ApprovalMode;
use crate::history::{History, system_instruction, tool_responses};
use crate::log::{LogLine, SessionLog};
use crate::model::{ModelClient, ModelError};
use crate::model_call::Audience;
use crate::scheduler::{Call, Scheduler};
use crate::tools::{ProtectedPaths, ToolContext, ToolTable};
use crate::ui::{AgentEvent, Ui};

/// How often in a row `AfterAgent` hooks may send the agent back to work.
const MAX_CONSECUTIVE_BLOCKS: u32 = 5;

/// What a session is made of.
pub struct SessionParts {
    /// The engine's session.
    pub hooks: HookSession,
    /// Who answers.
    pub model: Arc<dyn ModelClient>,
    /// What the model may do.
    pub tools: ToolTable,
    /// Where it does it, and whether the user gave up.
    pub context: ToolContext,
    /// The transcript.
    pub log: Arc<SessionLog>,
    /// Who watches.
    pub ui: Arc<dyn Ui>,
    /// What it is allowed to.
    pub options: SessionOptions,
}

/// Limits and choices of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The model's name.
    pub model: String,
    /// What may run without asking.
    pub approval: ApprovalMode,
    /// How many model calls a prompt may take.
    pub max_turns: u32,
    /// History size in bytes past which the oldest turns are summarised.
    pub history_budget: usize,
}

/// A conversation.
pub struct Session {
    pub(crate) parts: SessionParts,
    pub(crate) history: History,
    /// Messages of `AfterModel` hooks for the next request that is sent.
    pub(crate) pending_messages: Vec<String>,
    /// The history's size after it was summarised last, or after the attempt.
    pub(crate) summarised_to: usize,
    /// How many tool calls the model asked for.
    tool_calls: usize,
}

/// How the work on a prompt ended.
#[must_use = "it may be a stop"]
#[derive(Debug)]
pub enum PromptOutcome {
    /// The model is done.
    Answered(FinalAnswer),
    /// A hook blocked the prompt.
    PromptBlocked(String),
    /// A hook stopped the agent.
    Stopped(String),
    /// The model still wanted more after the last turn.
    MaxTurns(u32),
    /// The model could not be asked.
    ModelFailed(ModelError),
    /// The user gave up.
    Cancelled,
}

/// The model's last word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalAnswer {
    /// What it said.
    pub text: String,
    /// Whether a hook wants it hidden from the user.
    pub suppressed: bool,
}

/// Why a turn cannot go on.
pub(crate) enum Interrupt {
    Stopped(String),
    ModelFailed(ModelError),
    Cancelled,
}

impl Session {
    /// A session with an empty history.
    pub fn new(mut parts: SessionParts) -> Self {
        parts.context.protected = ProtectedPaths::of(parts.hooks.settings());
        Self {
            parts,
            history: History::default(),
            pending_messages: Vec::new(),
            summarised_to: 0,
            tool_calls: 0,
        }
    }

    /// The engine's session.
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
        if let AgentGate::GoOn { additional_context: Some(context) } = result.gate {
            self.history.push(Content::text("user", context));
        }
        self.pending_messages.extend(result.notes.into_inner().system_message);
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

    /// Forgets the conversation: one session ends and another begins, unless a hook of the end stops the agent.
    pub async fn clear(&mut self) -> Result<(), PromptOutcome> {
        let reason = SessionEndReason::Clear;
        let ended = self.parts.hooks.fire_session_end(reason).await;
        self.parts.log.write(&LogLine::SessionEnd { reason: reason.as_str() });
        self.history.clear();
        self.pending_messages.clear();
        self.stop_if_asked(&ended.gate)?;
        self.start(SessionStartSource::Clear).await
    }

    /// Works on a prompt until the model is done, then lets `AfterAgent` hooks have their say.
    pub async fn prompt(&mut self, prompt: &str) -> PromptOutcome {
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

    async fn prompt_to_its_end(&mut self, prompt: &str) -> Result<PromptOutcome, Interrupt> {
        let mut prompt = prompt.to_owned();
        let mut consecutive_blocks = 0;
        let mut turns_left = self.parts.options.max_turns;
        loop {
            if let Some(reason) = self.admit_prompt(&prompt).await? {
                return Ok(PromptOutcome::PromptBlocked(reason));
            }
            let Some(answer) = self.work(&mut turns_left).await? else {
                return Ok(PromptOutcome::MaxTurns(self.parts.options.max_turns));
            };
            let again = consecutive_blocks > 0;
            let hooks = self.parts.hooks.fire_after_agent(&prompt, &answer.text, again);
            let result = self.unless_cancelled(hooks).await?;
            if result.clear_context {
                self.history.clear();
            }
            self.stop_if_asked(&result.gate)?;
            self.pending_messages.extend(result.notes.into_inner().system_message);
            let AgentGate::Block { block, .. } = result.gate else {
                return Ok(PromptOutcome::Answered(answer));
            };
            consecutive_blocks += 1;
            if consecutive_blocks > MAX_CONSECUTIVE_BLOCKS {
                self.notice("AfterAgent hooks kept sending the agent back; it ends here");
                return Ok(PromptOutcome::Answered(answer));
            }
            self.parts.ui.notify(&AgentEvent::Blocked { what: "end of the run", reason: &block.reason });
            prompt = block.reason;
        }
    }

    /// Lets `BeforeAgent` hooks see the prompt and adds it to the history; gives the reason of a block.
    async fn admit_prompt(&mut self, prompt: &str) -> Result<Option<String>, Interrupt> {
        self.parts.log.write(&LogLine::User { prompt });
        let mut content = Content::text("user", prompt);
        let result = self.unless_cancelled(self.parts.hooks.fire_before_agent(prompt)).await?;
        if let AgentGate::Block { block, .. } = &result.gate {
            self.parts.ui.notify(&AgentEvent::Blocked { what: "prompt", reason: &block.reason });
        }
        self.stop_if_asked(&result.gate)?;
        match result.gate {
            AgentGate::Block { block, .. } => return Ok(Some(block.reason)),
            AgentGate::GoOn { additional_context } => {
                content.parts.extend(additional_context.map(Part::text));
            }
            AgentGate::Stop { reason } => return Err(self.stopped(reason)),
        }
        self.pending_messages.extend(result.notes.into_inner().system_message);
        self.history.push(content);
        Ok(None)
    }

    /// Model and tools in turn until the model is done; `None` when it still wanted more after the last
    /// turn.
    async fn work(&mut self, turns_left: &mut u32) -> Result<Option<FinalAnswer>, Interrupt> {
        while *turns_left > 0 {
            *turns_left -= 1;
            if self.is_history_too_large() {
                self.summarise(PreCompressTrigger::Auto).await?;
            }
            let request = self.request();
            let reply = self.call_model(request, Audience::User).await?;
            let text = reply.response.text();
            let calls: Vec<Call> = reply
                .response
                .function_calls()
                .zip(self.tool_calls + 1..)
                .map(|(call, number)| Call { id: format!("call-{number}"), call: call.clone() })
                .collect();
            self.tool_calls += calls.len();
            if calls.is_empty() && text.is_empty() {
                self.explain_silence(&reply.response);
            }
            let first = reply.response.candidates.into_iter().next();
            if let Some(content) = first.and_then(|first| first.content) {
                self.history.push(Content { role: Some("model".to_owned()), ..content });
            }
            if calls.is_empty() {
                return Ok(Some(FinalAnswer { text, suppressed: reply.suppressed }));
            }
            let parts = &self.parts;
            let scheduler = Scheduler {
                hooks: &parts.hooks,
                tools: &parts.tools,
                context: &parts.context,
                approval: parts.options.approval,
                log: &parts.log,
                ui: parts.ui.as_ref(),
                questions: tokio::sync::Mutex::default(),
            };
            let batch = scheduler.run(&calls, &reply.allowed).await;
            self.pending_messages.extend(scheduler.questions.into_inner());
            self.history.push(tool_responses(batch.results));
            if let Some(stop) = batch.stop {
                return Err(self.stopped(stop));
            }
            if self.parts.context.cancel.is_cancelled() {
                return Err(Interrupt::Cancelled);
            }
        }
        Ok(None)
    }

    /// A model that ends without a word had a reason that a person should know.
    fn explain_silence(&self, response: &GenerateContentResponse) {
        let finish = response.candidates.first().and_then(|first| first.finish_reason.as_deref());
        if let Some(reason) = finish.filter(|reason| *reason != "STOP") {
            self.notice(&format!("the model ended without an answer: {reason}"));
        }
    }

    fn request(&self) -> GenerateContentParameters {
        let project = self.parts.hooks.working_dir().display();
        let instruction = format!(
            "You are a coding agent working in the project at {project}. Use the tools to read and change \
             files and to run commands. Say briefly what you did."
        );
        let mut contents = self.history.contents().to_vec();
        contents.extend(self.pending_messages.iter().map(|message| system_message(message)));
        GenerateContentParameters {
            model: self.parts.options.model.clone(),
            contents,
            config: Some(GenerateContentConfig {
                system_instruction: Some(system_instruction(&instruction)),
                tools: Some(vec![json!({ "functionDeclarations": self.parts.tools.declarations() })]),
                ..GenerateContentConfig::default()
            }),
            ..GenerateContentParameters::default()
        }
    }

    /// Replaces the token that gives up what is running: a turn that was interrupted leaves its own cancelled.
    pub fn set_cancel(&mut self, cancel: CancellationToken) {
        self.parts.context.cancel = cancel;
    }

    /// Waits for hooks, unless the user gives up first; dropping them ends them.
    pub(crate) async fn unless_cancelled<T>(&self, hooks: impl Future<Output = T>) -> Result<T, Interrupt> {
        tokio::select! {
            biased;
            () = self.parts.context.cancel.cancelled() => Err(Interrupt::Cancelled),
            result = hooks => Ok(result),
        }
    }

    pub(crate) fn stop_if_asked(&self, gate: &AgentGate) -> Result<(), Interrupt> {
        match gate {
            AgentGate::Stop { reason } | AgentGate::Block { stop: Some(reason), .. } => {
                Err(self.stopped(reason.clone()))
            }
            AgentGate::GoOn { .. } | AgentGate::Block { stop: None, .. } => Ok(()),
        }
    }

    /// Records that a hook stopped the agent, shows it, and ends the turn.
    pub(crate) fn stopped(&self, reason: StopReason) -> Interrupt {
        let StopReason(reason) = reason;
        self.parts.log.write(&LogLine::Stop { reason: &reason });
        self.parts.ui.notify(&AgentEvent::Stopped { reason: &reason });
        Interrupt::Stopped(reason)
    }

    pub(crate) fn notice(&self, text: &str) {
        self.parts.ui.notify(&AgentEvent::Notice(text));
    }
}

impl From<Interrupt> for PromptOutcome {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stopped(reason) => Self::Stopped(reason),
            Interrupt::ModelFailed(error) => Self::ModelFailed(error),
            Interrupt::Cancelled => Self::Cancelled,
        }
    }
}
