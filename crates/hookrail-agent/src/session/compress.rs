//! Keeps the history within its budget: the oldest turns are summarised by the model.
//!
//! The summary is a model call like any other: its hooks run, and they may block it. A history that could not be
//! summarised stays as it is, and a notice gives the reason.

use hookrail::PreCompressTrigger;
use hookrail::genai::{Content, GenerateContentParameters};

use super::model_call::{Audience, ReplySource};
use super::{Interrupt, Session};
use crate::ui::AgentEvent;

/// What the model is asked for, after the turns to be summarised.
const INSTRUCTION: &str = "Summarise the conversation so far for your own later use: the goals, what was done to \
     which files, what was found, what is still open. Facts only.";

impl Session {
    /// Whether the history has outgrown its budget. One that cannot be made smaller is tried again only
    /// after it has grown noticeably, or every turn would begin with a summary.
    pub(super) fn is_history_too_large(&self) -> bool {
        let budget = self.parts.options.history_budget;
        let bytes = self.history.bytes();
        bytes > budget && (self.summarised_to <= budget || bytes > self.summarised_to + budget / 4)
    }

    /// Summarises the oldest turns with the model's help; all of them when the user asks for it.
    pub(super) async fn summarise(&mut self, trigger: PreCompressTrigger) -> Result<(), Interrupt> {
        let length = self.history.contents().len();
        let recent = match trigger {
            PreCompressTrigger::Manual => (length > 0).then_some(length),
            PreCompressTrigger::Auto => self.history.recent_start(),
        };
        let Some(recent) = recent else { return Ok(()) };
        let result = self.unless_cancelled(self.parts.hooks.fire_pre_compress(trigger)).await?;
        self.stop_if_asked(&result.gate)?;
        self.pending_messages.extend(result.notes.system_message);
        let before = self.history.bytes();
        let mut contents: Vec<Content> = self.history.contents().iter().take(recent).cloned().collect();
        contents.push(Content::text("user", INSTRUCTION));
        let request = GenerateContentParameters {
            model: self.parts.options.model.clone(),
            contents,
            ..GenerateContentParameters::default()
        };
        let reply = self.call_model(request, Audience::Agent).await?;
        let summary = reply.response.text();
        if let ReplySource::Hooks { reason } = reply.source {
            // A hook's answer in the model's place is about the call, not about the conversation.
            self.notice(&format!(
                "the history was not summarised: a hook blocked the summary call: {reason}"
            ));
        } else if summary.trim().is_empty() {
            self.notice("the history was not summarised: there was no summary");
        } else {
            self.history.summarise(recent, &summary);
            let after = self.history.bytes();
            self.parts.ui.notify(&AgentEvent::Compressed { before, after });
        }
        self.summarised_to = self.history.bytes();
        Ok(())
    }
}
