//! The hook system for coding agents.

mod aggregator;
mod atomic_file;
mod bus;
mod chain;
mod common;
mod config;
mod diagnostic;
mod event;
pub mod genai;
mod handler;
mod hook;
mod host;
mod json;
mod llm;
mod matcher;
mod observer;
mod outcome;
mod output;
mod payload;
mod planner;
mod registry;
mod result;
mod run;
mod runner;
mod schema;
mod system;
mod tool;
mod translator;
mod trigger;
mod trust;
mod views;

pub use aggregator::HookAggregator;
pub use atomic_file::{AtomicFileError, LockedFile};
pub use bus::{
    BusError, BusErrorCode, BusMessage, ExecutionOutput, HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE,
    HookExecutionRequest, HookExecutionResponse, MessageBus, Subscription,
};
pub use common::{build_failure_envelope, make_empty_success_result, process_common_hook_output_fields};
pub use config::{
    AgentEvents, DEFAULT_MAX_CONCURRENT_HOOKS, DisabledEntry, EffectiveSettings, EnableFlag, HookSpans,
    LevelSettings, Limits, PerLevel, Redaction, RedactionSettings, Settings, SettingsPaths, edit,
    load_enable_flag, load_settings, settings_schema,
};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use event::{
    BaseFields, Event, EventName, HookInput, JsonObject, NotificationType, PreCompressTrigger,
    SessionEndReason, SessionStartSource, UnknownEvent, iso_timestamp, timestamp_now,
};
pub use handler::HookEventHandler;
pub use hook::{ConfigSource, DEFAULT_HOOK_TIMEOUT, ExtensionName, Hook, HookKind, Level, OnFailure, Origin};
pub use host::{Config, ConfigBuilder};
pub use llm::{
    HookToolConfig, JoinedText, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmRequest, LlmResponse,
    LlmSafetyRating, LlmUsage, ToolMode,
};
pub use matcher::{MatchVerdict, Matcher};
pub use observer::{HookBatch, HookCall, HookObserver};
pub use output::{Decision, HookOutput};
pub use payload::{
    BaseOverrides, InputError, ModelRequest, ModelResponse, OwnedEvent, TypedInput, ValidationError,
    parse_input,
};
pub use planner::{Explanation, HookPlanner, Plan, PlannedHook, SkipReason, Skipped};
pub use registry::{DisabledBy, HookRegistry, HookStatus, JudgedHook};
pub use result::{AggregatedHookResult, Block, BlockCause, HookError, ProcessedHookResult, StopReason};
pub use run::{Exit, HookRun};
pub use runner::{
    Escalations, HookRunner, Payload, PayloadError, RunnerOptions, StartListener, inherited_environment,
};
pub use schema::{input_schema, output_schema, sample_input};
pub use system::{HookSystem, HookSystemNotInitializedError, HookSystemStatus};
pub use tool::{ToolContent, ToolError, ToolResult};
pub use translator::{
    AppliedRequest, DEFAULT_HOOK_TRANSLATOR, HookTranslatorGenAiV1, TranslationError, apply_hook_llm_request,
    apply_hook_llm_response, apply_hook_tool_config, from_hook_llm_request, from_hook_llm_response,
    response_equals, to_hook_llm_request, to_hook_llm_response, to_hook_tool_config,
};
pub use trigger::{
    AfterModelHookResult, AfterToolHookResult, BeforeModelHookResult, BeforeToolHookResult,
    BeforeToolSelectionHookResult, ToolExecution, execute_tool_with_hooks, fire_after_model_hook,
    fire_after_tool_hook, fire_before_model_hook, fire_before_tool_hook, fire_before_tool_selection_hook,
};
pub use trust::{
    Approval, ApprovalStore, ApprovedFile, ApprovedProject, Change, FileContent, HookTrust, Judgement,
    NamedFile, Pending, PendingSettings, Recheck, Review, Seal, Terms, TrustError, TrustPolicy, Why,
};
pub use views::{
    AfterModelHookOutput, BeforeModelHookOutput, BeforeToolHookOutput, BeforeToolSelectionHookOutput,
    DefaultHookOutput, HookOutputView, SpecificHookOutput, create_hook_output, create_specific_hook_output,
};
