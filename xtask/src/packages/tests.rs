use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::*;
use crate::root;

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

/// All packages of such a program, in a folder of this name.
fn made(folder: &Path, name: &str) -> PathBuf {
    let program = program(folder, VERSION);
    let out = folder.join(name);
    make(&root(), &out, &[], &TARGETS.map(|target| (target.to_owned(), program.clone()))).unwrap();
    out
}

fn files(folder: &Path) -> Vec<String> {
    let list = output(Command::new("find").args([".", "-type", "f"]).current_dir(folder)).unwrap();
    let mut names: Vec<_> = list.lines().map(|name| name.trim_start_matches("./").to_owned()).collect();
    names.sort();
    names
}

fn listed(archive: &Path) -> Vec<String> {
    let list = output(Command::new("tar").arg("-tzf").arg(archive)).unwrap();
    list.lines().map(str::to_owned).collect()
}

/// One version number gives all packages, and the same files the same bytes.
#[test]
fn every_target_has_its_packages() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let out = made(dir.path(), "a");
    insta::assert_snapshot!(files(&out).join("\n").replace(VERSION, "V"), @r"
    SHA256SUMS
    homebrew/hookrail.rb
    hookrail-V-aarch64-apple-darwin.tar.gz
    hookrail-V-aarch64-apple-darwin.tar.gz.sha256
    hookrail-V-aarch64-unknown-linux-musl.tar.gz
    hookrail-V-aarch64-unknown-linux-musl.tar.gz.sha256
    hookrail-V-x86_64-apple-darwin.tar.gz
    hookrail-V-x86_64-apple-darwin.tar.gz.sha256
    hookrail-V-x86_64-unknown-linux-musl.tar.gz
    hookrail-V-x86_64-unknown-linux-musl.tar.gz.sha256
    install.sh
    npm/hookrail-V.tgz
    npm/hookrail-darwin-arm64-V.tgz
    npm/hookrail-darwin-x64-V.tgz
    npm/hookrail-linux-arm64-V.tgz
    npm/hookrail-linux-x64-V.tgz
    pypi/hookrail_cli-V-py3-none-macosx_10_12_x86_64.whl
    pypi/hookrail_cli-V-py3-none-macosx_11_0_arm64.whl
    pypi/hookrail_cli-V-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl
    pypi/hookrail_cli-V-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl
    ");
    run(Command::new("sha256sum").args(["--quiet", "--check", "SHA256SUMS"]).current_dir(&out)).unwrap();
    let sums = |out: &Path| fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    assert_eq!(sums(&made(dir.path(), "b")), sums(&out), "the same programs gave other packages");

    let target = TARGETS[0];
    let top = format!("hookrail-{VERSION}-{target}");
    let archive = out.join(format!("{top}.tar.gz"));
    let inside = listed(&archive).join("\n").replace(&top, "TOP");
    insta::assert_snapshot!(inside, @r"
    TOP/bin/hookrail
    TOP/share/bash-completion/completions/hookrail
    TOP/share/doc/hookrail/CHANGELOG.md
    TOP/share/doc/hookrail/LICENSE
    TOP/share/doc/hookrail/README.md
    TOP/share/fish/vendor_completions.d/hookrail.fish
    TOP/share/man/man1/hookrail.1
    TOP/share/zsh/site-functions/_hookrail
    ");
    run(Command::new("sha256sum")
        .args(["--quiet", "--check", &format!("{top}.tar.gz.sha256")])
        .current_dir(&out))
    .unwrap();

    let package = listed(&out.join(format!("npm/hookrail-linux-x64-{VERSION}.tgz")));
    assert_eq!(
        package,
        ["package/LICENSE", "package/README.md", "package/bin/hookrail", "package/package.json"]
    );
    let unpacked = dir.path().join("npm");
    fs::create_dir(&unpacked).unwrap();
    run(Command::new("tar")
        .arg("-xzf")
        .arg(out.join(format!("npm/hookrail-{VERSION}.tgz")))
        .arg("-C")
        .arg(&unpacked))
    .unwrap();
    let about: Value =
        serde_json::from_slice(&fs::read(unpacked.join("package/package.json")).unwrap()).unwrap();
    assert_eq!(about["optionalDependencies"]["@hookrail/darwin-arm64"], VERSION);
    assert_eq!(about.get("scripts"), None, "newer versions of npm do not run install scripts");
    assert!(unpacked.join("package/lib/hook.mjs").is_file());
}

/// What an installer gets that is not what was released is not installed, and nothing else is either.
#[test]
fn the_installer_refuses_another_archive() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let out = made(dir.path(), "packages");
    let prefix = dir.path().join("prefix");
    let install = |base: &Path| {
        let mut command = Command::new("sh");
        command.arg(out.join("install.sh")).arg("--prefix").arg(&prefix).env("HOOKRAIL_INSTALL_BASE", base);
        command.env("TMPDIR", dir.path()).output().unwrap()
    };
    let forged = dir.path().join("forged");
    fs::create_dir(&forged).unwrap();
    for target in TARGETS {
        let name = format!("hookrail-{VERSION}-{target}.tar.gz");
        let mut bytes = fs::read(out.join(&name)).unwrap();
        bytes.push(0);
        fs::write(forged.join(&name), bytes).unwrap();
    }
    for (base, why) in [
        (forged.as_path(), "checksum"),
        (Path::new("http://127.0.0.1:9"), "neither an https address"),
        (Path::new("packages"), "neither an https address"),
        (dir.path(), "cannot read"),
    ] {
        let refused = install(base);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains(why), "{}: {said}", base.display());
        assert!(!prefix.exists(), "{}", base.display());
    }
    let done = install(&out);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(prefix.join("bin/hookrail").is_file() && prefix.join("share/man/man1/hookrail.1").is_file());
}

#[test]
fn a_program_of_another_version_is_not_packed() {
    let _alone = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path(), "0.0.1-other");
    let out = dir.path().join("out");
    assert!(make(&root(), &out, &[], &[(TARGETS[0].to_owned(), program)]).is_err());
    assert!(!out.exists());
}

/// The number is written in the files that a registry or a developer reads; a release changes all of them.
#[test]
fn version_changelog_and_packages_agree() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let node: Value = serde_json::from_str(&read("clients/node/package.json")).unwrap();
    assert_eq!(node["version"], VERSION, "clients/node/package.json");
    for (name, version) in node["optionalDependencies"].as_object().unwrap() {
        assert_eq!(version, VERSION, "clients/node/package.json: {name}");
    }
    assert!(read("clients/python/pyproject.toml").contains(&format!("\nversion = \"{VERSION}\"\n")));
    let changelog = read("CHANGELOG.md");
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let released = headings.find(|heading| !heading.ends_with(" (unreleased)")).unwrap();
    assert_eq!(released.split(' ').next(), Some(VERSION), "CHANGELOG.md: {released}");
    for line in read("Cargo.toml")
        .lines()
        .filter(|line| line.contains("path = \"crates/") && line.contains("version"))
    {
        // One of them may be needed exactly.
        let version = line.split("version = \"").nth(1).unwrap().trim_start_matches('=');
        assert!(version.starts_with(&format!("{VERSION}\"")), "Cargo.toml: {line}");
    }
}
