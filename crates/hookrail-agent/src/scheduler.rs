//! Tool calls of one response: in order where they write, side by side where they only read; each
//! between its hooks, each with one result.
//!
//! A blocked call is a completed call: it goes from executing to idle, its result is buffered like any
//! other, published in call order, and never tried again. What to do next is the model's decision.

mod done;

use std::time::Instant;

use futures_util::future::join_all;
use hookrail::genai::FunctionCall;
use hookrail::model::AllowedTools;
use hookrail::{
    HookSession, JsonObject, Permission, PermissionRequest, PermissionSubject, StopReason, ToolResult,
};
use tokio::sync::Mutex;

use self::done::{FinishedCall, cancelled, status_of};
use crate::approval::{ApprovalMode, AskedCall, ask_permission};
use crate::log::{LogLine, SessionLog, ToolStatus, millis};
use crate::tools::{Tool, ToolContext, ToolKind, ToolTable};
use crate::ui::{AgentEvent, ToolState, Ui};

/// Runs the tool calls of a session.
pub(crate) struct Scheduler<'a> {
    /// Runs `BeforeTool`, `AfterTool` and `Notification` hooks.
    pub(crate) hooks: &'a HookSession,
    pub(crate) tools: &'a ToolTable,
    /// The project, and the token by which the user gives up.
    pub(crate) context: &'a ToolContext,
    /// Which calls run without a question.
    pub(crate) approval: ApprovalMode,
    /// Gets one line for each call.
    pub(crate) log: &'a SessionLog,
    /// Shows the calls and asks for permissions.
    pub(crate) ui: &'a dyn Ui,
    /// Held while a person is asked; with the messages of `Notification` hooks for the model.
    pub(crate) questions: Mutex<Vec<String>>,
}

/// A tool call with an id that is unique within the session, whatever the provider gave it.
pub(crate) struct ScheduledCall {
    /// The id, `call-N`.
    pub(crate) id: String,
    /// The call as the model sent it.
    pub(crate) call: FunctionCall,
}

/// All calls of one response, done.
pub(crate) struct FinishedBatch {
    /// Each call with its result, in call order.
    pub(crate) results: Vec<(FunctionCall, ToolResult)>,
    /// Why the agent must stop, from all hooks that asked for it, one line each.
    pub(crate) stop: Option<StopReason>,
}

