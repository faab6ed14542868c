//! What a person reads of hooks: failures as failures, what has no effect as such, lost answers as lost.

use std::fs;

use hookrail_testkit::{TestProject, write_executable};
use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, answer, shell};
use crate::program::{Ran, run};

/// A project whose user has one hook.
fn with_hook(event: &str, hook: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { event: [{ "hooks": [hook] }] } }));
    project
}

fn command(command: &str) -> Value {
    json!({ "type": "command", "name": "guard", "command": command })
}

fn fire(project: &TestProject, event: &str) -> Ran {
    run(project, &["fire", event])
}

#[test]
fn a_failed_hook_is_shown_as_one_that_failed() {
    for (script, failure, hint) in [
        ("echo oops >&2; exit 1", "exited with code 1: oops", "exit 2 blocks, 1 does not"),
        ("exit 7", "exited with code 7", "exit 2 blocks, 7 does not"),
        ("no-such-program-at-all", "exited with code 127", "PATH was searched: "),
        ("HOME/missing.sh", "exited with code 127", "missing.sh` does not exist"),
        ("HOME/plain.sh", "exited with code 126", "chmod +x"),
        ("HOME/windows.sh", "exited with code 127", "`sed -i 's/\\r$//'"),
        ("HOME/calls.sh", "exited with code 127", "no-such-tool is in none of the folders of PATH: "),
    ] {
        let scripts = TestProject::new();
        scripts.file("plain.sh", "#!/bin/bash\nexit 2\n");
        scripts.script("calls.sh", "no-such-tool");
        write_executable(&scripts.dir().join("windows.sh"), "#!/bin/bash\r\nexit 2\r\n");
        // Scripts of the user lie outside of the project.
        let script = script.replace("HOME", &scripts.dir().display().to_string());
        let project = with_hook("BeforeTool", &command(&script));
        let ran = fire(&project, "BeforeTool");
        assert_eq!(ran.code, Some(0), "{ran}");
        let line = format!("  failed, so the call went on: {failure}");
        assert!(ran.stdout.contains(&line), "{ran}");
        assert!(ran.stdout.contains("  hint: ") && ran.stdout.contains(hint), "{hint}: {ran}");
        for misleading in ["decision:", "systemMessage:", "stderr:", "error    "] {
            assert!(!ran.stdout.contains(misleading), "{misleading}: {ran}");
        }
    }
}

#[test]
fn a_failure_that_blocks_or_stands_beside_a_block_is_reported_as_such() {
    let strict = json!({ "type": "command", "name": "guard", "command": "exit 9", "onFailure": "block" });
    let ran = fire(&with_hook("BeforeTool", &strict), "BeforeTool");
    assert!(ran.stdout.contains("failed, so the call is blocked: exited with code 9"), "{ran}");
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "hooks": [command("exit 9"), { "type": "command", "command": "echo no >&2; exit 2" }] }
    ] } }));
    let ran = fire(&project, "BeforeTool");
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stdout.contains("failed, and decided nothing: exited with code 9"), "{ran}");
    assert!(!ran.stdout.contains("went on"), "{ran}");
}

#[test]
fn the_trace_shows_a_failure_in_one_line_and_no_message_that_was_not_printed() {
    let scenario = Scenario::new().calls(&[shell("echo hi")]).says("Done.");
    let run = scenario.hook("BeforeTool", "echo oops >&2; exit 1").run("go");
    run.expect(0, "Done.\n");
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.contains("oops")).collect();
    assert_eq!(lines.len(), 1, "{}", run.shown());
    assert!(lines[0].contains("failed, so the call went on: exited with code 1: oops"), "{}", lines[0]);
    assert!(lines[0].contains("exit 2 blocks, 1 does not"), "{}", lines[0]);
    assert!(!run.stderr.contains("Warning:"), "{}", run.shown());
}

