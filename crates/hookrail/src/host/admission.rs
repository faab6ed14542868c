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

/// Where the hooks of an event run: in the project, if the event's `cwd` lies inside of it.
pub(crate) fn directory_for<'a>(config: &'a SessionConfig, cwd: &'a Path) -> &'a Path {
    let project = config.working_dir.as_path();
    if is_inside(cwd, project) { project } else { cwd }
}

/// The same for a call on another machine: in its `cwd` if there is such a folder here and no hook belongs to the project.
pub(crate) fn directory_for_caller<'a>(config: &'a SessionConfig, plan: &Plan, cwd: &'a Path) -> &'a Path {
    let is_projects = |hook: &Hook| hook.enclosing.is_some() || hook.origin.level == Level::Project;
    let stays = plan.hooks.iter().any(|planned| is_projects(&planned.hook)) || !cwd.is_dir();
    if stays { &config.working_dir } else { cwd }
}

/// Leaves out project hooks that may not run: another directory, a file changed since approval, or a guard that cannot
/// start.
pub(crate) fn admit(
    config: &SessionConfig,
    plan: &Plan,
    cwd: &Path,
    directory: &Path,
    standing_block: Option<&String>,
) -> (Vec<Arc<Hook>>, Refused) {
    let mut refused = Refused { standing: standing_block.cloned(), ..Refused::default() };
    let project = config.working_dir.as_path();
    let elsewhere = !std::ptr::eq(directory, project);
    let mut admit = |hook: &Arc<Hook>, seal: Option<&Arc<Seal>>| {
        let is_elsewhere = match &hook.enclosing {
            Some(enclosing) => !is_inside(cwd, enclosing),
            None => elsewhere && hook.origin.level == Level::Project,
        };
        if is_elsewhere {
            let (project, cwd) = (hook.folder(project).to_owned(), cwd.to_owned());
            refused.add(hook, RefusalReason::OtherFolder { project, cwd });
            return None;
        }
        let why = match recheck(config, hook, seal) {
            Recheck::Unchanged => return Some(Arc::clone(hook)),
            Recheck::Changed { what } => RefusalReason::Changed { what },
            Recheck::CannotStart(obstacle) => RefusalReason::CannotStart(obstacle),
        };
        refused.add(hook, why);
        None
    };
    let planned = plan.hooks.iter();
    (planned.filter_map(|planned| admit(&planned.hook, planned.seal.as_ref())).collect(), refused)
}

/// Looks at an approved hook's files again. What changed may have been approved again meanwhile.
fn recheck(config: &SessionConfig, hook: &Hook, seal: Option<&Arc<Seal>>) -> Recheck {
    let Some(seal) = seal else { return Recheck::Unchanged };
    match seal.recheck() {
        same @ (Recheck::Unchanged | Recheck::CannotStart(_)) => same,
        changed @ Recheck::Changed { .. } => {
            match config.trust.reapproved(hook.folder(&config.working_dir), hook) {
                // Approved again, and still it may be unable to start.
                Some(seal) => seal.recheck(),
                None => changed,
            }
        }
    }
}

/// Removes the guards whose files are open for writing, which the system would not execute, and notes them as refused.
pub(super) async fn refuse_guards_open_for_writing(
    plan: &Plan,
    hooks: &mut Vec<Arc<Hook>>,
    refused: &mut Refused,
) {
    for planned in &plan.hooks {
        let Some(seal) = &planned.seal else { continue };
        if !hooks.iter().any(|hook| Arc::ptr_eq(hook, &planned.hook)) {
            continue;
        }
        for file in seal.executables() {
            if stays_open_for_writing(file).await {
                hooks.retain(|hook| !Arc::ptr_eq(hook, &planned.hook));
                refused.add(&planned.hook, RefusalReason::OpenForWriting { file: file.to_path_buf() });
                break;
            }
        }
    }
}

/// Takes out the hooks of the user, the system and extensions whose relative command would run a file of the folder
/// that they run in. Returns their runs, which failed before they began.
pub(super) fn take_out_project_file_hooks(
    plan: &Plan,
    hooks: &mut Vec<Arc<Hook>>,
    directory: &Path,
) -> Vec<HookRun> {
    let mut refused_runs = Vec::new();
    for planned in &plan.hooks {
        let Some(file) = planned.relative_files.found_in(directory) else { continue };
        let Some(at) = hooks.iter().position(|hook| Arc::ptr_eq(hook, &planned.hook)) else { continue };
        hooks.remove(at);
        let why = StartFailure::RunsProjectFile { level: planned.origin.level.clone(), file };
        refused_runs.push(HookRun::not_started(&planned.hook, why));
    }
    refused_runs
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
    pub(crate) fn add(&mut self, hook: &Arc<Hook>, why: RefusalReason) {
        self.hooks.push(RefusedHook { hook: Arc::clone(hook), why });
    }

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