impl Scheduler<'_> {
    /// Runs the calls of one response. Readers next to each other run side by side; a call
    /// that writes runs alone. Once a hook stopped the agent or the user gave up, no further call starts.
    pub(crate) async fn run(&self, calls: &[ScheduledCall], allowed: &AllowedTools) -> FinishedBatch {
        for call in calls {
            let args = call.call.args.as_ref();
            let none = JsonObject::new();
            self.ui.notify(&AgentEvent::ToolRequested {
                id: &call.id,
                name: &call.call.name,
                args: args.unwrap_or(&none),
            });
            self.state(call, ToolState::Scheduled);
        }
        let mut batch = FinishedBatch { results: Vec::with_capacity(calls.len()), stop: None };
        let mut stops = Vec::new();
        for group in calls.chunk_by(|left, right| self.reads_only(left) && self.reads_only(right)) {
            let over = !stops.is_empty() || self.context.cancel.is_cancelled();
            let finished = join_all(group.iter().map(|call| async move {
                let args = call.call.args.clone().unwrap_or_default();
                let done = if over { cancelled(args) } else { self.call(call, args, allowed).await };
                (call, done)
            }))
            .await;
            for (call, done) in finished {
                stops.extend(done.stop.clone().map(StopReason::into_string));
                let result = self.publish(call, done);
                batch.results.push((call.call.clone(), result));
            }
        }
        batch.stop = (!stops.is_empty()).then(|| StopReason::new(stops.join("\n")));
        batch
    }

    /// A tool that does not exist changes nothing, so others run beside it.
    fn reads_only(&self, call: &ScheduledCall) -> bool {
        self.tools.get(&call.call.name).is_none_or(|tool| tool.kind == ToolKind::ReadOnly)
    }

    /// Shows where a call is.
    fn state(&self, call: &ScheduledCall, state: ToolState) {
        self.ui.notify(&AgentEvent::ToolState { id: &call.id, name: &call.call.name, state });
    }

    /// One call, from the allowed list to its buffered result.
    async fn call(&self, call: &ScheduledCall, args: JsonObject, allowed: &AllowedTools) -> FinishedCall {
        let name = &call.call.name;
        if !allowed.permits(name) {
            let text = format!("The tool `{name}` is not allowed for this request.");
            return FinishedCall::new(
                ToolStatus::Denied,
                args,
                ToolResult::failure(text, "tool_not_allowed"),
            );
        }
        let Some(tool) = self.tools.get(name) else {
            let text = format!("There is no tool `{name}`. Known tools: {}.", self.tools.names().join(", "));
            return FinishedCall::new(ToolStatus::Error, args, ToolResult::failure(text, "unknown_tool"));
        };
        self.state(call, ToolState::Executing);
        self.execute(tool, args).await
    }

    /// Hooks, approval and the tool itself. When the user gives up, hooks and questions are dropped. The tool is not: it
    /// ends by its own means, so that its result is what happened.
    async fn execute(&self, tool: &Tool, args: JsonObject) -> FinishedCall {
        let start = Instant::now();
        let original = &args.clone();
        // What the call comes to if the user gives up. It is locked while the tool runs.
        let if_given_up = Mutex::new(cancelled(args.clone()));
        // The protected file that a person allowed this call to write.
        let allowed_file = Mutex::new(None);
        let permission = async |request: PermissionRequest<'_>| {
            let PermissionSubject::Tool { input, .. } = request.subject else { return Permission::Granted };
            *if_given_up.lock().await = cancelled(input.clone());
            // Readers run side by side, but a person answers one question at a time.
            let mut messages = self.questions.lock().await;
            let file = self.context.protected_file(tool, input);
            let protected = file.as_ref().map(|file| file.why);
            let project = &self.context.project;
            let decider = request.decider;
            let asked = AskedCall { tool, args: input, original, decider, protected, project };
            let permission = ask_permission(self.approval, self.hooks, self.ui, &asked, &mut messages).await;
            *allowed_file.lock().await = file.filter(|_| matches!(permission, Permission::Granted));
            permission
        };
        let run = async |args: &JsonObject| {
            let mut if_given_up = if_given_up.lock().await;
            let allowing = allowed_file.lock().await.take().map(|file| self.context.allowing(file));
            let result = tool.run(args.clone(), allowing.as_ref().unwrap_or(self.context)).await;
            *if_given_up = FinishedCall::new(status_of(&result), args.clone(), result.clone());
            result
        };
        let outcome = tokio::select! {
            biased;
            () = async {
                self.context.cancel.cancelled().await;
                drop(if_given_up.lock().await);
            } => None,
            outcome = self.hooks.execute_tool(tool.name, args, permission, run) => Some(outcome),
        };
        let done = outcome.map_or_else(|| if_given_up.into_inner(), FinishedCall::from);
        FinishedCall { duration_ms: millis(start.elapsed()), ..done }
    }

    /// Logs and shows a result, and hands it on to the model.
    fn publish(&self, call: &ScheduledCall, done: FinishedCall) -> ToolResult {
        let FinishedCall { result, original, status, args, duration_ms, .. } = done;
        let (id, name) = (&call.id, &call.call.name);
        self.state(call, ToolState::Idle);
        self.log.write(&LogLine::ToolCall {
            name,
            args: &args,
            status,
            duration_ms,
            result: &result,
            original_result: original.as_ref(),
        });
        if status == ToolStatus::Blocked {
            let reason = result.error.as_ref().map_or("", |error| error.message.as_str());
            self.ui.notify(&AgentEvent::Blocked { what: name, reason });
        }
        let display = result.return_display.as_str().filter(|_| result.suppress_display != Some(true));
        self.ui.notify(&AgentEvent::ToolFinished { id, name, status, display, result: &result });
        result
    }
}
