//! Trust: a cloned project's hooks do not run by themselves, and an agent cannot switch its own guard off.

use serde_json::json;

use crate::agent_scenario::{Scenario, shell, write};

/// A project whose hooks would write a file if they ran.
fn cloned() -> Scenario {
    Scenario::new()
        .in_project()
        .calls(&[write("a.txt", "x")])
        .says("Done.")
        .hook("BeforeTool", "touch \"$LLXPRT_PROJECT_DIR/ran\"; exit 2")
}

#[test]
fn unapproved_hooks_do_not_run_and_are_named() {
    let run = cloned().run("go");
    run.expect(0, "Done.\n");
    assert!(!run.project.dir().join("ran").exists());
    assert_eq!(run.tools(), ["write_file success"]);
    run.expect_printed("hookrail trust");
    run.expect_printed("BeforeTool-1");
    assert_eq!(run.stderr.matches("warning:").count(), 1, "one clear warning: {}", run.shown());
}

#[test]
fn trust_hooks_approves_for_one_run() {
    let run = cloned().args(&["--trust-hooks"]).run("go");
    run.expect(0, "Done.\n");
    assert!(run.project.dir().join("ran").exists());
    assert_eq!(run.tools(), ["write_file blocked"]);
    assert!(!run.stderr.contains("hookrail trust"), "{}", run.shown());
}

/// A guard that the agent's own tool rewrote blocks until it is approved again.
#[test]
fn an_agent_cannot_switch_its_own_guard_off() {
    let scenario = Scenario::new()
        .in_project()
        .calls(&[shell("echo 'exit 0' > guard.sh")])
        .calls(&[write("a.txt", "x")])
        .says("Done.")
        .hook_with("BeforeTool", "./guard.sh", json!({}))
        .args(&["--trust-hooks"]);
    scenario.project.script("guard.sh", "exit 0");
    let run = scenario.run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["run_shell_command success", "write_file blocked"], "{}", run.shown());
    run.expect_printed("changed since it was approved");
    assert!(!run.project.dir().join("a.txt").exists());
}

/// A broken settings file is one warning, and the other levels still count.
#[test]
fn broken_settings_are_named() {
    let scenario =
        Scenario::new().calls(&[write("a.txt", "x")]).says("Done.").hook("BeforeTool", "echo no >&2; exit 2");
    scenario.project.file(".hookrail/settings.json", "{ \"hooks\": [");
    let run = scenario.run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file blocked"]);
    run.expect_printed("error: .hookrail/settings.json:1:");
}
