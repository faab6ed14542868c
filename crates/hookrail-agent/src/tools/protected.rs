//! Files that decide what guards the agent: hooks and their settings, and what runs by itself in a repository.
//!
//! The file tools write them only after a person allowed it, in every approval mode. A path is looked at when the question
//! is asked and once more when the file is written, both times after links and `..` were resolved, so that no alias of a
//! path and no link that is swapped in between gets past.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookrail::internal::ResolvedSettings;

/// The paths of one session that are written only with a person's permission.
#[derive(Debug, Clone, Default)]
pub struct ProtectedPaths {
    /// The real paths of the files of approved hooks.
    sealed: Arc<[PathBuf]>,
    /// Whether a person allowed the call at hand.
    is_allowed: bool,
}

impl ProtectedPaths {
    /// The files of approved hooks, and what is protected in every project.
    pub fn of(settings: &ResolvedSettings) -> Self {
        let sealed =
            settings.sealed_files().map(|file| file.canonicalize().unwrap_or_else(|_| file.to_owned()));
        Self { sealed: sealed.collect(), is_allowed: false }
    }

    /// The same for a call that a person allowed.
    pub(crate) fn allowed(&self) -> Self {
        Self { is_allowed: true, ..self.clone() }
    }

    /// Why a file must not be written without a question; `relative` is its real path below `root`.
    pub(crate) fn reason(&self, root: &Path, relative: &Path) -> Option<&'static str> {
        let names: Vec<String> = relative
            .components()
            .filter_map(|part| match part {
                // Some file systems ignore case.
                Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
                _ => None,
            })
            .collect();
        if names.iter().any(|name| name == ".llxprt") {
            return Some("settings of hooks are in `.llxprt`");
        }
        if names.last().is_some_and(|name| name == ".envrc") {
            return Some("`.envrc` is run by the shell of everyone who enters the folder");
        }
        let mut behind_git = names.iter().skip_while(|name| *name != ".git");
        if behind_git.next().is_some() {
            let rest: Vec<&String> = behind_git.collect();
            if rest.is_empty() || rest.iter().any(|name| *name == "hooks" || name.starts_with("config")) {
                return Some("git runs what its hooks and its configuration say");
            }
        }
        let file = lowercase(&root.join(relative));
        let root = lowercase(root);
        let is_sealed = self.sealed.iter().any(|sealed| {
            let sealed = lowercase(sealed);
            let folder = sealed.parent().filter(|folder| **folder != *root && folder.starts_with(&root));
            file == sealed || folder.is_some_and(|folder| file.starts_with(folder))
        });
        is_sealed.then_some("an approved hook is in this folder, and may load what is beside it")
    }

    /// The same for the moment of writing: nothing, if a person allowed the call.
    pub(crate) fn objection(&self, root: &Path, relative: &Path) -> Option<&'static str> {
        if self.is_allowed { None } else { self.reason(root, relative) }
    }
}

/// Compared without regard to case, because the file system may do the same.
fn lowercase(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_guards_the_agent_is_protected() {
        let sealed = ["/p/hooks/guard.py", "/p/top.sh", "/elsewhere/x.sh"].map(PathBuf::from);
        let paths = ProtectedPaths { sealed: Arc::from(sealed), is_allowed: false };
        for (relative, is_protected) in [
            (".llxprt/settings.json", true),
            (".LLXPRT/new/x", true),
            ("sub/.llxprt/settings.json", true),
            (".git/hooks/pre-commit", true),
            (".git/config", true),
            (".git/config.worktree", true),
            (".git", true),
            (".git/modules/sub/hooks/x", true),
            (".git/info/exclude", false),
            (".gitignore", false),
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
            ("src/config", false),
            ("src/hooks/x", false),
            ("llxprt/x", false),
        ] {
            let reason = paths.reason(Path::new("/p"), Path::new(relative));
            assert_eq!(reason.is_some(), is_protected, "{relative}: {reason:?}");
            assert_eq!(paths.allowed().objection(Path::new("/p"), Path::new(relative)), None, "{relative}");
        }
    }
}