#[test]
fn what_is_only_observed_is_not_shown_as_done() {
    let blocks = answer(&json!({ "decision": "block", "reason": "again" }));
    let project = with_hook("AfterAgent", &command(&blocks));
    let ran = fire(&project, "AfterAgent");
    assert_eq!(ran.code, Some(2), "the verdict stays: {ran}");
    assert!(ran.stdout.contains("a block, which has no effect here: again"), "{ran}");
    let why = "`hookrail agent` ignores what AfterAgent hooks ask for unless `hooksConfig.agentEvents` is `apply`; agents \
               connected with `hookrail connect` apply it unless that is `observe`";
    assert!(ran.stdout.contains(why), "{ran}");
    assert!(!ran.stdout.contains("blocked by policy"), "{ran}");
    let json = run(&project, &["fire", "AfterAgent", "--format", "json"]).json();
    assert_eq!((&json["blocked"], &json["blockCause"]), (&json!(true), &json!("policy")));
    let check = run(&project, &["check"]);
    assert_eq!(check.code, Some(0), "a note: {check}");
    assert!(
        check.stdout.contains("a block or a change by a hook of AfterAgent has no effect here"),
        "{check}"
    );
    assert!(check.stdout.contains(why), "{check}");

    let mut settings: Value =
        serde_json::from_str(&fs::read_to_string(project.user_settings_path()).unwrap()).unwrap();
    settings["hooksConfig"] = json!({ "agentEvents": "apply" });
    project.user_settings(&settings);
    let ran = fire(&project, "AfterAgent");
    assert!(ran.stdout.contains("blocked by policy: again"), "{ran}");
    assert!(!ran.stdout.contains("no effect"), "{ran}");
    assert!(!run(&project, &["check"]).stdout.contains("no effect"));
}

#[test]
fn the_trace_marks_what_has_no_effect() {
    let stops = answer(&json!({ "continue": false, "stopReason": "enough" }));
    let adds = answer(&json!({ "decision": "block", "hookSpecificOutput": { "additionalContext": "more" } }));
    let run = Scenario::new().says("Done.").hook("SessionStart", stops).hook("BeforeAgent", adds).run("go");
    run.expect(0, "Done.\n");
    run.expect_printed("stop (has no effect here): enough");
    run.expect_printed("block (has no effect here)");
    run.expect_printed("add (has no effect here): more");
}

#[test]
fn a_block_of_a_rule_that_cannot_block_is_found() {
    let rule = json!({ "type": "rule", "name": "late", "when": {}, "block": "too late" });
    let check = run(&with_hook("AfterTool", &rule), &["check"]);
    assert!(
        check.stdout.contains("the block of this rule has no effect here: AfterTool cannot be blocked"),
        "{check}"
    );
}

#[test]
fn an_answer_with_text_beside_it_is_warned_about_everywhere() {
    let noisy = format!("echo checking; {}", answer(&json!({ "decision": "block", "reason": "no" })));
    let ran = fire(&with_hook("BeforeTool", &command(&noisy)), "BeforeTool");
    assert_eq!(ran.code, Some(0), "O23: plain text: {ran}");
    assert!(ran.stdout.contains("warning: line 2 of stdout is a block that is ignored"), "O23: {ran}");
    let run = Scenario::new().calls(&[shell("echo hi")]).says("Done.").hook("BeforeTool", noisy).run("go");
    run.expect(0, "Done.\n");
    run.expect_printed("warning: line 2 of stdout is a block that is ignored");
}

#[test]
fn names_of_other_programs_are_understood() {
    let project = TestProject::new();
    let ran = run(&project, &["fire", "PreToolUse"]);
    assert_eq!(ran.code, Some(64), "{ran}");
    assert!(ran.stderr.contains("`BeforeTool`") && ran.stderr.contains("--agent"), "{ran}");
    for command in ["init", "explain"] {
        let ran = run(&project, &[command, "PreToolUse"]);
        assert_eq!(ran.code, Some(64), "{ran}");
        assert!(ran.stderr.contains("BeforeTool'") && ran.stderr.contains("similar"), "{ran}");
    }
    let group = |matcher: &str| json!({ "matcher": matcher, "hooks": [command("true")] });
    for (matcher, expected) in [
        ("Bash", "did you mean `run_shell_command`?"),
        ("Write|Edit", "did you mean `write_file|replace`?"),
        ("write_*", "matcher `write_*` looks like a glob, but it is a regular expression"),
    ] {
        project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [group(matcher)] } }));
        let check = run(&project, &["check"]);
        assert!(check.stdout.contains(expected), "{expected}: {check}");
    }
}

#[test]
fn a_models_words_give_no_orders_to_a_terminal_piped_or_not() {
    let run = Scenario::new().says("a\u{202e}b\u{9b}2Jc\u{1b}[2J").run("go");
    run.expect(0, "a\\u{202e}b\\u{9b}2Jc\\u{1b}[2J\n");
}

#[test]
fn a_shell_command_that_fails_is_not_shown_as_a_success() {
    let run = Scenario::new().calls(&[shell("echo no; exit 3")]).says("Done.").run("go");
    run.expect_printed("tool run_shell_command (exit 3): no");
    assert_eq!(run.tools(), ["run_shell_command success"], "the log keeps the status of the call");
}

