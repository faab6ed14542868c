//! The turn loop: prompt → model → tools → model, until the model is done or a hook stops it.

use std::sync::Arc;

use hookrail::genai::{Content, GenerateContentConfig, GenerateContentParameters, GenerateContentResponse};
use hookrail::{
    AgentEvents, Config, EventName, HookEventHandler, PreCompressTrigger, ProcessedHookResult,
    SessionEndReason, SessionStartSource, fire_after_model_hook, fire_before_model_hook,
    fire_before_tool_selection_hook,
};
use serde_json::json;

use crate::approval::ApprovalMode;
use crate::history::{History, system_instruction, system_message, tool_responses};
use crate::log::{LogLine, SessionLog};
use crate::model::{ModelClient, ModelError};
use crate::scheduler::{AllowedTools, Scheduler};
use crate::tools::{ToolContext, ToolTable};
use crate::ui::{Happening, Ui};

/// How often in a row `AfterAgent` hooks may send the agent back to work.
const MAX_CONSECUTIVE_BLOCKS: u32 = 5;

/// What a session is made of.
pub struct SessionParts {
    /// The engine's session.
    pub config: Config,
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
    /// Messages of `AfterModel` hooks for the next request.
    pending_messages: Vec<String>,
}

/// How the work on a prompt ended.
#[must_use = "it may be a stop"]
#[derive(Debug)]
pub enum PromptOutcome {
    /// The model is done.
    Answered(Answer),
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
pub struct Answer {
    /// What it said.
    pub text: String,
    /// Whether a hook wants it hidden from the user.
    pub suppressed: bool,
}

/// Why a turn cannot go on.
enum Interrupt {
    Stopped(String),
    ModelFailed(ModelError),
    Cancelled,
}

/// Who hears what the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    User,
    Nobody,
}

/// What came out of one model call.
struct Reply {
    response: GenerateContentResponse,
    allowed: AllowedTools,
    suppressed: bool,
}

impl Session {
    /// A session with an empty history.
    pub fn new(parts: SessionParts) -> Self {
        Self { parts, history: History::default(), pending_messages: Vec::new() }
    }

    /// The engine's session.
    pub fn config(&self) -> &Config {
        &self.parts.config
    }

    /// Begins the session: its hooks may add context, or stop it, if the settings let them.
    pub async fn start(&mut self, source: SessionStartSource) -> Result<(), String> {
        self.parts.log.write(&LogLine::SessionStart {
            source: source.as_str(),
            cwd: &self.parts.config.working_dir().to_string_lossy(),
            model: &self.parts.options.model,
        });
        let Some(handler) = self.handler() else { return Ok(()) };
        let result = handler.fire_session_start_event(source).await;
        if !self.applies_agent_events() {
            return Ok(());
        }
        if let Some(context) = additional_context(&result) {
            self.history.push(Content::text("user", context));
        }
        let stop = result.stop();
        self.pending_messages.extend(result.system_message);
        stop.map_or(Ok(()), |reason| Err(self.stop(reason.0)))
    }

    /// Ends the session. The log is complete afterwards.
    pub async fn end(&mut self, reason: SessionEndReason) {
        if let Some(handler) = self.handler() {
            // Whatever these hooks say, the session is over.
            let _ = handler.fire_session_end_event(reason).await;
        }
        self.parts.log.write(&LogLine::SessionEnd { reason: reason.as_str() });
    }

    /// Forgets the conversation: one session ends, another begins.
    pub async fn clear(&mut self) -> Result<(), String> {
        self.end(SessionEndReason::Clear).await;
        self.history.clear();
        self.pending_messages.clear();
        self.start(SessionStartSource::Clear).await
    }

