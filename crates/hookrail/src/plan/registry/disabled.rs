//! What disables a hook, and how far it reaches.

use std::path::PathBuf;

use serde::Serialize;

use crate::hook::{Hook, Level};
use crate::trust::VanishedGuard;

/// An entry of a disabled list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DisabledEntry {
    /// A hook's name, or the command of a hook without one.
    pub name_or_command: String,
    /// Where it stands, which decides how far it reaches.
    pub list: DisabledList,
    /// The settings file that it is in; `None` for the user's own state and for a host's value.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// Where an entry that disables hooks stands. Exhaustive on purpose: the place decides how far the entry reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DisabledList {
    /// In the settings of this level. An entry of a project or an extension disables its own hooks only.
    Settings(Level),
    /// In the user's own state, for the hooks of this project alone.
    ForThisProject,
}

impl DisabledEntry {
    /// An entry of this list.
    pub fn new(name_or_command: impl Into<String>, list: DisabledList) -> Self {
        Self { name_or_command: name_or_command.into(), list, file: None }
    }

    /// Whether this entry disables a hook. A project or an extension can disable its own hooks only.
    pub fn disables(&self, hook: &Hook) -> bool {
        let may = match &self.list {
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisabledBy {
    /// An entry of this list.
    List(DisabledList),
    /// A call at run time, such as [`HookRegistry::set_hook_enabled`](super::HookRegistry::set_hook_enabled).
    RunTime,
}

/// Whether a hook has this name or command. No hook has the empty one, although the command of a plugin is empty.
pub(super) fn goes_by(hook: &Hook, name_or_command: &str) -> bool {
    !name_or_command.is_empty() && (hook.name == name_or_command || hook.command() == name_or_command)
}
