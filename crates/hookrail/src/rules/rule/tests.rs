use jsonc_parser::ast::Value as Ast;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::{Value, json};

use super::*;
use crate::diagnostic::Severity;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::rules::facts::Subject;
use crate::rules::path::Places;
use crate::rules::problem::RuleProblem;

struct Reading {
    rule: Option<Rule>,
    problems: Vec<RuleProblem>,
    warnings: Vec<RuleProblem>,
}

fn read(text: &str, event: EventName) -> Reading {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).unwrap();
    let Some(Ast::Object(object)) = parsed.value else { panic!("{text} is no object") };
    let mut findings = RuleFindings::default();
    let rule = Rule::read(&object, event, Some(&Matcher::any()), &mut findings);
    let is_error = |problem: &RuleProblem| problem.severity == Severity::Error;
    let (problems, warnings) = findings.0.into_iter().partition(is_error);
    Reading { rule, problems, warnings }
}

/// What a rule answers to a shell line.
fn answer(rule: &Value, line: &str) -> Value {
    let reading = read(&rule.to_string(), EventName::BeforeTool);
    let rule = reading.rule.unwrap_or_else(|| panic!("{rule}: {:?}", reading.problems));
    let input = json!({ "command": line });
    let subject =
        Subject { tool_name: Some("run_shell_command"), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::imagined("/project", "/h"));
    rule.answer(&facts).map_or(Value::Null, |output| serde_json::to_value(output).unwrap())
}

#[test]
fn a_rule_answers_with_its_output() {
    let when = json!({ "command": "git push" });
    for (rule, expected) in [
        (
            json!({ "then": { "decision": "block", "reason": "no", "x": 1 } }),
            json!({ "decision": "block", "reason": "no", "x": 1 }),
        ),
        (json!({ "block": "no" }), json!({ "decision": "block", "reason": "no" })),
        (json!({ "ask": "sure?" }), json!({ "decision": "ask", "reason": "sure?" })),
        (json!({ "context": "note" }), json!({ "hookSpecificOutput": { "additionalContext": "note" } })),
        (json!({ "block": "no", "ask": "sure?" }), json!({ "decision": "block", "reason": "no" })),
        (
            json!({ "ask": "sure?", "context": "note" }),
            json!({ "decision": "ask", "reason": "sure?", "hookSpecificOutput": { "additionalContext": "note" } }),
        ),
    ] {
        let mut rule = rule;
        rule["when"] = when.clone();
        assert_eq!(answer(&rule, "git push"), expected, "{rule}");
        assert_eq!(answer(&rule, "git pull"), Value::Null, "{rule}");
        assert_eq!(answer(&rule, "git $X"), Value::Null, "{rule}");
    }
}

#[test]
fn unknown_decides_where_the_facts_cannot_be_told() {
    for decision in ["block", "ask"] {
        let rule = json!({ "when": { "command": "git push" }, "block": "no pushes", "unknown": decision });
        let said = answer(&rule, "git $X");
        assert_eq!(said["decision"], decision);
        assert!(said["reason"].as_str().unwrap().contains("no pushes"), "{said}");
        assert_eq!(answer(&rule, "git pull"), Value::Null);
        assert_eq!(answer(&rule, "git push")["reason"], "no pushes");
    }
}

