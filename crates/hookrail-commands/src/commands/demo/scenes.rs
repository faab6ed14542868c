//! The seven scenes: a hook or a rule, a prompt, and what the replay answers. How they end is not written here.

use serde::Deserialize;

/// One hook at work: a line of `scenes.jsonl`. Script or rule and replay are files beside it that are called like the hook, so
/// that they can be read and run by themselves.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scene {
    pub(super) title: String,
    pub(super) hook: String,
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    pub(super) prompt: String,
    /// Files whose presence shows how it went.
    pub(super) look_at: Vec<String>,
    /// What a script that searches the text would search for in place of a rule; `None` for a script.
    pub(super) pattern: Option<String>,
    /// The script, or the rule as it is in the settings.
    #[serde(skip)]
    pub(super) guard: &'static str,
    /// What the model answers, in the form of `hookrail agent --replay`.
    #[serde(skip)]
    pub(super) replay: &'static str,
}

macro_rules! files {
    ($($hook:literal $end:literal)+) => {
        [$((include_str!(concat!($hook, $end)), include_str!(concat!($hook, ".jsonl")))),+]
    };
}

/// In the order in which they are played.
/// Each shows one thing that hooks can do; the last one what rules add.
pub(super) fn scenes() -> serde_json::Result<Vec<Scene>> {
    let files = files! {
        "protect-env" ".sh"
        "soft-delete" ".sh"
        "generated-files" ".sh"
        "redact-keys" ".sh"
        "read-only" ".sh"
        "no-deploy" ".sh"
        "no-recursive-delete" ".json"
    };
    let lines = include_str!("scenes.jsonl").lines();
    let scene = |(line, (guard, replay))| Ok(Scene { guard, replay, ..serde_json::from_str(line)? });
    lines.zip(files).map(scene).collect()
}
