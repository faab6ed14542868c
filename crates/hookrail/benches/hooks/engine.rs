//! The engine, as an agent reaches it: settings in files, a [`HookSession`], triggers. The only file of the benchmark that
//! knows its interface.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll};

use hookrail::components::{DEFAULT_HOOK_TRANSLATOR, Event, HookInput};
use hookrail::effects::{ModelGate, ToolGate};
use hookrail::genai::{Content, GenerateContentParameters};
use hookrail::settings::SettingsPaths;
use hookrail::{HookSession, HookSessionBuilder, JsonObject, TrustPolicy};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A project whose user has settings. They need no approval, being the user's.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    pub(crate) fn with_user_settings(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("makes a temporary folder");
        for name in ["home/.llxprt", "project"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("makes a folder");
        }
        std::fs::write(folder.path().join("home/.llxprt/settings.json"), text).expect("writes settings");
        Self { folder }
    }

    /// A session that has read its settings and is ready for events.
    pub(crate) fn start(&self) -> HookSession {
        Self::started(self.builder().build())
    }

    /// The same without trying the examples of rules.
    pub(crate) fn start_untried(&self) -> HookSession {
        Self::started(self.builder().without_examples().build())
    }

    fn builder(&self) -> HookSessionBuilder {
        let folder = self.folder.path();
        let paths = SettingsPaths::new(folder.join("project"), |name| match name {
            "HOOKRAIL_HOME" => Some(folder.join("home").into()),
            "HOOKRAIL_SYSTEM_SETTINGS" => Some(folder.join("none.json").into()),
            _ => None,
        });
        HookSession::builder(folder.join("project"), TrustPolicy::AllowAll).settings_paths(paths)
    }

    fn started(config: HookSession) -> HookSession {
        if let Some(system) = config.hook_system() {
            system.initialize();
        }
        config
    }
}

/// A session and the runtime in which its hooks run.
pub(crate) struct Engine {
    config: HookSession,
    runtime: Runtime,
    tool_input: JsonObject,
    /// Deleted when the engine is.
    _project: Project,
}

impl Engine {
    /// Hooks are on and these commands listen to an event, all at once and with the default timeout.
    pub(crate) fn with_hooks(event: &str, commands: &[String]) -> Self {
        let hooks: Vec<Value> =
            commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
        Self::with_settings(&json!({"enableHooks": true, "hooks": {event: [{"hooks": hooks}]}}).to_string())
    }

    /// Hooks are off.
    pub(crate) fn off() -> Self {
        Self::with_settings(r#"{"enableHooks": false}"#)
    }

    /// Settings as text.
    pub(crate) fn with_settings(text: &str) -> Self {
        let project = Project::with_user_settings(text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("starts a runtime");
        Self { config: project.start(), runtime, tool_input: tool_input(), _project: project }
    }

    /// Asks the hooks before a tool; all of them allow it.
    pub(crate) fn before_tool(&self) {
        let verdict = self.runtime.block_on(self.config.fire_before_tool("write_file", &self.tool_input));
        assert!(matches!(verdict.gate, ToolGate::Run { .. }), "the hooks allow it");
    }

    /// Fires `BeforeTool` for a call; nothing blocks it.
    pub(crate) fn fire_tool(&self, tool: &str, input: &JsonObject) {
        let handler = self.config.hook_system().and_then(|system| system.event_handler().ok());
        let handler = handler.expect("hooks are on and started");
        let result =
            self.runtime.block_on(handler.fire(&Event::BeforeTool { tool_name: tool, tool_input: input }));
        assert!(result.block.is_none(), "the rules allow it");
    }

    /// Asks the hooks before a model call; all of them allow it.
    pub(crate) fn before_model(&self, request: &GenerateContentParameters) {
        let verdict = self.runtime.block_on(self.config.fire_before_model(request));
        assert!(matches!(verdict.gate, ModelGate::Send { .. }), "the hooks allow it");
    }

    /// Asks the hooks before a tool that none of them is for. No runtime is needed for that: the future is ready
    /// when it is polled for the first time.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "nothing but the trigger is to be measured")]
    pub(crate) fn idle_before_tool(&self, context: &mut Context<'_>, tool: &str) -> bool {
        let future = pin!(black_box(&self.config).fire_before_tool(tool, &self.tool_input));
        match future.poll(context) {
            // As a host reads it: by what it is to do with the call.
            Poll::Ready(verdict) => match verdict.gate {
                ToolGate::Run { tool_input } => matches!(tool_input, std::borrow::Cow::Borrowed(_)),
                ToolGate::Ask { .. } | ToolGate::Block { .. } | ToolGate::Stop { .. } => false,
            },
            Poll::Pending => panic!("a hook runs"),
        }
    }
}

/// What a tool is called with.
fn tool_input() -> JsonObject {
    let content = "fn main() {}\n".repeat(40);
    [("file_path".to_owned(), "src/main.rs".into()), ("content".to_owned(), content.into())]
        .into_iter()
        .collect()
}

/// What hooks read before that tool.
pub(crate) fn small_payload() -> Vec<u8> {
    payload(&Event::BeforeTool { tool_name: "write_file", tool_input: &tool_input() })
}

/// What hooks read before a model call.
pub(crate) fn large_payload(request: &GenerateContentParameters) -> Vec<u8> {
    payload(&Event::BeforeModel { llm_request: DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(request) })
}

fn payload(event: &Event<'_>) -> Vec<u8> {
    let cwd = std::path::Path::new("/home/user/project");
    let base = hookrail::components::BaseFields::new("00000000-0000-4000-8000-000000000000", cwd);
    serde_json::to_vec(&HookInput::new(&base, event, &JsonObject::new())).expect("is JSON")
}

/// A model request of about this many bytes: a conversation in messages of 10 kB.
pub(crate) fn request_of(bytes: usize) -> GenerateContentParameters {
    const LINE: &str = "He said \"hello\" to the world, and then went on to something else entirely.\n";
    let mut contents = Vec::new();
    let mut left = bytes;
    while left > 0 {
        let length = left.min(10_000);
        let text: String = LINE.chars().cycle().take(length).collect();
        contents.push(Content::text(if contents.len() % 2 == 0 { "user" } else { "model" }, text));
        left -= length;
    }
    GenerateContentParameters { model: "gemini-2.5-pro".to_owned(), contents, ..Default::default() }
}
