//! Files that decide what guards the agent: hooks and their settings, and what runs by itself in a repository.
//!
//! The file tools write them only after a person allowed it, in every approval mode. A path is looked at when the question
//! is asked and once more when the file is written, both times after links and `..` were resolved, so that no alias of a
//! path and no link that is swapped in between gets past.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookrail::approvals::hook_files;
use hookrail::components::inherited_environment;
use hookrail::settings::ResolvedSettings;

/// Folders in which hooks are configured. As links they may lead to folders with other names.
const SETTINGS_FOLDERS: [&str; 2] = [".llxprt", ".hookrail"];

/// Characters that some file systems ignore in names.
const IGNORED: [char; 16] = [
    '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{206a}', '\u{206b}', '\u{206c}', '\u{206d}', '\u{206e}', '\u{206f}', '\u{feff}',
];

/// The paths of one session that are written only with a person's permission.
#[derive(Debug, Clone, Default)]
pub struct ProtectedPaths {
    known: Arc<KnownPaths>,
    /// The real path, relative to the project, that a person allowed the call at hand to write.
    allowed: Option<PathBuf>,
}

/// What the settings of a session name. Paths are real and compared without regard to case.
#[derive(Debug, Default)]
struct KnownPaths {
    /// The files that hooks of any level run, and those that approvals are bound to.
    hook_files: BTreeSet<PathBuf>,
    /// The files in which hooks are configured.
    settings_files: BTreeSet<PathBuf>,
    /// The folders in which hooks look for programs by name.
    program_folders: BTreeSet<PathBuf>,
    /// Device and number of each file of the first two kinds: a hard link has another path.
    identities: BTreeSet<(u64, u64)>,
}

impl ProtectedPaths {
    /// What hooks of any level run, whether or not they are on, and what is protected in every project.
    pub fn of(settings: &ResolvedSettings) -> Self {
        let mut known = KnownPaths::default();
        let mut runs_programs = false;
        for resolved in &settings.hooks {
            let hook = &resolved.hook;
            runs_programs |= hook.command_text().is_some();
            known.add_hook_files(hook_files(&settings.project_dir, hook));
            known.add_settings_file(&hook.origin.file);
            let own_path = hook.env.iter().filter(|(name, _)| name == "PATH");
            own_path.for_each(|(_, value)| known.add_program_folders(OsStr::new(value)));
        }
        known.add_hook_files(settings.sealed_files().map(Path::to_owned));
        settings.unusable.iter().for_each(|file| known.add_settings_file(&file.file));
        if runs_programs {
            let path = inherited_environment().into_iter().filter(|(name, _)| name == "PATH");
            path.for_each(|(_, value)| known.add_program_folders(&value));
        }
        Self { known: Arc::new(known), allowed: None }
    }

    /// The same for a call that a person allowed to write this file, a real path below the project.
    pub(crate) fn allowing(&self, relative: PathBuf) -> Self {
        Self { allowed: Some(relative), ..self.clone() }
    }

    /// Why a file must not be written without a question; `relative` is its real path below `root`.
    pub(crate) fn reason(&self, root: &Path, relative: &Path) -> Option<&'static str> {
        let names: Vec<String> = relative
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(folded_name(&name.to_string_lossy())),
                _ => None,
            })
            .collect();
        let file = root.join(relative);
        let leads_into = |folder: &str| {
            root.join(folder).canonicalize().is_ok_and(|real| real != root && file.starts_with(real))
        };
        if SETTINGS_FOLDERS.iter().any(|folder| names.iter().any(|name| name == folder) || leads_into(folder))
        {
            return Some("it is in a folder with settings of hooks");
        }
        if names.last().is_some_and(|name| name == ".envrc") {
            return Some("`.envrc` is run by the shell of everyone who enters the folder");
        }
        if names.iter().any(|name| name == ".git" || name == "git~1") || leads_into(".git") {
            return Some("git runs what files in `.git` say");
        }
        let mut folder = root.to_owned();
        for (name, part) in names.iter().zip(relative.components()) {
            if is_repository_with(&folder, name) {
                return Some("git takes the folder for a repository, and runs what its configuration says");
            }
            folder.push(part);
        }
        self.known.reason(root, &file)
    }

    /// The same for the moment of writing: nothing, if a person allowed this file.
    pub(crate) fn objection(&self, root: &Path, relative: &Path) -> Option<&'static str> {
        if self.allowed.as_deref() == Some(relative) { None } else { self.reason(root, relative) }
    }
}

