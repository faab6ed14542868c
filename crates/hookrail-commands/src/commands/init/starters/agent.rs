//! Starters around a prompt.
//!
//! A prompt can be blocked before the model sees it, and an answer can be sent back for more work.
//! In `hookrail agent` both need `"agentEvents": "apply"` in the settings; without it they are only observed, and `init`
//! prints that.

use super::Starter;

/// Adds to the prompt and blocks nothing: the safest first hook.
pub(super) const BEFORE_AGENT: Starter = Starter {
    name: "tell-the-date",
    matcher: None,
    about: "before the agent works on a prompt. They can block the prompt or add to it.",
    fields: &[("prompt", "what the user wrote")],
    answers: &[
        ("{\"hookSpecificOutput\": {\"additionalContext\": \"…\"}}", "adds text to the prompt"),
        ("{\"decision\": \"block\", \"reason\": \"…\"}", "the prompt is not worked on"),
    ],
    exit_two: "blocks the prompt; stderr is the reason",
    does: "tells the model today's date.",
    sh: include_str!("before_agent.sh"),
    python: include_str!("before_agent.py"),
    node: include_str!("before_agent.js"),
    try_also: None,
    needs_apply: true,
};

/// Looks at `stop_hook_active`, without which it would send the agent back for ever.
pub(super) const AFTER_AGENT: Starter = Starter {
    name: "no-open-todos",
    matcher: None,
    about: "after the agent finished a prompt. They can send it back to work.",
    fields: &[
        ("prompt", "what the user wrote"),
        ("prompt_response", "what the agent answered"),
        ("stop_hook_active", "true if a hook sent it back already: then let it go"),
    ],
    answers: &[
        ("{\"decision\": \"block\", \"reason\": \"…\"}", "the agent goes on, with the reason as its prompt"),
        ("{\"hookSpecificOutput\": {\"clearContext\": true}}", "the agent forgets the conversation"),
    ],
    exit_two: "sends the agent back to work; stderr is the reason",
    does: "sends the agent back, once, when its answer leaves a TODO.",
    sh: include_str!("after_agent.sh"),
    python: include_str!("after_agent.py"),
    node: include_str!("after_agent.js"),
    try_also: None,
    needs_apply: true,
};
