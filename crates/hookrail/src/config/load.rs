//! From files to [`Settings`]: the only reader of settings files. A file that cannot be used contributes
//! nothing but a finding.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Object;
use serde_json::Value;

use super::diagnose::{self, Findings, Route};
use super::extensions::load_extensions;
use super::hooks::read_hooks;
use super::read::{read_enable, read_level};
use super::source::Source;
use super::{DisabledEntry, EnableFlag, LevelSettings, Settings, SettingsPaths};
use crate::diagnostic::Diagnostic;
use crate::hook::Level;

/// Loads all levels and extensions. It never fails: what went wrong is among the findings.
pub fn load_settings(paths: &SettingsPaths) -> Settings {
    let mut settings = Settings { project_dir: paths.project_dir.clone(), ..Settings::default() };
    for (level, file) in files(paths) {
        match load_text(&file) {
            Ok(Some(text)) => {
                parse_level(&level, &Source::of_file(&file, &text), &mut settings);
            }
            Ok(None) => {}
            Err(finding) => settings.diagnostics.push(*finding),
        }
    }
    if let Some(dir) = paths.extensions_dir() {
        load_extensions(&dir, &mut settings);
    }
    settings
}

/// Loads only what the levels say about hooks being on, which is all that a start with hooks off needs.
pub fn load_enable_flag(paths: &SettingsPaths) -> EnableFlag {
    let mut flag = EnableFlag::default();
    for (level, file) in files(paths) {
        let Ok(Some(text)) = load_text(&file) else { continue };
        let source = Source::of_file(&file, &text);
        if let Ok(root) = source.parse()
            && let Some(slot) = flag_of(&mut flag, &level)
        {
            *slot = read_enable(&root, &mut Findings::new(&source));
        }
    }
    flag
}

/// Reads settings that a host gives as a value.
pub(super) fn settings_from_value(project_dir: PathBuf, value: &Value) -> Settings {
    let mut settings = Settings { project_dir, ..Settings::default() };
    // Through text, so that host and files are read by the same code. A value is always JSON.
    let text = value.to_string();
    parse_level(&Level::User, &Source::of_value(&text), &mut settings);
    settings
}

/// The settings files, the strongest level first. In the home directory the project's file is the user's
/// and is read once, as such.
fn files(paths: &SettingsPaths) -> Vec<(Level, PathBuf)> {
    let project = paths.project_file();
    let user = paths.user_file();
    let mut files = Vec::with_capacity(3);
    if !user.as_deref().is_some_and(|user| same_file(user, &project)) {
        files.push((Level::Project, project));
    }
    files.extend(user.map(|user| (Level::User, user)));
    files.push((Level::System, paths.system.clone()));
    files
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The text of a settings file; `None` where there is none.
pub(super) fn load_text(file: &Path) -> Result<Option<String>, Box<Diagnostic>> {
    let content = match load_bytes(file) {
        Ok(content) => content,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Box::new(diagnose::unreadable(file, &error))),
    };
    String::from_utf8(content)
        .map(Some)
        .map_err(|error| Box::new(diagnose::not_utf8(file, error.as_bytes(), error.utf8_error())))
}

/// Reads regular files only: a cloned project may link its settings to a device that never ends.
fn load_bytes(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("/dev/null") {
        return Err(io::ErrorKind::NotFound.into()); // The usual way to say that there is no such file.
    }
    let kind = fs::metadata(file)?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read(file)
}

/// Reads one level's text into `settings`.
pub(super) fn parse_level(level: &Level, source: &Source<'_>, settings: &mut Settings) {
    let Some(root) = parse(source, settings) else { return };
    let mut findings = Findings::new(source);
    let (read, hooks) = read_level(&root, &mut findings);
    if let Some(hooks) = hooks {
        read_hooks(hooks, Route::Root.key("hooks"), level, &mut findings, settings);
    }
    settings.diagnostics.append(&mut findings.list);
    settings.disabled.extend(
        read.disabled
            .into_iter()
            .map(|name_or_command| DisabledEntry { name_or_command, level: level.clone() }),
    );
    if let Some(flag) = flag_of(&mut settings.enable, level) {
        *flag = read.enable;
    }
    if let Some(slot) = level_of(settings, level) {
        *slot = read.settings;
    }
}

/// The object that a text holds, or a finding.
pub(super) fn parse<'a>(source: &Source<'a>, settings: &mut Settings) -> Option<Object<'a>> {
    source.parse().map_err(|finding| settings.diagnostics.push(*finding)).ok()
}

fn flag_of<'f>(flag: &'f mut EnableFlag, level: &Level) -> Option<&'f mut Option<bool>> {
    match level {
        Level::Project => Some(&mut flag.project),
        Level::User => Some(&mut flag.user),
        Level::System => Some(&mut flag.system),
        Level::Extension(_) => None,
    }
}

fn level_of<'s>(settings: &'s mut Settings, level: &Level) -> Option<&'s mut LevelSettings> {
    match level {
        Level::Project => Some(&mut settings.levels.project),
        Level::User => Some(&mut settings.levels.user),
        Level::System => Some(&mut settings.levels.system),
        Level::Extension(_) => None,
    }
}
