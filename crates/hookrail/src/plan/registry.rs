//! All hooks by event, ranked; enable, disable, list.
//!
//! Built once, after the settings were read. From then on the only thing that changes is whether a
//! hook is enabled.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::event::EventName;
use crate::hook::{Hook, Level};
use crate::trust::{HookTrust, Seal, VanishedGuard};

/// An entry of a disabled list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisabledEntry {
    /// A hook's name, or the command of a hook without one.
    pub name_or_command: String,
    /// Where it stands, which decides how far it reaches.
    pub list: DisabledList,
}

/// Where an entry that disables hooks stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DisabledList {
    /// In the settings of this level. An entry of a project or an extension disables its own hooks only.
    Settings(Level),
    /// In the user's own state, for the hooks of this project alone.
    ForThisProject,
}

impl DisabledEntry {
    /// Whether this entry disables a hook. A project or an extension can disable its own hooks only.
    pub fn disables(&self, hook: &Hook) -> bool {
        let may = match &self.list {
            DisabledList::Settings(Level::User | Level::System) => true,
            DisabledList::Settings(level) => hook.origin.level == *level,
            DisabledList::ForThisProject => hook.origin.level == Level::Project,
        };
        may && goes_by(hook, &self.name_or_command)
    }

    /// Whether this entry would disable a guard of the project that is not there any more: the user does not miss it.
    pub(crate) fn disables_vanished(&self, guard: &VanishedGuard) -> bool {
        !self.name_or_command.is_empty()
            && (guard.name == self.name_or_command || guard.command.as_ref() == Some(&self.name_or_command))
    }
}

/// A hook with what trust has to say about it.
#[derive(Debug)]
pub struct JudgedHook {
    /// The hook.
    pub hook: Hook,
    /// Whether it may run at all.
    pub trust: HookTrust,
    /// What to look at again before each run.
    pub seal: Option<Arc<Seal>>,
}

impl From<(Hook, HookTrust)> for JudgedHook {
    fn from((hook, trust): (Hook, HookTrust)) -> Self {
        Self { hook, trust, seal: None }
    }
}

/// One hook as a listing shows it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookStatus {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether it may run.
    pub trust: HookTrust,
}

/// Who disabled a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisabledBy {
    /// An entry of this list.
    List(DisabledList),
    /// A call to [`HookRegistry::set_hook_enabled`].
    RunTime,
}

/// All configured hooks.
#[derive(Debug)]
pub struct HookRegistry {
    hooks: Vec<Registered>,
    /// For each event the places of its hooks, by rank.
    by_event: [Vec<usize>; EventName::ALL.len()],
    listening: [AtomicBool; EventName::ALL.len()],
    changes: AtomicU64,
    /// Held while hooks are enabled or disabled: two changes at once could leave `listening` as neither made it.
    changing: Mutex<()>,
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

    /// What is missing, if it is not approved.
    pub(crate) fn not_approved(&self) -> Option<&str> {
        match &self.trust {
            HookTrust::NotApproved { why } => Some(why),
            HookTrust::Trusted | HookTrust::Approved => None,
        }
    }

    fn may_run(&self) -> bool {
        self.is_enabled() && self.not_approved().is_none()
    }
}

impl HookRegistry {
    /// Ranks the hooks by source; hooks of the same source keep their order.
    pub fn new(hooks: impl IntoIterator<Item = impl Into<JudgedHook>>, disabled: &[DisabledEntry]) -> Self {
        let mut hooks: Vec<Registered> = hooks
            .into_iter()
            .map(|judged| {
                let JudgedHook { hook, trust, seal } = judged.into();
                let disabled_in =
                    disabled.iter().find(|entry| entry.disables(&hook)).map(|entry| entry.list.clone());
                let state = AtomicU8::new(AS_CONFIGURED);
                Registered { hook: Arc::new(hook), trust, seal, disabled_in, state }
            })
            .collect();
        hooks.sort_by_key(|registered| registered.hook.source);
        let by_event = EventName::ALL.map(|event| {
            hooks
                .iter()
                .enumerate()
                .filter(|(_, each)| each.hook.event == event)
                .map(|(place, _)| place)
                .collect()
        });
        let registry = Self {
            hooks,
            by_event,
            listening: Default::default(),
            changes: AtomicU64::new(0),
            changing: Mutex::new(()),
        };
        registry.update_listening();
        registry
    }