    /// Works on a prompt until the model is done, then lets `AfterAgent` hooks have their say.
    pub async fn prompt(&mut self, prompt: &str) -> PromptOutcome {
        let mut prompt = prompt.to_owned();
        let mut consecutive_blocks = 0;
        loop {
            let outcome = self.work_on(&prompt).await;
            let PromptOutcome::Answered(answer) = outcome else { return outcome };
            let Some(handler) = self.handler() else { return PromptOutcome::Answered(answer) };
            let again = consecutive_blocks > 0;
            let result = handler.fire_after_agent_event(&prompt, &answer.text, again).await;
            if !self.applies_agent_events() {
                return PromptOutcome::Answered(answer);
            }
            let output = result.aggregated.final_output.as_ref();
            if output.and_then(|output| output.specific("clearContext")).is_some_and(|clear| clear == true) {
                self.history.clear();
            }
            if let Some(reason) = result.stop() {
                return PromptOutcome::Stopped(self.stop(reason.0));
            }
            let Some(block) = result.block else { return PromptOutcome::Answered(answer) };
            consecutive_blocks += 1;
            if consecutive_blocks > MAX_CONSECUTIVE_BLOCKS {
                self.notice("AfterAgent hooks kept sending the agent back; it ends here.");
                return PromptOutcome::Answered(answer);
            }
            self.parts.ui.happened(&Happening::Blocked { what: "end of the run", reason: &block.reason });
            prompt = block.reason;
        }
    }

    /// `/compress`: summarises the oldest turns now.
    pub async fn compress(&mut self) -> PromptOutcome {
        match self.summarise(PreCompressTrigger::Manual).await {
            Ok(()) => PromptOutcome::Answered(Answer::default()),
            Err(interrupt) => interrupt.into(),
        }
    }

    async fn work_on(&mut self, prompt: &str) -> PromptOutcome {
        self.parts.log.write(&LogLine::User { prompt });
        let mut content = Content::text("user", prompt);
        if let Some(handler) = self.handler() {
            let result = handler.fire_before_agent_event(prompt).await;
            if self.applies_agent_events() {
                if let Some(reason) = result.stop() {
                    return PromptOutcome::Stopped(self.stop(reason.0));
                }
                if let Some(block) = result.block {
                    self.parts.ui.happened(&Happening::Blocked { what: "prompt", reason: &block.reason });
                    return PromptOutcome::PromptBlocked(block.reason);
                }
                content.parts.extend(additional_context(&result).map(hookrail::genai::Part::text));
                self.pending_messages.extend(result.system_message);
            }
        }
        self.history.push(content);
        match self.turns().await {
            Ok(outcome) => outcome,
            Err(interrupt) => interrupt.into(),
        }
    }

    async fn turns(&mut self) -> Result<PromptOutcome, Interrupt> {
        for _ in 0..self.parts.options.max_turns {
            if self.history.bytes() > self.parts.options.history_budget {
                self.summarise(PreCompressTrigger::Auto).await?;
            }
            let request = self.request();
            let reply = self.call_model(request, Audience::User).await?;
            let calls: Vec<_> = reply.response.function_calls().cloned().collect();
            let text = reply.response.text();
            if let Some(content) =
                reply.response.candidates.into_iter().next().and_then(|first| first.content)
            {
                self.history.push(Content { role: Some("model".to_owned()), ..content });
            }
            if calls.is_empty() {
                return Ok(PromptOutcome::Answered(Answer { text, suppressed: reply.suppressed }));
            }
            let parts = &self.parts;
            let scheduler = Scheduler {
                config: &parts.config,
                tools: &parts.tools,
                context: &parts.context,
                approval: parts.options.approval,
                log: &parts.log,
                ui: parts.ui.as_ref(),
            };
            let batch = scheduler.run(calls, &reply.allowed).await;
            self.history.push(tool_responses(batch.results));
            if let Some(stop) = batch.stop {
                return Err(Interrupt::Stopped(self.stop(stop.0)));
            }
            if self.parts.context.cancel.is_cancelled() {
                return Err(Interrupt::Cancelled);
            }
        }
        Ok(PromptOutcome::MaxTurns(self.parts.options.max_turns))
    }

