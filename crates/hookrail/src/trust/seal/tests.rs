use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::SystemTime;

use super::*;
use crate::trust::tests::hook;

fn seal(project: &Path, command: &str) -> Seal {
    let project = ProjectDir::new(project);
    let files = load_named_files(&project, command, &[], &[]).unwrap();
    Seal::capture(&project, &hook(command), &files).unwrap()
}

fn verdict(seal: &Seal) -> String {
    match seal.recheck() {
        Recheck::Unchanged => "unchanged".to_owned(),
        Recheck::Changed { what } => what,
    }
}

#[test]
fn a_change_of_any_kind_is_seen_and_its_undoing_too() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("x.sh");
    fs::write(&script, "one").unwrap();
    let seal = seal(dir.path(), "bash x.sh later.txt");
    assert_eq!(verdict(&seal), "unchanged");
    // The same size at once: time stamps alone could miss it.
    fs::write(&script, "two").unwrap();
    assert_eq!(verdict(&seal), "`x.sh` changed");
    fs::remove_file(&script).unwrap();
    assert_eq!(verdict(&seal), "`x.sh` is gone");
    fs::create_dir(&script).unwrap();
    assert_eq!(verdict(&seal), "`x.sh` is not a file any more");
    fs::remove_dir(&script).unwrap();
    fs::write(&script, "one").unwrap();
    assert_eq!(verdict(&seal), "unchanged", "same content in a new file");
    fs::write(dir.path().join("later.txt"), "").unwrap();
    assert!(verdict(&seal).ends_with("later.txt` appeared"), "{}", verdict(&seal));
}

#[test]
fn a_folder_that_comes_with_the_script_in_it_is_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let seal = seal(dir.path(), "cd hooks && ./x.sh");
    fs::create_dir(dir.path().join("hooks")).unwrap();
    assert_eq!(verdict(&seal), "unchanged", "an empty folder runs nothing");
    fs::write(dir.path().join("hooks/x.sh"), "").unwrap();
    assert_eq!(verdict(&seal), "`hooks/x.sh` appeared");
}

#[test]
fn a_link_to_another_file_of_the_same_content_is_a_change() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::create_dir(dir.path().join(name)).unwrap();
        fs::write(dir.path().join(name).join("x.sh"), "same").unwrap();
    }
    let link = dir.path().join("link.sh");
    symlink("a/x.sh", &link).unwrap();
    let seal = seal(dir.path(), "bash link.sh");
    assert_eq!(verdict(&seal), "unchanged");
    fs::remove_file(&link).unwrap();
    symlink("b/x.sh", &link).unwrap();
    assert_eq!(verdict(&seal), "`link.sh` is another file");
}

#[test]
fn content_is_compared_whatever_stat_says_unless_the_file_is_large() {
    for (length, expected) in
        [(3, "`x.sh` changed"), (usize::try_from(ALWAYS_READ).unwrap() + 1, "unchanged")]
    {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("x.sh");
        fs::write(&script, vec![b'a'; length]).unwrap();
        let mut seal = seal(dir.path(), "bash x.sh");
        let seen = seal.files[0].seen.get_mut().unwrap();
        assert!(!seen.1, "a file made just now is not settled");
        // As it will be in two seconds.
        seen.1 = true;
        assert_eq!(verdict(&seal), "unchanged");
        seal.files[0].seen.get_mut().unwrap().1 = true;
        // With a digest that cannot hold, only a look that skips the content can say `unchanged`.
        let digest = std::mem::take(&mut seal.files[0].digest);
        assert_eq!(verdict(&seal), expected);
        seal.files[0].digest = digest;
        let file = fs::File::options().write(true).open(&script).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(verdict(&seal), "unchanged", "touched, same content");
    }
}

#[test]
fn mode_decides_whether_a_guard_runs() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("x.sh");
    fs::write(&script, "one").unwrap();
    let mode = |mode| fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
    for (command, before, after, expected) in [
        ("./x.sh", 0o755, 0o644, "`x.sh` has mode 0644, was 0755"),
        ("bash x.sh", 0o755, 0o777, "`x.sh` has mode 0777, was 0755"),
        ("./x.sh", 0o644, 0o644, "`x.sh` is not executable; `chmod +x` helps"),
        ("\"$LLXPRT_PROJECT_DIR/x.sh\" --strict", 0o644, 0o644, "`x.sh` is not executable; `chmod +x` helps"),
        ("bash x.sh", 0o644, 0o644, "unchanged"),
        ("./missing.sh", 0o644, 0o644, "`missing.sh` is not there"),
    ] {
        mode(before);
        let seal = seal(dir.path(), command);
        mode(after);
        assert_eq!(verdict(&seal), expected, "{command}");
    }
}

#[test]
fn many_threads_may_look_at_once() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("x.sh"), "one").unwrap();
    let seal = seal(dir.path(), "bash x.sh");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| assert_eq!(verdict(&seal), "unchanged")));
        }
    });
}
