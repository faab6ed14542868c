//! The hook system for coding agents.

mod aggregator;
mod bus;
mod chain;
mod config;
mod diagnostic;
mod event;
pub mod genai;
mod handler;
mod hook;
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
mod system;
mod tool;
mod translator;
mod trigger;
mod trust;
mod views;

pub use diagnostic::{Diagnostic, Place, Severity};
pub use event::{
    BaseFields, Event, EventName, HookInput, JsonObject, NotificationType, PreCompressTrigger,
    SessionEndReason, SessionStartSource, UnknownEvent,
};
pub use hook::{ConfigSource, DEFAULT_HOOK_TIMEOUT, ExtensionName, Hook, HookKind, Level, OnFailure, Origin};
pub use llm::{
    HookToolConfig, JoinedText, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmRequest, LlmResponse,
    LlmSafetyRating, LlmUsage, ToolMode,
};
pub use matcher::Matcher;
pub use output::{Decision, HookOutput};
pub use result::{AggregatedHookResult, Block, BlockCause, HookError, ProcessedHookResult};
pub use tool::{ToolContent, ToolError, ToolResult};
pub use run::{Exit, HookRun};
