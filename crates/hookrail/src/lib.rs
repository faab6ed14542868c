//! The hook system for coding agents: programs that a user configures and that the agent asks before and after
//! tools, model calls and other lifecycle points. They can block, change, add and stop.
//!
//! # The path of one event
//!
//! A host makes a [`HookSession`] and calls [`HookSession::execute_tool`] around every tool call and
//! [`HookSession::call_model`] around every model call; the other events are methods of the session, too.
//!
//! 1. **Off?** [`HookSession::hook_system`] is `None` when hooks are off, and the call goes on: nothing was
//!    allocated, awaited or read. Otherwise the first event starts the [`HookSystem`]: settings and approvals
//!    ([`TrustPolicy`]) are resolved, and what is left is ranked in a [`HookRegistry`] with its matchers compiled.
//! 2. **Plan.** The [`HookPlanner`] says which hooks listen to this event and tool, each command once, and whether
//!    they run side by side or as a chain. If none does, that was all.
//! 3. **Admit.** The [`HookEventHandler`] leaves out project hooks of another folder and looks at the files of
//!    approved ones again. A guard that was changed since blocks what it was to guard.
//! 4. **Run.** The [`HookRunner`] writes the one JSON object ([`HookInput`]) to the stdin of each hook's process and
//!    takes back exit code and output within one deadline. A hook that fails is a [`HookRun`] like any other.
//! 5. **Read and merge.** The exit code picks the stream, a [`HookOutput`] is read field by field, and the
//!    [`HookAggregator`] merges all outputs in plan order: no other hook undoes a block or a stop.
//! 6. **Record.** [`process_common_hook_output_fields`] reads stop, block, question, message and suppression once for
//!    all callers. Records go to `tracing` (targets `llxprt:core:hooks:…`) and to the host's [`HookObserver`](observer::HookObserver).
//! 7. **Effect.** The trigger translates the merged output back into the SDK's types ([`genai`]) and returns a
//!    `#[must_use]` enum such as [`ToolGate`](effects::ToolGate) or [`ModelGate`](effects::ModelGate). It never fails and never panics; an error of the engine lets
//!    the operation proceed, unless a hook is set to block on failure.
//!
//! Clients on a [`MessageBus`] enter at step 2 with payloads that [`parse_input`] has checked.
//!
//! The engine never prints, opens no network connection and keeps no global state. Planner and aggregator never wait,
//! and only the runner starts processes. `examples/` shows a guarded tool loop, a guarded model call and an observer,
//! each on one page.
//!
//! [`HookSystem`]: components::HookSystem
//! [`HookRegistry`]: components::HookRegistry
//! [`HookPlanner`]: components::HookPlanner
//! [`HookEventHandler`]: components::HookEventHandler
//! [`HookRunner`]: components::HookRunner
//! [`HookInput`]: components::HookInput
//! [`HookAggregator`]: components::HookAggregator
//! [`process_common_hook_output_fields`]: components::process_common_hook_output_fields
//! [`MessageBus`]: components::MessageBus
//! [`parse_input`]: components::parse_input

#[cfg(not(unix))]
compile_error!("hookrail runs on Linux and macOS. Windows is not supported.");

mod diagnostic;
mod dialect;
mod event;
mod formats;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod hook;
mod host;
mod matcher;
mod order;
mod output;
mod payload;
mod plan;
pub mod rules;
mod run;
pub mod settings;
mod spelling;
mod texts;
mod trust;
mod verdict;

