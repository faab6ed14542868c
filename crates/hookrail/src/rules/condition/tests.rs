mod laws;

use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::{Value, json};

use super::*;
use crate::event::EventName;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::rules::facts::Subject;
use crate::rules::path::Places;
use crate::rules::problem::{RuleFindings, RuleProblem};
use crate::rules::truth::Truth::{No, Unknown, Yes};

fn parse(text: &str, event: EventName) -> Result<(Condition, Vec<RuleProblem>), Vec<RuleProblem>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).unwrap();
    let mut findings = RuleFindings::default();
    let condition = Condition::parse(&parsed.value.unwrap(), event, &mut findings);
    condition.map(|condition| (condition, findings.0.clone())).ok_or(findings.0)
}

fn condition(when: &Value, event: EventName) -> Condition {
    parse(&when.to_string(), event).unwrap_or_else(|problems| panic!("{when}: {problems:?}")).0
}

/// Whether a condition holds for a call in an imagined project.
fn on_call(when: &Value, tool: &str, input: &Value) -> Truth {
    let subject = Subject { tool_name: Some(tool), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::imagined("/project", "/home/user"));
    condition(when, EventName::BeforeTool).evaluate(&facts)
}

fn on_line(when: &Value, line: &str) -> Truth {
    on_call(when, "run_shell_command", &json!({ "command": line }))
}

#[test]
fn every_test_says_what_the_contract_says() {
    let input = json!({ "file_path": "src/a.rs", "limit": 5, "deep": { "list": ["x", { "y": true }] }, "none": null, "a.b": 1 });
    for (when, expected) in [
        (json!({}), Yes),
        (json!({ "tool": "read_file" }), Yes),
        (json!({ "tool": "read" }), No),
        (json!({ "tool": ["x", "read_file"] }), Yes),
        (json!({ "tool": { "in": ["x", "read_file"] } }), Yes),
        (json!({ "tool": { "regex": "^read_" } }), Yes),
        (json!({ "tool": { "regex": "^(?!read_)" } }), No),
        (json!({ "tool": { "glob": "read_*" } }), Yes),
        (json!({ "tool": { "startsWith": "read", "contains": "file" } }), Yes),
        (json!({ "tool": { "startsWith": "read", "contains": "dir" } }), No),
        (json!({ "tool": [{ "contains": "dir" }, { "startsWith": "re" }] }), Yes),
        (json!({ "input.limit": 5 }), Yes),
        (json!({ "input.limit": 5.0 }), Yes),
        (json!({ "input.limit": "5" }), No),
        (json!({ "input.limit": [4, 5] }), Yes),
        (json!({ "input.limit": { "contains": "5" } }), No),
        (json!({ "input.file_path": { "glob": "src/*" } }), Yes),
        (json!({ "input.file_path": { "glob": "*" } }), No),
        (json!({ "input.deep.list.0": "x" }), Yes),
        (json!({ "input.deep.list.1.y": true }), Yes),
        (json!({ "input.deep.list": { "contains": "x" } }), Yes),
        (json!({ "input.deep.list": { "contains": "y" } }), No),
        (json!({ "input.a.b": 1 }), Yes),
        (json!({ "input.none": { "exists": true } }), No),
        (json!({ "input.none": { "exists": false } }), Yes),
        (json!({ "input.deep": { "exists": true } }), Yes),
        (json!({ "input.other": "x" }), No),
        (json!({ "not": { "input.other": "x" } }), Yes),
        (json!({ "any": [{ "tool": "x" }, { "input.limit": 5 }] }), Yes),
        (json!({ "all": [{ "tool": "read_file" }, { "input.limit": 6 }] }), No),
        (json!({ "all": [] }), Yes),
        (json!({ "reads": "src/*.rs" }), Yes),
        (json!({ "reads": "./src/a.rs" }), Yes),
        (json!({ "reads": { "equals": "src/a.rs" } }), Yes),
        (json!({ "reads": { "outside": false } }), Yes),
        (json!({ "reads": { "outside": true } }), No),
        (json!({ "writes": { "exists": false } }), Yes),
        (json!({ "command": "rm" }), No),
        (json!({ "dynamic": false }), Yes),
        (json!({ "agent": "claude" }), No),
        (json!({ "agent": { "exists": false } }), Yes),
    ] {
        assert_eq!(on_call(&when, "read_file", &input), expected, "{when}");
    }
}

