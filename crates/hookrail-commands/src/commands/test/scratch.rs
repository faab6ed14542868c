//! The temporary project of a test: the files that the test gives, and the project's own hooks beside them.
//!
//! Approvals hold for exact files of an exact folder, so that a copy is never approved by itself. It counts as
//! approved when every hook of the project is, at this moment, and the test brings no part of a hook along: what a
//! test file holds was not reviewed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use hookrail::HookSession;
use hookrail::approvals::named_paths;
use hookrail::components::{Level, Recheck, inherited_environment};
use hookrail::settings::{ResolvedSettings, SETTINGS_FOLDERS};
use tempfile::TempDir;

use super::case::TestCase;
use crate::context::Context;
use crate::display::is_home;

/// How much of a project's settings folders is copied. More than this is not a hook.
const MAX_COPIED_BYTES: u64 = 64 * 1024 * 1024;
const MAX_COPIED_FILES: usize = 4_096;

/// Variables that lead to a person's files as `HOME` does.
const HOMES: [&str; 6] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

/// What belongs to the session of one test: the folders exist as long as this does.
pub(super) struct Scratch {
    /// What keeps the test from being run as it is written.
    pub(super) warning: Option<String>,
    _folder: TempDir,
}

/// Makes the session of a test that has a project or a home of its own.
/// The user's own settings stay in force: a test of a project shows what happens on this machine.
pub(super) fn session(
    case: &TestCase,
    settings: &ResolvedSettings,
    context: &Context,
    trust_hooks: bool,
) -> anyhow::Result<(HookSession, Scratch)> {
    let folder = tempfile::tempdir().context("cannot make a temporary project")?;
    let base = folder.path().canonicalize().context("cannot find the temporary project")?;
    let mut context = context.clone();
    let mut trusted = trust_hooks;
    let mut warning = None;
    if let Some(files) = &case.files {
        let project = base.join("project");
        fs::create_dir(&project).context("cannot make a temporary project")?;
        let brings_hooks =
            fill(&project, files, settings, &context).context("cannot fill a temporary project")?;
        trusted |= !brings_hooks && is_approved(settings);
        if brings_hooks && !trusted {
            let text =
                "this test brings its own hooks, which are not approved; `--trust-hooks` lets them run";
            warning = Some(text.to_owned());
        }
        context.paths.project_dir = project;
    }
    let mut builder = context.engine(trusted, None);
    if case.scratch_home {
        let home = base.join("home");
        fs::create_dir(&home).context("cannot make a temporary home")?;
        builder = builder.environment(environment(&home));
    }
    Ok((builder.build(), Scratch { warning, _folder: folder }))
}

/// The environment with another home.
fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let mut environment = inherited_environment();
    environment.retain(|(name, _)| !HOMES.iter().any(|home| name == home));
    environment.push(("HOME".into(), home.as_os_str().to_owned()));
    environment
}

/// Whether every hook of the project may run, with its files as they are now.
fn is_approved(settings: &ResolvedSettings) -> bool {
    let own = settings.hooks.iter().filter(|resolved| resolved.hook.origin.level == Level::Project);
    own.fold(true, |all, resolved| {
        let unchanged = resolved.seal.as_ref().is_none_or(|seal| seal.recheck() == Recheck::Unchanged);
        all && unchanged && resolved.trust.not_approved().is_none()
    })
}

/// Copies the project's hooks, then writes the test's files. Returns whether one of these is part of a hook.
fn fill(
    project: &Path,
    files: &[(PathBuf, String)],
    settings: &ResolvedSettings,
    context: &Context,
) -> io::Result<bool> {
    let original = context.project();
    let mut named = Vec::new();
    // In the home directory the one settings file is the user's, and counts there.
    if !is_home(original, context) {
        let mut budget = Budget { bytes: MAX_COPIED_BYTES, files: MAX_COPIED_FILES };
        for folder in SETTINGS_FOLDERS {
            copy_folder(&original.join(folder), &project.join(folder), &mut budget)?;
        }
        named = named_files(settings, original);
        for file in &named {
            copy_file(&original.join(file), &project.join(file), &mut budget)?;
        }
    }
    let mut brings_hooks = false;
    for (path, content) in files {
        let is_settings = SETTINGS_FOLDERS.iter().any(|folder| path.starts_with(folder));
        brings_hooks |= is_settings || named.contains(path);
        let target = project.join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        // A copied link must not lead the test's content out of the temporary project.
        let _ = fs::remove_file(&target);
        fs::write(&target, content)?;
        if content.starts_with("#!") {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(brings_hooks)
}

/// The files of the project that its hooks' commands name, outside of its settings folders, relative to the project.
fn named_files(settings: &ResolvedSettings, project: &Path) -> Vec<PathBuf> {
    let own = settings.hooks.iter().filter(|resolved| resolved.hook.origin.level == Level::Project);
    let paths = own.flat_map(|resolved| named_paths(resolved.hook.command(), project, None));
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        let Ok(path) = path.strip_prefix(project) else { continue };
        let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_own =
            !SETTINGS_FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.as_os_str().is_empty();
        if is_inside && is_own && !files.contains(&path) && project.join(&path).is_file() {
            files.push(path);
        }
    }
    files
}

/// What may still be copied.
/// A project with a huge folder beside its settings must not fill the disk once for each test.
struct Budget {
    bytes: u64,
    files: usize,
}

/// Copies a folder without its tests. Links and special files are left out: a link leads out of the copy, and a
/// pipe would never end.
fn copy_folder(from: &Path, to: &Path, budget: &mut Budget) -> io::Result<()> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        let entries = match fs::read_dir(&from) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        fs::create_dir_all(&to)?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            let target = to.join(entry.file_name());
            if kind.is_dir() && entry.file_name() != "tests" {
                folders.push((entry.path(), target));
            } else if kind.is_file() {
                copy_file(&entry.path(), &target, budget)?;
            }
        }
    }
    Ok(())
}

/// The mode is copied too; scripts stay executable.
fn copy_file(from: &Path, to: &Path, budget: &mut Budget) -> io::Result<()> {
    let size = fs::metadata(from)?.len();
    let (Some(bytes), Some(files)) = (budget.bytes.checked_sub(size), budget.files.checked_sub(1)) else {
        return Err(io::Error::other("the project's settings folders are too large to be copied for a test"));
    };
    *budget = Budget { bytes, files };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}
