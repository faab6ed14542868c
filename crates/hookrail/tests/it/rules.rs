//! Rules among the hooks of an event: order, merge, conditions on commands, and what becomes of unreadable ones.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::fs;

use hookrail::components::{Event, Exit, StartFailure};
use hookrail::components::{ProcessedHookResult, UnreadableRule};
use hookrail::{BlockCause, DiagnosticCode, HookRun, HookSession, TrustPolicy};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{builder, builder_trusting, command, object, on, says, store};

fn rule(fields: Value) -> Value {
    let mut rule = json!({ "type": "rule" });
    rule.as_object_mut().unwrap().extend(object(fields));
    rule
}

/// Why a rule of an event cannot be used.
fn unreadable(runs: &[HookRun]) -> Option<&UnreadableRule> {
    runs.iter().find_map(|run| match run.exit() {
        Exit::NotStarted(StartFailure::UnreadableRule(why)) => Some(why),
        _ => None,
    })
}

fn shell(line: &str) -> Value {
    json!({ "command": line })
}

async fn fire(session: &HookSession, tool: &str, input: Value) -> ProcessedHookResult {
    let system = session.hook_system().unwrap();
    system.initialize();
    system
        .event_handler()
        .unwrap()
        .fire(&Event::BeforeTool { tool_name: tool, tool_input: &object(input) })
        .await
}

#[tokio::test]
async fn a_rule_blocks_asks_nothing_of_the_system_and_stands_in_plan_order() {
    let project = TestProject::new();
    project.user_settings(&on(
        "BeforeTool",
        &[
            command(&says(&json!({ "decision": "block", "reason": "first" }))),
            rule(json!({ "name": "no-force", "when": { "command": "git push --force" }, "block": "second" })),
            rule(json!({ "name": "never", "when": { "tool": "write_file" }, "block": "not this" })),
            command(&says(&json!({ "decision": "block", "reason": "third" }))),
        ],
    ));
    let result = fire(&builder(&project).build(), "run_shell_command", shell("cd x && git push -f")).await;
    assert_eq!(result.block.as_ref().unwrap().reason, "first\nsecond\nthird");
    assert_eq!(result.block.unwrap().cause, BlockCause::Policy);
    let names: Vec<&str> = result.runs.iter().map(|run| run.hook.name.as_str()).collect();
    assert_eq!(names[1], "no-force", "{names:?}");
    let run = &result.runs[1];
    assert_eq!(
        (run.exit(), run.exit_code(), run.success(), run.hook.command_text()),
        (&Exit::Rule, None, true, None)
    );
    assert_eq!(result.not_held.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>(), ["never"]);
}

#[tokio::test]
async fn a_condition_decides_whether_a_command_is_started() {
    let project = TestProject::new();
    let mut hook = command("touch ran; exit 0");
    hook["when"] = json!({ "command": "rm" });
    project.user_settings(&on("BeforeTool", &[hook]));
    let session = builder(&project).build();
    let result = fire(&session, "run_shell_command", shell("ls")).await;
    assert_eq!((result.runs.len(), result.not_held.len()), (0, 1));
    assert!(!project.dir().join("ran").exists());
    // What cannot be told starts it.
    assert_eq!(fire(&session, "run_shell_command", shell("$X a")).await.runs.len(), 1);
    fs::remove_file(project.dir().join("ran")).unwrap();
    assert_eq!(fire(&session, "run_shell_command", shell("r''m -rf x")).await.runs.len(), 1);
    assert!(project.dir().join("ran").exists());
}

#[tokio::test]
async fn in_a_chain_a_rule_sees_what_the_hooks_before_it_changed() {
    let project = TestProject::new();
    let changes = says(&json!({ "hookSpecificOutput": { "tool_input": { "command": "rm -rf /" } } }));
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "sequential": true, "hooks": [
        command(&changes),
        rule(json!({ "when": { "command": "rm -r" }, "block": "no" })),
        command("touch ran"),
    ] }] } }),
    );
    let result = fire(&builder(&project).build(), "run_shell_command", shell("ls")).await;
    assert_eq!(result.block.unwrap().reason, "no");
    assert!(!project.dir().join("ran").exists(), "a block ends the chain");
}