#[test]
fn reasons_of_several_lines_are_shown_as_lines() {
    let blocks = "printf 'first\\nsecond\\033[2J\\n' >&2; exit 2";
    let run = Scenario::new().calls(&[shell("echo hi")]).says("Done.").hook("BeforeTool", blocks).run("go");
    run.expect_printed("blocked run_shell_command: first\n    second\\u{1b}[2J\n");
}

#[test]
fn explain_gives_every_reason() {
    let project = TestProject::new();
    project.settings(
        &json!({ "hooks": { "BeforeTool": [{ "matcher": "^read_file$", "hooks": [command("true")] }] } }),
    );
    project.user_settings(&json!({ "enableHooks": true }));
    // It is not approved, it is disabled, and its matcher does not match.
    assert_eq!(run(&project, &["disable", "guard"]).code, Some(0));
    let args = ["explain", "BeforeTool", "--tool", "write_file"];
    let ran = run(&project, &args);
    for reason in ["disabled", "never approved", "matcher `^read_file$` does not match `write_file`"] {
        assert!(ran.stdout.contains(reason), "{reason}: {ran}");
    }
    let report = run(&project, &[&args[..], &["--format", "json"]].concat()).json();
    let codes: Vec<&Value> =
        report["skipped"][0]["reasons"].as_array().unwrap().iter().map(|r| &r["code"]).collect();
    assert_eq!(codes, ["disabled", "not-approved", "matcher-does-not-match"]);
    assert_eq!(report["skipped"][0]["code"], "disabled");
}

#[test]
fn history_is_kept_apart_by_project() {
    let project = with_hook("BeforeTool", &command("true"));
    let other = project.dir().with_file_name("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_string_lossy().into_owned();
    assert_eq!(run(&project, &["fire", "BeforeTool", "--tool", "read_file"]).code, Some(0));
    assert_eq!(run(&project, &["-C", &other, "fire", "BeforeTool", "--tool", "glob"]).code, Some(0));
    assert_eq!(run(&project, &["-C", &other, "fire", "BeforeTool", "--tool", "glob"]).code, Some(0));
    let runs = |ran: Ran| ran.json()["hooks"][0]["runs"].clone();
    assert_eq!(runs(run(&project, &["list", "--format", "json"])), 1);
    assert_eq!(runs(run(&project, &["-C", &other, "list", "--format", "json"])), 2);

    let log = |args: &[&str]| run(&project, &[&["log", "--calls"], args].concat()).stdout;
    assert_eq!(log(&[]).lines().count(), 3);
    assert!(
        log(&[]).contains("guard for read_file\n") && log(&[]).contains("guard for glob in "),
        "{}",
        log(&[])
    );
    assert_eq!(log(&["--project"]).lines().count(), 1);
    assert_eq!(log(&["--project", &other]).lines().count(), 2);
    assert_eq!(log(&["--tool", "glob"]).lines().count(), 2);
    assert_eq!(log(&["-n", "1", "--tool", "read_file"]).lines().count(), 1);
    assert_eq!(log(&["-n", "2"]).lines().count(), 2);
    assert_eq!(log(&["-n", "0"]), "");
    assert_eq!(log(&["--since", "1h"]).lines().count(), 3);
    assert_eq!(log(&["--since", "2099-01-01"]), "");
    assert_eq!(log(&["--session", "no-such-session"]), "");
    let stats = run(&project, &["log", "--stats", "--format", "json"]).json();
    assert_eq!(stats.as_array().unwrap().len(), 2, "{stats}");
    assert_eq!(run(&project, &["log", "--since", "yesterday"]).code, Some(64));
}

#[test]
fn a_missing_key_is_noticed_before_any_hook_runs() {
    let project = with_hook("SessionStart", &command("touch started"));
    let ran = run(&project, &["agent", "-p", "go"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("no API key"), "{ran}");
    assert!(!project.dir().join("started").exists(), "{ran}");
}

#[test]
fn notifications_contain_what_a_call_is_about() {
    let scenario = |call| {
        Scenario::new()
            .approval("default")
            .hook("Notification", "cat >> told.jsonl; echo >> told.jsonl")
            .calls(&[call])
            .says("Done.")
            .run("go")
    };
    let told = |call| scenario(call).recorded("told.jsonl")[0]["details"].clone();
    let details = told(shell("git status"));
    assert_eq!(
        (&details["type"], &details["command"], &details["rootCommand"]),
        (&json!("exec"), &json!("git status"), &json!("git"))
    );
    let details = told(crate::agent_scenario::write("docs/a.txt", "x"));
    assert_eq!(
        (&details["type"], &details["filePath"], &details["fileName"], &details["fileDiff"]),
        (&json!("edit"), &json!("docs/a.txt"), &json!("a.txt"), &json!("@@ -1,0 +1,1 @@\n+x"))
    );
}
