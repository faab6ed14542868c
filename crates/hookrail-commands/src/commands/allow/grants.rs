//! The calls that a person lets pass, and the door between them and the engine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookrail::components::ProcessedHookResult;
use hookrail::grants::{Grants, GuardedCall};
use hookrail::rules::OurTool;
use hookrail::settings::LockedFile;
use hookrail::{Hook, JsonObject};
use hookrail_bridge::{Agent, StoppingRules, can_ask, deciding_arguments};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LOCK_TIMEOUT;
use super::blocked::{BlockedCall, BlockedCalls, CallKey, RuleName};
use super::private_file;
use crate::digest;
use crate::terminal::printer::escape_line;

/// No grant is for longer.
pub(super) const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// How far a clock may be set back before grants of later times no longer count.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(1);

/// One call that a person lets pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Grant {
    pub(super) id: String,
    pub(super) rules: Vec<RuleName>,
    #[serde(flatten)]
    pub(super) key: CallKey,
    pub(super) given: Timestamp,
    pub(super) until: Timestamp,
    /// For one call only.
    pub(super) once: bool,
    /// The call that used it, where it is for one only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) used_by: Option<String>,
    /// What it is about, for people.
    pub(super) summary: String,
}

impl Grant {
    /// Whether its time has come and is not over. A clock that was set back does not prolong it.
    fn is_current(&self, now: Timestamp) -> bool {
        now < self.until
            && self.given.duration_since(now) <= CLOCK_TOLERANCE
            && self.until.duration_since(self.given) <= LONGEST
    }

    /// Whether nobody used it, if it is for one call only.
    pub(super) fn is_unused(&self) -> bool {
        !self.once || self.used_by.is_none()
    }

    fn lifts(&self, key: &CallKey, rule: &RuleName, call_id: Option<&str>) -> bool {
        let is_free = self.is_unused() || (call_id.is_some() && self.used_by.as_deref() == call_id);
        is_free && self.key == *key && self.rules.contains(rule)
    }
}

/// The file as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    grants: Vec<Grant>,
}

pub(super) struct GrantFile {
    path: PathBuf,
}

impl GrantFile {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self { path: state_dir.join("grants.json") }
    }

    /// The grants that count now. The error says why there are none.
    pub(super) fn load(&self) -> Result<Vec<Grant>, String> {
        let path = self.path.display();
        let unusable = |why: String| format!("`{path}` {why}, so it allows nothing");
        let Some(bytes) = private_file::read(&self.path).map_err(unusable)? else { return Ok(Vec::new()) };
        let stored: Stored =
            serde_json::from_slice(&bytes).map_err(|error| unusable(format!("is damaged ({error})")))?;
        let now = Timestamp::now();
        Ok(stored.grants.into_iter().filter(|grant| grant.is_current(now)).collect())
    }

    /// Changes the grants in one step, which no other program comes between.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Vec<Grant>) -> T) -> Result<T, String> {
        let lock = self.path.with_extension("lock");
        let locked =
            LockedFile::lock_within(&self.path, &lock, LOCK_TIMEOUT).map_err(|error| error.to_string())?;
        let before = self.load()?;
        let mut grants = before.clone();
        let outcome = change(&mut grants);
        if grants != before {
            let text = serde_json::to_vec_pretty(&Stored { grants }).map_err(|error| error.to_string())?;
            locked.replace_with_mode(&text, 0o600).map_err(|error| error.to_string())?;
        }
        Ok(outcome)
    }

    /// Drops everything, also what cannot be read.
    pub(super) fn clear(&self) -> Result<(), String> {
        let lock = self.path.with_extension("lock");
        let _locked =
            LockedFile::lock_within(&self.path, &lock, LOCK_TIMEOUT).map_err(|error| error.to_string())?;
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    }
}

/// Grants and stopped calls in the state folder, for the engine.
pub(crate) struct KeptGrants {
    grants: GrantFile,
    calls: BlockedCalls,
    /// The other agent whose calls these are.
    agent: Option<Agent>,
    problem: Mutex<Option<String>>,
}

