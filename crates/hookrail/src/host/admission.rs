//! Which planned hooks may run for one event, decided just before they do.
//!
//! A project's hook runs in its project only, and only while its files are as they were approved.

use std::path::Path;
use std::sync::Arc;

use crate::event::EventName;
use crate::hook::{Hook, Level};
use crate::host::shared::Host;
use crate::plan::planner::Plan;
use crate::trust::{Recheck, Seal};
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult};

/// Where the hooks of an event run: in the project, if the event's `cwd` lies inside of it.
pub(crate) fn directory_for<'a>(host: &'a Host, cwd: &'a Path) -> &'a Path {
    let project = host.working_dir.as_path();
    if is_inside(cwd, project) { project } else { cwd }
}

/// Leaves out project hooks that may not run: another directory, or a file changed since approval.
pub(crate) fn admit(
    host: &Host,
    plan: &Plan,
    cwd: &Path,
    directory: &Path,
    standing_block: Option<&String>,
) -> (Vec<Arc<Hook>>, Refused) {
    let mut refused = Refused { standing: standing_block.cloned(), ..Refused::default() };
    let project = host.working_dir.as_path();
    let elsewhere = !std::ptr::eq(directory, project);
    let mut admit = |hook: &Arc<Hook>, seal: Option<&Arc<Seal>>| {
        let name = &hook.name;
        if elsewhere && hook.origin.level == Level::Project {
            let (project, cwd) = (project.display(), cwd.display());
            refused.warnings.push(format!(
                "hook `{name}` belongs to the project in {project} and does not run for {cwd}"
            ));
            return None;
        }
        match recheck(host, hook, seal) {
            Recheck::Unchanged => Some(Arc::clone(hook)),
            Recheck::Changed { what } => {
                refused.changed.push(format!(
                    "hook `{name}` changed since it was approved ({what}); run `hookrail trust` to approve it again"
                ));
                None
            }
        }
    };
    let planned = plan.hooks.iter();
    (planned.filter_map(|planned| admit(&planned.hook, planned.seal.as_ref())).collect(), refused)
}

/// Looks at an approved hook's files again. What changed may have been approved again meanwhile.
fn recheck(host: &Host, hook: &Hook, seal: Option<&Arc<Seal>>) -> Recheck {
    let Some(seal) = seal else { return Recheck::Unchanged };
    match seal.recheck() {
        Recheck::Unchanged => Recheck::Unchanged,
        changed @ Recheck::Changed { .. } => match host.trust.reapproved(&host.working_dir, hook) {
            // Approved again, and still it may be unable to start.
            Some(seal) => seal.recheck(),
            None => changed,
        },
    }
}

/// Hooks that were planned but may not run.
#[derive(Default)]
pub(crate) struct Refused {
    /// What blocks the event whatever the hooks say.
    standing: Option<String>,
    /// Approved once, changed since: a guard that was tampered with must not be a guard that is off.
    changed: Vec<String>,
    /// Not run for a reason that needs no block.
    warnings: Vec<String>,
}

impl Refused {
    /// Adds guards that turned out not to be what was approved.
    pub(crate) fn also_changed(&mut self, what: Vec<String>) {
        self.changed.extend(what);
    }

    /// Adds to a result what follows from the refusals.
    pub(crate) fn apply(self, event: EventName, result: &mut ProcessedHookResult) {
        let reasons: Vec<&str> = self.standing.iter().chain(&self.changed).map(String::as_str).collect();
        if event.is_guarded() && !reasons.is_empty() {
            result.block_with(Block { reason: reasons.join("\n"), cause: BlockCause::Failure });
        }
        result.warnings.extend(self.changed);
        result.warnings.extend(self.warnings);
    }
}

/// Whether a path leads into a folder, however the two are spelled.
fn is_inside(path: &Path, folder: &Path) -> bool {
    path == folder
        || matches!((path.canonicalize(), folder.canonicalize()), (Ok(path), Ok(folder)) if path.starts_with(&folder))
}
