use std::os::unix::fs::symlink;

use super::*;

fn found(root: &Path, patterns: &[&str]) -> String {
    let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    match watched_paths(root, &patterns) {
        Ok(WatchedPaths { files, .. }) => {
            let names = files.iter().map(|file| file.strip_prefix(root).unwrap().display().to_string());
            names.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn patterns_mean_the_files_that_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for file in ["a.py", "hooks/x.py", "hooks/lib/y.py", "hooks/lib/z.txt", ".git/config", "hooks/.hidden"] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "").unwrap();
    }
    symlink("/etc", root.join("hooks/out")).unwrap();
    symlink(".", root.join("hooks/circle")).unwrap();
    for (patterns, expected) in [
        (&["hooks/**"][..], "hooks/.hidden hooks/lib/y.py hooks/lib/z.txt hooks/x.py"),
        (&["hooks/"], "hooks/.hidden hooks/lib/y.py hooks/lib/z.txt hooks/x.py"),
        (&["./hooks/*.py"], "hooks/x.py"),
        (&["hooks/**/*.py"], "hooks/lib/y.py hooks/x.py"),
        (&["**/?.py"], "a.py hooks/lib/y.py hooks/x.py"),
        (&["a.py", "hooks/lib/*"], "a.py hooks/lib/y.py hooks/lib/z.txt"),
        (&["nothing/**"], ""),
        (&[], ""),
        (&["/etc/*"], "its `watch` cannot be kept: `/etc/*` is not relative to the project"),
        (&["hooks/../../x"], "its `watch` cannot be kept: `hooks/../../x` leaves the project"),
        (&[""], "its `watch` cannot be kept: `` names nothing"),
    ] {
        assert_eq!(found(root, patterns), expected, "{patterns:?}");
    }
}

#[test]
fn a_watch_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..=MAX_FILES {
        fs::write(dir.path().join(format!("f{number}")), "").unwrap();
    }
    assert_eq!(found(dir.path(), &["*"]), "its `watch` cannot be kept: it means more than 1000 files");
    assert_eq!(found(dir.path(), &["f1"]), "f1");
    let large = fs::File::create(dir.path().join("large")).unwrap();
    large.set_len(MAX_BYTES + 1).unwrap();
    assert!(found(dir.path(), &["large"]).ends_with("more than 16 MiB together"));
    // Patterns that could take exponential time do not.
    assert!(!fits(&"*a".repeat(40), &"a".repeat(39)));
}
