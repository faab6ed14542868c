use std::sync::{Mutex, MutexGuard, PoisonError};

use super::*;

/// A file that is open for writing anywhere cannot be executed, and a process that another test starts at that moment
/// inherits it for an instant. So the tests that write a program run one after another.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that answers as the real one does, without being built.
fn program(folder: &Path, version: &str) -> PathBuf {
    let path = folder.join("hookrail-program");
    let script = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo 'hookrail {version}' ;;\n\
             completions) echo \"# for $2\" ;;\nman) echo .TH > \"$2/hookrail.1\" ;;\n*) exit 9 ;;\nesac\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_archive_has_the_layout_of_a_prefix_and_a_digest_beside_it() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path(), VERSION);
    let folder = dir.path().join("hookrail-x");
    stage(&crate::root(), &program, &folder).unwrap();
    let archive = pack(&folder, "1000000000").unwrap();

    let list = run(Command::new("tar").args(["--list", "--verbose", "--file"]).arg(&archive)).unwrap();
    let files = list.lines().filter(|line| line.starts_with('-'));
    let files: Vec<_> = files.filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(
        files,
        [
            "hookrail-x/bin/hookrail",
            "hookrail-x/share/bash-completion/completions/hookrail",
            "hookrail-x/share/doc/hookrail/CHANGELOG.md",
            "hookrail-x/share/doc/hookrail/LICENSE",
            "hookrail-x/share/doc/hookrail/README.md",
            "hookrail-x/share/fish/vendor_completions.d/hookrail.fish",
            "hookrail-x/share/man/man1/hookrail.1",
            "hookrail-x/share/zsh/site-functions/_hookrail",
        ]
    );
    assert!(list.lines().any(|line| line.starts_with("-rwxr-xr-x 0/0") && line.ends_with("bin/hookrail")));
    let fish = folder.join("share/fish/vendor_completions.d/hookrail.fish");
    assert_eq!(fs::read_to_string(fish).unwrap(), "# for fish\n");
    run(Command::new("sha256sum").args(["--check", "hookrail-x.tar.gz.sha256"]).current_dir(dir.path()))
        .unwrap();
}

#[test]
fn the_same_files_give_the_same_archive() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path(), VERSION);
    let archives = ["a", "b"].map(|place| {
        let folder = dir.path().join(place).join("hookrail-x");
        stage(&crate::root(), &program, &folder).unwrap();
        fs::read(pack(&folder, "1000000000").unwrap()).unwrap()
    });
    assert!(archives[0] == archives[1], "the archives differ");
}

#[test]
fn a_program_of_another_version_is_not_packed() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path(), "0.0.1-other");
    let error = stage(&crate::root(), &program, &dir.path().join("hookrail-x")).unwrap_err();
    assert!(error.to_string().contains("0.0.1-other"), "{error}");
}
