//! The hooks of an MCP connection: one session of the engine, made again when settings or approvals change.

use std::sync::{Arc, Mutex, PoisonError};

use hookrail::components::{BaseOverrides, Event, HookEventHandler, ProcessedHookResult, WorkerPool};
use hookrail::{EventName, HookSession, JsonObject};
use hookrail_bridge::{OurCall, mcp_response};
use serde_json::{Value, json};

use super::message::ResultChange;
use super::proxy::HeldCall;
use crate::commands::bridge::surroundings;
use crate::commands::sessions::{Sessions, SettingsState};
use crate::context::Context;
use crate::findings;
use crate::hook_log::HookLog;
use crate::terminal::printer::Printer;

/// How much of a client's name goes into the log.
const LONGEST_NAME: usize = 64;

/// Makes sessions from the settings as they are now.
pub(super) struct Guard {
    context: Context,
    log: Arc<HookLog>,
    session_id: String,
    sessions: Sessions,
    /// Of the files that the present session was made from.
    state: Mutex<SettingsState>,
    /// What the client says of itself, for hooks.
    client: Mutex<Value>,
    server: String,
}

impl Guard {
    pub(super) fn load(context: Context, server: &str) -> Self {
        let log = Arc::new(HookLog::new(&context.state_dir()));
        log.set_project(context.project());
        let session_id = uuid::Uuid::new_v4().to_string();
        log.set_session(&session_id);
        let workers = WorkerPool::default();
        let state = SettingsState::of(&context, context.project());
        let session = session(&context, &log, &session_id, &workers);
        print_findings(&session, &context);
        Self {
            sessions: Sessions::new(session, workers),
            state: Mutex::new(state),
            client: Mutex::new(json!({ "name": "mcp" })),
            server: server.to_owned(),
            context,
            log,
            session_id,
        }
    }

    /// The session for the next call. Settings that cannot be used make one that refuses every call.
    pub(super) fn current(&self) -> Arc<HookSession> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_current() {
            *state = SettingsState::of(&self.context, self.context.project());
            let session = session(&self.context, &self.log, &self.session_id, &self.sessions.workers);
            print_findings(&session, &self.context);
            self.sessions.replace(session);
        }
        self.sessions.current()
    }

    /// Takes over what the client says of itself.
    pub(super) fn name_client(&self, info: Option<&Value>) {
        let field = |key: &str| -> Option<String> {
            let text = info?.get(key)?.as_str()?;
            let text: String = text.chars().filter(|sign| !sign.is_control()).take(LONGEST_NAME).collect();
            Some(text).filter(|text| !text.is_empty())
        };
        let name = field("name").unwrap_or_else(|| "mcp".to_owned());
        self.log.set_agent(&name);
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) =
            json!({ "name": name, "version": field("version") });
    }

    /// Names the client in the log, if it did not do so itself.
    pub(super) fn log_as_mcp(&self) {
        self.log.set_agent("mcp");
    }

    /// What hooks are given besides the call.
    pub(super) fn extra(&self, call: &HeldCall, result: Option<&Value>) -> JsonObject {
        let mut agent = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Value::Object(fields) = &mut agent {
            fields.insert("mcp_server".to_owned(), self.server.as_str().into());
            fields.insert("tool_name".to_owned(), call.tool.as_str().into());
            fields.extend(result.map(|result| ("tool_response".to_owned(), result.clone())));
        }
        let mut extra = JsonObject::from_iter([("agent".to_owned(), agent)]);
        if let Some(id) = &call.id {
            extra.insert("tool_use_id".to_owned(), id.raw.trim_matches('"').into());
        }
        extra
    }

    /// Records that a call was refused before its hooks were asked.
    pub(super) fn note_refused(&self, why: &str) {
        self.log_as_mcp();
        self.log.bridged("tools/call", &[why.to_owned()]);
    }

    /// Ends workers, and kills hooks that ran out of time: the client does not wait for them.
    pub(super) async fn drain(&self) {
        self.sessions.drain(true).await;
    }
}

/// The handler of a session's events; `None` while hooks are off.
pub(super) fn handler(session: &HookSession) -> Option<HookEventHandler<'_>> {
    let system = session.hook_system()?;
    system.initialize();
    system.event_handler().ok()
}

/// Whether hooks may decide about tool calls at all.
pub(super) fn listens(session: &HookSession) -> bool {
    let of = |event| session.listens_to(event);
    of(EventName::BeforeTool) || of(EventName::AfterTool)
}