#[test]
fn what_a_limit_hides_is_not_let_through() {
    let hidden = "eval ".repeat(50) + "git push";
    for (rule, expected) in [
        (json!({ "block": "no" }), json!("block")),
        (json!({ "ask": "sure?" }), json!("ask")),
        (json!({ "block": "no", "unknown": "ask" }), json!("ask")),
        (json!({ "context": "note" }), Value::Null),
    ] {
        for when in [
            json!({ "command": "git push" }),
            json!({ "program": "git" }),
            json!({ "writes": "src/**" }),
            json!({ "reads": { "outside": true } }),
            json!({ "not": { "command": "ls" } }),
        ] {
            let mut rule = rule.clone();
            rule["when"] = when;
            assert_eq!(answer(&rule, &hidden)["decision"], expected, "{rule}");
        }
        let mut rule = rule;
        rule["when"] = json!({ "tool": "write_file", "command": "git push" });
        assert_eq!(answer(&rule, &hidden), Value::Null, "what is known not to hold decides: {rule}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_says_why() {
    for (rule, code) in [
        (json!({ "block": "no" }), "missing-when"),
        (json!({ "when": null, "block": "no" }), "missing-when"),
        (json!({ "when": {} }), "nothing-to-say"),
        (json!({ "when": {}, "then": {} }), "nothing-to-say"),
        (json!({ "when": {}, "context": " " }), "nothing-to-say"),
        (json!({ "when": {}, "then": { "decision": "block" }, "block": "no" }), "then-twice"),
        (json!({ "when": {}, "then": "block" }), "wrong-type"),
        (json!({ "when": {}, "then": { "decision": 5 } }), "wrong-type"),
        (json!({ "when": {}, "then": { "decision": "blok" } }), "wrong-type"),
        (json!({ "when": {}, "block": true }), "wrong-type"),
        (json!({ "when": {}, "block": "no", "unknown": "allow" }), "invalid-unknown"),
        (json!({ "when": {}, "block": "no", "unknown": true }), "wrong-type"),
        (json!({ "when": { "x": 1 }, "block": "no" }), "unknown-fact"),
    ] {
        let reading = read(&rule.to_string(), EventName::BeforeTool);
        assert!(reading.rule.is_none(), "{rule}");
        assert_eq!(reading.problems[0].code.as_str(), code, "{rule}: {:?}", reading.problems);
    }
    let both = read(&json!({ "when": { "x": 1 }, "unknown": "no" }).to_string(), EventName::BeforeTool);
    assert_eq!(both.problems.len(), 3, "all of it is reported: {:?}", both.problems);
}

#[test]
fn what_has_no_effect_is_warned_of() {
    for (event, rule, code) in [
        (EventName::AfterTool, json!({ "when": {}, "block": "no" }), Some("no-effect")),
        (EventName::BeforeModel, json!({ "when": {}, "ask": "no" }), Some("no-effect")),
        (EventName::BeforeModel, json!({ "when": {}, "block": "no" }), None),
        (EventName::AfterTool, json!({ "when": {}, "context": "x" }), None),
        (EventName::BeforeTool, json!({ "when": {}, "block": "" }), Some("no-reason")),
        (EventName::BeforeTool, json!({ "when": { "not": {} }, "block": "x" }), Some("never-holds")),
    ] {
        let reading = read(&rule.to_string(), event);
        assert!(reading.rule.is_some(), "{rule}");
        assert_eq!(reading.warnings.first().map(|warning| warning.code.as_str()), code, "{rule}");
    }
}

#[test]
fn a_rule_that_makes_no_difference_is_found() {
    let rule = |rule: Value| read(&rule.to_string(), EventName::BeforeTool).rule.unwrap();
    let block = |when: Value| rule(json!({ "when": when, "block": "no" }));
    for (wide, narrow, expected) in [
        (json!({}), json!({ "tool": "x" }), true),
        (json!({ "tool": "x" }), json!({}), false),
        (json!({ "tool": "x" }), json!({ "tool": "x", "command": "rm" }), true),
        (json!({ "tool": ["x", "y"] }), json!({ "tool": "y" }), true),
        (json!({ "tool": "y" }), json!({ "tool": ["x", "y"] }), false),
        (json!({ "command": "git push" }), json!({ "command": "git push --force" }), true),
        (json!({ "command": "git push -f" }), json!({ "command": "git push --force origin" }), true),
        (json!({ "command": "git push --force" }), json!({ "command": "git push" }), false),
        (json!({ "command": "git push" }), json!({ "command": "git * --force" }), false),
        (json!({ "any": [{ "tool": "x" }, { "tool": "y" }] }), json!({ "tool": "y" }), true),
        (json!({ "tool": ["x", "y"] }), json!({ "any": [{ "tool": "x" }, { "tool": "y" }] }), true),
        (json!({ "not": { "tool": "x" } }), json!({ "not": { "tool": ["x", "y"] } }), true),
        (json!({ "writes": "**/.env" }), json!({ "reads": "**/.env" }), false),
        (json!({ "command": "rm -r" }), json!({ "command": "rm -r -f" }), true),
        (json!({ "command": "rm ... /etc/*" }), json!({ "command": "rm a /etc/x" }), true),
        // `tool -xy` holds for the second one alone: it is not known whether `-x` takes a value.
        (json!({ "command": "tool y" }), json!({ "command": "tool -x y" }), false),
        (json!({ "command": "tool ?=? c" }), json!({ "command": "tool a=b c" }), false),
        (json!({ "command": { "regex": "^git push" } }), json!({ "command": "git push" }), false),
        (json!({ "not": { "command": "git push -f" } }), json!({ "not": { "command": "git push" } }), true),
        (json!({ "not": { "command": "git push" } }), json!({ "not": { "command": "git push -f" } }), false),
    ] {
        assert_eq!(block(wide.clone()).shadows(&block(narrow.clone())), expected, "{wide} and {narrow}");
    }
    let wide = block(json!({}));
    assert!(wide.shadows(&rule(json!({ "when": {}, "ask": "x" }))));
    assert!(!wide.shadows(&rule(json!({ "when": {}, "context": "x" }))));
    assert!(!wide.shadows(&rule(json!({ "when": {}, "block": "x", "context": "y" }))));
    assert!(!wide.shadows(&rule(json!({ "when": {}, "block": "x", "unknown": "ask" }))));
    for more in ["systemMessage", "stopReason", "something"] {
        let then = json!({ "decision": "block", "reason": "x", more: "y" });
        assert!(!wide.shadows(&rule(json!({ "when": {}, "then": then }))), "{more}");
    }
    assert!(!rule(json!({ "when": {}, "ask": "x" })).shadows(&wide));
    let asks = rule(json!({ "when": { "command": "a" }, "block": "x", "unknown": "ask" }));
    let blocks = rule(json!({ "when": { "command": "a b" }, "block": "x", "unknown": "block" }));
    assert!(!asks.shadows(&blocks), "a line that hides its commands is blocked by the second one alone");
    let blocks = rule(json!({ "when": { "command": "a" }, "block": "x", "unknown": "block" }));
    assert!(blocks.shadows(&asks));
}

#[test]
fn rules_can_be_asked_from_any_thread() {
    fn is_shared<T: Send + Sync>(_: &T) -> bool {
        true
    }
    assert!(is_shared(
        &read(r#"{ "when": { "tool": { "regex": "a.b" } }, "block": "x" }"#, EventName::BeforeTool).rule
    ));
}
