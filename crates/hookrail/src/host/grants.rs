//! Grants: a person lets one call pass that rules would stop. Who may give them and where they are kept is up to the host.

use std::path::Path;
use std::sync::Arc;

use crate::event::BaseFields;
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::verdict::result::ProcessedHookResult;

/// What a person lets pass. It is asked only about a tool call that a rule of the user's or a project's settings stops.
pub trait Grants: Send + Sync {
    /// Whether a person lets this call pass this rule. Nothing is used up by the question.
    fn lifts(&self, call: &GuardedCall<'_>, rule: &Hook) -> bool;

    /// Uses what lets this call pass these rules, in one step, and returns its id. `None` if another call used it
    /// meanwhile: then the rules stop this one.
    fn use_up(&self, call: &GuardedCall<'_>, rules: &[Arc<Hook>]) -> Option<String>;

    /// What came of this call, if it is blocked or left to a person.
    fn stopped(&self, call: &GuardedCall<'_>, result: &ProcessedHookResult);
}

/// A tool call as its sender made it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GuardedCall<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// Its arguments.
    pub tool_input: &'a JsonObject,
    /// The session's project.
    pub project: &'a Path,
    /// Where relative paths of the call start.
    pub directory: &'a Path,
    /// Session and time.
    pub base: &'a BaseFields<'a>,
    /// Further fields of the sender.
    pub extra: &'a JsonObject,
    /// Whether commands and paths may be kept; `hooksConfig.log` decides.
    pub logs_texts: bool,
}