    /// A registry of hooks that need no approval.
    pub fn trusting(hooks: Vec<Hook>, disabled: &[DisabledEntry]) -> Self {
        Self::new(hooks.into_iter().map(|hook| (hook, HookTrust::Trusted)), disabled)
    }

    /// Whether any hook of this event may run. Costs one load: this is asked on every event.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.listening.get(event as usize).is_some_and(|listening| listening.load(Ordering::Acquire))
    }

    /// How many hooks are configured, disabled and unapproved ones included.
    pub fn total_hooks(&self) -> usize {
        self.hooks.len()
    }

    /// All hooks by rank, disabled and unapproved ones included.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.hooks.iter().map(status).collect()
    }

    /// The hooks of one event by rank, disabled and unapproved ones included.
    pub fn hooks_for(&self, event: EventName) -> Vec<HookStatus> {
        self.registered_for(event).map(status).collect()
    }

    /// Enables or disables every hook that goes by this name or command, until the end of the run. Returns how many
    /// hooks changed.
    pub fn set_hook_enabled(&self, name_or_command: &str, enabled: bool) -> usize {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = 0;
        for registered in self.hooks.iter().filter(|each| goes_by(&each.hook, name_or_command)) {
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

    pub(crate) fn registered_for(&self, event: EventName) -> impl Iterator<Item = &Registered> {
        self.by_event.get(event as usize).into_iter().flatten().filter_map(|place| self.hooks.get(*place))
    }

    /// Grows with each change, so that a plan made before one can be told from a plan made after it.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    fn update_listening(&self) {
        for (event, listening) in EventName::ALL.into_iter().zip(&self.listening) {
            listening.store(self.registered_for(event).any(Registered::may_run), Ordering::Release);
        }
    }
}

/// A plugin has no command, and no name makes it go by an empty one.
fn goes_by(hook: &Hook, name_or_command: &str) -> bool {
    !name_or_command.is_empty() && (hook.name == name_or_command || hook.command() == name_or_command)
}

