//! Tool calls of one response: in order where they write, side by side where they only read; each
//! between its hooks, each with one result.
//!
//! A blocked call is a completed call: it goes from executing to idle, its result is buffered like any
//! other, published in call order, and never tried again. What to do next is the model's decision.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use futures_util::future::join_all;
use hookrail::genai::{FunctionCall, FunctionCallingMode, ToolConfig};
use hookrail::{Config, JsonObject, StopReason, ToolResult, execute_tool_with_hooks};
use tokio::sync::watch;

use crate::approval::{ApprovalMode, AskedCall, Permission, ask_permission};
use crate::log::{LogLine, SessionLog, ToolStatus, millis};
use crate::tools::{Tool, ToolContext, ToolKind, ToolTable};
use crate::ui::{Happening, ToolState, Ui};

/// Runs the tool calls of a session.
pub(crate) struct Scheduler<'a> {
    pub(crate) config: &'a Config,
    pub(crate) tools: &'a ToolTable,
    pub(crate) context: &'a ToolContext,
    pub(crate) approval: ApprovalMode,
    pub(crate) log: &'a SessionLog,
    pub(crate) ui: &'a dyn Ui,
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

/// A call whose result will not change any more.
struct Done {
    result: ToolResult,
    status: ToolStatus,
    args: JsonObject,
    duration_ms: u64,
    stop: Option<StopReason>,
}

/// How far one call is. The tool itself is the only step that is not simply dropped when the user gives
/// up: it ends by its own means, so that its result tells the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// `BeforeTool` hooks and the question of permission.
    Before,
    Running,
    /// The tool has a result; `AfterTool` hooks may be at work.
    Ran,
    /// Permission was not given. The tool never ran, so that `AfterTool` hooks have nothing to hear of.
    Refused,
}

/// Which tools the request allowed the model to call. A reply may call others all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AllowedTools {
    All,
    Only(Vec<String>),
}

impl AllowedTools {
    /// Reads what was sent with the request.
    pub(crate) fn of(config: Option<&ToolConfig>) -> Self {
        let Some(calling) = config.and_then(|config| config.function_calling_config.as_ref()) else {
            return Self::All;
        };
        match (&calling.mode, &calling.allowed_function_names) {
            (Some(FunctionCallingMode::None), _) => Self::Only(Vec::new()),
            (_, Some(names)) => Self::Only(names.clone()),
            (_, None) => Self::All,
        }
    }

    fn permits(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|allowed| allowed == name),
        }
    }
}

