//! Whether what a hook asks for has an effect at its event.

use hookrail::EventName;
use hookrail::components::AgentEvents;

/// What becomes of the outputs of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effects {
    agent_events: AgentEvents,
}

impl Effects {
    /// For settings that say this about the six events outside of tools and models.
    pub(crate) const fn new(agent_events: AgentEvents) -> Self {
        Self { agent_events }
    }

    /// Whether the agent only observes what the hooks of this event print.
    pub(crate) fn only_observed(self, event: EventName) -> bool {
        self.agent_events == AgentEvents::Observe
            && matches!(
                event,
                EventName::BeforeAgent
                    | EventName::AfterAgent
                    | EventName::SessionStart
                    | EventName::SessionEnd
                    | EventName::PreCompress
                    | EventName::Notification
            )
    }

    /// Whether a block has an effect at this event.
    pub(crate) fn can_block(self, event: EventName) -> bool {
        event.can_block() && !self.only_observed(event)
    }
}

/// The mark of what has no effect.
pub(crate) const NO_EFFECT_HERE: &str = "has no effect here";

/// Why nothing that hooks of an observed event ask for comes about.
pub(crate) fn why_observed(event: EventName) -> String {
    format!("the agent ignores what {event} hooks ask for unless `hooksConfig.agentEvents` is `apply`")
}
