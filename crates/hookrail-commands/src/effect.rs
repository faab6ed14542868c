//! Whether what a hook asks for has an effect at its event, and what its failure means for the event.

use hookrail::components::OnFailure;
use hookrail::{EventName, HookRun};

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
