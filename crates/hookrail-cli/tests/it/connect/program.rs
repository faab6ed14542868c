//! The copy of the program that entries call.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use hookrail_testkit::TestProject;

use super::installed;
use crate::program::run;

fn mode(path: &std::path::Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Puts a program into the place of the copy that says it is of some version.
fn put(project: &TestProject, version: &str) {
    let file = installed(project);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("#!/bin/sh\necho hookrail {version}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn it_is_a_private_copy_that_is_written_once() {
    let project = TestProject::new();
    let file = installed(&project);
    let folder = file.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    let ran = run(&project, &["connect", "claude"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.starts_with("wrote ~/.hookrail/bin/hookrail: hookrail "), "{ran}");
    assert_eq!((mode(folder), mode(&file)), (0o700, 0o755));
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 1, "a copy, not a link");
    let inode = fs::metadata(&file).unwrap().ino();
    let ran = run(&project, &["connect", "codex"]);
    assert!(!ran.stdout.contains(".hookrail/bin"), "{ran}");
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "the program and its lock: {left:?}");
}

#[test]
fn an_older_one_is_replaced_and_a_newer_one_stays() {
    let project = TestProject::new();
    put(&project, "0.0.1");
    assert_eq!(run(&project, &["connect", "claude"]).code, Some(0));
    assert!(fs::metadata(installed(&project)).unwrap().len() > 1000, "replaced");
    put(&project, "999.0.0");
    let ran = run(&project, &["connect", "claude"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("999.0.0") && ran.stderr.contains("--force"), "{ran}");
    assert!(fs::metadata(installed(&project)).unwrap().len() < 1000, "kept");
    assert_eq!(run(&project, &["connect", "claude", "--force"]).code, Some(0));
    assert!(fs::metadata(installed(&project)).unwrap().len() > 1000, "replaced on request");
}

#[test]
fn links_are_not_followed() {
    let project = TestProject::new();
    let (file, elsewhere) = (installed(&project), project.dir().join("elsewhere"));
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(file.parent().unwrap().parent().unwrap()).unwrap();
    symlink(&elsewhere, file.parent().unwrap()).unwrap();
    let refused = || {
        let ran = run(&project, &["connect", "claude"]);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("is a link"), "{ran}");
        assert!(!project.home().join(".claude/settings.json").exists(), "{ran}");
    };
    refused();
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_file(file.parent().unwrap()).unwrap();
    fs::create_dir(file.parent().unwrap()).unwrap();
    let other = project.script("other", "exit 0");
    symlink(&other, &file).unwrap();
    refused();
    assert_eq!(fs::read_to_string(&other).unwrap().matches("exit 0").count(), 1);
}

#[test]
fn nothing_is_installed_for_a_file_that_cannot_be_edited() {
    let project = TestProject::new();
    super::write(&project.home().join(".claude/settings.json"), "{ oops");
    assert_eq!(run(&project, &["connect", "claude"]).code, Some(1));
    assert_eq!(run(&project, &["connect", "codex", "--dry-run"]).code, Some(0));
    assert!(!project.home().join(".hookrail").exists());
}