fn status(registered: &Registered) -> HookStatus {
    HookStatus {
        hook: Arc::clone(&registered.hook),
        enabled: registered.is_enabled(),
        trust: registered.trust.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::hook::{ConfigSource, ExtensionName, Origin};

    /// A `BeforeTool` hook of the user's for all tools.
    pub(crate) fn hook(command: &str) -> Hook {
        let origin = Origin { level: Level::User, file: PathBuf::from("settings.json"), line: 7 };
        Hook { origin, ..Hook::new(EventName::BeforeTool, command) }
    }

    pub(crate) fn at(level: Level, hook: Hook) -> Hook {
        Hook { origin: Origin { level, ..hook.origin }, ..hook }
    }

    fn extension() -> Level {
        Level::Extension(ExtensionName("lint".to_owned()))
    }

    fn entry(name_or_command: &str, level: Level) -> DisabledEntry {
        DisabledEntry { name_or_command: name_or_command.to_owned(), list: DisabledList::Settings(level) }
    }

    fn commands(statuses: &[HookStatus]) -> Vec<&str> {
        statuses.iter().map(|status| status.hook.command()).collect()
    }

    fn enabled(registry: &HookRegistry) -> Vec<String> {
        let enabled = registry.all_hooks().into_iter().filter(|status| status.enabled);
        enabled.map(|status| status.hook.command().to_owned()).collect()
    }

    #[test]
    fn hooks_are_ranked_by_source_and_keep_their_order_within_it() {
        let ranked = |command, source| Hook { source, ..hook(command) };
        let registry = HookRegistry::trusting(
            vec![
                ranked("e1", ConfigSource::Extensions),
                ranked("s1", ConfigSource::System),
                ranked("p1", ConfigSource::Project),
                ranked("u1", ConfigSource::User),
                ranked("e2", ConfigSource::Extensions),
                ranked("p2", ConfigSource::Project),
            ],
            &[],
        );
        let expected = ["p1", "p2", "u1", "s1", "e1", "e2"];
        assert_eq!(commands(&registry.hooks_for(EventName::BeforeTool)), expected, "HOOK-086, HOOK-187");
        assert_eq!(commands(&registry.all_hooks()), expected, "DELTA-HSYS-002");
        assert_eq!(registry.total_hooks(), 6, "HOOK-009");
        let sources: Vec<_> = registry.all_hooks().iter().map(|status| status.hook.source as u8).collect();
        assert_eq!(sources, [1, 1, 2, 3, 4, 4], "HOOK-085: every hook keeps the source it was tagged with");
    }

    #[test]
    fn a_list_of_disabled_hooks_reaches_as_far_as_its_level() {
        let hooks = || {
            vec![
                at(Level::Project, Hook { name: "guard".to_owned(), ..hook("p.sh") }),
                at(Level::User, Hook { name: "guard".to_owned(), ..hook("u.sh") }),
                at(Level::System, Hook { name: "guard".to_owned(), ..hook("s.sh") }),
                at(extension(), Hook { name: "guard".to_owned(), ..hook("e.sh") }),
            ]
        };
        for (entries, expected) in [
            (vec![], "p.sh u.sh s.sh e.sh"),
            (vec![entry("guard", Level::Project)], "u.sh s.sh e.sh"),
            (vec![entry("u.sh", Level::Project), entry("s.sh", Level::Project)], "p.sh u.sh s.sh e.sh"),
            (vec![entry("guard", extension())], "p.sh u.sh s.sh"),
            (vec![entry("guard", Level::User)], ""),
            (vec![entry("p.sh", Level::User), entry("e.sh", Level::System)], "u.sh s.sh"),
            (vec![entry("", Level::User), entry("gua", Level::User)], "p.sh u.sh s.sh e.sh"),
        ] {
            let registry = HookRegistry::trusting(hooks(), &entries);
            assert_eq!(enabled(&registry).join(" "), expected, "{entries:?}");
        }
    }

    #[test]
    fn hooks_are_enabled_and_disabled_by_name_or_command() {
        let named = Hook { name: "guard".to_owned(), ..hook("a.sh") };
        let registry = HookRegistry::trusting(
            vec![named.clone(), hook("b.sh"), Hook { event: EventName::AfterTool, ..named }],
            &[entry("b.sh", Level::User)],
        );
        for (name, enable, changed, left, listening) in [
            ("b.sh", true, 1, "a.sh b.sh a.sh", (true, true)),
            ("b.sh", true, 0, "a.sh b.sh a.sh", (true, true)),
            ("guard", false, 2, "b.sh", (true, false)),
            ("a.sh", true, 2, "a.sh b.sh a.sh", (true, true)),
            ("unknown", false, 0, "a.sh b.sh a.sh", (true, true)),
            ("", false, 0, "a.sh b.sh a.sh", (true, true)),
            ("b.sh", false, 1, "a.sh a.sh", (true, true)),
            ("a.sh", false, 2, "", (false, false)),
        ] {
            assert_eq!(registry.set_hook_enabled(name, enable), changed, "DELTA-HSYS-002: {name}");
            assert_eq!(enabled(&registry).join(" "), left, "DELTA-HSYS-002: {name}");
            let now = (registry.listens_to(EventName::BeforeTool), registry.listens_to(EventName::AfterTool));
            assert_eq!(now, listening, "HOOK-013: {name}");
        }
    }

    #[test]
    fn one_hook_can_be_left_on_alone() {
        let named = Hook { name: "guard".to_owned(), ..hook("a.sh") };
        for (only, kept, left) in
            [("guard", 1, "a.sh"), ("a.sh", 2, "a.sh a.sh"), ("off.sh", 1, ""), ("unknown", 0, "")]
        {
            // The second hook has no name of its own, so that it goes by the first one's command.
            let registry = HookRegistry::trusting(
                vec![named.clone(), hook("a.sh"), hook("b.sh"), hook("off.sh")],
                &[entry("off.sh", Level::User)],
            );
            assert_eq!(registry.disable_others(only), kept, "{only}");
            assert_eq!(enabled(&registry).join(" "), left, "{only}");
            assert_eq!(registry.listens_to(EventName::BeforeTool), !left.is_empty(), "{only}");
        }
    }

    #[test]
    fn nobody_listens_where_every_hook_is_unapproved_or_absent() {
        let why = "it is new".to_owned();
        let registry = HookRegistry::new(vec![(hook("a.sh"), HookTrust::NotApproved { why })], &[]);
        for event in EventName::ALL {
            assert!(!registry.listens_to(event), "HOOK-011: {event}");
        }
        assert_eq!(commands(&registry.all_hooks()), ["a.sh"], "an unapproved hook is listed");
        let approved = HookRegistry::new(vec![(hook("a.sh"), HookTrust::Approved)], &[]);
        assert!(approved.listens_to(EventName::BeforeTool) && !approved.listens_to(EventName::AfterTool));
    }
}
