//! Approvals of all projects: judge by them, show what waits, give and take them.
//!
//! Approvals accumulate: what was approved once stays approved until it is revoked, so that switching between branches
//! asks once for each content. The states of one hook share a lineage, so that a hook counts as present in whichever
//! of its approved states it is there.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::disk::{AcceptedAbsence, ApprovedProject, TrustError, load, update};
use super::guards::{VanishedGuard, settings_digest, vanished_guards};
use super::named_files::{ApprovedFile, NamedFiles, ProjectDir};
use super::review::{
    Pending, PendingReason, PendingSettings, ReadHook, Review, read_and_pair, says_nothing, settings_text,
};
use super::seal::Seal;
use super::terms::{Change, Terms};
use super::unwatched::unwatched;
use super::{HookJudgement, Judgement};
use crate::diagnostic::Diagnostic;
use crate::hook::Hook;

/// Where approvals are stored.
///
/// [`HookSession::review_approvals`](crate::HookSession::review_approvals) says what waits, [`ApprovalStore::approve`]
/// approves what a person has seen of it; the types of both are in [`approvals`](crate::approvals).
#[derive(Debug, Clone)]
pub struct ApprovalStore {
    dir: PathBuf,
}

/// One approval: a hook as it was when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Approval {
    /// The hook's name at that time; approvals are not bound to it.
    pub name: String,
    /// The terms.
    pub terms: Terms,
    /// The files that the command names.
    pub files: Vec<ApprovedFile>,
    /// When, in the form of RFC 3339.
    pub approved_at: String,
    /// Which approvals are states of one and the same hook: they share this number.
    #[serde(default)]
    pub lineage: u64,
}

impl ApprovalStore {
    /// The store in a state folder, such as `~/.hookrail`. Nothing is read or made yet.
    pub fn new(state_dir: PathBuf) -> Self {
        Self { dir: state_dir }
    }

    /// The file that holds the approvals.
    pub fn path(&self) -> PathBuf {
        super::disk::path_in(&self.dir)
    }

    /// Decides for every hook whether it may run, and seals the files of those that were approved.
    ///
    /// `project_settings` is what the project's own files say besides hooks, in any form, as long as
    /// it is the same here and in [`ApprovalStore::pending`].
    #[doc(hidden)]
    pub fn judge(
        &self,
        project: &Path,
        hooks: impl IntoIterator<Item: Borrow<Hook>>,
        project_settings: &Value,
    ) -> Judgement {
        let project = ProjectDir::new(project);
        let (approved, problem) = self.load_project(&project);
        let hooks: Vec<_> = hooks.into_iter().collect();
        let read = read_and_pair(&project, hooks.iter().map(Borrow::borrow), &approved.hooks);
        let text = settings_text(project_settings);
        let is_known = approved.has_approved_settings(&text);
        let vanished = vanished_guards(&approved, &read, &settings_digest(&project, &read, &text));
        let judge = |(hook, read): (&Hook, &Option<ReadHook<'_>>)| {
            let Some(read) = read else { return HookJudgement::TRUSTED };
            let files = judge_one(read, problem.as_ref());
            HookJudgement::of_capture(files.and_then(|files| Seal::capture(&project, hook, files)))
        };
        Judgement {
            hooks: hooks.iter().map(Borrow::borrow).zip(&read).map(judge).collect(),
            project_settings_approved: is_known || says_nothing(project_settings),
            keeps_enabled: !is_known && approved.says_enabled(),
            vanished,
            disabled: approved.disabled.clone(),
            problem,
        }
    }

    /// Changes what is known of a project; the change says whether there is anything to write. Nothing is kept of a project
    /// that has no approvals, and no hooks that the user disabled.
    fn change(
        &self,
        project: &ProjectDir,
        change: impl FnOnce(&mut ApprovedProject) -> bool,
    ) -> Result<(), TrustError> {
        update(&self.dir, |store| {
            let before = store.projects.remove(&project.key());
            let was_known = before.is_some();
            let mut known = before.unwrap_or_default();
            let is_changed = change(&mut known);
            let is_kept = known.is_approved() || !known.disabled.is_empty();
            if is_kept {
                store.projects.insert(project.key(), known);
            }
            is_changed && (was_known || is_kept)
        })
    }

