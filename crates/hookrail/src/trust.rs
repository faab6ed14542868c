//! Approvals of project hooks: a repository that was just cloned runs nothing by itself.
//!
//! An approval is bound to the exact terms of a hook (event, matcher, command, timeout, environment, meaning of a
//! failure, order) and to the content of every project file that its command names. [`TrustPolicy::judge`] compares
//! once, at the start; the [`Seal`] of each approved hook is looked at again before each run. Hooks of the user,
//! of the system and of extensions are trusted and never looked at here.

pub(crate) mod atomic_file;
mod command_words;
mod disk;
mod guards;
mod named_files;
mod named_paths;
mod relative;
mod review;
mod seal;
mod snapshot;
mod store;
mod terms;
mod unwatched;
mod watch;

use std::borrow::Borrow;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::Hook;

pub use disk::{ApprovedProject, TrustError};
pub use guards::VanishedGuard;
pub use named_files::{ApprovedFile, NamedFile};
pub use named_paths::{hook_files, named_paths};
pub(crate) use relative::{RelativeFiles, relative_words};
pub use review::{Pending, PendingReason, PendingSettings, Review};
pub use seal::{Recheck, Seal};
pub(crate) use snapshot::{Identity, open_regular};
pub use store::{Approval, ApprovalStore};
pub use terms::{Change, FileContent, FileRights, Terms};
pub(crate) use watch::{WatchedPaths, watched_paths};

/// Which project hooks may run. The host decides: there is no default.
#[derive(Debug, Clone)]
pub enum TrustPolicy {
    /// All of them, whatever becomes of their files.
    AllowAll,
    /// Those that were approved, as long as they are what was approved.
    RequireApproval(ApprovalStore),
    /// All of them as they are at the start, without anything being stored; a file that changes later counts as
    /// changed, as with a stored approval.
    ApproveForThisRun,
}

/// Whether one hook may run. Exhaustive on purpose: a hook runs or does not, and a project's hook runs by approval only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "trust", rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
pub enum HookTrust {
    /// It needs no approval.
    Trusted,
    /// It is a project's, and approved as it is.
    Approved,
    /// It is a project's, and must not run, for the reason that the fragment gives.
    NotApproved { why: String },
}

impl HookTrust {
    /// Why the hook must not run, as a fragment; `None` if it may.
    pub fn not_approved(&self) -> Option<&str> {
        match self {
            Self::NotApproved { why } => Some(why),
            Self::Trusted | Self::Approved => None,
        }
    }
}

/// What [`TrustPolicy::judge`] found.
#[derive(Debug, Default)]
#[must_use]
pub struct Judgement {
    /// One for each hook, in order.
    pub hooks: Vec<HookJudgement>,
    /// Whether what the project's files say besides hooks may count against the user's and the system's settings.
    pub project_settings_approved: bool,
    /// Whether hooks stay on because settings that turned them on were approved, and those that are there now were not.
    pub keeps_enabled: bool,
    /// Guards that were approved and are now changed or gone.
    pub vanished: Vec<VanishedGuard>,
    /// Hooks of the project that the user disabled for this project alone, by name or command.
    pub disabled: Vec<String>,
    /// Why no approval counts at all, if so.
    pub problem: Option<Diagnostic>,
}

impl Judgement {
    /// Where no approvals are looked at.
    fn without_store(hooks: impl Iterator<Item = HookJudgement>) -> Self {
        Self { hooks: hooks.collect(), project_settings_approved: true, ..Self::default() }
    }
}

/// Whether one hook may run.
#[derive(Debug, Clone)]
pub struct HookJudgement {
    /// Whether it may run.
    pub trust: HookTrust,
    /// What to look at again before it runs. `None` for hooks that are trusted, and for those that must not run.
    pub seal: Option<Arc<Seal>>,
}

impl HookJudgement {
    /// The judgement of a hook that needs no approval.
    pub(crate) const TRUSTED: Self = Self { trust: HookTrust::Trusted, seal: None };

    /// The judgement of a hook of the project whose files were captured, or could not be.
    fn of_capture(captured: Result<Seal, String>) -> Self {
        match captured {
            Ok(seal) => Self { trust: HookTrust::Approved, seal: Some(Arc::new(seal)) },
            Err(why) => Self { trust: HookTrust::NotApproved { why }, seal: None },
        }
    }
}

impl TrustPolicy {
    /// Decides for every hook whether it may run. Reads the approvals and the files that project hooks name.
    ///
    /// `project_settings` is what the project's own files say besides hooks (enable flag, limits, redaction, …).
    #[doc(hidden)]
    pub fn judge(
        &self,
        project: &Path,
        hooks: impl IntoIterator<Item: Borrow<Hook>>,
        project_settings: &Value,
    ) -> Judgement {
        match self {
            Self::RequireApproval(store) => store.judge(project, hooks, project_settings),
            Self::AllowAll => Judgement::without_store(hooks.into_iter().map(|_| HookJudgement::TRUSTED)),
            Self::ApproveForThisRun => {
                let project = named_files::ProjectDir::new(project);
                Judgement::without_store(hooks.into_iter().map(|hook| approve_now(&project, hook.borrow())))
            }
        }
    }

    /// Whether approvals say that hooks are on in this project, whatever has become of its settings.
    pub(crate) fn says_enabled(&self, project: &Path) -> bool {
        match self {
            Self::RequireApproval(store) => {
                store.load_project(&named_files::ProjectDir::new(project)).0.says_enabled()
            }
            Self::AllowAll | Self::ApproveForThisRun => false,
        }
    }

    /// The store that knows which guards of enclosing folders were approved. `state_dir` is the user's own, for a run that
    /// trusts its project without looking at approvals.
    pub(crate) fn approvals(&self, state_dir: Option<&Path>) -> Option<ApprovalStore> {
        match self {
            Self::RequireApproval(store) => Some(store.clone()),
            Self::ApproveForThisRun => state_dir.map(|dir| ApprovalStore::new(dir.to_owned())),
            Self::AllowAll => None,
        }
    }

    /// A new seal for a hook whose files changed, if it has been approved again meanwhile. Under
    /// [`TrustPolicy::ApproveForThisRun`] that cannot happen: what changed stays refused until the next start.
    #[doc(hidden)]
    pub fn reapproved(&self, project: &Path, hook: &Hook) -> Option<Arc<Seal>> {
        match self {
            Self::RequireApproval(store) => store.judge(project, [hook], &Value::Null).hooks.pop()?.seal,
            Self::AllowAll | Self::ApproveForThisRun => None,
        }
    }
}

fn approve_now(project: &named_files::ProjectDir, hook: &Hook) -> HookJudgement {
    if !review::needs_approval(hook) {
        return HookJudgement::TRUSTED;
    }
    let files = named_files::load_named_files(project, hook).map_err(|error| error.to_string());
    // Even this policy approves only what can be watched: an unwatched guard could be switched off.
    HookJudgement::of_capture(files.and_then(|files| Seal::capture(project, hook, &files)))
}
