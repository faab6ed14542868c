//! Keeps calls as tests: what `fire --save-test`, `init` and `replay --save-tests` write.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use hookrail::JsonObject;
use hookrail::settings::LockedFile;
use serde_json::{Value, json};

use super::case::Expect;
use super::edit::{self, Accepted, TestEditError};
use super::load::{TestFile, read_text};
use crate::context::Context;
use crate::display::shown;
use crate::exit::fail;

/// A test as it is written: its event in the keys that are given, and what is expected to come of it.
pub(crate) fn test(name: &str, event: &str, given: JsonObject, expect: &Expect) -> Value {
    let mut test =
        JsonObject::from_iter([("name".to_owned(), name.into()), ("event".to_owned(), event.into())]);
    test.extend(given);
    test.insert("expect".to_owned(), json!(expect));
    Value::Object(test)
}

/// A tool call, which people can read and change; with fields of its own it is kept by its payload.
pub(crate) fn tool_call(tool: &str, input: &JsonObject) -> JsonObject {
    JsonObject::from_iter([("tool".to_owned(), tool.into()), ("input".to_owned(), json!(input))])
}

/// Any other event.
pub(crate) fn payload(fields: JsonObject) -> JsonObject {
    JsonObject::from_iter([("payload".to_owned(), Value::Object(fields))])
}

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
    match edit(&text) {
        Ok(edited) => Ok(locked.replace(edited.as_bytes(), 0o644)?),
        Err(error) => {
            let hint = match error {
                TestEditError::Taken(_) => "choose another name, or edit the file",
                TestEditError::Changed => "`hookrail test` shows what is wrong with it",
            };
            fail(format!("cannot change `{}`: {error}", shown(file, context)), hint)
        }
    }
}
