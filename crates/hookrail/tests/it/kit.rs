//! What the tests of the whole engine share: settings in a few words, commands that answer, an observer that keeps
//! what it observes.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests fail them by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookrail::components::HookEventHandler;
use hookrail::effects::{BeforeModelHookResult, BeforeToolHookResult, ModelGate, ToolGate};
use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail::observer::{HookBatch, HookCall, HookObserver};
use hookrail::settings::SettingsFiles;
use hookrail::settings::SettingsPaths;
use hookrail::{
    ApprovalStore, Block, EventName, Hook, HookSession, HookSessionBuilder, JsonObject, Permission,
    PermissionRequest, StopReason, ToolEnd, ToolOutcome, ToolResult, TrustPolicy,
};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

/// Enough for anything that is expected to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn paths(project: &TestProject) -> SettingsPaths {
    SettingsPaths::at(project.dir(), project.home(), project.system_settings_path())
}

/// A session in a test project that reads its three settings files.
pub(crate) fn builder(project: &TestProject) -> HookSessionBuilder {
    builder_trusting(project, TrustPolicy::AllowAll)
}

/// The same with a policy for the project's hooks.
pub(crate) fn builder_trusting(project: &TestProject, trust: TrustPolicy) -> HookSessionBuilder {
    HookSession::builder(project.dir(), trust).settings_paths(paths(project)).session_id("session-1")
}

pub(crate) fn session(project: &TestProject) -> HookSession {
    builder(project).build()
}

/// The event handler of a session, started.
pub(crate) fn handler(session: &HookSession) -> HookEventHandler<'_> {
    let system = session.hook_system().expect("hooks are on");
    system.initialize();
    system.event_handler().expect("a handler after the start")
}

/// A hook that runs a shell command.
pub(crate) fn command(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

/// Settings that turn hooks on, with one group of hooks for one event.
pub(crate) fn on(event: &str, hooks: &[Value]) -> Value {
    json!({ "enableHooks": true, "hooks": { event: [{ "hooks": hooks }] } })
}

/// The same for a group that runs one after another.
pub(crate) fn chained(event: &str, hooks: &[Value]) -> Value {
    json!({ "enableHooks": true, "hooks": { event: [{ "sequential": true, "hooks": hooks }] } })
}

/// A project whose user has these commands as hooks of one event, and a session in it.
pub(crate) fn with_hooks(event: &str, commands: &[&str]) -> (TestProject, HookSession) {
    let project = TestProject::new();
    project.user_settings(&on(event, &commands.iter().map(|text| command(text)).collect::<Vec<_>>()));
    let session = session(&project);
    (project, session)
}

/// A tool call with its hooks applied, in the specification's words.
pub(crate) struct ToolExecution {
    pub(crate) result: ToolResult,
    pub(crate) blocked: bool,
    pub(crate) stop: Option<StopReason>,
}

/// The specification's `executeToolWithHooks`.
pub(crate) async fn execute_tool_with_hooks(
    session: &HookSession,
    tool_name: &str,
    tool_input: JsonObject,
    permission: impl AsyncFnOnce(PermissionRequest<'_>) -> Permission,
    execute: impl AsyncFnOnce(&JsonObject) -> ToolResult,
) -> ToolExecution {
    let ToolOutcome { end, result, stop, .. } =
        session.execute_tool(tool_name, tool_input, permission, execute).await;
    ToolExecution { result, blocked: matches!(end, ToolEnd::Blocked { .. }), stop }
}

/// Whether hooks had nothing to say about a tool call.
pub(crate) fn untouched(result: &BeforeToolHookResult<'_>) -> bool {
    result.notes.output.is_none()
        && matches!(&result.gate, ToolGate::Run { tool_input: std::borrow::Cow::Borrowed(_) })
}

/// The reason of the block that holds for a tool call.
pub(crate) async fn block_of(session: &HookSession, tool: &str) -> Option<Block> {
    tool_block(&session.fire_before_tool(tool, &JsonObject::new()).await).cloned()
}

/// The block of a model call.
pub(crate) fn model_block<'r>(result: &'r BeforeModelHookResult<'_>) -> Option<&'r Block> {
    match &result.gate {
        ModelGate::Answer { block, .. } => Some(block),
        ModelGate::Stop { block, .. } => block.as_ref(),
        ModelGate::Send { .. } => None,
    }
}

/// The block of a tool call.
pub(crate) fn tool_block<'r>(result: &'r BeforeToolHookResult<'_>) -> Option<&'r Block> {
    match &result.gate {
        ToolGate::Block { block, .. } => Some(block),
        _ => None,
    }
}

/// A command that answers with this output.
pub(crate) fn says(output: &Value) -> String {
    let text = output.to_string();
    assert!(!text.contains('\''), "the text stands in single quotes");
    format!("printf %s '{text}'")
}

/// The object in a `json!` value.
pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => JsonObject::from_iter([("not an object".to_owned(), other)]),
    }
}