/// What the engine is told of a call besides its name and arguments.
fn base(call: &OurCall) -> BaseOverrides {
    let mut base = BaseOverrides::default();
    base.also_matches.clone_from(&call.also_matches);
    base.reading = Some(call.reading.clone());
    base
}

/// Whether hooks run before this call, and whether some run after it.
pub(super) fn would_run(session: &HookSession, call: &OurCall) -> (bool, bool) {
    let Some(handler) = handler(session) else { return (false, false) };
    let (base, none) = (base(call), JsonObject::new());
    let (tool_name, tool_input) = (call.name.as_str(), &call.input);
    let before = Event::BeforeTool { tool_name, tool_input };
    let after = Event::AfterTool { tool_name, tool_input, tool_response: &none };
    (handler.would_run(&before, &base), handler.would_run(&after, &base))
}

/// What becomes of a call.
pub(super) enum Gate {
    /// It is made, with other arguments if there are any, and these texts are added to its result.
    Run { arguments: Option<JsonObject>, added: Vec<String> },
    /// It is answered with these texts.
    Refuse(Vec<String>),
}

/// Asks the hooks before a call.
pub(super) async fn before(session: &HookSession, call: &OurCall, extra: &JsonObject) -> Gate {
    let Some(handler) = handler(session) else { return Gate::Run { arguments: None, added: Vec::new() } };
    let event = Event::BeforeTool { tool_name: &call.name, tool_input: &call.input };
    let result = handler.fire_with(&event, &base(call), extra).await;
    let added = added_texts(&result);
    let reason = match (&result.block, &result.stop, &result.ask) {
        (Some(block), ..) => block.reason.clone(),
        (None, Some(stop), _) => format!("Agent execution stopped by hook: {stop}"),
        (None, None, Some(ask)) => {
            format!("A hook asked for a person's decision, and nobody can be asked here: {ask}")
        }
        (None, None, None) => {
            let arguments = changed_arguments(result, &call.input);
            return Gate::Run { arguments, added };
        }
    };
    Gate::Refuse(std::iter::once(reason).chain(added).collect())
}

/// The arguments with what hooks changed, key by key; `None` if that is nothing.
fn changed_arguments(result: ProcessedHookResult, original: &JsonObject) -> Option<JsonObject> {
    let output = result.aggregated.final_output?;
    let mut changed = original.clone();
    changed.extend(output.specific("tool_input")?.as_object()?.clone());
    (changed != *original).then_some(changed)
}

/// Runs the hooks after a call.
pub(super) async fn after(
    session: &HookSession,
    call: &OurCall,
    result: &Result<Value, Value>,
    extra: &JsonObject,
) -> ResultChange {
    let Some(handler) = handler(session) else { return ResultChange::default() };
    let response = mcp_response(result.as_ref());
    let event = Event::AfterTool { tool_name: &call.name, tool_input: &call.input, tool_response: &response };
    let result = handler.fire_with(&event, &base(call), extra).await;
    let mut added = added_texts(&result);
    let stop = result.stop.as_ref().map(|stop| format!("Agent execution stopped by hook: {stop}"));
    let is_error = stop.is_some();
    added.extend(stop);
    let output = result.aggregated.final_output;
    let replaced = output.as_ref().and_then(|output| output.specific("tool_response"));
    ResultChange { replaced: replaced.filter(|value| !value.is_null()).cloned(), added, is_error }
}

/// What hooks give the model besides their verdict.
fn added_texts(result: &ProcessedHookResult) -> Vec<String> {
    let output = result.aggregated.final_output.as_ref();
    let context = output.and_then(|output| output.specific("additionalContext")).and_then(Value::as_str);
    let message = result.system_message.as_deref().filter(|text| !text.trim().is_empty());
    let message = message.map(|text| format!("[System] {text}"));
    let context = context.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    context.into_iter().chain(message).collect()
}

fn session(context: &Context, log: &Arc<HookLog>, id: &str, workers: &WorkerPool) -> HookSession {
    let builder = context.engine(false, Some(log.clone()));
    let session = builder
        .environment_from(surroundings::lazily(context, surroundings::environment))
        .trusted_path(surroundings::lazily(context, surroundings::trusted_path))
        .workers(workers.clone())
        .without_examples()
        .session_id(id)
        .build();
    // Now rather than at the first call, which would wait for it.
    let _ = handler(&session);
    session
}

/// What is wrong with the settings, on stderr: clients keep that in their logs.
fn print_findings(session: &HookSession, context: &Context) {
    let mut printer = Printer::new();
    for line in findings::lines(session.settings(), context).into_iter().filter(|line| line.for_quiet) {
        printer.message(format_args!("hookrail: {}", line.text));
    }
}
