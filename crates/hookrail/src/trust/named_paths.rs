//! The paths that a command names, for code that only looks at the files: which of them exist is not checked here.

use std::path::{Path, PathBuf};

use super::command_words::{PROJECT, words};
use super::named_files::{ProjectDir, interpreter_words, load_named_files};
use super::relative::relative_words;
use super::watch::watched_paths;
use crate::hook::Hook;

/// Every path that a command could name, seen from the folder that it runs in. A name too many does no
/// harm: callers check whether there is such a file. Of a command that is too long or too deeply nested to be read
/// there are none.
pub fn named_paths(command: &str, folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let home_text = home.and_then(Path::to_str).map(|home| ("HOME".to_owned(), home.to_owned()));
    let variables: Vec<(String, String)> = home_text.into_iter().collect();
    let words = words(command, &variables).unwrap_or_default();
    words.iter().map(|word| resolve(word, folder, home)).collect()
}

/// The files of a project that a hook of any level runs or watches, with those that it would run if they were there.
/// Looks at the disk. Of a command that is too long or too deeply nested to be read there are none.
pub fn hook_files(project: &Path, hook: &Hook) -> Vec<PathBuf> {
    let dir = ProjectDir::new(project);
    let Some(command) = hook.command_text() else { return Vec::new() };
    let Ok(files) = load_named_files(&dir, hook) else { return Vec::new() };
    let watched = watched_paths(&dir.real, &hook.watch).unwrap_or_default().files;
    let started = relative_words(command).into_iter().map(|word| dir.real.join(word.text));
    // Other words may name what the hook reads or looks for.
    let named = files.found.into_iter().map(|file| file.location).chain(files.absent);
    named.filter(|place| looks_like_program(place)).chain(started).chain(watched).collect()
}

/// Whether a file is, or by its name would be, something that can be run.
fn looks_like_program(place: &Path) -> bool {
    const EXTENSIONS: [&str; 14] =
        ["sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "jar"];
    let by_name = place.extension().is_some_and(|end| EXTENSIONS.iter().any(|known| end == *known));
    let is_executable = || rustix::fs::access(place, rustix::fs::Access::EXEC_OK).is_ok();
    by_name || (place.is_file() && (is_executable() || !interpreter_words(place).is_empty()))
}

fn resolve(word: &str, folder: &Path, home: Option<&Path>) -> PathBuf {
    if let Some(rest) = word.strip_prefix(PROJECT) {
        return folder.join(rest.trim_start_matches('/'));
    }
    match (word.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_hooks_of_every_level_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap();
        std::fs::create_dir(project.join("hooks")).unwrap();
        std::fs::write(project.join("hooks/a.py"), "#!/usr/bin/env python3\n").unwrap();
        let absolute = format!("python3 {}/hooks/a.py", project.display());
        for (command, expected) in [
            (absolute.as_str(), "hooks/a.py"),
            ("~/work/x/hooks/a.py --strict", "hooks/a.py"),
            ("python3 \"$ROOT/hooks/a.py\"", "hooks/a.py"),
            ("bash -c 'exec hooks/a.py'", "hooks/a.py"),
            ("node ./late.js data.txt", "late.js"),
            ("bash hooks/late", "hooks/late"),
        ] {
            let mut hook = Hook::new(crate::event::EventName::BeforeTool, command);
            let expected = project.join(expected);
            let files: Vec<PathBuf> =
                hook_files(&project, &hook).iter().map(|file| file.components().collect()).collect();
            assert!(files.contains(&expected), "{command}: {files:?}");
            assert!(!files.contains(&project.join("exec")), "{command}: {files:?}");
            assert!(!files.contains(&project.join("data.txt")), "{command}: {files:?}");
            hook.kind = crate::hook::HookKind::Plugin;
            assert_eq!(hook_files(&project, &hook), Vec::<PathBuf>::new());
        }
    }

    #[test]
    fn paths_are_found_however_they_are_written() {
        let (folder, home) = (Path::new("/p"), Path::new("/home/me"));
        for (command, expected) in [
            ("python3 hooks/a.py", "/p/hooks/a.py"),
            ("python3 'my hooks/a.py'", "/p/my hooks/a.py"),
            ("python3 \"$LLXPRT_PROJECT_DIR/my hooks/a.py\"", "/p/my hooks/a.py"),
            ("\"$CLAUDE_PROJECT_DIR\"/hooks/a.sh --strict", "/p/hooks/a.sh"),
            ("bash -c 'exec ./a.sh'", "/p/./a.sh"),
            ("node ~/hooks/a.js", "/home/me/hooks/a.js"),
            ("node \"$HOME/hooks/a.js\"", "/home/me/hooks/a.js"),
            ("/opt/guard --rules=rules.json", "/p/rules.json"),
        ] {
            let paths = named_paths(command, folder, Some(home));
            assert!(paths.contains(&PathBuf::from(expected)), "{command}: {paths:?}");
        }
        let paths = named_paths("./a.sh >> audit.log", folder, None);
        assert!(!paths.contains(&PathBuf::from("/p/audit.log")), "what it writes does not count: {paths:?}");
    }
}
