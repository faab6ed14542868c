//! Guards that were approved and are not there any more as they were approved.
//!
//! An approved guard has to run. Where it cannot, guarded events are blocked until the user has reviewed it: otherwise
//! everything that can write the project's files could switch its guards off by deleting them.

use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::disk::ApprovedProject;
use super::named_files::ProjectDir;
use super::review::ReadHook;
use super::snapshot::hexadecimal;
use super::terms::{Change, Terms};
use crate::event::EventName;
use crate::hook::SETTINGS_FOLDERS;

/// A guard that was approved and is now changed, or gone from the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VanishedGuard {
    /// Its name when it was approved last.
    pub name: String,
    /// Its event.
    pub event: EventName,
    /// Its command when it was approved last.
    pub command: Option<String>,
    /// What became of it, as in "guard `x` …".
    pub what: String,
    /// The folder around the session's project that it was approved for; `None` for a guard of the project itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<PathBuf>,
    #[serde(skip)]
    pub(super) lineage: u64,
    /// Whether no hook of the settings corresponds to it.
    pub is_gone: bool,
}

impl VanishedGuard {
    /// Why guarded events are blocked.
    pub fn why_blocked(&self) -> String {
        let Self { name, event, what, .. } = self;
        let (whose, trust) = (self.whose(), self.review_command());
        format!(
            "the approved {event} guard `{name}`{whose} {what}; look at it with `{trust}`, outside of the agent, and \
             start again"
        )
    }

    /// The project of the guard, as in "guard `x` …", where it is not the session's.
    pub(crate) fn whose(&self) -> String {
        self.enclosing.as_ref().map_or_else(String::new, |folder| format!(" of `{}`", folder.display()))
    }

    pub(crate) fn review_command(&self) -> String {
        match &self.enclosing {
            Some(folder) => format!("hookrail -C {} trust", hookrail_shell::quote(&folder.to_string_lossy())),
            None => "hookrail trust".to_owned(),
        }
    }
}

/// The approved guards that the hooks of a project, as they are, do not replace.
pub(super) fn vanished_guards(
    approved: &ApprovedProject,
    hooks: &[Option<ReadHook<'_>>],
    settings_digest: &str,
) -> Vec<VanishedGuard> {
    let mut vanished = Vec::new();
    for (index, latest) in approved.hooks.iter().enumerate() {
        let is_latest = !approved.hooks.iter().skip(index + 1).any(|later| later.lineage == latest.lineage);
        let goes_by = |name: &String| *name == latest.name || Some(name) == latest.terms.command.as_ref();
        let is_disabled = approved.disabled.iter().any(goes_by);
        if !is_latest || !latest.terms.event.is_guarded() || is_disabled {
            continue;
        }
        let of_lineage = hooks.iter().flatten().filter_map(|hook| {
            let approval = hook.approval.filter(|approval| approval.lineage == latest.lineage)?;
            Some((&hook.reading, approval))
        });
        let changes: Vec<Vec<Change>> =
            of_lineage.map(|(reading, approval)| reading.changes_since(approval)).collect();
        if changes.iter().any(Vec::is_empty) {
            continue;
        }
        let is_accepted = approved
            .accepted_absences
            .iter()
            .any(|accepted| accepted.lineage == latest.lineage && accepted.settings == settings_digest);
        let same_terms = hooks.iter().flatten().any(|hook| hook.reading.terms == latest.terms);
        if is_accepted && !same_terms {
            continue;
        }
        let what = match changes.first() {
            Some(changes) => {
                let subjects: Vec<String> = changes.iter().map(Change::subject).collect();
                format!("changed since it was approved: {}", subjects.join(", "))
            }
            None => "is gone from the project's settings".to_owned(),
        };
        vanished.push(VanishedGuard {
            name: latest.name.clone(),
            event: latest.terms.event,
            command: latest.terms.command.clone(),
            what,
            enclosing: None,
            lineage: latest.lineage,
            is_gone: changes.is_empty(),
        });
    }
    vanished
}

/// What the settings of a project say, as a digest: which of its files are there, all of its hooks with their terms, and
/// the rest.
pub(super) fn settings_digest(
    project: &ProjectDir,
    hooks: &[Option<ReadHook<'_>>],
    settings: &str,
) -> String {
    let files = SETTINGS_FOLDERS.map(|folder| project.real.join(folder).join("settings.json"));
    let is_there = files.map(|file| file.symlink_metadata().is_ok());
    let terms: Vec<&Terms> = hooks.iter().flatten().map(|hook| &hook.reading.terms).collect();
    // Terms are plain data, and a text is always valid JSON.
    hexadecimal(&Sha256::digest(serde_json::to_vec(&(is_there, terms, settings)).unwrap_or_default()))
}
