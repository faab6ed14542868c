//! A patch is asked about file by file, of hooks that listen to the tools that write single files.

use std::fmt::Write as _;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, run, run_with_stdin};

const PATCH: &str = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: src/a.rs\n@@ fn a\n same\n-old\n\
                     +new\n*** Delete File: gone.txt\n*** Update File: from.txt\n*** Move to: to.txt\n@@\n-x\n+y\n*** End Patch\n";

/// A project whose user has this hook at both tool events.
fn project(matcher: &str, hook: &Value) -> TestProject {
    let project = TestProject::new();
    let groups = json!([{ "matcher": matcher, "hooks": [hook] }]);
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": groups, "AfterTool": groups } }),
    );
    project
}

/// A hook that keeps what it is given, and has nothing to say.
fn recorder() -> Value {
    json!({ "type": "command", "name": "recorder", "command": "cat >> seen.jsonl; echo >> seen.jsonl" })
}

/// What the recorder was given.
fn seen(project: &TestProject) -> Vec<Value> {
    if !project.dir().join("seen.jsonl").exists() {
        return Vec::new();
    }
    project.read("seen.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fire(project: &TestProject, event: &str, patch: &str) -> Ran {
    let mut payload = json!({ "tool_name": "apply_patch", "tool_input": { "patch": patch } });
    if event == "AfterTool" {
        payload["tool_response"] = json!({ "llmContent": "done" });
    }
    run_with_stdin(project, &["fire", event, "--payload", "-", "--format", "json"], &payload.to_string())
}

fn codex(project: &TestProject, event: &str, patch: &str) -> Ran {
    let payload = json!({ "session_id": "s", "cwd": project.dir(), "hook_event_name": event, "tool_name": "apply_patch",
        "tool_input": { "command": patch }, "tool_response": "done" });
    run_with_stdin(project, &["bridge", "codex", event], &payload.to_string())
}

/// Tool and arguments of each call.
fn expected() -> Vec<(Value, Value)> {
    vec![
        (json!("write_file"), json!({ "file_path": "new.txt", "content": "one\ntwo\n" })),
        (
            json!("replace"),
            json!({ "file_path": "src/a.rs", "old_string": "same\nold\n", "new_string": "same\nnew\n" }),
        ),
        (json!("write_file"), json!({ "file_path": "gone.txt", "content": "", "patch_action": "delete" })),
        (json!("write_file"), json!({ "file_path": "from.txt", "content": "", "patch_action": "delete" })),
        (json!("write_file"), json!({ "file_path": "to.txt", "content": "y\n" })),
    ]
}

#[test]
fn a_hook_for_single_files_is_called_for_each_file_before_and_after() {
    for (matcher, tools) in [
        ("write_file|replace", vec!["write_file", "replace"]),
        ("^write_file$", vec!["write_file"]),
        ("replace", vec!["replace"]),
    ] {
        let project = project(matcher, &recorder());
        let expected: Vec<_> =
            expected().into_iter().filter(|(tool, _)| tools.contains(&tool.as_str().unwrap())).collect();
        for (event, native) in [("BeforeTool", "PreToolUse"), ("AfterTool", "PostToolUse")] {
            for by_bridge in [false, true] {
                let ran =
                    if by_bridge { codex(&project, native, PATCH) } else { fire(&project, event, PATCH) };
                assert_eq!(ran.code, Some(0), "{ran}");
                let calls = seen(&project);
                let told: Vec<_> = calls
                    .iter()
                    .map(|call| (call["tool_name"].clone(), call["tool_input"].clone()))
                    .collect();
                assert_eq!(told, expected, "{matcher} {event}");
                for call in &calls {
                    let argument = if by_bridge { "command" } else { "patch" };
                    assert_eq!(
                        call["agent"]["tool_input"][argument], PATCH,
                        "`agent` holds the patch: {call}"
                    );
                    assert_eq!(call["agent"]["tool_name"], "apply_patch");
                    assert_eq!(call["hook_event_name"], event);
                }
                std::fs::remove_file(project.dir().join("seen.jsonl")).unwrap();
            }
        }
    }
}

#[test]
fn a_hook_for_patches_is_called_once_for_the_patch() {
    for matcher in ["apply_patch", "*", "apply_patch|write_file", ".*"] {
        let project = project(matcher, &recorder());
        fire(&project, "BeforeTool", PATCH);
        let calls = seen(&project);
        assert_eq!(calls.len(), 1, "{matcher}");
        assert_eq!(
            (&calls[0]["tool_name"], &calls[0]["tool_input"]["patch"]),
            (&json!("apply_patch"), &json!(PATCH))
        );
    }
}

#[test]
fn one_block_blocks_the_patch() {
    let no_lock = json!({ "type": "command", "name": "no-lock",
        "command": "grep -q '\"file_path\":\"to.txt\"' && { echo 'to.txt is generated' >&2; exit 2; }; exit 0" });
    let rule = json!({ "type": "rule", "when": { "writes": "to.txt" }, "block": "to.txt is generated" });
    for hook in [no_lock, rule] {
        let project = project("write_file|replace", &hook);
        let ran = fire(&project, "BeforeTool", PATCH);
        let result = ran.json();
        assert_eq!((ran.code, &result["blockCause"]), (Some(2), &json!("policy")), "{ran}");
        assert_eq!(result["reason"], "to.txt is generated");
        let ran = codex(&project, "PreToolUse", PATCH);
        assert!(ran.stdout.contains("to.txt is generated") && ran.stdout.contains("deny"), "{ran}");
        let other = PATCH.replace("to.txt", "other.txt");
        assert_eq!(fire(&project, "BeforeTool", &other).code, Some(0));
    }
}

#[test]
fn a_change_of_one_file_blocks_the_patch_and_is_named() {
    let output = json!({ "hookSpecificOutput": { "tool_input": { "content": "tidy" } } });
    let hook = json!({ "type": "command", "name": "tidier", "command": format!("cat > /dev/null; echo '{output}'") });
    let project = project("write_file", &hook);
    let ran = fire(&project, "BeforeTool", "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch");
    let result = ran.json();
    assert_eq!(ran.code, Some(2), "{ran}");
    let reason = result["reason"].as_str().unwrap();
    assert!(["tidier", "content", "a.txt", "tidy"].iter().all(|word| reason.contains(word)), "{reason}");
    assert_eq!(
        result["finalOutput"]["hookSpecificOutput"]["tool_input"],
        Value::Null,
        "nothing is changed: {ran}"
    );
}

/// An allow that skips the agent's own question counts if it was said of every file.
#[test]
fn an_allow_of_some_files_is_no_allow_of_the_patch() {
    let allow = r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#;
    let some = format!("grep -q '\"file_path\":\"new.txt\"' && echo '{allow}'; exit 0");
    for (matcher, command, allowed) in [
        ("write_file|replace", format!("cat > /dev/null; echo '{allow}'"), true),
        ("write_file|replace", some, false),
        ("write_file", format!("cat > /dev/null; echo '{allow}'"), false),
    ] {
        let project = project(matcher, &json!({ "type": "command", "command": command }));
        let result = fire(&project, "BeforeTool", PATCH).json();
        let word = &result["finalOutput"]["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(*word == "allow", allowed, "{matcher} {command}: {result}");
    }
}

#[test]
fn a_patch_of_too_many_files_is_refused() {
    let patch = |files: usize| {
        let mut patch = "*** Begin Patch\n".to_owned();
        for number in 0..files {
            let _ = write!(patch, "*** Add File: f{number}\n+x\n");
        }
        patch + "*** End Patch\n"
    };
    let rule = json!({ "type": "rule", "when": { "writes": "other" }, "block": "no" });
    let project = project("write_file", &rule);
    assert_eq!(fire(&project, "BeforeTool", &patch(200)).code, Some(0));
    let ran = fire(&project, "BeforeTool", &patch(201));
    let result = ran.json();
    assert_eq!((ran.code, &result["blockCause"]), (Some(2), &json!("failure")), "{ran}");
    assert!(result["reason"].as_str().unwrap().contains("201 files"), "{ran}");
    assert_eq!(fire(&project, "AfterTool", &patch(201)).code, Some(0), "it has been applied already");
}

#[test]
fn a_patch_that_cannot_be_read_is_refused_where_a_guard_depends_on_it() {
    for matcher in ["write_file", "apply_patch"] {
        let project = project(matcher, &recorder());
        for patch in ["", "--- a\n+++ b\n", "*** Begin Patch\n*** Rename File: x\n*** End Patch"] {
            let ran = codex(&project, "PreToolUse", patch);
            assert!(ran.stdout.contains("deny") && ran.stdout.contains("hookrail doctor --live"), "{ran}");
        }
    }
    let project = project("*", &recorder());
    let ran = codex(&project, "PreToolUse", "--- a\n+++ b\n");
    assert_eq!(ran.stdout, "", "{ran}");
}

/// One deadline for all files: a hook that takes a second for each does not take longer than its timeout.
#[test]
fn the_timeout_of_a_hook_bounds_all_files() {
    let slow = json!({ "type": "command", "name": "slow", "timeout": 1500, "onFailure": "block",
        "command": "cat > /dev/null; echo >> calls; sleep 1" });
    let project = project("write_file", &slow);
    let mut patch = "*** Begin Patch\n".to_owned();
    for number in 0..50 {
        let _ = write!(patch, "*** Add File: f{number}\n+x\n");
    }
    let ran = fire(&project, "BeforeTool", &(patch + "*** End Patch\n"));
    let result = ran.json();
    assert_eq!((ran.code, &result["blockCause"]), (Some(2), &json!("failure")), "{ran}");
    assert!(project.read("calls").lines().count() < 5, "{}", project.read("calls"));
}

/// In a chain, hooks for single files see the patch as the hooks before them have left it.
#[test]
fn a_changed_patch_is_what_single_files_are_taken_from() {
    let changed = "*** Begin Patch\n*** Add File: secret.txt\n+x\n*** End Patch";
    let output = json!({ "hookSpecificOutput": { "tool_input": { "patch": changed } } });
    for sequential in [true, false] {
        let project = TestProject::new();
        project.file("change.json", output.to_string());
        let guard = json!({ "matcher": "write_file", "hooks": [
            { "type": "rule", "when": { "writes": "secret.txt" }, "block": "no secrets" }] });
        let change = json!({ "matcher": "apply_patch", "sequential": sequential, "hooks": [
            { "type": "command", "command": "cat > /dev/null; cat change.json" }] });
        project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [change] } }));
        project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [guard] } }));
        let payload = json!({ "tool_name": "apply_patch", "tool_input": { "patch": PATCH } });
        let args = ["fire", "BeforeTool", "--payload", "-", "--format", "json", "--trust-hooks"];
        let ran = run_with_stdin(&project, &args, &payload.to_string());
        assert_eq!((ran.code, &ran.json()["reason"]), (Some(2), &json!("no secrets")), "{sequential}: {ran}");
    }
}

