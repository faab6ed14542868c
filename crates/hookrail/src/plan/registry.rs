//! All hooks by event, ranked; enable, disable, list.
//!
//! Built once, after the settings were read. From then on the only thing that changes is whether a
//! hook is enabled.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::event::EventName;
use crate::hook::{Hook, Level};
use crate::order;
use crate::trust::{HookJudgement, HookTrust, Seal, VanishedGuard};

/// One hook as a listing shows it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookStatus {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether it may run as far as approvals are concerned.
    pub trust: HookTrust,
}

impl HookStatus {
    /// Whether it runs at its event: it is enabled, and needs no approval or has it.
    pub fn may_run(&self) -> bool {
        self.enabled && self.trust.not_approved().is_none()
    }
}

/// All configured hooks.
#[derive(Debug)]
pub struct HookRegistry {
    hooks: Vec<Registered>,
    /// In the order of [`EventName::ALL`].
    by_event: [EventHooks; EventName::ALL.len()],
    changes: AtomicU64,
    /// Held while hooks are enabled or disabled: two changes at once could leave `listening` as neither made it.
    changing: Mutex<()>,
}

#[derive(Debug)]
struct EventHooks {
    /// Their places in the list of all hooks, by rank.
    places: Vec<usize>,
    /// Whether one of them may run.
    listening: AtomicBool,
}

/// A hook and what decides whether it runs.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) hook: Arc<Hook>,
    pub(crate) trust: HookTrust,
    pub(crate) seal: Option<Arc<Seal>>,
    disabled_in: Option<DisabledList>,
    state: AtomicU8,
}

/// As its settings say.
const AS_CONFIGURED: u8 = 0;
const ENABLED: u8 = 1;
const DISABLED: u8 = 2;

impl Registered {
    fn is_enabled(&self) -> bool {
        self.disabled_by().is_none()
    }

    /// Who disabled it; `None` if it is enabled.
    pub(crate) fn disabled_by(&self) -> Option<DisabledBy> {
        match self.state.load(Ordering::Acquire) {
            ENABLED => None,
            DISABLED => Some(DisabledBy::RunTime),
            _ => self.disabled_in.clone().map(DisabledBy::List),
        }
    }

    fn may_run(&self) -> bool {
        self.is_enabled() && self.trust.not_approved().is_none()
    }
}

impl HookRegistry {
    /// Ranks the hooks by source; hooks of the same source keep their order.
    pub fn new(
        hooks: impl IntoIterator<Item = (Arc<Hook>, HookJudgement)>,
        disabled: &[DisabledEntry],
    ) -> Self {
        let mut hooks: Vec<Registered> = hooks
            .into_iter()
            .map(|(hook, HookJudgement { trust, seal })| {
                let disabled_in =
                    disabled.iter().find(|entry| entry.disables(&hook)).map(|entry| entry.list.clone());
                let state = AtomicU8::new(AS_CONFIGURED);
                Registered { hook, trust, seal, disabled_in, state }
            })
            .collect();
        order::sort_by_key(&mut hooks, |registered| registered.hook.source);
        let by_event = EventName::ALL.map(|event| {
            let of_event = hooks.iter().enumerate().filter(|(_, each)| each.hook.event == event);
            let places = of_event.map(|(place, _)| place).collect();
            EventHooks { places, listening: AtomicBool::new(false) }
        });
        let registry = Self { hooks, by_event, changes: AtomicU64::new(0), changing: Mutex::new(()) };
        registry.update_listening();
        registry
    }

    /// A registry of hooks that need no approval.
    pub fn trusting(hooks: Vec<Hook>, disabled: &[DisabledEntry]) -> Self {
        Self::new(hooks.into_iter().map(|hook| (Arc::new(hook), HookJudgement::TRUSTED)), disabled)
    }

