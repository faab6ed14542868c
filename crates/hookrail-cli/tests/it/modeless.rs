//! Guards on a file system without modes, where every script can be executed or none, and `chmod` has no effect.

use std::path::Path;
use std::process::Command;

use hookrail_testkit::TestProject;
use serde_json::json;

/// Where the tests have their file system; `unshare` hides what is mounted there from other processes.
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/modeless/modeless.py");

/// What the server ends with where FUSE or namespaces are not to be had.
const CANNOT_MOUNT: i32 = 77;

/// A project with a guard that is approved, asked, deprived of its bit and asked again, where every file has `mode`.
/// `None` where no such file system can be made.
fn story(project: &TestProject, mode: &str, command: &str) -> Option<String> {
    let mount = project.home().join("mount");
    std::fs::create_dir_all(&mount).unwrap();
    project.file("hooks/guard.sh", "#!/bin/sh\necho no >&2\nexit 2\n");
    project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": command, "name": "guard" }] },
    ] } }));
    let steps = r#"
        fire() { "$0" fire BeforeTool --tool read_file --input '{}' 2>&1; echo "ended with $?."; }
        "$0" trust --yes > /dev/null 2>&1
        fire
        chmod a-x hooks/guard.sh 2> /dev/null && echo "chmod had an effect"
        fire"#;
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "python3", SERVER])
        .arg(project.dir())
        .arg(&mount)
        .args([mode, "sh", "-c", steps])
        .arg(Path::new(env!("CARGO_BIN_EXE_hookrail")))
        .env("HOOKRAIL_HOME", project.home())
        .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
        .output();
    // Without root, a kernel may forbid the namespaces or the device.
    let output = output.ok().filter(|output| {
        output.status.success() || (output.status.code() != Some(CANNOT_MOUNT) && !output.stdout.is_empty())
    })?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_guard_works_or_is_reported_where_files_have_no_modes() {
    let cases = [
        ("777", "./hooks/guard.sh", "blocked by policy: no"),
        ("755", "./hooks/guard.sh", "blocked by policy: no"),
        ("666", "sh hooks/guard.sh", "blocked by policy: no"),
        (
            "666",
            "./hooks/guard.sh",
            "is not executable; run `chmod +x hooks/guard.sh` or name its interpreter in the command",
        ),
    ];
    for (mode, command, expected) in cases {
        let project = TestProject::new();
        let Some(said) = story(&project, mode, command) else { return };
        assert!(!said.contains("chmod had an effect"), "{mode}: {said}");
        assert_eq!(said.matches("ended with 2.").count(), 2, "{mode}, {command}: {said}");
        assert_eq!(said.matches("ended with ").count(), 2, "{mode}, {command}: {said}");
        assert!(said.contains(expected), "{mode}, {command}: {said}");
    }
}