#[test]
fn explain_and_fire_say_who_is_called_for_single_files() {
    let project = project("write_file|replace", &recorder());
    let ran = run(&project, &["explain", "BeforeTool", "--tool", "apply_patch"]);
    assert!(ran.stdout.contains("called once for each file of the patch"), "{ran}");
    let ran = run(&project, &["explain", "BeforeTool", "--tool", "apply_patch", "--format", "json"]);
    assert_eq!(ran.json()["hooks"][0]["perFile"], true, "{ran}");
    let ran = run(&project, &["explain", "BeforeTool", "--tool", "write_file", "--format", "json"]);
    assert_eq!(ran.json()["hooks"][0]["perFile"], Value::Null, "{ran}");
    let ran = run(&project, &["fire", "BeforeTool", "--tool", "apply_patch", "--format", "json"]);
    assert_eq!((ran.code, seen(&project).len()), (Some(0), 2), "the sample has two files: {ran}");
    let apply = project_with_matcher("apply_patch");
    let ran = run(&apply, &["check"]);
    assert!(!ran.stdout.contains("apply_patch"), "it is a tool like any other: {ran}");
}

fn project_with_matcher(matcher: &str) -> TestProject {
    project(matcher, &json!({ "type": "rule", "when": { "writes": "a" }, "block": "no" }))
}
