//! The settings besides hooks: those of each level, and the effective ones.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::EventName;
use crate::hook::{AskReading, Level};

/// How many hooks run at once when the settings do not set it.
pub const DEFAULT_MAX_CONCURRENT_HOOKS: usize = 64;

/// One value for each settings level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PerLevel<T> {
    pub managed: T,
    pub project: T,
    pub user: T,
    pub system: T,
}

impl<T> PerLevel<T> {
    /// The value of a level, to change it; an extension has none.
    pub(super) fn get_mut(&mut self, level: &Level) -> Option<&mut T> {
        match level {
            Level::Managed => Some(&mut self.managed),
            Level::Project => Some(&mut self.project),
            Level::User => Some(&mut self.user),
            Level::System => Some(&mut self.system),
            Level::Extension(_) => None,
        }
    }

    /// The levels that count, the strongest first.
    pub fn ranked(&self, project_counts: bool) -> impl Iterator<Item = &T> {
        let project = project_counts.then_some(&self.project);
        std::iter::once(&self.managed).chain(project).chain([&self.user, &self.system])
    }
}

/// The scalar settings of one level; `None` where it does not set one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelSettings {
    /// `hooksConfig.maxConcurrentHooks`.
    pub max_concurrent_hooks: Option<usize>,
    /// `hooksConfig.maxOutputBytes`.
    pub max_output_bytes: Option<u64>,
    /// `hooksConfig.agentEvents`.
    pub agent_events: Option<AgentEvents>,
    /// `hooksConfig.ask`.
    pub ask: Option<AskReading>,
    /// `hooksConfig.log`.
    pub log: Option<LogDetail>,
    /// `security.environmentVariableRedaction`.
    pub redaction: Redaction,
    /// `extensions.disabled`.
    pub disabled_extensions: Vec<String>,
}

impl LevelSettings {
    /// These, with the single values of weaker ones where there are none, and with all of their lists.
    pub(super) fn or(mut self, weaker: &Self) -> Self {
        self.max_concurrent_hooks = self.max_concurrent_hooks.or(weaker.max_concurrent_hooks);
        self.max_output_bytes = self.max_output_bytes.or(weaker.max_output_bytes);
        self.agent_events = self.agent_events.or(weaker.agent_events);
        self.ask = self.ask.or(weaker.ask);
        self.log = self.log.or(weaker.log);
        self.redaction.enabled = self.redaction.enabled.or(weaker.redaction.enabled);
        unite(&mut self.redaction.allowed, &weaker.redaction.allowed);
        unite(&mut self.redaction.blocked, &weaker.redaction.blocked);
        unite(&mut self.disabled_extensions, &weaker.disabled_extensions);
        self
    }
}

/// Adds what is not in the list yet.
fn unite(list: &mut Vec<String>, more: &[String]) {
    let known = list.len();
    list.extend_from_slice(more);
    if known > 0 {
        let mut seen = BTreeSet::new();
        list.retain(|entry| seen.insert(entry.clone()));
    }
}

/// The effective scalar settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSettings {
    /// Bounds on running hooks.
    pub limits: Limits,
    /// Secrets in the environment of hooks.
    pub redaction: Redaction,
    /// What the agent does with the outputs of the six events outside the five; `None` where no level sets it.
    pub agent_events: Option<AgentEvents>,
    /// What a hook's `ask` means.
    pub ask: AskReading,
    /// What the log says about an event. A project's own value has no effect.
    pub log: LogDetail,
}

impl EffectiveSettings {
    /// Whether commands, paths and prompts may be logged.
    pub fn logs_texts(&self) -> bool {
        self.log == LogDetail::Summary
    }
}

/// What the log says about an event besides its decision. Exhaustive on purpose: `hooksConfig.log` has these values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogDetail {
    /// The beginning of the command, path or prompt, with secrets masked.
    #[default]
    Summary,
    /// Nothing.
    None,
}

/// Bounds on running hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many hooks run at once; the rest queue.
    pub max_concurrent: usize,
    /// How much of each output stream is kept; `None` means 16 MiB or twice the payload, whichever is more.
    pub max_output_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_concurrent: DEFAULT_MAX_CONCURRENT_HOOKS, max_output_bytes: None }
    }
}

/// Which variables hooks do not inherit. The lists of all levels that count are united.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redaction {
    /// Whether variables are removed at all; `None` where a level says nothing.
    pub enabled: Option<bool>,
    /// Names that stay although they look like credentials.
    pub allowed: Vec<String>,
    /// Names that go although they do not.
    pub blocked: Vec<String>,
}

/// What the agent does with the outputs of the six events outside of tools and models
/// ([`EventName::is_agent_event`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentEvents {
    /// Their hooks run and are logged; their outputs change nothing.
    #[default]
    Observe,
    /// Their outputs are applied.
    Apply,
}

impl AgentEvents {
    /// Whether hooks of this event run, and what they ask for changes nothing.
    pub const fn only_observes(self, event: EventName) -> bool {
        matches!(self, Self::Observe) && event.is_agent_event()
    }
}
