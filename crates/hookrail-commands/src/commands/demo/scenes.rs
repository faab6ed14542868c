//! The seven scenes: a hook or a rule, a prompt, and what the replay answers. How they end is not written here.

use hookrail::EventName;

/// One hook at work.
/// The script and the replay are files beside this one, so that they can be read and run by themselves.
pub(super) struct Scene {
    pub(super) title: &'static str,
    /// The name of the hook or rule.
    pub(super) hook: &'static str,
    pub(super) event: EventName,
    pub(super) matcher: Option<&'static str>,
    pub(super) guard: SceneHook,
    pub(super) prompt: &'static str,
    /// What the model answers, in the form of `hookrail agent --replay`.
    pub(super) replay: &'static str,
    /// Files whose presence shows how it went.
    pub(super) look_at: &'static [&'static str],
}

/// The hook as the settings of the scene configure it.
pub(super) enum SceneHook {
    /// A script, called like the hook.
    Script(&'static str),
    /// A rule, as it is in the settings.
    Rule {
        text: &'static str,
        /// What a script that searches the text would search for.
        pattern: &'static str,
    },
}

/// In the order in which they are played.
/// Each shows one thing that hooks can do; the last one what rules add.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        title: "Block a write",
        hook: "protect-env",
        event: EventName::BeforeTool,
        matcher: Some("write_file|replace"),
        guard: SceneHook::Script(include_str!("protect-env.sh")),
        prompt: "Save the API key in .env",
        replay: include_str!("protect-env.jsonl"),
        look_at: &[".env"],
    },
    Scene {
        title: "Rewrite an argument",
        hook: "soft-delete",
        event: EventName::BeforeTool,
        matcher: Some("run_shell_command"),
        guard: SceneHook::Script(include_str!("soft-delete.sh")),
        prompt: "Get rid of the build folder",
        replay: include_str!("soft-delete.jsonl"),
        look_at: &["build", "build.old/app.bin"],
    },
    Scene {
        title: "Inject context",
        hook: "generated-files",
        event: EventName::AfterTool,
        matcher: Some("read_file"),
        guard: SceneHook::Script(include_str!("generated-files.sh")),
        prompt: "Which port does it listen on?",
        replay: include_str!("generated-files.jsonl"),
        look_at: &[],
    },
    Scene {
        title: "Redact an answer",
        hook: "redact-keys",
        event: EventName::AfterModel,
        matcher: None,
        guard: SceneHook::Script(include_str!("redact-keys.sh")),
        prompt: "Which key does the deploy use?",
        replay: include_str!("redact-keys.jsonl"),
        look_at: &[],
    },
    Scene {
        title: "Restrict the tool list",
        hook: "read-only",
        event: EventName::BeforeToolSelection,
        matcher: None,
        guard: SceneHook::Script(include_str!("read-only.sh")),
        prompt: "Review src/main.rs, but change nothing",
        replay: include_str!("read-only.jsonl"),
        look_at: &[],
    },
    Scene {
        title: "Stop the agent",
        hook: "no-deploy",
        event: EventName::BeforeTool,
        matcher: Some("run_shell_command"),
        guard: SceneHook::Script(include_str!("no-deploy.sh")),
        prompt: "Ship it",
        replay: include_str!("no-deploy.jsonl"),
        look_at: &[],
    },
    Scene {
        title: "Block what a pattern would miss, with a rule: no script, no process",
        hook: "no-recursive-delete",
        event: EventName::BeforeTool,
        matcher: Some("run_shell_command"),
        guard: SceneHook::Rule { text: include_str!("no-recursive-delete.json"), pattern: "rm -rf" },
        prompt: "Make some room on the disk",
        replay: include_str!("no-recursive-delete.jsonl"),
        look_at: &["src/main.rs"],
    },
];
