//! Changes of a settings file that are never half done: read, edit and replace under one lock.
//! All commands that write settings do it here; what an edit does not touch stays as it is, comments included.

pub(crate) mod edit;

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use hookrail::components::Level;
use hookrail::settings::LockedFile;
use hookrail_bridge::EditError;

use crate::context::Context;
use crate::display::{home, shown};
use crate::exit::{Hinted, fail};
use crate::plain_file;

/// Reads a settings file, edits its text and replaces the file if that changed anything; whether it did.
/// `before_write` runs under the lock after the edit was found possible; its failure leaves the file alone.
pub(crate) fn change(
    file: &Path,
    context: &Context,
    edit: impl FnOnce(&str) -> Result<String, EditError>,
    before_write: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    if home(context).is_none() {
        // Without it the lock, and approvals, would have no place outside of the project.
        return fail("there is no home directory", "set HOME or HOOKRAIL_HOME");
    }
    let is_users = context.paths.files(&Level::User).iter().any(|users| users == file);
    if let Some(folder) = file.parent().filter(|_| !is_users) {
        // A project's folder is as open as its neighbours; the user's is made private by the lock.
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    }
    // One lock for all settings files: edits are rare and short.
    let locked = LockedFile::lock(file, &context.state_dir().join("settings.lock"))?;
    let text = match plain_file::read(locked.path()) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|error| anyhow::Error::new(error.utf8_error()).context(unusable(file, context)))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read `{}`", file.display()));
        }
    };
    let edited = edit(&text).map_err(|error| anyhow::Error::new(error).context(unusable(file, context)))?;
    before_write()?;
    if edited == text {
        return Ok(false);
    }
    locked.replace(edited.as_bytes(), if is_users { 0o600 } else { 0o644 })?;
    Ok(true)
}

/// Edits are refused where the file is not a valid settings file, since a half-understood one could lose hooks.
fn unusable(file: &Path, context: &Context) -> Hinted {
    let message = format!("cannot change `{}`", shown(file, context));
    Hinted::new(message, "`hookrail check` shows what is wrong with it")
}
