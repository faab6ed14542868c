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

use crate::approval::{ApprovalMode, is_approved};
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
    /// that writes runs alone.
    pub(crate) async fn run(&self, calls: Vec<FunctionCall>, allowed: &AllowedTools) -> Batch {
        for call in &calls {
            self.ui.happened(&Happening::ToolState { name: &call.name, state: ToolState::Scheduled });
        }
        let mut batch = Batch { results: Vec::with_capacity(calls.len()), stop: None };
        let mut stops = Vec::new();
        for group in groups(&calls, |call| self.reads_only(call)) {
            let over = !stops.is_empty() || self.context.cancel.is_cancelled();
            let done = join_all(group.iter().map(|call| async {
                if over { cancelled(call.args.clone()) } else { self.call(call, allowed).await }
            }))
            .await;
            for (call, done) in group.iter().zip(done) {
                stops.extend(done.stop.clone().map(|stop| stop.0));
                let result = self.publish(call, done);
                batch.results.push((call.clone(), result));
            }
        }
        batch.stop = (!stops.is_empty()).then(|| StopReason(stops.join("\n")));
        batch
    }

    fn reads_only(&self, call: &FunctionCall) -> bool {
        self.tools.get(&call.name).is_none_or(|tool| tool.kind() == ToolKind::ReadOnly)
    }

    /// One call, from the allowed list to its buffered result.
    async fn call(&self, call: &FunctionCall, allowed: &AllowedTools) -> Done {
        let start = Instant::now();
        let args = call.args.clone().unwrap_or_default();
        let refused =
            |status, result| Done { result, status, args: args.clone(), duration_ms: 0, stop: None };
        if !allowed.permits(&call.name) {
            let text = format!("The tool `{}` is not allowed for this request.", call.name);
            return refused(ToolStatus::Denied, ToolResult::failure(text, "tool_not_allowed"));
        }
        let Some(tool) = self.tools.get(&call.name) else {
            let text =
                format!("There is no tool `{}`. Known tools: {}.", call.name, self.tools.names().join(", "));
            return refused(ToolStatus::Error, ToolResult::failure(text, "unknown_tool"));
        };
        self.ui.happened(&Happening::ToolState { name: &call.name, state: ToolState::Executing });
        tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => Done { duration_ms: millis(start.elapsed()), ..cancelled(Some(args)) },
            done = self.execute(tool, args.clone(), start) => done,
        }
    }

    /// Hooks, approval and the tool itself.
    async fn execute(&self, tool: &dyn Tool, args: JsonObject, start: Instant) -> Done {
        let executed = Mutex::new((ToolStatus::Cancelled, args.clone()));
        let note = |status, args: &JsonObject| {
            *executed.lock().unwrap_or_else(PoisonError::into_inner) = (status, args.clone());
        };
        let outcome = execute_tool_with_hooks(self.config, tool.name(), args, |args| async {
            if !is_approved(self.approval, self.config, self.ui, tool, &args).await {
                note(ToolStatus::Denied, &args);
                let text = format!("Permission to run `{}` was not given.", tool.name());
                return ToolResult::failure(text, "permission_denied");
            }
            let kept = args.clone();
            let result = tool.run(args, self.context).await;
            let failed = result.error.is_some();
            note(if failed { ToolStatus::Error } else { ToolStatus::Success }, &kept);
            result
        })
        .await;
        let (status, args) = executed.into_inner().unwrap_or_else(PoisonError::into_inner);
        Done {
            status: if outcome.blocked { ToolStatus::Blocked } else { status },
            result: outcome.result,
            args,
            duration_ms: millis(start.elapsed()),
            stop: outcome.stop,
        }
    }

    /// Logs and shows a result, and hands it on to the model.
    fn publish(&self, call: &FunctionCall, done: Done) -> ToolResult {
        let Done { result, status, args, duration_ms, .. } = done;
        self.ui.happened(&Happening::ToolState { name: &call.name, state: ToolState::Idle });
        self.log.write(&LogLine::ToolCall {
            name: &call.name,
            args: &args,
            status,
            duration_ms,
            result: &result,
        });
        if status == ToolStatus::Blocked {
            let reason = result.error.as_ref().map_or("", |error| error.message.as_str());
            self.ui.happened(&Happening::Blocked { what: &call.name, reason });
        }
        let display = result.return_display.as_str().filter(|_| result.suppress_display != Some(true));
        self.ui.happened(&Happening::ToolFinished { name: &call.name, status, display });
        result
    }
}

fn cancelled(args: Option<JsonObject>) -> Done {
    Done {
        result: ToolResult::failure("The call was cancelled.", "cancelled"),
        status: ToolStatus::Cancelled,
        args: args.unwrap_or_default(),
        duration_ms: 0,
        stop: None,
    }
}

/// Cuts the calls into runs of neighbours that may go side by side.
fn groups(
    calls: &[FunctionCall],
    reads_only: impl Fn(&FunctionCall) -> bool,
) -> impl Iterator<Item = &[FunctionCall]> {
    calls.chunk_by(move |left, right| reads_only(left) && reads_only(right))
}