impl Scheduler<'_> {
    /// Runs the calls of one response. Readers that stand next to each other run side by side; a call
    /// that writes runs alone. Once a hook stopped the agent or the user gave up, no further call starts.
    pub(crate) async fn run(&self, calls: &[Call], allowed: &AllowedTools) -> Batch {
        for call in calls {
            let args = call.call.args.as_ref();
            let none = JsonObject::new();
            self.ui.happened(&Happening::ToolRequested {
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
                stops.extend(done.stop.clone().map(|stop| stop.0));
                let result = self.publish(call, done);
                batch.results.push((call.call.clone(), result));
            }
        }
        batch.stop = (!stops.is_empty()).then(|| StopReason(stops.join("\n")));
        batch
    }

    fn reads_only(&self, call: &Call) -> bool {
        self.tools.get(&call.call.name).is_none_or(|tool| tool.kind() == ToolKind::ReadOnly)
    }

    fn state(&self, call: &Call, state: ToolState) {
        self.ui.happened(&Happening::ToolState { id: &call.id, name: &call.call.name, state });
    }

    /// One call, from the allowed list to its buffered result.
    async fn call(&self, call: &Call, args: JsonObject, allowed: &AllowedTools) -> Done {
        let name = &call.call.name;
        if !allowed.permits(name) {
            let text = format!("The tool `{name}` is not allowed for this request.");
            return refused(ToolStatus::Denied, args, ToolResult::failure(text, "tool_not_allowed"));
        }
        let Some(tool) = self.tools.get(name) else {
            let text = format!("There is no tool `{name}`. Known tools: {}.", self.tools.names().join(", "));
            return refused(ToolStatus::Error, args, ToolResult::failure(text, "unknown_tool"));
        };
        self.state(call, ToolState::Executing);
        self.execute(tool, args).await
    }

    /// Hooks, approval and the tool itself.
    async fn execute(&self, tool: &dyn Tool, args: JsonObject) -> Done {
        let start = Instant::now();
        // What would be told if the call ended here.
        let buffered = Mutex::new(cancelled(args.clone()));
        let buffer = |done| *buffered.lock().unwrap_or_else(PoisonError::into_inner) = done;
        let (step, mut step_seen) = watch::channel(Step::Before);
        let (buffer, step) = (&buffer, &step);
        let original = &args.clone();

        let with_hooks = execute_tool_with_hooks(self.config, tool.name(), args, |args| async move {
            buffer(cancelled(args.clone()));
            let asked = AskedCall { tool, args: &args, original, project: &self.context.project };
            let refusal = match ask_permission(self.approval, self.config, self.ui, &asked).await {
                Permission::Given => None,
                Permission::Denied => {
                    let text = format!("Permission to run `{}` was not given.", tool.name());
                    let result = ToolResult::failure(text, "permission_denied");
                    Some(refused(ToolStatus::Denied, args.clone(), result))
                }
                Permission::Stopped(reason) => Some(Done { stop: Some(reason), ..cancelled(args.clone()) }),
            };
            if let Some(refusal) = refusal {
                buffer(refusal);
                step.send_replace(Step::Refused);
                return std::future::pending().await;
            }
            step.send_replace(Step::Running);
            let result = tool.run(args.clone(), self.context).await;
            buffer(Done {
                result: result.clone(),
                status: status_of(&result),
                args,
                duration_ms: 0,
                stop: None,
            });
            step.send_replace(Step::Ran);
            result
        });
        let ended_early = async {
            let refused = async |seen: &mut watch::Receiver<Step>| {
                // The sender lives as long as this function, so that waiting cannot fail.
                let _ = seen.wait_for(|step| *step == Step::Refused).await;
            };
            let mut seen = step_seen.clone();
            tokio::select! {
                () = refused(&mut seen) => {}
                () = self.context.cancel.cancelled() => {
                    let _ = step_seen.wait_for(|step| *step != Step::Running).await;
                }
            }
        };
        let outcome = tokio::select! {
            biased;
            () = ended_early => None,
            outcome = with_hooks => Some(outcome),
        };

        let done = buffered.into_inner().unwrap_or_else(PoisonError::into_inner);
        let duration_ms = millis(start.elapsed());
        match outcome {
            None => Done { duration_ms, ..done },
            Some(outcome) => Done {
                status: if outcome.blocked { ToolStatus::Blocked } else { done.status },
                result: outcome.result,
                args: done.args,
                duration_ms,
                stop: outcome.stop,
            },
        }
    }

    /// Logs and shows a result, and hands it on to the model.
    fn publish(&self, call: &Call, done: Done) -> ToolResult {
        let Done { result, status, args, duration_ms, .. } = done;
        let (id, name) = (&call.id, &call.call.name);
        self.state(call, ToolState::Idle);
        self.log.write(&LogLine::ToolCall { name, args: &args, status, duration_ms, result: &result });
        if status == ToolStatus::Blocked {
            let reason = result.error.as_ref().map_or("", |error| error.message.as_str());
            self.ui.happened(&Happening::Blocked { what: name, reason });
        }
        let display = result.return_display.as_str().filter(|_| result.suppress_display != Some(true));
        self.ui.happened(&Happening::ToolFinished { id, name, status, display, result: &result });
        result
    }
}

fn status_of(result: &ToolResult) -> ToolStatus {
    match &result.error {
        None => ToolStatus::Success,
        Some(error) if error.kind.as_deref() == Some("cancelled") => ToolStatus::Cancelled,
        Some(_) => ToolStatus::Error,
    }
}

fn refused(status: ToolStatus, args: JsonObject, result: ToolResult) -> Done {
    Done { result, status, args, duration_ms: 0, stop: None }
}

fn cancelled(args: JsonObject) -> Done {
    refused(ToolStatus::Cancelled, args, ToolResult::failure("The call was cancelled.", "cancelled"))
}
