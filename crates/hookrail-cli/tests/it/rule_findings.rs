//! What `check` finds about rules: each finding with its line, its excerpt and what to do.

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::Ran;

/// What `check` reports about rules: code, severity, message and help, each with the line of its rule.
fn findings(project: &TestProject) -> Vec<(String, String, String, String, u64)> {
    let report = Ran::new(project, &["check", "--format", "json"]).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = report["findings"].as_array().unwrap().iter().map(|finding| {
        (
            text(&finding["code"]),
            text(&finding["severity"]),
            text(&finding["message"]),
            text(&finding["help"]),
            finding["line"].as_u64().unwrap_or_default(),
        )
    });
    found.collect()
}

#[test]
fn each_finding_about_a_rule_has_line_excerpt_and_help() {
    for (event, rule, code, severity, message, help, marked) in [
        (
            "BeforeTool",
            r#""when": { "comand": "rm" }, "block": "x""#,
            "unknown-fact",
            "error",
            "`comand` is not a fact",
            "did you mean `command`?",
            r#""comand""#,
        ),
        (
            "BeforeTool",
            r#""when": { "tool": { "startWith": "a" } }, "block": "x""#,
            "unknown-test",
            "error",
            "startWith",
            "did you mean `startsWith`?",
            r#""startWith""#,
        ),
        (
            "BeforeTool",
            r#""when": { "tool": 5 }, "block": "x""#,
            "wrong-type",
            "error",
            "must be a string",
            "write a string",
            "5",
        ),
        (
            "BeforeTool",
            r#""when": { "dynamic": "yes" }, "block": "x""#,
            "wrong-type",
            "error",
            "must be `true`, `false`, or causes",
            "nothing is converted",
            r#""yes""#,
        ),
        (
            "BeforeTool",
            r#""when": { "tool": { "regex": "(" } }, "block": "x""#,
            "invalid-regex",
            "error",
            "is not a regular expression",
            "takes it as it is",
            r#""(""#,
        ),
        (
            "BeforeTool",
            r#""when": { "writes": "[" }, "block": "x""#,
            "invalid-glob",
            "error",
            "is not a glob",
            "takes it as it is",
            r#""[""#,
        ),
        (
            "SessionStart",
            r#""when": { "command": "rm" }, "context": "x""#,
            "fact-not-on-event",
            "error",
            "can never hold",
            "BeforeTool",
            r#""command""#,
        ),
        (
            "BeforeTool",
            r#""when": { "any": [] }, "block": "x""#,
            "empty-test",
            "error",
            "can never hold",
            "list conditions",
            "[]",
        ),
        (
            "BeforeTool",
            r#""when": { "tool": "a", "all": [ { "tool": "b" } ] }, "block": "x""#,
            "never-holds",
            "warning",
            "can never hold",
            "exclude each other",
            "{",
        ),
        (
            "BeforeTool",
            r#""when": { "any": [ {}, { "tool": "b" } ] }, "block": "x""#,
            "always-holds",
            "warning",
            "always holds",
            "write {}",
            "{",
        ),
        (
            "BeforeTool",
            r#""when": { "command": "rm" }, "block": "x", "examples": { "match": ["ls"] }"#,
            "failed-example",
            "error",
            "does not hold",
            "fix the rule or the example",
            r#""ls""#,
        ),
        (
            "BeforeTool",
            r#""when": { "command": "rm" }, "block": "x", "examples": { "noMatch": ["sudo rm a"] }"#,
            "failed-example",
            "error",
            "is to be let through",
            "fix the rule or the example",
            r#""sudo rm a""#,
        ),
    ] {
        let project = TestProject::new();
        let settings = format!(
            "{{\n  \"enableHooks\": true,\n  \"hooks\": {{ \"{event}\": [ {{ \"hooks\": [\n    {{ \"type\": \"rule\", {rule} }}\n  ] }} ] }}\n}}\n"
        );
        project.user_settings(&json!({}));
        std::fs::write(project.user_settings_path(), settings).unwrap();
        let found = findings(&project);
        let found: Vec<_> = found.iter().filter(|finding| finding.0 == code).collect();
        let [finding] = found.as_slice() else { panic!("{rule}: {:?}", findings(&project)) };
        assert_eq!((finding.1.as_str(), finding.4), (severity, 4), "{rule}: {finding:?}");
        assert!(finding.2.contains(message) && finding.3.contains(help), "{rule}: {finding:?}");
        let text = Ran::new(&project, &["check"]);
        assert_eq!(text.code, Some(i32::from(severity == "error")), "{}", text.shown());
        let picture = text.stdout.split(&format!("[{code}]")).nth(1).expect(&text.stdout);
        let lines: Vec<&str> = picture.lines().collect();
        let excerpt = lines.iter().position(|line| line.starts_with("4 |")).expect(&text.stdout);
        // The marks stand below what the finding is about.
        let column = lines[excerpt + 1].chars().position(|mark| mark == '^').expect(&text.stdout);
        let shown: String = lines[excerpt].chars().skip(column).collect();
        assert!(shown.starts_with(marked), "{rule}: {}", text.stdout);
    }
}

