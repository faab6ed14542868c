//! The paths that a command names, for code that only looks at the files: which of them exist is not checked here.

use std::path::{Path, PathBuf};

use super::words::{PROJECT, words};

/// Every path that a command could name, seen from the folder that it runs in. A name too many does no
/// harm: callers check whether there is such a file. Of a command that is too long or too deeply nested to be read
/// there are none.
pub fn named_paths(command: &str, folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let home_text = home.and_then(Path::to_str).map(|home| ("HOME".to_owned(), home.to_owned()));
    let variables: Vec<(String, String)> = home_text.into_iter().collect();
    let words = words(command, &variables).unwrap_or_default();
    words.iter().map(|word| resolve(word, folder, home)).collect()
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