#[tokio::test]
async fn a_rule_that_cannot_be_read_fails_closed() {
    for (fields, expected) in [
        (json!({ "when": { "comand": "rm" }, "block": "x" }), DiagnosticCode::UnknownFact),
        (
            json!({ "when": { "input.file_path": { "regex": "(" } }, "block": "x" }),
            DiagnosticCode::InvalidRegex,
        ),
        (json!({ "block": "x" }), DiagnosticCode::MissingWhen),
        (json!({ "when": { "tool": "x" } }), DiagnosticCode::NothingToSay),
        (json!({ "when": { "prompt": "x" }, "block": "x" }), DiagnosticCode::FactNotOnEvent),
    ] {
        let project = TestProject::new();
        project.user_settings(&on("BeforeTool", &[rule(fields.clone())]));
        let session = builder(&project).build();
        let result = fire(&session, "read_file", json!({})).await;
        let block = result.block.unwrap_or_else(|| panic!("{fields}"));
        assert_eq!(block.cause, BlockCause::Failure, "{fields}");
        let why = unreadable(&result.runs).unwrap();
        let UnreadableRule::Malformed { place: Some(place), code, .. } = why else {
            panic!("{fields}: {why:?}")
        };
        assert_eq!((*code, place.file.file_name()), (expected, Some("settings.json".as_ref())), "{fields}");
        assert_eq!(block.reason, format!("{why}; `hookrail check` shows the place"));
        assert!(
            session.settings().findings.iter().any(|finding| finding.severity == hookrail::Severity::Error)
        );
    }
}

#[tokio::test]
async fn an_unreadable_rule_of_an_unapproved_project_is_reported_and_does_nothing() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    project.settings(&on("BeforeTool", &[rule(json!({ "when": { "nothing": 1 }, "block": "x" }))]));
    let session = builder_trusting(&project, TrustPolicy::RequireApproval(store(&project))).build();
    let result = fire(&session, "ls", json!({})).await;
    assert!(result.block.is_none() && result.runs.is_empty());
    assert!(session.settings().findings.iter().any(|finding| finding.code == DiagnosticCode::UnknownFact));
}

#[tokio::test]
async fn shipped_rules_are_turned_on_by_name() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    let session = builder(&project).build();
    assert!(fire(&session, "run_shell_command", shell("git push --force")).await.block.is_some());
    assert!(fire(&session, "run_shell_command", shell("git push")).await.block.is_none());
    // A name that nobody knows is a guard that somebody meant.
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-puhs"] } }));
    let session = builder(&project).build();
    let result = fire(&session, "read_file", json!({})).await;
    assert_eq!(result.block.unwrap().cause, BlockCause::Failure);
    let why = unreadable(&result.runs).unwrap();
    assert!(matches!(why, UnreadableRule::UnknownName { name, .. } if name == "no-force-puhs"), "{why:?}");
    let finding = session
        .settings()
        .findings
        .iter()
        .find(|finding| finding.code == DiagnosticCode::UnknownRule)
        .unwrap();
    assert_eq!(finding.help.as_deref(), Some("did you mean `no-force-push`?"));
}

#[tokio::test]
async fn what_cannot_be_told_is_no_match_unless_the_rule_says_otherwise() {
    for (unknown, blocked) in [(None, false), (Some("block"), true)] {
        let project = TestProject::new();
        let mut fields = json!({ "when": { "command": "rm" }, "block": "no rm" });
        if let Some(unknown) = unknown {
            fields["unknown"] = unknown.into();
        }
        project.user_settings(&on("BeforeTool", &[rule(fields)]));
        let result = fire(&builder(&project).build(), "run_shell_command", shell("eval \"$line\"")).await;
        assert_eq!(result.block.is_some(), blocked, "{unknown:?}");
    }
}