    /// Whether any hook of this event may run. Costs one load: this is asked on every event.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.by_event.get(event as usize).is_some_and(|hooks| hooks.listening.load(Ordering::Acquire))
    }

    /// How many hooks are configured, disabled and unapproved ones included.
    pub fn total_hooks(&self) -> usize {
        self.hooks.len()
    }

    /// All hooks by rank, disabled and unapproved ones included.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.hooks.iter().map(status).collect()
    }

    /// Enables or disables every hook that goes by this name or command, until the end of the run. Returns how many
    /// hooks changed.
    pub fn set_hook_enabled(&self, name_or_command: &str, enabled: bool) -> usize {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = 0;
        // A policy's are turned off by nobody here.
        let can_change = |each: &&Registered| {
            goes_by(&each.hook, name_or_command) && each.hook.origin.level != Level::Managed
        };
        for registered in self.hooks.iter().filter(can_change) {
            if registered.is_enabled() != enabled {
                registered.state.store(if enabled { ENABLED } else { DISABLED }, Ordering::Release);
                changed += 1;
            }
        }
        if changed > 0 {
            self.update_listening();
            self.changes.fetch_add(1, Ordering::AcqRel);
        }
        changed
    }

    /// Disables every hook that goes by another name or command, until the end of the run. Returns how many
    /// hooks go by this one, whatever their state.
    pub fn disable_others(&self, name_or_command: &str) -> usize {
        self.disable_where(|hook| !goes_by(hook, name_or_command))
    }

    /// Disables every hook for which `unwanted` holds, until the end of the run. Returns how many others there
    /// are, whatever their state.
    pub fn disable_where(&self, unwanted: impl Fn(&Hook) -> bool) -> usize {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (others, kept): (Vec<_>, Vec<_>) = self.hooks.iter().partition(|each| unwanted(&each.hook));
        for registered in others.into_iter().filter(|each| each.is_enabled()) {
            registered.state.store(DISABLED, Ordering::Release);
        }
        self.update_listening();
        self.changes.fetch_add(1, Ordering::AcqRel);
        kept.len()
    }

    /// The hooks of an event by rank, enabled or not.
    pub(crate) fn registered_for(&self, event: EventName) -> impl Iterator<Item = &Registered> {
        self.by_event.get(event as usize).into_iter().flat_map(move |hooks| self.registered_at(&hooks.places))
    }

    /// The hooks of an event that are enabled and approved, whatever their matchers say.
    pub(crate) fn runnable_for(&self, event: EventName) -> impl Iterator<Item = &Hook> {
        self.registered_for(event).filter(|each| each.may_run()).map(|each| &*each.hook)
    }

    /// The hook for which `wanted` holds, if it is enabled and approved, with its seal.
    pub(crate) fn runnable(
        &self,
        wanted: impl Fn(&Hook) -> bool,
    ) -> Option<(&Arc<Hook>, Option<&Arc<Seal>>)> {
        let found = self.hooks.iter().find(|each| each.may_run() && wanted(&each.hook))?;
        Some((&found.hook, found.seal.as_ref()))
    }

    fn registered_at(&self, places: &[usize]) -> impl Iterator<Item = &Registered> {
        places.iter().filter_map(move |place| self.hooks.get(*place))
    }

    /// Grows with each change, so that a plan made before one differs from a plan made after it.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    fn update_listening(&self) {
        for EventHooks { places, listening } in &self.by_event {
            listening.store(self.registered_at(places).any(Registered::may_run), Ordering::Release);
        }
    }
}

fn status(registered: &Registered) -> HookStatus {
    HookStatus {
        hook: Arc::clone(&registered.hook),
        enabled: registered.is_enabled(),
        trust: registered.trust.clone(),
    }
}

/// An entry of a disabled list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DisabledEntry {
    /// A hook's name, or the command of a hook without one.
    pub name_or_command: String,
    /// The list that it is in, which decides how far it reaches.
    pub list: DisabledList,
    /// The settings file that it is in; `None` for the user's own state and for a host's value.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// The list that an entry is in which disables hooks. Exhaustive on purpose: the place decides how far the entry reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
pub enum DisabledList {
    /// In the settings of this level. An entry of a project or an extension disables its own hooks only.
    #[error("`hooksConfig.disabled` in {0} settings")]
    Settings(Level),
    /// In the user's own state, for the hooks of this project alone.
    #[error("you for this project (`hookrail enable` turns it on)")]
    ForThisProject,
}

impl DisabledEntry {
    /// Whether this entry disables a hook. A project or an extension can disable its own hooks only.
    pub fn disables(&self, hook: &Hook) -> bool {
        let may = match &self.list {
            list if hook.origin.level == Level::Managed => *list == DisabledList::Settings(Level::Managed),
            DisabledList::Settings(Level::User | Level::System) => true,
            DisabledList::Settings(Level::Project) | DisabledList::ForThisProject => hook.is_own_projects(),
            DisabledList::Settings(level) => hook.origin.level == *level,
        };
        may && goes_by(hook, &self.name_or_command)
    }

    /// Whether this entry would disable a guard of the project that is not in the settings any more: the absence of such
    /// a guard blocks nothing.
    pub(crate) fn disables_vanished(&self, guard: &VanishedGuard) -> bool {
        !self.name_or_command.is_empty()
            && (guard.name == self.name_or_command || guard.command.as_ref() == Some(&self.name_or_command))
    }
}

/// Who disabled a hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DisabledBy {
    /// An entry of this list.
    #[error("by {0}")]
    List(DisabledList),
    /// A call at run time, such as [`HookRegistry::set_hook_enabled`].
    #[error("at run time")]
    RunTime,
}

/// Whether a hook has this name or command. No hook has the empty one, although the command of a plugin is empty.
fn goes_by(hook: &Hook, name_or_command: &str) -> bool {
    !name_or_command.is_empty() && (hook.name == name_or_command || hook.command() == name_or_command)
}

#[cfg(test)]
pub(crate) mod tests;
