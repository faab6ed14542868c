//! The one hook of unit tests and fuzz targets. They change the fields that they are about.

use std::path::PathBuf;

use super::{Hook, Level, Origin};
use crate::event::EventName;

/// A `BeforeTool` command hook of the user's, for all tools.
pub(crate) fn hook(command: &str) -> Hook {
    let origin = Origin { level: Level::User, file: PathBuf::from("settings.json"), line: 7 };
    Hook { origin, ..Hook::new(EventName::BeforeTool, command) }
}

/// The same hook of a project's.
#[cfg(test)]
pub(crate) fn project_hook(command: &str) -> Hook {
    let hook = hook(command);
    Hook { origin: Origin { level: Level::Project, ..hook.origin }, ..hook }
}
