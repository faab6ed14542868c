//! Which planned hooks may run for one event, decided just before they do.
//!
//! A project's hook runs in its project only, and only while its files are as they were approved.

use std::path::Path;
use std::sync::Arc;

use crate::event::EventName;
use crate::hook::{Hook, Level};
use crate::host::config::SessionConfig;
use crate::plan::planner::Plan;
use crate::run::stays_open_for_writing;
use crate::trust::{Recheck, Seal};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult, RefusalReason, RefusedHook};

/// Where the hooks of an event run: in the project, if the event's `cwd` lies inside of it. For a call on another machine
/// (`is_remote`) that is its `cwd`, if there is such a folder here and no hook belongs to the project.
pub(super) fn directory_for<'a>(
    config: &'a SessionConfig,
    plan: &Plan,
    cwd: &'a Path,
    is_remote: bool,
) -> &'a Path {
    let project = config.working_dir.as_path();
    let is_projects = |hook: &Hook| hook.enclosing.is_some() || hook.origin.level == Level::Project;
    let stays = if is_remote {
        plan.hooks.iter().any(|planned| is_projects(&planned.hook)) || !cwd.is_dir()
    } else {
        is_inside(cwd, project)
    };
    if stays { project } else { cwd }
}

/// The planned hooks by what becomes of them.
pub(super) struct Admitted {
    /// Those that run.
    pub(super) hooks: Vec<Arc<Hook>>,
    /// Those that may not, and what follows from that.
    pub(super) refused: Refused,
    /// Those that failed before they began.
    pub(super) failed: Vec<HookRun>,
}

/// Leaves out hooks that may not run: a project's in another directory, one that changed since it was approved, a guard
/// that cannot start, and one of another level whose relative command would run a file of the folder that it runs in.
pub(super) async fn admit(
    config: &SessionConfig,
    plan: &Plan,
    cwd: &Path,
    directory: &Path,
    standing_block: Option<&String>,
) -> Admitted {
    let refused = Refused { standing: standing_block.cloned(), ..Refused::default() };
    let mut admitted = Admitted { hooks: Vec::with_capacity(plan.hooks.len()), refused, failed: Vec::new() };
    for planned in &plan.hooks {
        let hook = &planned.hook;
        let seal = planned.seal.as_deref();
        let mut why_not = is_elsewhere(config, hook, cwd, directory).or_else(|| recheck(config, hook, seal));
        for file in seal.filter(|_| why_not.is_none()).into_iter().flat_map(Seal::executables) {
            // The system would not execute it.
            if stays_open_for_writing(file).await {
                why_not = Some(RefusalReason::OpenForWriting { file: file.to_path_buf() });
                break;
            }
        }
        if let Some(why) = why_not {
            admitted.refused.hooks.push(RefusedHook { hook: Arc::clone(hook), why });
        } else if let Some(file) = planned.relative_files.found_in(directory) {
            let why = StartFailure::RunsProjectFile { level: hook.origin.level.clone(), file };
            admitted.failed.push(HookRun::not_started(hook, why));
        } else {
            admitted.hooks.push(Arc::clone(hook));
        }
    }
    admitted
}

/// Whether a project's hook is asked about an event of another folder.
fn is_elsewhere(config: &SessionConfig, hook: &Hook, cwd: &Path, directory: &Path) -> Option<RefusalReason> {
    let project = config.working_dir.as_path();
    let is_elsewhere = match &hook.enclosing {
        Some(enclosing) => !is_inside(cwd, enclosing),
        None => !std::ptr::eq(directory, project) && hook.origin.level == Level::Project,
    };
    is_elsewhere
        .then(|| RefusalReason::OtherFolder { project: hook.folder(project).to_owned(), cwd: cwd.to_owned() })
}

/// Looks at an approved hook's files again. What changed may have been approved again meanwhile.
fn recheck(config: &SessionConfig, hook: &Hook, seal: Option<&Seal>) -> Option<RefusalReason> {
    let mut found = seal?.recheck();
    if matches!(found, Recheck::Changed { .. })
        && let Some(seal) = config.trust.reapproved(hook.folder(&config.working_dir), hook)
    {
        found = seal.recheck(); // Approved again, and still it may be unable to start.
    }
    match found {
        Recheck::Unchanged => None,
        Recheck::Changed { what } => Some(RefusalReason::Changed { what }),
        Recheck::CannotStart(obstacle) => Some(RefusalReason::CannotStart(obstacle)),
    }
}

/// The planned hooks that may not run for an event, and the block that holds whatever the others say.
#[derive(Default)]
pub(crate) struct Refused {
    /// What blocks the event whatever the hooks say.
    standing: Option<String>,
    /// Why nobody can tell what the call does, and whether a guard depends on it.
    unreadable: Option<(String, bool)>,
    /// In the order in which they were found.
    hooks: Vec<RefusedHook>,
}

impl Refused {
    /// Notes a call that cannot be read, and whether a guard depends on what it does.
    pub(crate) fn unreadable_call(&mut self, why: &str, guard_depends: bool) {
        self.unreadable = Some((why.to_owned(), guard_depends));
    }

    /// Adds to a result what follows from the refusals.
    pub(crate) fn apply(self, event: EventName, result: &mut ProcessedHookResult) {
        // A guard that was tampered with, or cannot start, must not be a guard that is off.
        let (blocking, others): (Vec<_>, Vec<_>) = self.hooks.iter().partition(|hook| hook.why.blocks());
        let blocking: Vec<String> = blocking.into_iter().map(ToString::to_string).collect();
        let (unreadable, note) = match &self.unreadable {
            // A guard has decided, so that nothing depends on what else could be told.
            Some(_) if result.block.is_some() => (None, None),
            Some((why, true)) => (Some(why), None),
            Some((why, false)) => (None, Some(why)),
            None => (None, None),
        };
        let reasons = self.standing.iter().chain(unreadable).chain(&blocking);
        let reasons: Vec<&str> = reasons.map(String::as_str).collect();
        if event.is_guarded() && !reasons.is_empty() {
            result.block_with(Block { reason: reasons.join("\n"), cause: BlockCause::Failure });
        }
        result.warnings.extend(note.cloned());
        result.warnings.extend(blocking);
        result.warnings.extend(others.into_iter().map(ToString::to_string));
        result.refused = self.hooks;
    }
}

/// Whether a path leads into a folder, however the two are spelled.
fn is_inside(path: &Path, folder: &Path) -> bool {
    path == folder
        || matches!((path.canonicalize(), folder.canonicalize()), (Ok(path), Ok(folder)) if path.starts_with(&folder))
}
