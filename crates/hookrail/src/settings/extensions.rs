//! Extensions: folders below the user's `.llxprt/extensions`, each with a manifest and perhaps hooks.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Settings;
use super::diagnose::{self, Route};
use super::extension_command::located;
use super::reader::{Reader, given};
use super::settings_files::load_text;
use super::source::Source;
use crate::diagnostic::Diagnostic;
use crate::hook::{ExtensionName, HookKind, Level};
use crate::order;

/// The manifests that make a folder an extension; the first one found counts.
const MANIFESTS: [&str; 2] = ["llxprt-extension.json", "gemini-extension.json"];

/// Loads the hooks of all extensions that the user and the system leave active, in the order of their
/// names.
pub(super) fn load_extensions(dir: &Path, settings: &mut Settings) {
    let names = match extension_names(dir) {
        Ok(names) => names,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return;
        }
        Err(error) => {
            let mut finding = diagnose::unreadable(dir, &error);
            finding.help = Some("until this is fixed, the extensions in it are ignored".to_owned());
            return settings.diagnostics.push(finding);
        }
    };
    for name in names {
        let shown = name.to_string_lossy().into_owned();
        let inactive = settings.levels.ranked(false).any(|level| level.disabled_extensions.contains(&shown));
        if !inactive {
            load_extension(&dir.join(&name), &Level::Extension(ExtensionName::new(shown)), settings);
        }
    }
}

/// The folders in a directory, sorted so that the order of hooks does not depend on the file system.
fn extension_names(dir: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    let entries: Vec<fs::DirEntry> = fs::read_dir(dir)?.collect::<Result<_, _>>()?;
    // Through links: an extension under development is linked, not copied.
    let folders = entries.iter().filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> = folders.map(fs::DirEntry::file_name).collect();
    order::sort(&mut names);
    Ok(names)
}

/// Hooks of the manifest come instead of those of `hooks/hooks.json`, not before them.
fn load_extension(dir: &Path, level: &Level, settings: &mut Settings) {
    let hooks_file = dir.join("hooks").join("hooks.json");
    let manifest = MANIFESTS.iter().map(|name| dir.join(name)).find(|file| file.exists());
    let Some(manifest) = manifest else {
        if hooks_file.exists() {
            settings.diagnostics.push(diagnose::no_manifest(&hooks_file, &MANIFESTS));
        }
        return;
    };
    let first = settings.hooks.len();
    for (file, may_be_bare) in [(manifest, false), (hooks_file, true)] {
        match load_hooks(&file, may_be_bare, level, settings) {
            Ok(true) => break,
            Ok(false) => {}
            // A manifest that cannot be used makes its own settings unusable; the other file is still read.
            Err(finding) => settings.refuse(level, Some(&file), *finding),
        }
    }
    for configured in settings.hooks.iter_mut().skip(first) {
        if let HookKind::Command(command) = &mut Arc::make_mut(&mut configured.hook).kind {
            *command = located(command, dir);
        }
    }
}

/// Loads the hooks of one file. Returns whether it has any.
fn load_hooks(
    file: &Path,
    may_be_bare: bool,
    level: &Level,
    settings: &mut Settings,
) -> Result<bool, Box<Diagnostic>> {
    let Some(text) = load_text(file)? else { return Ok(false) };
    let source = Source::of_file(file, &text);
    let root = source.parse()?;
    let mut reader = Reader::new(level, &source, settings);
    let Some(map) = given(&root, "hooks") else {
        if may_be_bare {
            reader.read_hooks(&jsonc_parser::ast::Value::Object(root), Route::TOP);
        }
        return Ok(may_be_bare);
    };
    root.properties.iter().for_each(|prop| reader.misplaced_event(prop));
    reader.read_hooks(map, Route::TOP.key("hooks"));
    Ok(map.as_object().is_some())
}