impl KnownPaths {
    fn add_hook_files(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            self.identities.extend(identity(&file));
            self.hook_files.insert(real_folded(&file));
        }
    }

    fn add_settings_file(&mut self, file: &Path) {
        if !file.as_os_str().is_empty() {
            self.identities.extend(identity(file));
            self.settings_files.insert(real_folded(file));
        }
    }

    fn add_program_folders(&mut self, path: &OsStr) {
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        self.program_folders.extend(folders.map(|folder| real_folded(&folder)));
    }

    fn reason(&self, root: &Path, file: &Path) -> Option<&'static str> {
        let number = identity(file);
        let (root, file) = (folded(root), folded(file));
        let is_same = |files: &BTreeSet<PathBuf>| files.contains(&file);
        if is_same(&self.settings_files) {
            return Some("it holds settings of hooks");
        }
        if is_same(&self.hook_files) || number.is_some_and(|number| self.identities.contains(&number)) {
            return Some("a hook runs it");
        }
        let is_beside = |known: &PathBuf| {
            let folder = known.parent().filter(|folder| **folder != *root && folder.starts_with(&root));
            folder.is_some_and(|folder| file.starts_with(folder))
        };
        if self.hook_files.iter().any(is_beside) {
            return Some("a hook is in this folder, and may load what is beside it");
        }
        let folder = file.parent().filter(|folder| **folder != *root)?;
        self.program_folders.contains(folder).then_some("hooks find their programs in this folder")
    }
}

/// Whether git takes a folder for a repository once it holds an entry of this name, in whatever order its parts come.
fn is_repository_with(folder: &Path, folded_entry: &str) -> bool {
    let holds = |name: &str| {
        folded_entry == name.to_lowercase() || std::fs::symlink_metadata(folder.join(name)).is_ok()
    };
    // Objects and references may be elsewhere, where `commondir` says.
    holds("HEAD") && (holds("commondir") || (holds("objects") && holds("refs")))
}

/// The device and number of the file at a path.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

/// A name as the most tolerant file system compares it.
fn folded_name(name: &str) -> String {
    let kept: String = name.chars().filter(|char| !IGNORED.contains(char)).collect();
    kept.trim_end_matches(['.', ' ']).to_lowercase()
}

/// Compared without regard to case, because the file system may do the same.
fn folded(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().to_lowercase())
}

