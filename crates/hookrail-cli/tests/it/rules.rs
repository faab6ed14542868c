//! Rules in the program: `facts`, `rules`, `explain`, `fire`, `check`, `init --rule`, and approval of a project's rules.

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::Ran;

fn rule(fields: &Value) -> Value {
    let mut rule = json!({ "type": "rule" });
    rule.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } })
}

fn shell(line: &str) -> String {
    json!({ "command": line }).to_string()
}

#[test]
fn facts_are_shown_in_the_form_of_the_contract() {
    let project = TestProject::new();
    let line = shell("sudo rm -rf $X");
    let args = ["facts", "BeforeTool", "--tool", "run_shell_command", "--input", &line, "--format", "json"];
    let run = Ran::new(&project, &args);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert_eq!(
        run.json(),
        json!({
            "commands": [
                { "argv": ["sudo", "rm", "-rf", null], "via": [] },
                { "argv": ["rm", "-rf", null], "via": ["sudo"] },
            ],
            "programs": ["rm", "sudo"], "dynamic": false, "writes": [], "reads": [],
        })
    );
}

#[test]
fn the_page_shows_what_facts_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    let page = std::fs::read_to_string(page).unwrap();
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let line = shell("cd sub && sudo git push -f > log");
    assert!(page.contains(&line), "the page asks for the same line");
    let project = TestProject::new();
    let run = Ran::new(&project, &["facts", "BeforeTool", "--tool", "run_shell_command", "--input", &line]);
    assert_eq!(run.stdout, shown);
}

#[test]
fn facts_need_no_settings() {
    let project = TestProject::new();
    project.user_settings(&json!({}));
    std::fs::write(project.user_settings_path(), "{ broken").unwrap();
    let line = shell("ls");
    let run = Ran::new(&project, &["facts", "BeforeTool", "--tool", "run_shell_command", "--input", &line]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert!(run.stdout.contains("command  ls"), "{}", run.shown());
}

#[test]
fn a_rule_that_holds_is_among_the_hooks_and_one_that_does_not_is_skipped() {
    let project = TestProject::new();
    project.user_settings(&rule(&json!({ "name": "no-rm", "when": { "command": "rm" }, "block": "no" })));
    let fire = |line: &str| {
        let line = shell(line);
        Ran::new(
            &project,
            &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &line, "--format", "json"],
        )
    };
    let run = fire("xargs rm < list");
    let report = run.json();
    assert_eq!(run.code, Some(2), "{}", run.shown());
    let hook = &report["hooks"][0];
    assert_eq!(
        (&hook["name"], &hook["command"], &hook["exitCode"]),
        (&json!("no-rm"), &Value::Null, &Value::Null)
    );
    assert_eq!((&report["reason"], &report["skipped"]), (&json!("no"), &json!([])));
    let run = fire("ls");
    let report = run.json();
    assert_eq!((run.code, &report["hooks"]), (Some(0), &json!([])), "{}", run.shown());
    assert_eq!(report["skipped"][0]["why"], "its condition does not hold");
    // Many of them are one entry for people.
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["@standard"] } }));
    let run = Ran::new(
        &project,
        &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &shell("git push -f")],
    );
    assert_eq!(run.code, Some(2), "{}", run.shown());
    assert!(run.stdout.contains(" more (all with --format json)"), "{}", run.shown());
    assert!(run.stdout.lines().count() < 20, "{}", run.shown());
}

