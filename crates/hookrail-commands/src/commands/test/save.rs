//! Keeps calls as tests: what `fire --save-test`, `init` and `replay --save-tests` write.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use hookrail::settings::LockedFile;
use serde_json::Value;

use super::edit::{self, Accepted, TestEditError};
use super::load::{TestFile, read_text};
use crate::context::Context;
use crate::display::shown;
use crate::exit::Hinted;

/// Adds tests to a file, which is made if there is none. Either all of them are added or none.
pub(crate) fn add(file: &Path, tests: &[Value], context: &Context) -> anyhow::Result<()> {
    change(file, context, |text| edit::append(text, tests))
}

/// Writes accepted values into a file, unless it changed since its tests were read.
/// Tests may have run for minutes, and the person may have edited the file meanwhile.
pub(super) fn accept(file: &TestFile, changes: &[Accepted], context: &Context) -> anyhow::Result<()> {
    change(&file.path, context, |text| {
        if text == file.text { edit::accept(text, changes) } else { Err(TestEditError::Changed) }
    })
}

/// Two programs that add at once both succeed.
fn change(
    file: &Path,
    context: &Context,
    edit: impl FnOnce(&str) -> Result<String, TestEditError>,
) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        // A project's folder is as open as its neighbours.
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    }
    let locked = LockedFile::lock(file, &context.state_dir().join("tests.lock"))?;
    let text = match fs::symlink_metadata(locked.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        _ => read_text(locked.path())
            .map_err(|why| anyhow::anyhow!("cannot read `{}`: {why}", file.display()))?,
    };
    let hint = match edit(&text) {
        Ok(edited) => {
            locked.replace(edited.as_bytes(), 0o644)?;
            return Ok(());
        }
        Err(TestEditError::Taken(name)) => {
            (TestEditError::Taken(name), "choose another name, or edit the file")
        }
        Err(TestEditError::Changed) => {
            (TestEditError::Changed, "`hookrail test` shows what is wrong with it")
        }
    };
    let message = format!("cannot change `{}`: {}", shown(file, context), hint.0);
    Err(Hinted::new(message, hint.1).into())
}