    fn request(&mut self) -> GenerateContentParameters {
        let project = self.parts.config.working_dir().display();
        let instruction = format!(
            "You are a coding agent working in the project at {project}. Use the tools to read and change \
             files and to run commands. Say briefly what you did."
        );
        let mut contents = self.history.contents().to_vec();
        contents.extend(self.pending_messages.drain(..).map(|message| system_message(&message)));
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

    /// One model call with its hooks: `BeforeModel`, `BeforeToolSelection`, the call, `AfterModel`.
    async fn call_model(
        &mut self,
        request: GenerateContentParameters,
        audience: Audience,
    ) -> Result<Reply, Interrupt> {
        let cancel = self.parts.context.cancel.clone();
        // Dropping the call ends its hooks and its stream.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Interrupt::Cancelled),
            reply = self.call_model_to_its_end(request, audience) => reply,
        }
    }

    async fn call_model_to_its_end(
        &mut self,
        mut request: GenerateContentParameters,
        audience: Audience,
    ) -> Result<Reply, Interrupt> {
        let before = fire_before_model_hook(&self.parts.config, &request).await;
        if before.blocked {
            if let Some(stop) = before.stop {
                return Err(Interrupt::Stopped(self.stop(stop.0)));
            }
            let suppressed = before.suppress_output || audience == Audience::Nobody;
            return Ok(self.answer_instead_of_the_model(
                &request,
                before.reason,
                before.synthetic_response,
                suppressed,
            ));
        }
        request = before.modified_request.unwrap_or(request);
        request.contents.extend(before.system_message.map(|message| system_message(&message)));

        let mut suppressed = before.suppress_output || audience == Audience::Nobody;
        let has_tools = request
            .config
            .as_ref()
            .is_some_and(|config| config.tools.as_ref().is_some_and(|tools| !tools.is_empty()));
        if has_tools {
            let selection = fire_before_tool_selection_hook(&self.parts.config, &request).await;
            if let Some(stop) = selection.stop {
                return Err(Interrupt::Stopped(self.stop(stop.0)));
            }
            if let Some(tool_config) = selection.tool_config {
                request.config.get_or_insert_default().tool_config = Some(tool_config);
            }
            request.contents.extend(selection.system_message.map(|message| system_message(&message)));
            suppressed |= selection.suppress_output;
        }
        let allowed =
            AllowedTools::of(request.config.as_ref().and_then(|config| config.tool_config.as_ref()));

        self.parts.log.write(&LogLine::ModelRequest { request: &request });
        self.parts.ui.happened(&Happening::ModelStarted { model: &request.model });
        // What an AfterModel hook may still change or hide is shown only after it has spoken.
        let streamed = !suppressed && !self.listens_to(EventName::AfterModel);
        let ui = &self.parts.ui;
        let response = self
            .parts
            .model
            .stream(&request)
            .complete(|chunk| {
                if streamed {
                    show_text(ui.as_ref(), chunk);
                }
            })
            .await
            .map_err(Interrupt::ModelFailed)?;
        self.parts.ui.happened(&Happening::ModelFinished);

        let after = fire_after_model_hook(&self.parts.config, &request, response).await;
        self.parts.log.write(&LogLine::ModelResponse {
            response: &after.response,
            synthetic: false,
            modified: after.modified,
        });
        if after.dropped_tool_calls > 0 {
            self.notice(&format!(
                "an AfterModel hook replaced the response: {} tool call(s) of the model are gone",
                after.dropped_tool_calls
            ));
        }
        if let Some(stop) = after.stop {
            return Err(Interrupt::Stopped(self.stop(stop.0)));
        }
        self.pending_messages.extend(after.system_message);
        suppressed |= after.suppress_output;
        if !streamed && !suppressed {
            show_text(self.parts.ui.as_ref(), &after.response);
        }
        Ok(Reply { response: after.response, allowed, suppressed })
    }

