//! Which folder is the project, seen from a folder inside of it.

use std::path::{Path, PathBuf};

use hookrail::settings::SETTINGS_FOLDERS;

/// The project that `start` lies in: the nearest folder, from `start` upwards, that has a settings file or that
/// `is_known` (for instance because approvals exist for it, so that a project is not lost with its file). The
/// search ends with the first folder that holds `.git`, and before the home directory and the root. Without a
/// find it is `start` itself.
///
/// `start` must be a real path (absolute, links resolved), else folders may be passed by.
pub(super) fn find_project(start: &Path, home: &Path, is_known: impl Fn(&Path) -> bool) -> PathBuf {
    let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let inside = start.ancestors().take_while(|folder| **folder != *home && folder.parent().is_some());
    for folder in inside {
        // Whatever is at that place counts: a file that cannot be read must be reported, not passed by.
        let is_there = |file: &Path| file.symlink_metadata().is_ok();
        let is_dangling = |folder: &Path| folder.is_symlink() && !folder.exists();
        let has_settings = SETTINGS_FOLDERS
            .map(|name| folder.join(name))
            .iter()
            .any(|folder| is_there(&folder.join("settings.json")) || is_dangling(folder));
        if has_settings || is_known(folder) {
            return folder.to_owned();
        }
        if folder.join(".git").symlink_metadata().is_ok() {
            break;
        }
    }
    start.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_folder_with_settings_is_the_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let make = |path: &str| fs::create_dir_all(root.join(path)).unwrap();
        let settings = |path: &str| {
            make(&format!("{path}/.llxprt"));
            fs::write(root.join(path).join(".llxprt/settings.json"), "{}").unwrap();
        };
        make("home/work/repo/src/deep");
        make("home/work/repo/.git");
        make("home/work/repo/vendor/.git/inner");
        make("home/work/mono/packages/a/src");
        make("home/plain/sub");
        make("known/src");
        settings("home");
        settings("home/work/repo");
        settings("home/work/mono");
        make("home/work/own/.hookrail");
        fs::write(root.join("home/work/own/.hookrail/settings.json"), "{}").unwrap();
        make("home/work/own/a/b");
        settings("home/work/mono/packages/a");
        settings("outside");
        make("outside/x/y");
        for (start, expected) in [
            ("home/work/repo", "home/work/repo"),
            ("home/work/repo/src/deep", "home/work/repo"),
            ("home/work/own/a/b", "home/work/own"),
            // A repository of its own ends the search.
            ("home/work/repo/vendor", "home/work/repo/vendor"),
            ("home/work/mono/packages/a/src", "home/work/mono/packages/a"),
            ("home/work/mono/packages", "home/work/mono"),
            // The user's settings make no project of everything below the home directory.
            ("home/plain/sub", "home/plain/sub"),
            ("home", "home"),
            ("outside/x/y", "outside"),
            ("known/src", "known"),
        ] {
            let known = root.join("known");
            let found = find_project(&root.join(start), &root.join("home"), |folder| folder == known);
            assert_eq!(found, root.join(expected), "C2: {start}");
        }
    }

    #[test]
    fn a_settings_file_that_leads_nowhere_still_marks_its_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("p/.llxprt")).unwrap();
        fs::create_dir_all(root.join("p/src")).unwrap();
        std::os::unix::fs::symlink("/nowhere", root.join("p/.llxprt/settings.json")).unwrap();
        assert_eq!(find_project(&root.join("p/src"), &root.join("home"), |_| false), root.join("p"));
        fs::create_dir_all(root.join("q/src")).unwrap();
        std::os::unix::fs::symlink("/nowhere", root.join("q/.hookrail")).unwrap();
        assert_eq!(find_project(&root.join("q/src"), &root.join("home"), |_| false), root.join("q"));
    }
}
