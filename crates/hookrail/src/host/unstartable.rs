//! Hooks that must not be started: a guard that is off because of its file counts as changed, and a command from
//! outside of the project that would run a file of the project counts as failed.

use std::path::Path;
use std::sync::Arc;

use crate::hook::Hook;
use crate::host::admission::Refused;
use crate::plan::planner::Plan;
use crate::run::stays_open_for_writing;
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;
use crate::verdict::refusal::RefusalReason;

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