    /// Takes back the approval of one hook (of the same terms, or of the same name and event), or of a whole project
    /// with its settings. Returns how many hooks lost it.
    pub fn revoke(&self, project: &Path, hook: Option<&Hook>) -> Result<usize, TrustError> {
        let mut count = 0;
        self.change(&ProjectDir::new(project), |known| {
            let lineages =
                |hooks: &[Approval]| hooks.iter().map(|hook| hook.lineage).collect::<BTreeSet<_>>();
            let before = lineages(&known.hooks);
            match hook {
                None => known.hooks.clear(),
                Some(hook) => {
                    let terms = Terms::of(hook);
                    known.hooks.retain(|approval| {
                        let same_name = approval.name == hook.name && approval.terms.event == hook.event;
                        approval.terms != terms && !same_name
                    });
                }
            }
            let left = lineages(&known.hooks);
            // The states of one hook are one hook.
            count = before.difference(&left).count();
            known.accepted_absences.retain(|accepted| left.contains(&accepted.lineage));
            // With its last hook a project is not an approved project any more.
            let is_over = known.hooks.is_empty() && (hook.is_none() || count > 0);
            if is_over {
                known.settings = None;
                known.earlier_settings.clear();
            }
            is_over || count > 0
        })?;
        Ok(count)
    }

    /// Records that a hook of a project is off (or on again) by the user's choice, in that project only. Returns
    /// whether that changed anything.
    pub fn set_disabled(
        &self,
        project: &Path,
        name_or_command: &str,
        disabled: bool,
    ) -> Result<bool, TrustError> {
        let mut is_changed = false;
        self.change(&ProjectDir::new(project), |known| {
            is_changed = known.disabled.iter().any(|name| name == name_or_command) != disabled;
            if !disabled {
                known.disabled.retain(|name| name != name_or_command);
            } else if is_changed {
                known.disabled.push(name_or_command.to_owned());
            }
            is_changed
        })?;
        Ok(is_changed)
    }

    /// The approvals of one project, if it has any.
    pub fn list(&self, project: &Path) -> Result<Option<ApprovedProject>, TrustError> {
        let path = ProjectDir::new(project).real;
        Ok(self.list_projects()?.into_iter().find(|known| known.path == path))
    }

    /// The approvals of all projects, by path.
    pub fn list_projects(&self) -> Result<Vec<ApprovedProject>, TrustError> {
        let known = load(&self.dir)?.projects.into_iter();
        Ok(known.filter(|(_, project)| project.is_approved()).map(with_path).collect())
    }

    /// The folders around a project, the nearest first, for which guards were approved. The home directory and what is
    /// above it is not looked at.
    pub(crate) fn enclosing(&self, project: &Path, home: &Path) -> Vec<PathBuf> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (project, home) = (real(project), real(home));
        let around = project.ancestors().skip(1).filter(|folder| folder.parent().is_some());
        let around: Vec<&Path> = around.take_while(|folder| !home.starts_with(folder)).collect();
        let Some(approved) = (!around.is_empty()).then(|| self.list_projects().ok()).flatten() else {
            return Vec::new();
        };
        let has_guards = |folder: &&Path| {
            let mut of_folder = approved.iter().filter(|project| project.path == **folder);
            of_folder.any(|project| project.hooks.iter().any(|hook| hook.terms.event.is_guarded()))
        };
        around.into_iter().filter(has_guards).map(Path::to_owned).collect()
    }

    /// The approvals of a project, and why there are none if the store cannot be read.
    pub(super) fn load_project(&self, project: &ProjectDir) -> (ApprovedProject, Option<Diagnostic>) {
        match load(&self.dir) {
            Ok(mut store) => (store.projects.remove(&project.key()).unwrap_or_default(), None),
            Err(error) => (ApprovedProject::default(), Some(error.diagnostic())),
        }
    }
}