/// Every event has a fact at least: which agent asks.
#[test]
fn rules_work_at_every_event() {
    let nobody = json!({ "agent": { "exists": false } });
    for (event, facts) in [
        ("BeforeTool", json!({ "tool": "write_file", "writes": { "exists": true } })),
        ("AfterTool", json!({ "tool": { "exists": true }, "input.file_path": { "exists": true } })),
        ("BeforeModel", json!({ "model": { "exists": true } })),
        ("BeforeToolSelection", json!({ "model": { "exists": true } })),
        ("AfterModel", json!({ "model": { "exists": true }, "text": { "exists": true } })),
        ("BeforeAgent", json!({ "prompt": { "exists": true } })),
        ("AfterAgent", json!({ "prompt": { "exists": true }, "text": { "exists": true } })),
        ("SessionStart", json!({})),
        ("SessionEnd", json!({})),
        ("PreCompress", json!({})),
        ("Notification", json!({})),
    ] {
        let project = TestProject::new();
        let holds = json!({ "type": "rule", "name": "holds", "when": { "all": [nobody, facts] }, "then": { "systemMessage": "seen" } });
        let fails = json!({ "type": "rule", "name": "fails", "when": { "not": { "all": [nobody, facts] } }, "then": { "systemMessage": "no" } });
        project.user_settings(
            &json!({ "enableHooks": true, "hooks": { event: [{ "hooks": [holds, fails] }] } }),
        );
        let run = Ran::new(&project, &["fire", event, "--format", "json"]);
        let report = run.json();
        let said: Vec<_> = report["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hook| (&hook["name"], &hook["output"]["systemMessage"]))
            .collect();
        assert_eq!(said, [(&json!("holds"), &json!("seen"))], "{event}: {}", run.shown());
        assert_eq!(report["skipped"][0]["name"], "fails", "{event}: {}", run.shown());
    }
}

#[test]
fn explain_shows_which_condition_held() {
    let project = TestProject::new();
    project.user_settings(&rule(&json!({
        "name": "guard", "block": "no",
        "when": { "command": "git push", "not": { "command": "git push --dry-run" } },
    })));
    let line = shell("git push -n");
    let args = ["explain", "BeforeTool", "--tool", "run_shell_command", "--input", &line];
    let run = Ran::new(&project, &args);
    assert!(run.stdout.contains("does not hold: not"), "{}", run.shown());
    assert!(run.stdout.contains("holds: command: \"git push\", seen: `git push -n`"), "{}", run.shown());
}

#[test]
fn what_is_wrong_with_a_rule_has_its_place() {
    let project = TestProject::new();
    project.user_settings(&rule(&json!({ "when": { "comand": "rm" }, "block": "no" })));
    let check = Ran::new(&project, &["check", "--format", "json"]);
    assert_eq!(check.code, Some(1), "{}", check.shown());
    let finding = &check.json()["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["help"]),
        (&json!("unknown-fact"), &json!("did you mean `command`?"))
    );
    let text = std::fs::read_to_string(project.user_settings_path()).unwrap();
    let line = text.lines().position(|line| line.contains("comand")).unwrap() + 1;
    assert_eq!(finding["line"], line, "{finding}");
    // An example that does not hold is an error, and the rule counts.
    project.user_settings(&rule(
        &json!({ "when": { "command": "rm" }, "block": "no", "examples": { "noMatch": ["sudo rm x"] } }),
    ));
    assert_eq!(Ran::new(&project, &["check"]).code, Some(1));
    let line = shell("rm x");
    let run = Ran::new(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &line]);
    assert_eq!(run.code, Some(2), "{}", run.shown());
}

#[test]
fn a_projects_rule_needs_approval_and_a_change_asks_again() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    project.settings(&rule(&json!({ "name": "own", "when": { "tool": "write_file" }, "block": "first" })));
    let fire = || Ran::new(&project, &["fire", "BeforeTool"]);
    assert_eq!(fire().code, Some(0), "not approved, not asked");
    let trust = Ran::new(&project, &["trust", "--yes"]);
    assert_eq!(trust.code, Some(0), "{}", trust.shown());
    let definition = trust.stdout.lines().find(|line| line.starts_with("  definition ")).unwrap_or_default();
    assert!(
        definition.contains("{\"when\":{\"tool\":\"write_file\"}"),
        "not quoted again: {}",
        trust.shown()
    );
    assert!(trust.stdout.contains("first") && !trust.stdout.contains("timeout"), "{}", trust.shown());
    let run = fire();
    assert_eq!(run.code, Some(2), "{}", run.shown());
    project.settings(&rule(&json!({ "name": "own", "when": { "tool": "nothing" }, "block": "first" })));
    let waits = Ran::new(&project, &["trust"]);
    assert_eq!(waits.code, Some(1), "a changed condition asks again: {}", waits.shown());
}

