use jsonc_parser::ast::Value as Ast;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::json;

use crate::event::EventName;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::matcher::Matcher;
use crate::rules::problem::RuleFindings;
use crate::rules::rule::Rule;

/// The messages about the examples of a rule, with the text they point to.
fn failed(rule: &serde_json::Value, matcher: &str, event: EventName) -> Vec<String> {
    let text = rule.to_string();
    let parsed = parse_to_ast(&text, &CollectOptions::default(), &PARSE_OPTIONS).unwrap();
    let Some(Ast::Object(object)) = parsed.value else { panic!("{text}") };
    let matcher = Matcher::compile(matcher);
    let mut findings = RuleFindings::default();
    let rule = Rule::read(&object, event, Some(&matcher), &mut findings);
    assert!(rule.is_some(), "the rule counts all the same: {findings:?}");
    findings
        .0
        .iter()
        .map(|problem| format!("{} @ {}", problem.message, &text[problem.range.clone()]))
        .collect()
}

#[test]
fn examples_that_hold_are_silent() {
    let rule = json!({
        "when": { "any": [{ "command": "git push --force" }, { "writes": "**/*.lock" }, { "reads": "secret" }] },
        "block": "no",
        "examples": {
            "match": [
                "git push -f",
                { "command": "git push -f" },
                { "tool": "run_shell_command", "input": { "command": "sudo git push origin --force" } },
                { "file_path": "a.lock", "content": "" },
                { "file_path": "x/a.lock", "old_string": "a", "new_string": "b" },
                { "patch": "*** Begin Patch\n*** Delete File: a.lock\n*** End Patch" },
                { "file_path": "secret" },
                { "path": "secret" },
                { "pattern": "x", "path": "secret" }
            ],
            "noMatch": ["git push", "git stash push --force", "git push $X", { "file_path": "a.rs", "content": "" }, { "tool": "other" }]
        }
    });
    assert_eq!(failed(&rule, "*", EventName::BeforeTool), Vec::<String>::new());
    // Where it cannot be determined, a rule with `unknown` has an output.
    let rule = json!({ "when": { "command": "git push" }, "block": "no", "unknown": "ask", "examples": { "match": ["git $X"], "noMatch": ["git pull"] } });
    assert_eq!(failed(&rule, "^Bash$", EventName::BeforeTool), Vec::<String>::new());
}

#[test]
fn examples_that_fail_are_named() {
    let rule = |examples| json!({ "when": { "command": "git push" }, "block": "no", "examples": examples });
    for (examples, matcher, expected) in [
        (
            json!({ "match": ["git pull"] }),
            "*",
            r#"the rule does not hold for the example `git pull` @ "git pull""#,
        ),
        (
            json!({ "match": ["git $X"] }),
            "*",
            r#"it is not known whether the rule holds for the example `git $X` @ "git $X""#,
        ),
        (
            json!({ "noMatch": ["git push"] }),
            "*",
            r#"the rule holds for the example `git push`, which is to be let through @ "git push""#,
        ),
        (
            json!({ "match": ["git push"] }),
            "^write_file$",
            r#"the rule's matcher accepts no tool for the example `git push` @ "git push""#,
        ),
        (
            json!({ "match": [5] }),
            "*",
            "an example must be a shell command, { \"tool\", \"input\" } or a tool's arguments, not a number @ 5",
        ),
        (json!({ "match": "git push" }), "*", "`match` must be an array, not a string @ \"git push\""),
        (json!({ "nomatch": [] }), "*", "`nomatch` is not a list of examples @ \"nomatch\""),
        (json!([]), "*", "`examples` must be an object, not an array @ []"),
    ] {
        assert_eq!(failed(&rule(examples), matcher, EventName::BeforeTool), [expected]);
    }
    let prompt = json!({ "when": { "prompt": "x" }, "block": "no", "examples": { "match": ["x"] } });
    assert_eq!(
        failed(&prompt, "*", EventName::BeforeAgent),
        ["examples are tool calls, and BeforeAgent has none @ \"examples\""]
    );
}
