//! One model call with its hooks: `BeforeModel`, `BeforeToolSelection`, the call, `AfterModel`.

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail::{EventName, fire_after_model_hook, fire_before_model_hook, fire_before_tool_selection_hook};

use crate::history::system_message;
use crate::log::LogLine;
use crate::scheduler::AllowedTools;
use crate::session::{Interrupt, Session};
use crate::ui::{Happening, Ui};

/// Who hears what the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    User,
    Nobody,
}

/// What came out of one model call.
pub(crate) struct Reply {
    pub(crate) response: GenerateContentResponse,
    pub(crate) allowed: AllowedTools,
    pub(crate) suppressed: bool,
}

impl Session {
    /// Makes one model call, unless the user gives up first.
    pub(crate) async fn call_model(
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
            // The messages for the next request wait for one that is sent.
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
        let allowed = allowed_tools(&request);

        if audience == Audience::User {
            self.pending_messages.clear();
        }
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
        if let Some(usage) = &response.usage_metadata {
            self.parts.ui.happened(&Happening::Usage(usage));
        }

        let after = fire_after_model_hook(&self.parts.config, &request, response).await;
        self.parts.log.write(&LogLine::ModelResponse {
            response: &after.response,
            synthetic: false,
            modified: after.modified,
        });
        if let Some(stop) = after.stop {
            return Err(Interrupt::Stopped(self.stop(stop.0)));
        }
        if after.dropped_tool_calls > 0 {
            self.notice(&format!(
                "an AfterModel hook replaced the response: {} tool call(s) of the model are gone",
                after.dropped_tool_calls
            ));
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
        Reply { response, allowed: allowed_tools(request), suppressed }
    }

    fn listens_to(&self, event: EventName) -> bool {
        let Some(system) = self.parts.config.hook_system() else { return false };
        system.initialize();
        system.registry().is_ok_and(|registry| registry.listens_to(event))
    }
}

/// Which tools a request lets the model call.
fn allowed_tools(request: &GenerateContentParameters) -> AllowedTools {
    AllowedTools::of(request.config.as_ref().and_then(|config| config.tool_config.as_ref()))
}

fn show_text(ui: &dyn Ui, response: &GenerateContentResponse) {
    let text = response.text();
    if !text.is_empty() {
        ui.happened(&Happening::AnswerText(&text));
    }
}