#[test]
fn a_rule_that_another_one_makes_pointless_is_found() {
    let rule = |name: &str, when: &Value, says: &str| json!({ "type": "rule", "name": name, "when": when, says: "no" });
    let push = json!({ "command": "git push" });
    let force = json!({ "command": "git push --force" });
    let shadowed = |groups: Value| {
        let project = TestProject::new();
        project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": groups } }));
        let found = findings(&project);
        found.into_iter().filter(|finding| finding.0 == "rule-shadowed").collect::<Vec<_>>()
    };
    let group = |matcher: &str, rules: &[Value]| json!({ "matcher": matcher, "hooks": rules });
    let shell = "^run_shell_command$";

    let found =
        shadowed(json!([group(shell, &[rule("wide", &push, "block"), rule("narrow", &force, "block")])]));
    let [(_, severity, message, help, _)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(severity, "note", "its reason is still given");
    assert!(message.starts_with("rule `narrow` decides nothing: `wide` (line "), "{message}");
    assert!(help.contains("remove it"), "{help}");
    // A question is never put where something blocks, whichever comes first.
    for rules in [
        [rule("wide", &push, "block"), rule("narrow", &force, "ask")],
        [rule("narrow", &force, "ask"), rule("wide", &push, "block")],
    ] {
        let found = shadowed(json!([group(shell, &rules)]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].1.as_str(), found[0].2.contains("`narrow` never asks")), ("warning", true));
    }
    // Another group of the same event counts, if it takes at least the same tools.
    for (wide, narrow, expected) in [("", shell, 1), ("*", shell, 1), (shell, "", 0), ("shell", shell, 0)] {
        let groups = json!([
            group(wide, &[rule("wide", &push, "block")]),
            group(narrow, &[rule("narrow", &force, "block")]),
        ]);
        assert_eq!(shadowed(groups).len(), expected, "{wide:?} before {narrow:?}");
    }
    // Nothing is reported where the second rule makes a difference.
    for rules in [
        // The narrow one gives its reason first.
        vec![rule("narrow", &force, "block"), rule("wide", &push, "block")],
        vec![rule("wide", &push, "ask"), rule("narrow", &force, "block")],
        vec![rule("wide", &push, "context"), rule("narrow", &force, "block")],
        vec![rule("wide", &push, "block"), rule("narrow", &force, "context")],
        vec![rule("wide", &force, "block"), rule("narrow", &push, "block")],
    ] {
        assert_eq!(shadowed(json!([group(shell, &rules)])), [], "{rules:?}");
    }
    // In a chain a hook between them may change what the second one is asked about.
    let mut chain = group(shell, &[rule("wide", &push, "block"), rule("narrow", &force, "block")]);
    chain["sequential"] = json!(true);
    assert_eq!(shadowed(json!([chain])), []);
}

#[test]
fn a_rule_that_is_off_shadows_nothing_nor_does_one_with_exceptions() {
    let own = json!({ "type": "rule", "name": "mine", "when": { "command": "git push -f" }, "ask": "sure?" });
    let wide =
        json!({ "type": "rule", "name": "wide", "when": { "command": "git push --force" }, "block": "no" });
    let settings = |disabled: &[&str]| {
        json!({
            "enableHooks": true,
            // It leaves `git push --force --dry-run` alone, about which `mine` asks.
            "hooksConfig": { "rules": ["no-force-push"], "disabled": disabled },
            "hooks": { "BeforeTool": [{ "matcher": "^run_shell_command$", "hooks": [wide, own] }] },
        })
    };
    let project = TestProject::new();
    for (disabled, expected) in [(vec![], 1), (vec!["wide"], 0), (vec!["mine"], 0)] {
        project.user_settings(&settings(&disabled));
        let found = findings(&project);
        let found: Vec<_> = found.iter().filter(|finding| finding.0 == "rule-shadowed").collect();
        assert_eq!(found.len(), expected, "{disabled:?}: {found:?}");
        assert!(found.iter().all(|finding| finding.2.contains("`mine` never asks: `wide`")), "{found:?}");
    }
    // Rules of the project and of the user are not compared: each of them may change alone.
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    project.settings(
        &json!({ "hooks": { "BeforeTool": [{ "matcher": "^run_shell_command$", "hooks": [own] }] } }),
    );
    assert!(findings(&project).iter().all(|finding| finding.0 != "rule-shadowed"));
}

/// Comparing each rule with each other one would take minutes.
#[test]
fn ten_thousand_rules_are_checked_in_a_moment() {
    let project = TestProject::new();
    let rules: Vec<Value> = (0..10_000)
        .map(|n| json!({ "type": "rule", "name": format!("r{n}"), "when": { "command": format!("git push{n} -f") }, "block": "no" }))
        .collect();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": rules }] } }));
    let begin = std::time::Instant::now();
    assert_eq!(findings(&project), []);
    // Generous: an unoptimised build on a busy machine.
    assert!(begin.elapsed() < std::time::Duration::from_secs(40), "{:?}", begin.elapsed());
}
