//! Hook outputs as the callers of each event read them.
//!
//! One type per event that has methods of its own, all of them readable through [`HookOutputView`]. They hold
//! an output and decide nothing: merging is done before, and the caller applies what they return.

use serde_json::Value;

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::translator::{
    AppliedRequest, TranslationError, apply_hook_llm_request, apply_hook_llm_response,
    apply_hook_tool_config, from_hook_llm_response,
};
use crate::output::{DEFAULT_BLOCK_REASON, HookOutput, first_not_blank};

/// What every event's callers may ask of an output.
pub trait HookOutputView {
    /// The output itself.
    fn output(&self) -> &HookOutput;

    /// Whether it blocks the operation.
    fn is_blocking_decision(&self) -> bool {
        self.output().is_blocking_decision()
    }

    /// Whether it asks the agent to stop.
    fn should_stop_execution(&self) -> bool {
        self.output().should_stop_execution()
    }

    /// Why it blocks or, if it does not, why it stops; never blank.
    fn effective_reason(&self) -> &str {
        reason_of(self.output(), None, self.is_blocking_decision())
    }

    /// Text to be added to what the model sees, as the hook wrote it.
    fn additional_context(&self) -> Option<&str> {
        self.output().additional_context()
    }

    /// The reason of the block, if it blocks.
    fn blocking_error(&self) -> Option<&str> {
        self.is_blocking_decision().then(|| self.effective_reason())
    }
}

/// Why an output blocks or stops, as its event's own view sees it.
pub(crate) fn effective_reason(event: EventName, output: &HookOutput) -> &str {
    let permission = if event == EventName::BeforeTool { output.permission_reason() } else { None };
    reason_of(output, permission, output.blocks(event))
}

fn reason_of<'a>(output: &'a HookOutput, permission: Option<&'a str>, blocking: bool) -> &'a str {
    let (reason, stop_reason) = (output.reason.as_deref(), output.stop_reason.as_deref());
    if blocking {
        return first_not_blank([permission, reason, stop_reason]).unwrap_or(DEFAULT_BLOCK_REASON);
    }
    if output.should_stop_execution() {
        return permission.unwrap_or_else(|| output.effective_stop_reason());
    }
    first_not_blank([permission, reason, stop_reason]).unwrap_or("No reason provided")
}