#[test]
fn a_first_rule_is_written_approved_and_tried() {
    let project = TestProject::new();
    let run = Ran::new(&project, &["init", "--rule"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let check = Ran::new(&project, &["check", "--strict"]);
    assert_eq!(
        (check.code, check.stdout.as_str()),
        (Some(0), "No findings: 1 hook in 1 file.\n"),
        "{}",
        check.shown()
    );
    let list = Ran::new(&project, &["rules"]);
    let on = list.stdout.lines().any(|line| line.split_whitespace().nth(1) == Some("on"));
    assert!(!on, "a rule of one's own is not the shipped one of its name: {}", list.shown());
    let line = shell("git push -f");
    let run = Ran::new(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &line]);
    assert_eq!(run.code, Some(2), "{}", run.shown());

    let again = Ran::new(&project, &["init", "--rule"]);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (Some(0), ""),
        "nothing changed meanwhile: {}",
        again.shown()
    );
    assert!(again.stdout.contains("it needs no approval: an approved hook of this project says the same"));
    let waits = Ran::new(&project, &["trust"]);
    assert_eq!(waits.code, Some(0), "{}", waits.shown());
}

/// Hooks that the second rule turns on again are approved with it, although the rule itself needs no approval.
#[test]
fn a_second_rule_turns_hooks_on_again() {
    let project = TestProject::new();
    Ran::new(&project, &["init", "--rule"]);
    let text =
        project.read(".hookrail/settings.json").replace("\"enableHooks\": true", "\"enableHooks\": false");
    project.file(".hookrail/settings.json", text);
    Ran::new(&project, &["trust", "--yes"]);
    let again = Ran::new(&project, &["init", "--rule"]);
    assert!(again.stdout.contains("turned hooks on"), "{}", again.shown());
    assert_eq!(again.stderr, "", "{}", again.shown());
    let waits = Ran::new(&project, &["trust"]);
    assert_eq!(waits.code, Some(0), "{}", waits.shown());
}

#[test]
fn the_shipped_rules_are_listed_and_shown() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    let list = Ran::new(&project, &["rules", "--format", "json"]).json();
    let on: Vec<&str> = list["rules"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|rule| rule["on"] == true)
        .map(|rule| rule["name"].as_str().unwrap())
        .collect();
    assert_eq!(on, ["no-force-push"]);
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": {
        "rules": ["no-force-push"], "disabled": ["no-force-push"],
    } }));
    project.settings(&json!({ "hooksConfig": { "rules": ["no-secret-files"] } }));
    let list = Ran::new(&project, &["rules", "--format", "json"]).json();
    let off = list["rules"].as_array().unwrap().iter().all(|rule| rule["on"] == false);
    assert!(off, "a guard that is disabled or waits for approval guards nothing: {list}");
    let shown = Ran::new(&project, &["rules", "no-force-push"]);
    assert!(shown.stdout.contains("\"examples\""), "{}", shown.shown());
    let unknown = Ran::new(&project, &["rules", "no-force-pusch"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("did you mean `no-force-push`?"), "{}", unknown.shown());
}

#[test]
fn a_rule_that_held_stands_in_the_log_and_in_the_list() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "no" },
        { "type": "rule", "name": "ask-mv", "when": { "command": "mv" }, "ask": "sure?" },
    ] }] } }));
    for line in ["rm x", "mv a b"] {
        let line = shell(line);
        Ran::new(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &line]);
    }
    for (outcome, name) in [("block", "no-rm"), ("ask", "ask-mv")] {
        let run = Ran::new(&project, &["log", "--outcome", outcome, "--format", "json"]);
        let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 1, "{}", run.shown());
        assert_eq!(lines[0]["name"], name, "{}", run.shown());
    }
    assert_eq!(Ran::new(&project, &["log", "--outcome", "allow", "--format", "json"]).stdout, "");
    let hooks = Ran::new(&project, &["list", "--format", "json"]).json()["hooks"].clone();
    assert_eq!((&hooks[0]["runs"], &hooks[1]["runs"]), (&json!(1), &json!(1)), "{hooks}");
}
