use std::os::unix::fs::symlink;

use super::*;

fn lock(path: &Path) -> LockedFile {
    LockedFile::lock(path, &path.with_extension("lock")).unwrap()
}

#[test]
fn a_new_file_gets_the_given_mode_and_an_old_one_keeps_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new/settings.json");
    lock(&path).replace(b"one", 0o640).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&path), mode(parent(&path))), (0o640, 0o700));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    lock(&path).replace(b"two", 0o640).unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o604, b"two".to_vec()));
    lock(&path).replace_with_mode(b"three", 0o600).unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"three".to_vec()));
}

#[test]
fn a_link_stays_a_link_and_its_target_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("dotfiles/real.json"), dir.path().join("settings.json"));
    fs::create_dir(parent(&real)).unwrap();
    symlink("dotfiles/real.json", &link).unwrap();
    for text in ["dangling at first", "existing"] {
        lock(&link).replace(text.as_bytes(), 0o644).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), text);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
    symlink("b", dir.path().join("a")).unwrap();
    symlink("a", dir.path().join("b")).unwrap();
    LockedFile::lock(&dir.path().join("a"), &dir.path().join("lock")).unwrap_err();
}

#[test]
fn leftovers_of_killed_writers_go_and_strangers_stay() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.json");
    let names = [".store.json.4711.tmp", ".store.json..tmp", ".store.json.x.tmp", ".other.json.1.tmp"];
    for name in names {
        fs::write(dir.path().join(name), "half").unwrap();
    }
    lock(&path).replace(b"whole", 0o600).unwrap();
    let left: Vec<_> = names.into_iter().filter(|name| dir.path().join(name).exists()).collect();
    assert_eq!(left, &names[1..]);
}

#[test]
fn moving_aside_never_overwrites() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.json");
    for number in 1..=3 {
        fs::write(&path, number.to_string()).unwrap();
        let aside = lock(&path).move_aside("corrupt").unwrap();
        assert_eq!(aside, dir.path().join(format!("store.json.corrupt-{number}")));
        assert_eq!(fs::read_to_string(aside).unwrap(), number.to_string());
    }
}

#[test]
fn a_lock_file_that_was_removed_does_not_let_two_in() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let held = File::create(&path).unwrap();
    held.lock().unwrap();
    fs::remove_file(&path).unwrap();
    assert!(!is_still_at(&held, &path));
    File::create(&path).unwrap();
    assert!(!is_still_at(&held, &path));
    assert!(is_still_at(&wait_for_lock(&path, LOCK_PATIENCE).unwrap(), &path));
}

#[test]
fn a_failed_replacement_leaves_the_old_file_and_no_temporary_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.json");
    // A folder in the file's place cannot be replaced by a file.
    fs::create_dir_all(path.join("inside")).unwrap();
    let error = lock(&path).replace_with_mode(b"new", 0o600).unwrap_err();
    assert!(error.to_string().starts_with("cannot replace `"), "{error}");
    let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["store.json", "store.lock"]);
}