pub(crate) fn request(value: Value) -> GenerateContentParameters {
    serde_json::from_value(value).expect("a request in the SDK's form")
}

pub(crate) fn response(value: Value) -> GenerateContentResponse {
    serde_json::from_value(value).expect("a response in the SDK's form")
}

/// A request that holds more than hooks get to see: an image, a tool call and its answer, tool definitions.
pub(crate) fn rich_request() -> GenerateContentParameters {
    request(json!({
        "model": "gemini-2.5-pro",
        "contents": [
            { "role": "user", "parts": [
                { "text": "What is in this picture?" },
                { "inlineData": { "mimeType": "image/png", "data": "iVBORw0=" } },
            ] },
            { "role": "model", "parts": [{ "functionCall": { "name": "look", "args": { "at": 1 } } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "look", "response": { "seen": "a cat" } } }] },
            { "role": "user", "parts": [{ "text": "So?" }] },
        ],
        "config": {
            "temperature": 0.5,
            "maxOutputTokens": 100,
            "systemInstruction": "Be brief.",
            "tools": [{ "functionDeclarations": [{ "name": "look" }, { "name": "write_file" }] }],
            "toolConfig": { "functionCallingConfig": { "mode": "AUTO" } },
        },
    }))
}

/// An answer with text and a tool call.
pub(crate) fn rich_response() -> GenerateContentResponse {
    response(json!({
        "candidates": [{
            "content": { "role": "model", "parts": [
                { "text": "A cat." },
                { "functionCall": { "name": "write_file", "args": { "path": "cat.txt" } } },
            ] },
            "finishReason": "STOP",
            "index": 0,
        }],
        "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10 },
    }))
}

pub(crate) fn store(project: &TestProject) -> ApprovalStore {
    ApprovalStore::new(project.home().join(".hookrail"))
}

/// Approves all hooks of the project as they are, and what its file says besides.
pub(crate) fn approve(project: &TestProject) {
    let settings = SettingsFiles::load(&paths(project)).settings();
    let store = store(project);
    let review = store.pending(
        &project.dir(),
        settings.hooks.iter().map(|configured| &*configured.hook),
        &settings.project_settings(),
    );
    store.approve(&review, &review.pending.iter().collect::<Vec<_>>()).expect("an approval");
}

/// Keeps what it observes, one line each.
#[derive(Default)]
pub(crate) struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics while it holds this").clone()
    }

    fn record(&self, line: String) {
        self.0.lock().expect("no test panics while it holds this").push(line);
    }
}

impl HookObserver for Recorder {
    fn hook_started(&self, event: EventName, hook: &Hook) {
        self.record(format!("started {event} {}", hook.name));
    }

    fn hook_call(&self, call: &HookCall<'_>) {
        let HookCall { event, run, input, .. } = call;
        let input: Value = serde_json::from_slice(input.as_bytes()).expect("JSON");
        let exit = run.exit_code().map_or_else(|| "none".to_owned(), |code| code.to_string());
        self.record(format!(
            "finished {event} {} success={} exit={exit} stdout={:?} stderr={:?} failure={:?} saw={}",
            run.hook.name,
            run.success(),
            run.stdout,
            run.stderr,
            run.failure().map(ToString::to_string),
            input["hook_event_name"],
        ));
    }

    fn hook_batch(&self, batch: &HookBatch) {
        let HookBatch { event, hook_count, success_count, failure_count, .. } = batch;
        self.record(format!("batch {event} hooks={hook_count} ok={success_count} failed={failure_count}"));
    }
}
