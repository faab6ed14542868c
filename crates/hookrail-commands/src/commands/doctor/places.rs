//! The home directory and the folder of the program's own files: they exist, and no other user can read or write them.
//!
//! Approvals that others can write are no approvals, and logs that others can read reveal what hooks printed.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::{DoctorReport, RowState};
use crate::context::Context;
use crate::display::{home, shown};

/// Looks at the home directory, the state folder and the private files in it.
/// Files that are not there yet are fine; they are made private.
pub(super) fn look(context: &Context, report: &mut DoctorReport) {
    let Some(home) = home(context) else {
        let message = "there is no home directory, so nothing can be approved or remembered";
        return report.add(RowState::Error, "home", message, "set HOME");
    };
    if !home.is_dir() {
        let message = format!("the home directory `{}` is not there", home.display());
        return report.add(RowState::Error, "home", message, "set HOME, or make it");
    }
    let before = report.findings.len();
    let state = context.state_dir();
    let private = ["approvals.json", "log.jsonl", "bridge", "bin", "connect.json", "connect"]
        .map(|name| state.join(name));
    // A folder that holds settings alone is made private with the first file that is.
    let has_state = private.iter().any(|path| path.exists());
    let folder = has_state.then(|| state.clone());
    for path in folder.into_iter().chain(private) {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let name = shown(&path, context);
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            report.add(
                RowState::Warning,
                "home",
                format!("`{name}` belongs to another user"),
                "find out who made it",
            );
        }
        let mode = metadata.permissions().mode() & 0o7777;
        let wanted = if metadata.is_dir() { 0o700 } else { 0o600 };
        if mode & 0o077 != 0 {
            let message = format!("others may see `{name}` (mode {mode:o})");
            report.add(RowState::Warning, "home", message, format!("`chmod {wanted:o} {}`", path.display()));
        }
    }
    if report.findings.len() == before {
        let name = shown(&state, context);
        report.ok(
            "home",
            if has_state {
                format!("`{name}` is private")
            } else {
                format!("`{name}` holds no approvals and no log yet; it is made private when it is needed")
            },
        );
    }
}