impl ApprovalStore {
    /// What waits for approval, with everything a person needs to decide. `hooks` must be all hooks of the
    /// project, also when only some are to be approved: an approval that fits none of them is taken for the former
    /// state of a hook that changed, or for a guard that is gone. Hooks of other levels are ignored.
    #[doc(hidden)]
    pub fn pending<'h>(
        &self,
        project: &Path,
        hooks: impl IntoIterator<Item = &'h Hook>,
        project_settings: &Value,
    ) -> Review {
        let project = ProjectDir::new(project);
        let (approved, problem) = self.load_project(&project);
        let hooks: Vec<&Hook> = hooks.into_iter().collect();
        let read = read_and_pair(&project, hooks.iter().copied(), &approved.hooks);
        let text = settings_text(project_settings);
        let settings_digest = settings_digest(&project, &read, &text);
        let mut vanished = vanished_guards(&approved, &read, &settings_digest);
        // The others are shown as what they are now.
        vanished.retain(|guard| guard.is_gone);
        let mut pending = Vec::new();
        for (hook, read) in hooks.into_iter().zip(read) {
            let Some(ReadHook { reading, approval }) = read else { continue };
            let why = match approval.map(|approval| reading.changes_since(approval)) {
                None => PendingReason::New,
                Some(what) if what.is_empty() => continue,
                Some(what) => PendingReason::Changed { what },
            };
            pending.push(Pending {
                hook: hook.clone(),
                why,
                files: reading.found().to_vec(),
                not_watched: unwatched(&project, hook, &reading),
                obstacle: reading.obstacle(),
                cannot_start: project
                    .program_of(hook.command())
                    .and_then(|program| project.start_obstacle(&program)),
                lineage: approval.map(|approval| approval.lineage),
                reading,
            });
        }
        let is_known = approved.has_approved_settings(&text);
        // Settings that lost the flag need a look, too: until then the approved flag counts.
        let is_approved = is_known || (says_nothing(project_settings) && !approved.says_enabled());
        let settings =
            (!is_approved).then(|| PendingSettings { before: approved.settings, after: text.clone() });
        Review { project, current_settings: text, pending, settings, vanished, problem, settings_digest }
    }

    /// Approves what a person saw: the chosen hooks of a review, and the project's settings with them.
    /// What was shown is what is approved; a file that changed since makes its hook wait again.
    pub fn approve(&self, review: &Review, chosen: &[&Pending]) -> Result<(), TrustError> {
        self.approve_with(review, chosen, true)
    }

    /// Approves the chosen hooks of a review and nothing else: settings still wait for their own approval.
    pub fn approve_hooks(&self, review: &Review, chosen: &[&Pending]) -> Result<(), TrustError> {
        self.approve_with(review, chosen, false)
    }

    /// Accepts that guards are gone, as long as the settings say what they said in the review. Their approvals stay
    /// and hold again if the guards come back.
    pub fn accept_absence(&self, review: &Review, gone: &[&VanishedGuard]) -> Result<(), TrustError> {
        self.change(&review.project, |project| {
            for guard in gone {
                let accepted =
                    AcceptedAbsence { lineage: guard.lineage, settings: review.settings_digest.clone() };
                if !project.accepted_absences.contains(&accepted) {
                    project.accepted_absences.push(accepted);
                }
            }
            !gone.is_empty()
        })
    }

    /// Drops every approval of a hook that changed: it counts as never approved, and blocks nothing any more.
    pub fn drop_approval(&self, review: &Review, pending: &Pending) -> Result<(), TrustError> {
        self.change(&review.project, |project| {
            let before = project.hooks.len();
            project.hooks.retain(|approval| Some(approval.lineage) != pending.lineage);
            project.accepted_absences.retain(|accepted| Some(accepted.lineage) != pending.lineage);
            project.hooks.len() != before
        })
    }

    fn approve_with(
        &self,
        review: &Review,
        chosen: &[&Pending],
        with_settings: bool,
    ) -> Result<(), TrustError> {
        for pending in chosen {
            if let Some(why) = &pending.obstacle {
                return Err(TrustError::NotApprovable { name: pending.hook.name.clone(), why: why.clone() });
            }
        }
        let approved_at = jiff::Timestamp::now().to_string();
        self.change(&review.project, |project| {
            if with_settings && project.settings.as_ref() != Some(&review.current_settings) {
                let now = review.current_settings.clone();
                project.earlier_settings.retain(|earlier| *earlier != now);
                project.earlier_settings.extend(project.settings.replace(now));
            }
            for pending in chosen {
                let terms = pending.reading.terms.clone();
                let files = pending.reading.approved_files();
                project.hooks.retain(|old| old.terms != terms || old.files != files);
                let lineage = pending.lineage.unwrap_or_else(|| project.new_lineage());
                project.hooks.push(Approval {
                    name: pending.hook.name.clone(),
                    terms,
                    files,
                    approved_at: approved_at.clone(),
                    lineage,
                });
            }
            true
        })
    }
}

/// A project of the file, with the path that its key stands for.
fn with_path((key, project): (String, ApprovedProject)) -> ApprovedProject {
    let path = match key.strip_prefix("bytes:").and_then(bytes_of_hexadecimal) {
        Some(bytes) => PathBuf::from(std::ffi::OsString::from_vec(bytes)),
        None => PathBuf::from(key),
    };
    ApprovedProject { path, ..project }
}

fn judge_one<'r>(
    ReadHook { reading, approval }: &'r ReadHook<'_>,
    problem: Option<&Diagnostic>,
) -> Result<&'r NamedFiles, String> {
    if let Some(problem) = problem {
        return Err(problem.message.clone());
    }
    let files = reading.files.as_ref().map_err(ToString::to_string)?;
    let Some(approval) = approval else { return Err("it was never approved".to_owned()) };
    let changes: Vec<String> = reading.changes_since(approval).iter().map(Change::subject).collect();
    if changes.is_empty() {
        Ok(files)
    } else {
        Err(format!("changed since it was approved: {}", changes.join(", ")))
    }
}

fn bytes_of_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}