impl KeptGrants {
    /// For the calls of another agent, or of our own programs.
    pub(crate) fn new(state_dir: &Path, agent: Option<Agent>) -> Self {
        let (grants, calls) = (GrantFile::new(state_dir), BlockedCalls::new(state_dir));
        Self { grants, calls, agent, problem: Mutex::default() }
    }

    /// What kept grants from being read, or a call from being kept.
    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a problem for the agent's message to its user. Our own programs print it, once.
    fn note(&self, problem: String) {
        let mut noted = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.as_ref() == Some(&problem) {
            return;
        }
        if self.agent.is_none() {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "warning: {}", escape_line(&problem));
        }
        *noted = Some(problem);
    }

    /// The arguments of a call that decide what it does.
    fn deciding(&self, call: &GuardedCall<'_>) -> JsonObject {
        let native = call.extra.get("agent").and_then(|agent| agent.get("tool_name")).and_then(Value::as_str);
        if let Some(agent) = self.agent {
            return deciding_arguments(agent, native.unwrap_or(call.tool_name), call.tool_input);
        }
        let mut input = call.tool_input.clone();
        if OurTool::named(call.tool_name).is_some() {
            input.shift_remove("description");
        }
        input
    }

    fn key(&self, call: &GuardedCall<'_>) -> CallKey {
        let (project, directory) = (call.project.display().to_string(), call.directory.display().to_string());
        CallKey::new(&project, &directory, call.tool_name, &self.deciding(call))
    }

    /// What distinguishes a call from all others, if its agent says so.
    fn call_id(&self, call: &GuardedCall<'_>) -> Option<String> {
        let id = call.extra.get("tool_use_id")?.as_str().filter(|id| !id.is_empty())?;
        let agent = self.agent.map_or("hookrail", Agent::as_str);
        Some(digest::of_parts([agent, &call.base.session_id, id], 16))
    }
}

impl Grants for KeptGrants {
    fn lifts(&self, call: &GuardedCall<'_>, rule: &Hook) -> bool {
        match self.grants.load() {
            Ok(grants) if grants.is_empty() => false,
            Ok(grants) => {
                let (key, rule, id) = (self.key(call), RuleName::of(rule), self.call_id(call));
                grants.iter().any(|grant| grant.lifts(&key, &rule, id.as_deref()))
            }
            Err(problem) => {
                self.note(problem);
                false
            }
        }
    }

    fn use_up(&self, call: &GuardedCall<'_>, rules: &[Arc<Hook>]) -> Option<String> {
        let (key, call_id) = (self.key(call), self.call_id(call));
        let used = self.grants.change(|grants| {
            let mut used: Vec<usize> = Vec::new();
            for rule in rules {
                let rule = RuleName::of(rule);
                let at = grants.iter().position(|grant| grant.lifts(&key, &rule, call_id.as_deref()))?;
                if !used.contains(&at) {
                    used.push(at);
                }
            }
            let mut ids = Vec::new();
            for at in used {
                let grant = grants.get_mut(at)?;
                ids.push(grant.id.clone());
                if grant.once {
                    // A call without an id cannot ask again.
                    grant.used_by = Some(call_id.clone().unwrap_or_default());
                }
            }
            Some(ids.join(" "))
        });
        match used {
            Ok(ids) => ids,
            Err(problem) => {
                self.note(problem);
                None
            }
        }
    }

    fn stopped(&self, call: &GuardedCall<'_>, result: &ProcessedHookResult) {
        let Some(rules) = StoppingRules::of(result) else { return };
        // A question that the agent puts to its user is answered there.
        let is_refusal = rules.is_block || self.agent.is_some_and(|agent| !can_ask(agent));
        if !is_refusal || !call.logs_texts {
            return;
        }
        let agent = self.agent.map_or("hookrail", Agent::as_str);
        let names = rules.rules.iter().map(|rule| RuleName::of(rule)).collect();
        let call = BlockedCall::new(agent, call, self.deciding(call), names, rules.obstacle);
        if let Err(problem) = self.calls.add(call) {
            self.note(format!("the call cannot be kept for `hookrail allow`: {problem}"));
        }
    }
}
