//! What came of an event, for the agent and for its user.

use hookrail::components::{Level, OnFailure, ProcessedHookResult};
use hookrail::effects::EventEffects;
use hookrail::settings::AgentEvents;
use hookrail::{BlockCause, EventName, Hook, HookRun};

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
        let messages = result.aggregated.errors.iter().map(|error| match &error.hook {
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
    let stopping = StoppingRules::of(result)?;
    let names: Vec<&str> = stopping.rules.iter().map(|rule| rule.name.as_str()).collect();
    let help = if stopping.obstacle.is_none() { "; a person can run hookrail allow" } else { "" };
    Some(format!("[hookrail: {}{help}]", names.join(", ")))
}

/// The rules that block an operation or leave it to a person.
#[derive(Debug)]
pub struct StoppingRules<'a> {
    /// Each once, in the order of the plan.
    pub rules: Vec<&'a Hook>,
    /// Why a person cannot let it pass; `None` if one can.
    pub obstacle: Option<String>,
    /// Whether they block it, as opposed to asking.
    pub is_block: bool,
}

impl<'a> StoppingRules<'a> {
    /// The rules that stop this operation; `None` if no rule does.
    pub fn of(result: &'a ProcessedHookResult) -> Option<Self> {
        let event = result.event;
        let is_blocked = result.block.is_some();
        if !is_blocked && result.ask.is_none() {
            return None;
        }
        let stops = |run: &&HookRun| {
            let output = run.output.as_ref();
            output.is_some_and(|output| if is_blocked { output.blocks(event) } else { output.asks(event) })
        };
        let stopping: Vec<&Hook> = result.runs.iter().filter(stops).map(|run| &*run.hook).collect();
        let mut rules: Vec<&Hook> = Vec::new();
        for hook in stopping.iter().filter(|hook| hook.type_name() == "rule") {
            if !rules.iter().any(|rule| std::ptr::eq(*rule, *hook)) {
                rules.push(hook);
            }
        }
        (!rules.is_empty()).then(|| Self {
            rules,
            obstacle: obstacle(result, &stopping),
            is_block: is_blocked,
        })
    }
}

fn obstacle(result: &ProcessedHookResult, stopping: &[&Hook]) -> Option<String> {
    if result.event != EventName::BeforeTool {
        return Some("only tool calls can be allowed".to_owned());
    }
    if let Some(hook) = stopping.iter().find(|hook| !hook.can_be_lifted()) {
        let (name, level) = (&hook.name, &hook.origin.level);
        return Some(match level {
            _ if hook.type_name() != "rule" => {
                format!("the hook `{name}` stops it too, and only rules can be lifted")
            }
            Level::Managed => format!("the rule `{name}` is in the policy of this machine"),
            Level::System => format!("the rule `{name}` is in the system's settings"),
            _ => format!("the rule `{name}` is not in your settings or the project's"),
        });
    }
    let failed = |run: &HookRun| run.failure().is_some() && run.hook.on_failure == OnFailure::Block;
    let is_failure = result.block.as_ref().is_some_and(|block| block.cause == BlockCause::Failure)
        || result.refused.iter().any(|refused| refused.why.blocks())
        || result.runs.iter().any(failed);
    if is_failure {
        return Some("a guard that does not work blocks it too".to_owned());
    }
    let changes =
        |run: &HookRun| run.output.as_ref().is_some_and(|output| output.specific("tool_input").is_some());
    let is_changed = result.runs.iter().any(changes);
    is_changed.then(|| "a hook changed its arguments".to_owned())
}
