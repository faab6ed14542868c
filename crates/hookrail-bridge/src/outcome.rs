//! What came of an event, for the agent and for its user.

use hookrail::components::ProcessedHookResult;
use hookrail::effects::EventEffects;
use hookrail::settings::AgentEvents;

/// What came of one event. The default has no effect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What the hooks ask for, in our terms.
    pub effects: EventEffects,
    /// The rules that block or ask, and what a person can do about it.
    pub rules: Option<String>,
    /// Texts to show to the user now, such as that a hook failed.
    pub messages: Vec<String>,
    /// Texts to show to the user once in a session, such as that hooks are off.
    pub notices: Vec<String>,
}

impl Outcome {
    /// The outcome of an event's hooks. The caller adds what the user is to be shown once.
    pub fn of(result: &ProcessedHookResult, agent_events: AgentEvents) -> Self {
        let messages = result.aggregated.errors.iter().map(|error| match error.hook() {
            Some(hook) => format!("hook `{hook}` failed: {error}"),
            None => format!("hooks failed: {error}"),
        });
        // What hooks written for Claude Code say to the person.
        let said = result
            .aggregated
            .all_outputs
            .iter()
            .filter_map(|output| output.extra.get("userMessage")?.as_str());
        Self {
            effects: EventEffects::of(result, agent_events),
            rules: rules_of(result),
            messages: messages.chain(said.map(str::to_owned)).collect(),
            notices: Vec::new(),
        }
    }
}

impl From<EventEffects> for Outcome {
    fn from(effects: EventEffects) -> Self {
        Self { effects, ..Self::default() }
    }
}

/// The rules that stop an operation, by name, and that a person can let it pass.
fn rules_of(result: &ProcessedHookResult) -> Option<String> {
    let stopping = result.stopping_rules()?;
    let names: Vec<&str> = stopping.rules.iter().map(|rule| rule.name.as_str()).collect();
    let help = if stopping.obstacle.is_none() { "; a person can run hookrail allow" } else { "" };
    Some(format!("[hookrail: {}{help}]", names.join(", ")))
}
