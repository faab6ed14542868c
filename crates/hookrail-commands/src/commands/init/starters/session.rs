//! Starters around a session.
//!
//! Exit code 2 blocks none of these events; a hook of theirs can add context, write a file or notify a person.
//!
//! Every script reads all of stdin even where it needs none of it, because a hook that ends early can break the pipe
//! that its payload is written to. What it prints is JSON or nothing.

use super::Starter;

/// The shell version builds JSON by hand, so it prints nothing for a branch whose name would need escaping.
pub(super) const SESSION_START: Starter = Starter {
    name: "tell-git-branch",
    matcher: None,
    about: "when a session begins. They can give the model something to start from.",
    fields: &[("source", "startup, resume, clear or compress; a matcher is compared with it")],
    answers: &[(
        "{\"hookSpecificOutput\": {\"additionalContext\": \"…\"}}",
        "is what the session begins with",
    )],
    exit_two: "has no effect",
    does: "tells the model which git branch it works on.",
    sh: include_str!("session_start.sh"),
    python: include_str!("session_start.py"),
    node: include_str!("session_start.js"),
    try_also: None,
    needs_apply: true,
};

/// Shows the last event of a session, at which a hook has little time.
pub(super) const SESSION_END: Starter = Starter {
    name: "list-sessions",
    matcher: None,
    about: "when a session ends. They can tidy up or take notes.",
    fields: &[("reason", "exit, clear, logout, prompt_input_exit or other; a matcher is compared with it")],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "keeps a list of sessions in sessions.log beside it.",
    sh: include_str!("session_end.sh"),
    python: include_str!("session_end.py"),
    node: include_str!("session_end.js"),
    try_also: None,
    needs_apply: false,
};

/// Shows that a hook can keep what the summary leaves out.
pub(super) const PRE_COMPRESS: Starter = Starter {
    name: "keep-transcript",
    matcher: None,
    about: "before a long conversation is summarised. They can save what will be lost.",
    fields: &[("trigger", "manual or auto; a matcher is compared with it")],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "keeps a copy of the transcript as it was.",
    sh: include_str!("pre_compress.sh"),
    python: include_str!("pre_compress.py"),
    node: include_str!("pre_compress.js"),
    try_also: None,
    needs_apply: false,
};

/// Shows an event that notifies a person, in a hook that never decides anything.
pub(super) const NOTIFICATION: Starter = Starter {
    name: "desktop-notification",
    matcher: None,
    about: "when the agent wants the user's attention. They can pass that on.",
    fields: &[
        ("notification_type", "ToolPermission, for instance; a matcher is compared with it"),
        ("message", "what the agent says"),
        ("details", "what it is about: type, title, …"),
    ],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "shows a desktop notification where notify-send exists.",
    sh: include_str!("notification.sh"),
    python: include_str!("notification.py"),
    node: include_str!("notification.js"),
    try_also: None,
    needs_apply: false,
};