pub use diagnostic::{Diagnostic, DiagnosticCode, Severity};
pub use event::{EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
pub use formats::genai;
pub use formats::json_object::JsonObject;
pub use hook::Hook;
pub use host::builder::HookSessionBuilder;
pub use host::permission::{Decider, Permission, PermissionRequest, PermissionSubject, permit_unless_asked};
pub use host::session::HookSession;
pub use host::tool::{ToolContent, ToolError, ToolResult};
pub use host::tool_call::{ToolEnd, ToolOutcome};
pub use output::{Decision, HookOutput};
pub use trust::{ApprovalStore, TrustPolicy};
pub use verdict::hook_run::HookRun;
pub use verdict::result::{Block, BlockCause, StopReason};

/// What a host does after an event: one enum for each kind of event, with the notes beside it.
pub mod effects {
    pub use crate::host::effects::{
        AfterModelHookResult, AfterToolHookResult, AgentGate, AgentHookResult, BeforeModelHookResult,
        BeforeToolHookResult, BeforeToolSelectionHookResult, EventEffects, HookResult, ModelGate, Notes,
        SpecificEffects, ToolGate, ToolSelection,
    };
}

/// Model calls with their hooks: see [`HookSession::call_model`].
pub mod model {
    pub use crate::host::effects::{AnswerOrigin, ResponseChange};
    pub use crate::host::model_call::{
        ModelAnswer, ModelEnd, ModelOutcome, OutgoingCall, Showing, StopPoint,
    };
    pub use crate::host::model_format::{AllowedTools, RequestFormat, ResponseFormat, system_message};
}

/// Records of what hooks did, for a host's log: see [`HookSessionBuilder::observer`].
pub mod observer {
    pub use crate::host::observer::{DecidedEvent, HookBatch, HookCall, HookObserver};
}

/// Calls that a person lets pass although rules stop them: see [`HookSessionBuilder::grants`].
pub mod grants {
    pub use crate::host::grants::{Grants, GuardedCall};
    pub use crate::verdict::result::Grant;
}

/// JSON Schemas of settings, payloads and answers, and a sample of each payload.
pub mod schemas {
    pub use crate::payload::schema::{input_schema, output_schema, sample_input};
    pub use crate::settings::settings_schema;
}

/// Approvals of a project's own hooks: what waits for a person's decision, and what has been approved.
///
/// A session with [`TrustPolicy::RequireApproval`] runs the approved hooks of a project only.
/// [`HookSession::review_approvals`] gives a [`Review`](approvals::Review) to show; [`ApprovalStore::approve`] approves
/// exactly what it contains, also if a file has changed meanwhile.
pub mod approvals {
    pub use crate::trust::atomic_file::AtomicFileError;
    pub use crate::trust::{
        Approval, ApprovedFile, ApprovedProject, Change, FileContent, FileRights, HookJudgement, Judgement,
        NamedFile, Pending, PendingReason, PendingSettings, Review, Terms, TrustError, VanishedGuard,
        hook_files, named_paths,
    };
}

/// The components that the specification names, for hosts that need one of them alone.
pub mod components {
    pub use crate::dialect::HookDialect;
    pub use crate::event::{
        BaseFields, CallReading, Caller, Event, HookInput, Matching, UnknownEvent, iso_timestamp,
        timestamp_now,
    };
    pub use crate::formats::llm::{
        HookToolConfig, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmRequest, LlmResponse,
        LlmSafetyRating, LlmUsage, ToolMode,
    };
    pub use crate::formats::translator::{DEFAULT_HOOK_TRANSLATOR, HookTranslatorGenAiV1, TranslationError};
    pub use crate::hook::{
        ConfigSource, ExtensionName, HookKind, HttpHook, Level, NatsHook, OnFailure, Origin, ServiceUrl,
        StartObstacle, UnreadableRule, WorkerMode,
    };
    pub use crate::host::bus::message::{
        BusError, BusErrorCode, BusMessage, ExecutionOutput, HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE,
        HookExecutionRequest, HookExecutionResponse,
    };
    pub use crate::host::bus::publish::{MessageBus, Subscription};
    pub use crate::host::event_handler::HookEventHandler;
    pub use crate::host::session::{HookSystem, HookSystemNotInitializedError, HookSystemStatus};
    pub use crate::matcher::{MatchVerdict, Matcher};
    pub use crate::payload::{
        BaseOverrides, InputError, ModelRequest, ModelResponse, OwnedEvent, TypedInput, parse_input,
    };
    pub use crate::plan::planner::{Explanation, HookPlanner, Plan, PlannedHook, SkipReason, Skipped};
    pub use crate::plan::registry::{DisabledBy, DisabledEntry, DisabledList, HookRegistry, HookStatus};
    pub use crate::run::{
        Escalations, ForkObstacle, HookRunner, KeeperQuestion, KeeperReply, KeptAnswer, KeptExit,
        KeptQuestion, Payload, PayloadError, RunnerOptions, ServiceAnswer, ServiceClient, ServiceQuestion,
        WorkerKeeper, WorkerPool, WorkerStatus, fork_obstacle, inherited_environment, is_withheld,
    };
    pub use crate::trust::{HookTrust, Recheck, Seal};
    pub use crate::verdict::aggregator::HookAggregator;
    pub use crate::verdict::common_fields::{
        build_failure_envelope, make_empty_success_result, process_common_hook_output_fields,
    };
    pub use crate::verdict::failure::{
        AnswerBound, AnswerFault, HookFailure, IoError, StartFailure, WorkerFailure,
    };
    pub use crate::verdict::hook_run::Exit;
    pub use crate::verdict::result::{
        AggregatedHookResult, HookError, ProcessedHookResult, RefusalReason, RefusedHook,
    };
}

/// The page about embedding is compiled, so that its snippets stay true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding-rust.md")]
struct EmbeddingPage;
