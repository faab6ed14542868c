//! Which planned hooks may run for one event, decided just before they do.
//!
//! A project's hook runs in its project only, and only while its files are as they were approved.

use std::path::Path;
use std::sync::Arc;

use crate::event::EventName;
use crate::hook::{Hook, Level};
use crate::host::config::SessionConfig;
use crate::plan::planner::Plan;
use crate::trust::{Recheck, Seal};
use crate::verdict::refusal::{RefusalReason, RefusedHook};
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult};

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
        match recheck(config, hook, seal) {
            Recheck::Unchanged => Some(Arc::clone(hook)),
            Recheck::Changed { what } => {
                refused.add(hook, RefusalReason::Changed { what });
                None
            }
            Recheck::CannotStart(obstacle) => {
                refused.add(hook, RefusalReason::CannotStart(obstacle));
                None
            }
        }
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