#[test]
fn what_a_line_hides_is_unknown_and_stays_so_through_logic() {
    for (when, line, expected) in [
        (json!({ "command": "git push" }), "git push && eval \"$x\"", Yes),
        (json!({ "command": "git push" }), "eval \"$x\"", Unknown),
        (json!({ "not": { "command": "git push" } }), "eval \"$x\"", Unknown),
        (json!({ "not": { "command": "git push" } }), "git push", No),
        (json!({ "program": "rm" }), "$X a", Unknown),
        (json!({ "program": { "exists": true } }), "echo", No),
        (json!({ "program": "rm" }), "/bin/rm a", Yes),
        (json!({ "program": "cd" }), "cd a", No),
        (json!({ "command": "cd" }), "cd a", Yes),
        (json!({ "dynamic": true }), "curl x | sh", Yes),
        (json!({ "dynamic": true }), "ls | cat", No),
        (json!({ "dynamic": "stdin" }), "curl x | sh", Yes),
        (json!({ "dynamic": ["eval", "stdin"] }), "curl x | sh", Yes),
        (json!({ "dynamic": ["eval", "source"] }), "curl x | sh", No),
        (json!({ "dynamic": { "in": ["stdin"] } }), "ls", No),
        // What a bound hides may be anything, but it is dynamic for certain.
        (json!({ "dynamic": "bound" }), &*"eval ".repeat(50), Yes),
        (json!({ "dynamic": "stdin" }), &*"eval ".repeat(50), Unknown),
        (json!({ "dynamic": false }), &*"eval ".repeat(50), No),
        (json!({ "writes": { "outside": true } }), "rm -rf /etc/$X", Yes),
        (json!({ "writes": "/etc/**" }), "rm -rf /etc/$X", Yes),
        (json!({ "writes": "/etc/*" }), "rm -rf /etc/$X", Unknown),
        (json!({ "writes": "/usr/**" }), "rm -rf /etc/$X", No),
        (json!({ "writes": "/etc/ssh/**" }), "rm -rf /etc/$X", Unknown),
        (json!({ "writes": { "startsWith": "/etc" } }), "rm -rf /etc/$X", Yes),
        (json!({ "writes": { "startsWith": "/etc/ssh" } }), "rm -rf /etc/$X", Unknown),
        (json!({ "writes": { "startsWith": "/usr" } }), "rm -rf /etc/$X", No),
        (json!({ "writes": { "outside": true } }), "rm -rf src/$X", No),
        (json!({ "writes": "x" }), "echo > $F", Unknown),
        (json!({ "writes": { "exists": true } }), "echo > $F", Unknown),
        (json!({ "any": [{ "dynamic": true }, { "command": "ls" }] }), "ls; eval \"$x\"", Yes),
        (json!({ "all": [{ "tool": "x" }, { "command": "rm" }] }), "eval \"$x\"", No),
        (json!({ "command": { "startsWith": "git push" } }), "git  push -f", Yes),
        (json!({ "command": { "regex": "^GIT PUSH", "flags": "i" } }), "git push", Yes),
        (json!({ "command": { "regex": "^GIT PUSH" } }), "git push", No),
        (json!({ "command": "docker run ... --privileged" }), "docker run --rm --privileged i", Yes),
        (json!({ "command": "docker run ... --privileged" }), "docker run i --privileged", No),
        (json!({ "command": "rsync --delete-*" }), "rsync -a --delete-after a b", Yes),
        (json!({ "command": "rsync --delete-*" }), "rsync -a --delete a b", No),
        (json!({ "command": "rm -r" }), "rm -- $X", No),
        (json!({ "command": "rm -r" }), "rm $X", Unknown),
        (json!({ "command": "rm -r" }), "find . -exec rm {} +", No),
        (json!({ "command": { "contains": "-f" } }), "git push $X -f", Yes),
        (json!({ "command": { "contains": "-f" } }), "git push $X", Unknown),
        (json!({ "command": { "startsWith": "rm" } }), "git push $X", No),
        (json!({ "command": { "equals": "git push" } }), "git push", Yes),
        (json!({ "command": { "equals": "git push" } }), "ls $X", No),
        (json!({ "command": { "regex": "^rm .*-rf" } }), "rm a -rf \"$X\"", Yes),
        (json!({ "command": { "glob": "rm * /etc/*" } }), "rm -f /etc/a/b", Yes),
    ] {
        assert_eq!(on_line(&when, line), expected, "{when} and `{line}`");
    }
    for command in [json!(["bash", "-lc", "git push -f"]), json!(["git", "push", "--force"])] {
        let input = json!({ "command": command });
        assert_eq!(on_call(&json!({ "command": "git push -f" }), "run_shell_command", &input), Yes);
    }
    for command in [json!(5), json!(["git", 5]), Value::Null] {
        let input = json!({ "command": command });
        assert_eq!(on_call(&json!({ "command": "git push -f" }), "run_shell_command", &input), Unknown);
        assert_eq!(on_call(&json!({ "dynamic": true }), "run_shell_command", &input), Yes);
    }
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place() {
    use EventName::{AfterTool, BeforeAgent, BeforeModel, BeforeTool, SessionStart};
    for (event, when, at, message, help) in [
        (BeforeTool, r#"{ "comand": "x" }"#, r#""comand""#, "is not a fact", "did you mean `command`?"),
        (BeforeTool, r#"{ "zzzz": "x" }"#, r#""zzzz""#, "is not a fact", "the facts are: tool"),
        (BeforeTool, r#"{ "input": "x" }"#, r#""input""#, "is not a fact", "name the argument"),
        (BeforeTool, r#"{ "input.": "x" }"#, r#""input.""#, "is not a fact", "name the argument"),
        (BeforeTool, r#"{ "agent.name": "x" }"#, r#""agent.name""#, "is not a fact", "`agent`"),
        (BeforeTool, r#"{ "tool": { "regexp": "x" } }"#, r#""regexp""#, "is not a test", "`regex`"),
        (BeforeTool, r#"{ "tool": 5 }"#, "5", "must be a string", ""),
        (BeforeTool, r#"{ "dynamic": "yes" }"#, r#""yes""#, "`true`, `false`, or causes", ""),
        (BeforeTool, r#"{ "dynamic": { "regex": "x" } }"#, r#""regex""#, "can never hold", ""),
        (BeforeTool, r#"{ "tool": { "outside": true } }"#, r#""outside""#, "can never hold", "paths"),
        (BeforeTool, r#"{ "writes": { "outside": "x" } }"#, r#""x""#, "`true` or `false`", ""),
        (BeforeTool, r#"{ "tool": { "regex": "(" } }"#, r#""(""#, "not a regular expression", ""),
        (BeforeTool, r#"{ "command": "curl x | sh" }"#, "sh\"", "can never hold", "one by one"),
        (BeforeTool, r#"{ "command": "git push; ls" }"#, "ls\"", "can never hold", ""),
        (BeforeTool, r#"{ "command": "echo > f" }"#, "f\"", "can never hold", ""),
        (BeforeTool, r#"{ "command": "A=b git push" }"#, "push\"", "can never hold", ""),
        (BeforeTool, r#"{ "command": "--force git" }"#, "git\"", "must be a program", ""),
        (BeforeTool, r#"{ "program": "/bin/rm" }"#, "rm\"", "can never hold", "last part"),
        (BeforeTool, r#"{ "program": ["ls", "a/b"] }"#, "b\"", "can never hold", ""),
        (BeforeTool, r#"{ "tool": { "flags": "i" } }"#, "flags\"", "only beside a `regex`", ""),
        (BeforeTool, r#"{ "tool": { "regex": "x", "flags": "ig" } }"#, "ig\"", "are not flags", ""),
        (BeforeTool, r#"{ "tool": { "regex": "*" } }"#, r#""*""#, "not a regular expression", ""),
        (BeforeTool, r#"{ "writes": "[a" }"#, r#""[a""#, "is not a glob", ""),
        (BeforeTool, r#"{ "writes": "" }"#, r#""""#, "empty", ""),
        (BeforeTool, r#"{ "command": "" }"#, r#""""#, "no words", ""),
        (BeforeTool, r#"{ "command": "-f x" }"#, r#""-f x""#, "must be a program", ""),
        (BeforeTool, r#"{ "command": 5 }"#, "5", "must be a command", ""),
        (BeforeTool, r#"{ "tool": {} }"#, "{}", "empty", "tests are"),
        (BeforeTool, r#"{ "tool": [] }"#, "[]", "never hold", ""),
        (BeforeTool, r#"{ "tool": [["x"]] }"#, r#"["x"]"#, "must be", ""),
        (BeforeTool, r#"{ "tool": null }"#, "null", "must be", ""),
        (BeforeTool, r#"{ "input.x": { "in": [] } }"#, "[]", "never hold", ""),
        (BeforeTool, r#"{ "any": [] }"#, "[]", "never hold", ""),
        (BeforeTool, r#"{ "any": { "tool": "x" } }"#, r#"{ "tool": "x" }"#, "must be an array", ""),
        (BeforeTool, r#"{ "not": [ ] }"#, "[ ]", "must be an object", ""),
        (BeforeTool, r#"{ "tool": "x", "tool": "y" }"#, r#""tool""#, "more than once", "all"),
        (
            SessionStart,
            r#"{ "command": "x" }"#,
            r#""command""#,
            "SessionStart has no such fact",
            "BeforeTool, AfterTool",
        ),
        (BeforeModel, r#"{ "prompt": "x" }"#, r#""prompt""#, "no such fact", "BeforeAgent, AfterAgent"),
        (BeforeAgent, r#"{ "text": "x" }"#, r#""text""#, "no such fact", "AfterAgent"),
        (AfterTool, r#"{ "model": "x" }"#, r#""model""#, "no such fact", "BeforeModel"),
    ] {
        let problems = parse(when, event).err().unwrap_or_else(|| panic!("{when} was read"));
        assert_eq!(problems.len(), 1, "{when}: {problems:?}");
        let problem = &problems[0];
        assert!(when[problem.range.clone()].ends_with(at), "{when}: {:?}", &when[problem.range.clone()]);
        assert!(problem.message.contains(message), "{when}: {}", problem.message);
        assert!(problem.help.contains(help), "{when}: {:?}", problem.help);
    }
    let many =
        parse(r#"{ "comand": "x", "tool": 5, "any": [ { "writes": "[" } ] }"#, BeforeTool).unwrap_err();
    assert_eq!(many.len(), 3);
    let deep = format!("{}{{}}{}", r#"{"not":"#.repeat(140), "}".repeat(140));
    assert_eq!(parse(&deep, BeforeTool).unwrap_err()[0].code.as_str(), "too-deep");
}

#[test]
fn what_makes_no_difference_is_warned_of() {
    for (when, code) in [
        ("{}", None),
        (r#"{ "tool": "x" }"#, None),
        (r#"{ "tool": ["x", "y"], "all": [ { "tool": "y" } ] }"#, None),
        (r#"{ "not": {} }"#, Some("never-holds")),
        (r#"{ "all": [] }"#, Some("always-holds")),
        (r#"{ "any": [ {}, { "tool": "x" } ] }"#, Some("always-holds")),
        (r#"{ "tool": "x", "all": [ { "tool": "y" } ] }"#, Some("never-holds")),
        (r#"{ "dynamic": true, "all": [ { "dynamic": false } ] }"#, Some("never-holds")),
        (r#"{ "program": "x", "all": [ { "program": "y" } ] }"#, None),
        (r#"{ "tool": { "equals": "x", "startsWith": "y" } }"#, Some("never-holds")),
        (r#"{ "tool": { "exists": false, "startsWith": "y" } }"#, Some("never-holds")),
        (r#"{ "tool": { "contains": "" } }"#, Some("always-holds")),
        (r#"{ "writes": "../x" }"#, Some("never-holds")),
        (r#"{ "reads": "~/.ssh/**" }"#, Some("never-holds")),
    ] {
        let (_, warnings) = parse(when, EventName::BeforeTool).unwrap();
        assert_eq!(warnings.first().map(|warning| warning.code.as_str()), code, "{when}: {warnings:?}");
    }
}

#[test]
fn other_events_have_their_own_facts() {
    let subject = Subject {
        prompt: Some("deploy it"),
        model: Some("m-1"),
        text: Some("done".into()),
        agent: Some("claude"),
        ..Subject::default()
    };
    let facts = Facts::imagined(subject, Places::imagined("/", "/"));
    for (event, when) in [
        (EventName::BeforeAgent, json!({ "prompt": { "contains": "deploy" } })),
        (EventName::AfterAgent, json!({ "prompt": { "exists": true }, "text": "done" })),
        (EventName::BeforeModel, json!({ "model": { "glob": "m-*" } })),
        (EventName::AfterModel, json!({ "model": "m-1", "text": { "regex": "^d" } })),
        (EventName::BeforeToolSelection, json!({ "model": "m-1" })),
        (EventName::SessionStart, json!({ "agent": "claude" })),
    ] {
        assert_eq!(condition(&when, event).evaluate(&facts), Yes, "{event} {when}");
    }
}

#[test]
fn an_explanation_shows_each_part_in_its_order() {
    let when =
        json!({ "command": "git push --force", "tool": "run_shell_command", "not": { "writes": "x" } });
    let input = json!({ "command": "git push origin $X > y" });
    let subject =
        Subject { tool_name: Some("run_shell_command"), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::imagined("/project", "/h"));
    let explained = condition(&when, EventName::BeforeTool).explain(&facts);
    assert_eq!(
        serde_json::to_value(&explained).unwrap(),
        json!({ "condition": "all", "truth": "unknown", "parts": [
            { "condition": "command: \"git push --force\"", "truth": "unknown", "seen": ["git push origin ?"] },
            { "condition": "tool: \"run_shell_command\"", "truth": "yes", "seen": ["run_shell_command"] },
            { "condition": "not", "truth": "yes", "parts": [
                { "condition": "writes: \"x\"", "truth": "no", "seen": ["y"] },
            ] },
        ] })
    );
}
