//! What waits for a decision, and keeping the decision.
//!
//! Approvals accumulate: what was approved once stays approved until it is revoked, so that switching between branches
//! asks once for each content. The states of one hook share a lineage, so that a hook counts as present in whichever
//! of its approved states it is there.

use std::path::Path;

use serde_json::Value;

use super::disk::{AcceptedAbsence, update};
use super::error::TrustError;
use super::guards::{VanishedGuard, settings_digest, vanished_guards};
use super::named_files::ProjectDir;
use super::review::{
    GivenHook, Pending, PendingReason, PendingSettings, ReadHook, Review, read_and_pair, readings,
    says_nothing, settings_text,
};
use super::store::{Approval, ApprovalStore};
use super::unwatched::unwatched;
use crate::hook::Hook;

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
        let hooks = read_and_pair(&project, hooks, &approved.hooks);
        let read = readings(&hooks);
        let text = settings_text(project_settings);
        let settings_digest = settings_digest(&project, &read, &text);
        let mut vanished = vanished_guards(&approved, &read, &settings_digest);
        // The others are shown as what they are now.
        vanished.retain(|guard| guard.is_gone);
        let mut pending = Vec::new();
        for GivenHook { hook, read } in hooks {
            let Some(ReadHook { reading, approval }) = read else { continue };
            let why = match approval.map(|approval| reading.changes_since(approval)) {
                None => PendingReason::New,
                Some(what) if what.is_empty() && reading.files.is_ok() => continue,
                Some(what) => PendingReason::Changed { what },
            };
            pending.push(Pending {
                hook: hook.clone(),
                why,
                files: reading.named_files(),
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
        update(self.dir(), |store| {
            let Some(project) = store.projects.get_mut(&review.project.key()) else { return false };
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
        update(self.dir(), |store| {
            let Some(project) = store.projects.get_mut(&review.project.key()) else { return false };
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
        update(self.dir(), |store| {
            let project = store.projects.entry(review.project.key()).or_default();
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
