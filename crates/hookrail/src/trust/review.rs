//! Hooks as they are, compared with hooks as they were approved. Pure, except for reading the hooks' files.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::guards::VanishedGuard;
use super::named_files::{ApprovedFile, FilesError, NamedFile, NamedFiles, ProjectDir, load_named_files};
use super::store::Approval;
use super::terms::{Change, FileContent, Terms};
use crate::diagnostic::Diagnostic;
use crate::hook::{Hook, Level, StartObstacle};

/// What waits for approval in a project, exactly as it was read: approving it approves what was shown,
/// whatever happened to the files since.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Review {
    pub(super) project: ProjectDir,
    pub(super) current_settings: String,
    /// The hooks that wait, in the order of the settings.
    pub pending: Vec<Pending>,
    /// The project's own settings, if they wait.
    pub settings: Option<PendingSettings>,
    /// Guards that were approved and that no hook of the settings corresponds to any more.
    pub vanished: Vec<VanishedGuard>,
    /// Why no approval counts at all, if so.
    pub problem: Option<Diagnostic>,
    /// The digest of the settings as they were read.
    pub(super) settings_digest: String,
}

/// One hook that waits for approval.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pending {
    /// The hook.
    pub hook: Hook,
    /// Why it waits.
    pub why: PendingReason,
    /// The project files that its command names, as they are.
    pub files: Vec<NamedFile>,
    /// What its command may run that an approval is not bound to. Approving it accepts that.
    pub not_watched: Vec<String>,
    /// Why it cannot be approved as it is, if so: a file that cannot be read, for instance.
    pub obstacle: Option<String>,
    /// Why it could not be started as it is, if so. It can be approved all the same; a guard then blocks all that it
    /// guards.
    pub cannot_start: Option<StartObstacle>,
    pub(super) reading: Reading,
    /// The lineage of the approval that it takes the place of.
    pub(super) lineage: Option<u64>,
}

impl Pending {
    /// Whether guarded events are blocked while it waits: it is the present state of a guard that was approved.
    pub fn blocks(&self) -> bool {
        self.lineage.is_some() && self.hook.event.is_guarded()
    }
}

/// Why a hook waits for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
pub enum PendingReason {
    /// It was never approved.
    New,
    /// It was approved, but differs from that.
    Changed { what: Vec<Change> },
}

/// The project's own settings, waiting for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PendingSettings {
    /// As approved, if ever, as JSON text.
    pub before: Option<String>,
    /// As they are, as JSON text.
    pub after: String,
}

/// A hook as it is now.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) name: String,
    pub(super) terms: Terms,
    pub(super) files: Result<NamedFiles, FilesError>,
}

impl Reading {
    /// Reads the files that the hook names. Does I/O.
    pub(super) fn load(project: &ProjectDir, hook: &Hook) -> Self {
        Self { name: hook.name.clone(), terms: Terms::of(hook), files: load_named_files(project, hook) }
    }

    /// The files that the hook names; none where they could not be determined.
    pub(super) fn found(&self) -> &[NamedFile] {
        self.files.as_ref().map_or(&[], |files| &files.found)
    }

    /// Why this cannot be approved at all.
    pub(super) fn obstacle(&self) -> Option<String> {
        if let Err(error) = &self.files {
            return Some(error.to_string());
        }
        self.found().iter().find_map(|file| {
            let why = file.snapshot.as_ref().err()?;
            Some(format!("`{}` cannot be read: {why}", file.path))
        })
    }

    /// The files as an approval keeps them; those that cannot be read are missing.
    pub(super) fn approved_files(&self) -> Vec<ApprovedFile> {
        let files = self.found().iter().filter_map(|file| {
            let snapshot = file.snapshot.as_ref().ok()?;
            Some(ApprovedFile {
                path: file.path.clone(),
                target: file.target.clone(),
                digest: snapshot.digest.clone(),
                rights: Some(snapshot.identity.rights()),
                text: snapshot.text.clone(),
            })
        });
        files.collect()
    }

