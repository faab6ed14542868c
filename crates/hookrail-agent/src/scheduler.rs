//! Tool calls of one response: in order where they write, side by side where they only read; each
//! between its hooks, each with one result.
//!
//! A blocked call is a completed call: it goes from executing to idle, its result is buffered like any
//! other, published in call order, and never tried again. What to do next is the model's decision.

mod done;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Instant;

use futures_util::future::join_all;
use hookrail::genai::FunctionCall;
use hookrail::{
    AllowedTools, HookSession, JsonObject, Permission, PermissionRequest, PermissionSubject, StopReason,
    ToolResult,
};

use self::done::{Done, cancelled, status_of};
use crate::approval::{ApprovalMode, AskedCall, ask_permission};
use crate::log::{LogLine, SessionLog, ToolStatus, millis};
use crate::tools::{Tool, ToolContext, ToolKind, ToolTable};
use crate::ui::{AgentEvent, ToolState, Ui};

/// Runs the tool calls of a session.
pub(crate) struct Scheduler<'a> {
    pub(crate) hooks: &'a HookSession,
    pub(crate) tools: &'a ToolTable,
    pub(crate) context: &'a ToolContext,
    pub(crate) approval: ApprovalMode,
    pub(crate) log: &'a SessionLog,
    pub(crate) ui: &'a dyn Ui,
    /// Held while a person is asked; with what `Notification` hooks said to the model when it was asked.
    pub(crate) questions: tokio::sync::Mutex<Vec<String>>,
}

/// A tool call with an id that is unique within the session, whatever the provider gave it.
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) call: FunctionCall,
}

/// All calls of one response, done.
pub(crate) struct Batch {
    /// Each call with its result, in call order.
    pub(crate) results: Vec<(FunctionCall, ToolResult)>,
    /// A hook wants the agent to stop.
    pub(crate) stop: Option<StopReason>,
}

/// How far one call is, for the case that the user gives up. The tool itself is the only step that is not simply
/// dropped then: it ends by its own means, so that its result is what happened.
enum Progress {
    /// `BeforeTool` hooks and the question of permission; with the arguments as far as they are known.
    Before { args: JsonObject },
    /// The tool runs.
    Running,
    /// The tool has a result; `AfterTool` hooks may be at work.
    Ran { args: JsonObject, result: Box<ToolResult> },
}

impl Scheduler<'_> {
    /// Runs the calls of one response. Readers that stand next to each other run side by side; a call
    /// that writes runs alone. Once a hook stopped the agent or the user gave up, no further call starts.
    pub(crate) async fn run(&self, calls: &[Call], allowed: &AllowedTools) -> Batch {
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
        let mut batch = Batch { results: Vec::with_capacity(calls.len()), stop: None };
        let mut stops = Vec::new();
        for group in calls.chunk_by(|left, right| self.reads_only(left) && self.reads_only(right)) {
            let over = !stops.is_empty() || self.context.cancel.is_cancelled();
            let done = join_all(group.iter().map(|call| async {
                let args = call.call.args.clone().unwrap_or_default();
                if over { cancelled(args) } else { self.call(call, args, allowed).await }
            }))
            .await;
            for (call, done) in group.iter().zip(done) {
                stops.extend(done.stop.clone().map(StopReason::into_string));
                let result = self.publish(call, done);
                batch.results.push((call.call.clone(), result));
            }
        }
        batch.stop = (!stops.is_empty()).then(|| StopReason::new(stops.join("\n")));
        batch
    }

    /// A tool that does not exist changes nothing, so it does not hold others up.
    fn reads_only(&self, call: &Call) -> bool {
        self.tools.get(&call.call.name).is_none_or(|tool| tool.kind() == ToolKind::ReadOnly)
    }

    /// Shows where a call is.
    fn state(&self, call: &Call, state: ToolState) {
        self.ui.notify(&AgentEvent::ToolState { id: &call.id, name: &call.call.name, state });
    }

    /// One call, from the allowed list to its buffered result.
    async fn call(&self, call: &Call, args: JsonObject, allowed: &AllowedTools) -> Done {
        let name = &call.call.name;
        if !allowed.permits(name) {
            let text = format!("The tool `{name}` is not allowed for this request.");
            return Done::new(ToolStatus::Denied, args, ToolResult::failure(text, "tool_not_allowed"));
        }
        let Some(tool) = self.tools.get(name) else {
            let text = format!("There is no tool `{name}`. Known tools: {}.", self.tools.names().join(", "));
            return Done::new(ToolStatus::Error, args, ToolResult::failure(text, "unknown_tool"));
        };
        self.state(call, ToolState::Executing);
        self.execute(tool, args).await
    }

    /// Hooks, approval and the tool itself.
    async fn execute(&self, tool: &dyn Tool, args: JsonObject) -> Done {
        let start = Instant::now();
        let original = &args.clone();
        let progress = Mutex::new(Progress::Before { args: args.clone() });
        let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
        let permission = async |request: PermissionRequest<'_>| {
            let PermissionSubject::Tool { input, .. } = request.subject else { return Permission::Granted };
            *lock() = Progress::Before { args: input.clone() };
            // Readers run side by side, but a person answers one question at a time.
            let mut messages = self.questions.lock().await;
            let protected = self.context.why_protected(tool, input);
            let project = &self.context.project;
            let decider = request.decider;
            let asked = AskedCall { tool, args: input, original, decider, protected, project };
            ask_permission(self.approval, self.hooks, self.ui, &asked, &mut messages).await
        };
        let run = async |args: &JsonObject| {
            *lock() = Progress::Running;
            // A person said yes to this very call.
            let allowing = self.context.why_protected(tool, args).map(|_| self.context.allowing_protected());
            let result = tool.run(args.clone(), allowing.as_ref().unwrap_or(self.context)).await;
            *lock() = Progress::Ran { args: args.clone(), result: Box::new(result.clone()) };
            result
        };
        let call = self.hooks.execute_tool(tool.name(), args, permission, run);
        let outcome = self.unless_given_up(call, || !matches!(*lock(), Progress::Running)).await;
        let done = match outcome {
            Some(outcome) => outcome.into(),
            None => match progress.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Progress::Before { args } => cancelled(args),
                Progress::Ran { args, result } => Done::new(status_of(&result), args, *result),
                Progress::Running => cancelled(JsonObject::new()),
            },
        };
        Done { duration_ms: millis(start.elapsed()), ..done }
    }

    /// Waits for a call, unless the user gives up while it may be dropped.
    async fn unless_given_up<T>(
        &self,
        call: impl Future<Output = T>,
        may_be_dropped: impl Fn() -> bool,
    ) -> Option<T> {
        let mut call = pin!(call);
        let mut cancelled = pin!(self.context.cancel.cancelled());
        let mut given_up = false;
        poll_fn(|context| {
            given_up = given_up || cancelled.as_mut().poll(context).is_ready();
            if given_up && may_be_dropped() {
                return Poll::Ready(None);
            }
            match call.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
                // The tool may just have ended; its result is kept, and later hooks are not waited for.
                Poll::Pending if given_up && may_be_dropped() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Logs and shows a result, and hands it on to the model.
    fn publish(&self, call: &Call, done: Done) -> ToolResult {
        let Done { result, original, status, args, duration_ms, .. } = done;
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