    /// A blocked call: the model is never asked, and no stream is opened.
    fn answer_instead_of_the_model(
        &self,
        request: &GenerateContentParameters,
        reason: Option<String>,
        synthetic: Option<GenerateContentResponse>,
        suppressed: bool,
    ) -> Reply {
        let response = synthetic.unwrap_or_else(|| GenerateContentResponse::from_text(""));
        let reason = reason.unwrap_or_default();
        self.parts.ui.happened(&Happening::Blocked { what: "model call", reason: &reason });
        self.parts.log.write(&LogLine::ModelResponse {
            response: &response,
            synthetic: true,
            modified: false,
        });
        if !suppressed {
            show_text(self.parts.ui.as_ref(), &response);
        }
        let allowed =
            AllowedTools::of(request.config.as_ref().and_then(|config| config.tool_config.as_ref()));
        Reply { response, allowed, suppressed }
    }

    /// Summarises the oldest turns with the model's help.
    async fn summarise(&mut self, trigger: PreCompressTrigger) -> Result<(), Interrupt> {
        let Some(recent) = self.history.recent_start() else { return Ok(()) };
        if let Some(handler) = self.handler() {
            let result = handler.fire_pre_compress_event(trigger).await;
            if self.applies_agent_events()
                && let Some(reason) = result.stop()
            {
                return Err(Interrupt::Stopped(self.stop(reason.0)));
            }
        }
        let before = self.history.bytes();
        let (old, kept) = self.history.contents().split_at(recent);
        let kept = kept.to_vec();
        let mut contents = old.to_vec();
        contents.push(Content::text(
            "user",
            "Summarise the conversation so far for your own later use: the goals, what was done to which files, \
             what was found, what is still open. Facts only.",
        ));
        let request = GenerateContentParameters {
            model: self.parts.options.model.clone(),
            contents,
            ..GenerateContentParameters::default()
        };
        let summary = self.call_model(request, Audience::Nobody).await?.response.text();
        if summary.trim().is_empty() {
            self.notice("the history was not summarised: the model gave no summary");
            return Ok(());
        }
        let mut contents = vec![
            Content::text("user", format!("Summary of the conversation so far:\n{summary}")),
            Content::text("model", "Understood."),
        ];
        contents.extend(kept);
        self.history.replace(contents);
        self.parts.ui.happened(&Happening::Compressed { before, after: self.history.bytes() });
        Ok(())
    }

    /// The event handler, if hooks are on.
    fn handler(&self) -> Option<&HookEventHandler> {
        let system = self.parts.config.hook_system()?;
        system.initialize();
        system.event_handler().ok()
    }

    fn listens_to(&self, event: EventName) -> bool {
        let Some(system) = self.parts.config.hook_system() else { return false };
        system.initialize();
        system.registry().is_ok_and(|registry| registry.listens_to(event))
    }

    fn applies_agent_events(&self) -> bool {
        self.parts.config.hook_system().is_some_and(|system| system.agent_events() == AgentEvents::Apply)
    }

    /// Records that a hook stopped the agent, and shows it.
    fn stop(&self, reason: String) -> String {
        self.parts.log.write(&LogLine::Stop { reason: &reason });
        self.parts.ui.happened(&Happening::Stopped { reason: &reason });
        reason
    }

    fn notice(&self, text: &str) {
        self.parts.ui.happened(&Happening::Notice(text));
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

fn show_text(ui: &dyn Ui, response: &GenerateContentResponse) {
    let text = response.text();
    if !text.is_empty() {
        ui.happened(&Happening::AnswerText(&text));
    }
}

fn additional_context(result: &ProcessedHookResult) -> Option<String> {
    let output = result.aggregated.final_output.as_ref()?;
    output.specific("additionalContext")?.as_str().map(str::to_owned)
}