/// Defines the view of each event that has methods of its own, made of an output that can be taken out of it again.
macro_rules! views {
    ($($(#[$doc:meta])+ $name:ident { $($method:tt)* })+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name(HookOutput);

        impl HookOutputView for $name {
            fn output(&self) -> &HookOutput {
                &self.0
            }

            $($method)*
        }

        impl From<HookOutput> for $name {
            fn from(output: HookOutput) -> Self {
                Self(output)
            }
        }

        impl From<$name> for HookOutput {
            fn from(view: $name) -> Self {
                view.0
            }
        }
    )+};
}

views! {
    /// An output of an event that has no fields of its own that need reading.
    DefaultHookOutput {}

    /// An output of `BeforeTool`. Also understands `permissionDecision` and `permissionDecisionReason`, which hooks
    /// written for other agents use.
    BeforeToolHookOutput {
        fn is_blocking_decision(&self) -> bool {
            self.0.blocks(EventName::BeforeTool)
        }

        fn effective_reason(&self) -> &str {
            effective_reason(EventName::BeforeTool, &self.0)
        }
    }

    /// An output of `BeforeModel`.
    BeforeModelHookOutput {}

    /// An output of `AfterModel`.
    AfterModelHookOutput {}

    /// An output of `BeforeToolSelection`.
    BeforeToolSelectionHookOutput {}
}

impl BeforeToolHookOutput {
    /// The arguments that hooks changed, to be merged into the tool's own key by key.
    pub fn modified_tool_input(&self) -> Option<&JsonObject> {
        specific_object(&self.0, "tool_input")
    }
}

impl BeforeModelHookOutput {
    /// The answer that hooks gave in the model's place. A stop by itself gives none.
    pub fn synthetic_response(&self) -> Result<Option<GenerateContentResponse>, TranslationError> {
        specific_object(&self.0, "llm_response").map(from_hook_llm_response).transpose()
    }

    /// The request with what hooks changed; `None` if they changed nothing, so that a large request is not
    /// copied without need. What cannot be read is left out and reported, field by field.
    pub fn apply_llm_request_modifications(
        &self,
        target: &GenerateContentParameters,
    ) -> Option<AppliedRequest> {
        specific_object(&self.0, "llm_request").map(|given| apply_hook_llm_request(given, target))
    }
}

impl AfterModelHookOutput {
    /// The response that takes the model's place: the one hooks gave, else, if they stop the agent, one that
    /// says why. What equals the original does not count as a change.
    pub fn modified_response(
        &self,
        original: &GenerateContentResponse,
    ) -> Result<Option<GenerateContentResponse>, TranslationError> {
        if let Some(given) = specific_object(&self.0, "llm_response") {
            return apply_hook_llm_response(given, original);
        }
        let stops = self.should_stop_execution();
        Ok(stops.then(|| GenerateContentResponse::from_text(self.0.effective_stop_reason())))
    }
}

impl BeforeToolSelectionHookOutput {
    /// The tool configuration with what hooks changed; `None` if they changed nothing. Tools are restricted by
    /// mode and names only; their definitions are not even passed in.
    pub fn apply_tool_config_modifications(
        &self,
        target: Option<&ToolConfig>,
    ) -> Result<Option<ToolConfig>, TranslationError> {
        let given = specific_object(&self.0, "toolConfig");
        given.map(|given| apply_hook_tool_config(given, target)).transpose()
    }
}

/// An output as its event's callers read it.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the types say it")]
pub enum SpecificHookOutput {
    BeforeTool(BeforeToolHookOutput),
    BeforeModel(BeforeModelHookOutput),
    AfterModel(AfterModelHookOutput),
    BeforeToolSelection(BeforeToolSelectionHookOutput),
    /// All other events.
    Default(DefaultHookOutput),
}

impl SpecificHookOutput {
    fn view(&self) -> &dyn HookOutputView {
        match self {
            Self::BeforeTool(view) => view,
            Self::BeforeModel(view) => view,
            Self::AfterModel(view) => view,
            Self::BeforeToolSelection(view) => view,
            Self::Default(view) => view,
        }
    }
}

impl HookOutputView for SpecificHookOutput {
    fn output(&self) -> &HookOutput {
        self.view().output()
    }

    fn is_blocking_decision(&self) -> bool {
        self.view().is_blocking_decision()
    }

    fn effective_reason(&self) -> &str {
        self.view().effective_reason()
    }
}

/// Wraps an output of one hook. For `BeforeTool` this is the plain view, which reads the top-level `decision`
/// only: callers who need the compatibility fields use [`create_specific_hook_output`].
pub fn create_hook_output(event: EventName, data: HookOutput) -> SpecificHookOutput {
    match event {
        EventName::BeforeTool => SpecificHookOutput::Default(DefaultHookOutput(data)),
        _ => create_specific_hook_output(data, event),
    }
}

/// Wraps a merged output.
pub fn create_specific_hook_output(output: HookOutput, event: EventName) -> SpecificHookOutput {
    match event {
        EventName::BeforeTool => SpecificHookOutput::BeforeTool(BeforeToolHookOutput(output)),
        EventName::BeforeModel => SpecificHookOutput::BeforeModel(BeforeModelHookOutput(output)),
        EventName::AfterModel => SpecificHookOutput::AfterModel(AfterModelHookOutput(output)),
        EventName::BeforeToolSelection => {
            SpecificHookOutput::BeforeToolSelection(BeforeToolSelectionHookOutput(output))
        }
        _ => SpecificHookOutput::Default(DefaultHookOutput(output)),
    }
}

fn specific_object<'a>(output: &'a HookOutput, key: &str) -> Option<&'a JsonObject> {
    output.specific(key).and_then(Value::as_object)
}

#[cfg(test)]
mod tests;
