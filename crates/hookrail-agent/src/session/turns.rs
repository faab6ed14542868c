//! The turn loop: prompt → model → tools → model, until the model is done or a hook stops it.
//!
//! A turn is one model call and the tool calls that it asks for. Hooks run at each step, and what they decide is
//! carried out here: the prompt is admitted or blocked, context and messages are added, the work is stopped.

use hookrail::PreCompressTrigger;
use hookrail::effects::AgentGate;
use hookrail::genai::{
    Content, GenerateContentConfig, GenerateContentParameters, GenerateContentResponse, Part,
};
use hookrail::model::system_message;
use serde_json::json;

use super::model_call::Audience;
use super::{FinalAnswer, Interrupt, PromptOutcome, Session};
use crate::history::{system_instruction, tool_responses};
use crate::log::LogLine;
use crate::scheduler::{ScheduledCall, Scheduler};
use crate::ui::AgentEvent;

/// How often in a row `AfterAgent` hooks may send the agent back to work.
const MAX_CONSECUTIVE_BLOCKS: u32 = 5;

impl Session {
    /// Works on a prompt until the model is done and no `AfterAgent` hook sends it back.
    ///
    /// A reason that sends it back becomes the next prompt, so it passes the `BeforeAgent` hooks like any other. All
    /// rounds share one budget of turns, and after [`MAX_CONSECUTIVE_BLOCKS`] of them the last answer is final: a hook
    /// that always blocks must not keep the agent at work for ever.
    pub(super) async fn prompt_to_its_end(&mut self, prompt: &str) -> Result<PromptOutcome, Interrupt> {
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
            if result.notes.clear_context {
                self.history.clear();
            }
            self.stop_if_asked(&result.gate)?;
            self.pending_messages.extend(result.notes.system_message);
            let AgentGate::Block { block, .. } = result.gate else {
                return Ok(PromptOutcome::Answered(answer));
            };
            consecutive_blocks += 1;
            if consecutive_blocks > MAX_CONSECUTIVE_BLOCKS {
                self.notice("AfterAgent hooks kept sending the agent back; the last answer counts");
                return Ok(PromptOutcome::Answered(answer));
            }
            self.parts.ui.notify(&AgentEvent::Blocked { what: "end of the run", reason: &block.reason });
            prompt = block.reason;
        }
    }

    /// Runs `BeforeAgent` hooks on the prompt and adds it to the history; returns the reason of a block.
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
            AgentGate::Proceed { additional_context } => {
                content.parts.extend(additional_context.map(Part::text));
            }
            AgentGate::Stop { reason } => return Err(self.stopped(reason)),
        }
        self.pending_messages.extend(result.notes.system_message);
        self.history.push(content);
        Ok(None)
    }

    /// Model and tools in turn until the model is done; `None` when it still called tools in the last turn.
    async fn work(&mut self, turns_left: &mut u32) -> Result<Option<FinalAnswer>, Interrupt> {
        while *turns_left > 0 {
            *turns_left -= 1;
            if self.is_history_too_large() {
                self.summarise(PreCompressTrigger::Auto).await?;
            }
            let request = self.request();
            let reply = self.call_model(request, Audience::User).await?;
            let text = reply.response.text();
            let calls: Vec<ScheduledCall> = reply
                .response
                .function_calls()
                .zip(self.tool_calls + 1..)
                .map(|(call, number)| ScheduledCall { id: format!("call-{number}"), call: call.clone() })
                .collect();
            self.tool_calls += calls.len();
            if calls.is_empty() && text.is_empty() {
                self.show_finish_reason(&reply.response);
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

    /// A model that ends without text gives a finish reason, which is shown. `STOP` is the normal end and is not.
    fn show_finish_reason(&self, response: &GenerateContentResponse) {
        let finish = response.candidates.first().and_then(|first| first.finish_reason.as_deref());
        if let Some(reason) = finish.filter(|reason| *reason != "STOP") {
            self.notice(&format!("the model ended without an answer: {reason}"));
        }
    }

    /// The next request: instruction, history, and the messages of hooks that have not been sent yet. These are added
    /// to the request and not to the history, so that they are sent once.
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
}