    /// Everything that differs from an approval; nothing means that it holds.
    pub(super) fn changes_since(&self, approval: &Approval) -> Vec<Change> {
        let mut changes = self.terms.changes_since(&approval.terms);
        let same_terms = changes.is_empty();
        if let Err(error) = &self.files {
            // Nothing of what was approved is gone; what the hook names now is not known.
            let (before, after) = (FileContent::Missing, FileContent::Unreadable { why: error.to_string() });
            changes.push(Change::File { path: self.name.clone(), before, after });
            return changes;
        }
        for before in &approval.files {
            let path = || before.path.clone();
            let Some(after) = self.found().iter().find(|file| file.path == before.path) else {
                // Another command or pattern names other files: this one may well be there.
                let after = if same_terms { FileContent::Missing } else { FileContent::NotNamed };
                changes.push(Change::File { path: path(), before: before.content(), after });
                continue;
            };
            let snapshot = after.snapshot.as_ref().ok();
            if snapshot.is_none_or(|snapshot| snapshot.digest != before.digest) {
                let (before, after) = (before.content(), after.content());
                changes.push(Change::File { path: path(), before, after });
            }
            if let (Some(before), Some(after)) = (before.rights, snapshot.map(|now| now.identity.rights()))
                && before != after
            {
                changes.push(Change::Rights { path: path(), before, after });
            }
            if after.target != before.target {
                let (before, after) = (before.target.clone(), after.target.clone());
                changes.push(Change::Target { path: path(), before, after });
            }
        }
        for after in self.found() {
            if !approval.files.iter().any(|before| before.path == after.path) {
                let (path, after) = (after.path.clone(), after.content());
                changes.push(Change::File { path, before: FileContent::Missing, after });
            }
        }
        changes
    }

    /// How likely an approval of other terms was meant for this hook; `None` if nothing suggests it.
    fn likeness(&self, approval: &Approval) -> Option<usize> {
        let (now, then) = (&self.terms, &approval.terms);
        let same_name = self.name == approval.name;
        let same_command = now.command == then.command;
        let same_file = approval.files.iter().any(|old| self.found().iter().any(|new| new.path == old.path));
        let (same_event, same_matcher) = (now.event == then.event, now.matcher == then.matcher);
        let weights = [(same_name, 8), (same_command, 8), (same_file, 4), (same_event, 2), (same_matcher, 1)];
        let weight = weights.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum();
        (same_name || same_command || same_file || (same_event && same_matcher)).then_some(weight)
    }
}

/// A hook of the project as it is now, and the approval that was given for it, whether that holds or not.
pub(super) struct ReadHook<'a> {
    pub(super) reading: Reading,
    pub(super) approval: Option<&'a Approval>,
}

/// Reads the hooks of the project, each with the approval that was given for it: one that holds, or else the latest with
/// equal terms, or else, so that the difference is readable, the likeliest one whose lineage no other hook has. Only the
/// first kind approves anything. `None` stands for a hook that needs no approval.
pub(super) fn read_and_pair<'h, 'a>(
    project: &ProjectDir,
    hooks: impl Iterator<Item = &'h Hook>,
    approvals: &'a [Approval],
) -> Vec<Option<ReadHook<'a>>> {
    let read = |hook: &Hook| {
        let reading = Reading::load(project, hook);
        let same_terms = || approvals.iter().rev().filter(|approval| approval.terms == reading.terms);
        let holds = |approval: &&Approval| reading.changes_since(approval).is_empty();
        let approval = same_terms().find(holds).or_else(|| same_terms().next());
        ReadHook { reading, approval }
    };
    let mut hooks: Vec<_> = hooks.map(|hook| needs_approval(hook).then(|| read(hook))).collect();
    pair_by_likeness(hooks.iter_mut().flatten().collect(), approvals);
    hooks
}

/// Gives hooks without an approval of equal terms the likeliest one that is left.
fn pair_by_likeness<'a>(mut hooks: Vec<&mut ReadHook<'a>>, approvals: &'a [Approval]) {
    let mut taken: BTreeSet<u64> = hooks.iter().filter_map(|hook| Some(hook.approval?.lineage)).collect();
    // The latest approval of each lineage that is left.
    let mut free: Vec<&Approval> =
        approvals.iter().rev().filter(|approval| taken.insert(approval.lineage)).collect();
    free.reverse();
    loop {
        let candidates = hooks.iter().enumerate().filter(|(_, hook)| hook.approval.is_none());
        let candidates = candidates.flat_map(|(hook, read)| {
            free.iter().enumerate().filter_map(move |(approval, given)| {
                let likeness = read.reading.likeness(given)?;
                // Among equals the first hook takes the first approval.
                Some((likeness, std::cmp::Reverse(hook), std::cmp::Reverse(approval)))
            })
        });
        let Some((_, std::cmp::Reverse(hook), std::cmp::Reverse(approval))) = candidates.max() else {
            return;
        };
        let taken = free.remove(approval);
        if let Some(hook) = hooks.get_mut(hook) {
            hook.approval = Some(taken);
        }
    }
}

/// Whether a hook needs approval at all.
pub(super) fn needs_approval(hook: &Hook) -> bool {
    hook.origin.level == Level::Project
}

/// A project whose files say nothing about settings has nothing to approve.
pub(super) fn says_nothing(settings: &Value) -> bool {
    match settings {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(says_nothing),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Settings as text, the same for all orders of their keys. Stored and compared as text, because numbers and deep
/// nesting do not survive being read back as values.
pub(super) fn settings_text(settings: &Value) -> String {
    let mut settings = settings.clone();
    settings.sort_all_objects();
    format!("{settings:#}")
}
