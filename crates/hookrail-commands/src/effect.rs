//! Whether what a hook asks for has an effect at its event, and what its failure means for the event.

use hookrail::components::OnFailure;
use hookrail::settings::AgentEvents;
use hookrail::{EventName, HookRun};

/// What becomes of the outputs of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effects {
    agent_events: AgentEvents,
}

impl Effects {
    /// For this setting of the six events outside of tools and models.
    pub(crate) const fn new(agent_events: AgentEvents) -> Self {
        Self { agent_events }
    }

    /// Whether the agent only observes what the hooks of this event print.
    pub(crate) fn only_observed(self, event: EventName) -> bool {
        self.agent_events.only_observes(event)
    }

    /// Whether a block has an effect at this event.
    pub(crate) fn can_block(self, event: EventName) -> bool {
        event.can_block() && !self.only_observed(event)
    }
}

/// The mark of what has no effect.
pub(crate) const NO_EFFECT_HERE: &str = "has no effect here";

/// Where hooks of an observed event ask in vain. The default is another one in agents that call the bridge.
pub(crate) fn why_observed(event: EventName) -> String {
    format!(
        "`hookrail agent` ignores what {event} hooks ask for unless `hooksConfig.agentEvents` is `apply`; agents \
         connected with `hookrail connect` apply it unless that is `observe`"
    )
}

/// What the failure of a hook means for its event. `blocked` means that something else blocks it all the same.
/// By default the event goes on, which is printed each time: people expect a guard that broke to block.
pub(crate) fn consequence_of_failure(event: EventName, run: &HookRun, blocked: bool) -> String {
    let what = match event {
        EventName::BeforeTool
        | EventName::AfterTool
        | EventName::BeforeModel
        | EventName::AfterModel
        | EventName::BeforeToolSelection => "call",
        EventName::BeforeAgent | EventName::AfterAgent => "prompt",
        EventName::SessionStart
        | EventName::SessionEnd
        | EventName::PreCompress
        | EventName::Notification => "session",
    };
    if run.hook.on_failure == OnFailure::Block && event.is_guarded() {
        format!("failed, so the {what} is blocked")
    } else if blocked {
        "failed, and decided nothing".to_owned()
    } else {
        format!("failed, so the {what} went on")
    }
}