/// The real path as far as it exists, for comparing.
fn real_folded(path: &Path) -> PathBuf {
    let mut known = path.to_owned();
    let mut rest = Vec::new();
    let real = loop {
        match known.canonicalize() {
            Ok(real) => break real,
            Err(_) => match known.file_name() {
                Some(name) => rest.push(name.to_owned()),
                None => break path.to_owned(),
            },
        }
        known.pop();
    };
    folded(&rest.iter().rev().fold(real, |path, name| path.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &ProtectedPaths, root: &Path, relative: &str, is_protected: bool) {
        let reason = paths.reason(root, Path::new(relative));
        assert_eq!(reason.is_some(), is_protected, "{relative}: {reason:?}");
        let allowed = paths.allowing(relative.into());
        assert_eq!(allowed.objection(root, Path::new(relative)), None, "{relative}");
        assert_eq!(
            allowed.objection(root, Path::new(".envrc")).is_some(),
            relative != ".envrc",
            "{relative}"
        );
    }

    #[test]
    fn what_guards_the_agent_is_protected() {
        let files = ["/p/hooks/guard.py", "/p/top.sh", "/elsewhere/x.sh"].map(PathBuf::from);
        let known = KnownPaths {
            hook_files: files.into(),
            settings_files: ["/p/dot/settings.json".into()].into(),
            program_folders: ["/p/.venv/bin".into(), "/p".into()].into(),
            identities: BTreeSet::new(),
        };
        let paths = ProtectedPaths { known: Arc::new(known), allowed: None };
        for (relative, is_protected) in [
            (".llxprt/settings.json", true),
            (".LLXPRT/new/x", true),
            ("sub/.llxprt/settings.json", true),
            (".hookrail/settings.json", true),
            ("sub/.Hookrail/tests/a.json", true),
            (".git/hooks/pre-commit", true),
            (".git/config", true),
            (".git/config.worktree", true),
            (".git/commondir", true),
            (".git/info/exclude", true),
            (".git/objects/info/alternates", true),
            (".git", true),
            ("sub/.git", true),
            (".Git/x", true),
            (".g\u{200c}it/config", true),
            (".git./config", true),
            ("GIT~1/config", true),
            (".gitignore", false),
            (".github/workflows/ci.yml", false),
            (".envrc", true),
            ("deep/.EnvRC", true),
            ("hooks/guard.py", true),
            ("hooks/json.py", true),
            ("hooks/json/__init__.py", true),
            ("Hooks/json.py", true),
            ("hooks2/x", false),
            ("top.sh", true),
            ("TOP.SH", true),
            ("beside-top.sh", false),
            ("dot/settings.json", true),
            ("dot/other.json", false),
            (".venv/bin/jq", true),
            (".venv/lib/x.py", false),
            ("src/config", false),
            ("src/hooks/x", false),
            ("llxprt/x", false),
            ("HEAD", false),
            ("x/refs/objects/HEAD", false),
        ] {
            check(&paths, Path::new("/p"), relative, is_protected);
        }
    }

    #[test]
    fn what_makes_a_folder_a_repository_is_protected_whichever_part_comes_last() {
        let parts = [("HEAD", "x/HEAD"), ("objects", "x/objects/a"), ("refs", "x/refs/heads/main")];
        for (last, written) in parts {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            let paths = ProtectedPaths::default();
            check(&paths, &root, written, false);
            for (name, _) in parts.iter().filter(|(name, _)| *name != last) {
                std::fs::create_dir_all(root.join("x").join(name)).unwrap();
            }
            check(&paths, &root, "x/config", false);
            check(&paths, &root, written, true);
            check(&paths, &root, &written.to_lowercase(), true);
            std::fs::create_dir_all(root.join("x").join(last)).unwrap();
            for inside in ["x/config", "x/hooks/pre-commit", "x/new"] {
                check(&paths, &root, inside, true);
            }
            check(&paths, &root, "y/config", false);
        }
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("HEAD"), "").unwrap();
        check(&ProtectedPaths::default(), &root, "commondir", true);
    }

    #[test]
    fn links_do_not_hide_what_is_protected() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("conf")).unwrap();
        std::fs::create_dir_all(root.join("store")).unwrap();
        std::os::unix::fs::symlink("conf", root.join(".llxprt")).unwrap();
        std::os::unix::fs::symlink("store", root.join(".git")).unwrap();
        std::fs::write(root.join("guard.sh"), "").unwrap();
        std::fs::hard_link(root.join("guard.sh"), root.join("same")).unwrap();
        let mut known = KnownPaths::default();
        known.add_hook_files([root.join("guard.sh")]);
        let paths = ProtectedPaths { known: Arc::new(known), allowed: None };
        for (relative, is_protected) in [
            ("conf/settings.json", true),
            ("conf/new", true),
            ("store/config", true),
            ("same", true),
            ("guard.sh", true),
            ("other", false),
        ] {
            check(&paths, &root, relative, is_protected);
        }
    }
}
