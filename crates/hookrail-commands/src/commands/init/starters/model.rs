//! Starters around model calls.
//!
//! They see every message of the conversation. The starters read it and send nothing anywhere.
//! They run for every model call, so they do nothing that takes long.

use super::Starter;

/// It blocks rather than changes: a request with the key cut out would still be a surprise to the user.
pub(super) const BEFORE_MODEL: Starter = Starter {
    name: "keep-private-keys",
    matcher: None,
    about: "before a request goes to the model. They can block it, change it or answer it.",
    fields: &[("llm_request", "the request: model, messages [{role, content}], config, toolConfig")],
    answers: &[
        (
            "{\"decision\": \"block\", \"reason\": \"…\"}",
            "the request is not sent; the user reads the reason",
        ),
        (
            "{\"hookSpecificOutput\": {\"llm_request\": {\"config\": {\"temperature\": 0}}}}",
            "changes what is given, keeps the rest",
        ),
        (
            "{\"decision\": \"block\", \"hookSpecificOutput\": {\"llm_response\": {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [\"…\"]}}]}}}",
            "answers in place of the model",
        ),
    ],
    exit_two: "blocks the request; stderr is the reason",
    does: "stops private keys from leaving this machine.",
    sh: include_str!("before_model.sh"),
    python: include_str!("before_model.py"),
    node: include_str!("before_model.js"),
    try_also: None,
    needs_apply: false,
};

/// It adds a message to the next request and leaves the answer alone, which a first hook should.
pub(super) const AFTER_MODEL: Starter = Starter {
    name: "ask-for-short-answers",
    matcher: None,
    about: "after the model answered, before anybody sees it. They can replace the answer.",
    fields: &[
        ("llm_request", "the request: model, messages [{role, content}], config"),
        ("llm_response", "the answer: text, candidates, usageMetadata"),
    ],
    answers: &[
        (
            "{\"hookSpecificOutput\": {\"llm_response\": {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [\"…\"]}}]}}}",
            "replaces the answer by this text; calls of tools in it are lost",
        ),
        ("{\"systemMessage\": \"…\"}", "tells the model something in the next request"),
    ],
    exit_two: "has no effect: the answer is there already",
    does: "asks for short answers when a conversation has become expensive.",
    sh: include_str!("after_model.sh"),
    python: include_str!("after_model.py"),
    node: include_str!("after_model.js"),
    try_also: None,
    needs_apply: false,
};
