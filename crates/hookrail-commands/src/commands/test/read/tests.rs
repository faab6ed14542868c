use std::path::PathBuf;

use super::*;
use crate::commands::test::case::{DecisionWord, Expect};

fn problems(text: &str) -> Vec<String> {
    match parse(Path::new("t.json"), text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems
            .iter()
            .map(|problem| {
                let place = problem.place.as_ref().unwrap();
                format!("{}:{} {}", place.line, place.column, problem.message)
            })
            .collect(),
    }
}

#[test]
fn a_test_is_read_with_all_its_keys() {
    let text = r#"// comments are fine
[
  { "name": "n", "event": "BeforeTool", "tool": "write_file", "input": { "file_path": "a" },
    "files": { "src/a.txt": "x" }, "home": "scratch",
    "expect": { "decision": "block", "reason": "r", "ran": ["a"], "notRan": ["b"], "input": {},
                "output": {}, "errors": true, "maxMs": 5, }, },
]"#;
    let tests = parse(Path::new("t.json"), text).unwrap();
    assert_eq!(tests.len(), 1);
    let case = &tests[0];
    assert_eq!((case.name.as_str(), case.line, case.index, case.scratch_home), ("n", 3, 0, true));
    assert_eq!(case.files, Some(vec![(PathBuf::from("src/a.txt"), "x".to_owned())]));
    let expected = Expect {
        decision: Some(DecisionWord::Block),
        reason: Some("r".to_owned()),
        ran: vec!["a".to_owned()],
        not_ran: vec!["b".to_owned()],
        input: Some(JsonObject::new()),
        output: Some(JsonObject::new()),
        errors: Some(true),
        max_ms: Some(5),
    };
    assert_eq!(case.expect, Some(expected));
    assert_eq!(case.input.event().match_target(), Some("write_file"));
}

#[test]
fn another_agents_payload_is_read_in_our_terms() {
    let text = r#"[{ "name": "n", "agent": "claude", "stdin": {
      "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/elsewhere",
      "tool_name": "Bash", "tool_input": { "command": "ls" } } }]"#;
    let tests = parse(Path::new("t.json"), text).unwrap();
    let input = &tests[0].input;
    assert_eq!(input.event().match_target(), Some("run_shell_command"));
    assert_eq!(input.base.cwd, None, "the folder of another machine is not the project that is tested");
    assert_eq!(input.extra["agent"]["tool_name"], "Bash");
    assert!(tests[0].expect.is_none());
}

#[test]
fn what_is_no_test_file_is_reported_with_its_place() {
    let deep = format!("[{}{}]", "[".repeat(600), "]".repeat(600));
    for (text, expected) in [
        ("", "1:1 expected an array of tests, found nothing"),
        ("{}", "1:1 a test file: expected an array of tests, found an object"),
        ("[1]", "1:2 a test: expected an object, found 1"),
        (r#"[{ "event": "BeforeTool" }]"#, "1:2 this test has no `name`"),
        (r#"[{ "name": " ", "event": "BeforeTool" }]"#, "1:2 this test has no `name`"),
        (r#"[{ "name": "n" }]"#, "1:2 this test has no `event`"),
        (
            r#"[{ "name": "n", "event": "AfterTool" }]"#,
            "1:26 a test of AfterTool needs a `tool`, or a `payload`",
        ),
        (r#"[{ "name": "n", "event": 5 }]"#, "1:26 `event`: expected the name of an event, found 5"),
        ("[{ \"name\": \"n\",\n \"event\": \"BeforeTool\", \"tol\": 1 }]", "2:25 a test has no key `tol`"),
        (r#"[{ "name": 7, "event": "BeforeTool" }]"#, "1:12 `name`: expected a text, found 7"),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "input": "x" }]"#,
            "1:49 `input`: expected an object, found \"x\"",
        ),
        (
            r#"[{ "name": "n", "event": "SessionStart", "tool": "x" }]"#,
            "1:26 `tool` and `input` are for tool events, not for SessionStart",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "payload": {} }]"#,
            "1:64 `payload` beside `tool` and `input`: only one of them can count",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "payload": {} }]"#,
            "1:51 the payload does not fit BeforeTool: `tool_name`: expected the name of a tool, found nothing",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "decison": "allow" } }]"#,
            "1:65 `expect` has no key `decison`",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "decision": "deny" } }]"#,
            "1:77 `decision`: expected \"allow\", \"block\", \"ask\" or \"stop\", found \"deny\"",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "ran": "guard" } }]"#,
            "1:72 `ran`: expected an array of hook names, found \"guard\"",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "errors": "no" } }]"#,
            "1:75 `errors`: expected true or false, found \"no\"",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "maxMs": 0 } }]"#,
            "1:74 `maxMs`: expected a whole number of milliseconds above zero, found 0",
        ),
        (
            r#"[{ "name": "n", "event": "SessionStart", "expect": { "input": {} } }]"#,
            "1:63 `input` is expected of tool events only",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": [] }]"#,
            "1:63 `expect`: expected an object, found an array",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "files": { "../x": "" } }]"#,
            "1:51 a path of `files` is relative and stays inside of the project",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "files": { "/etc/x": "" } }]"#,
            "1:51 a path of `files` is relative and stays inside of the project",
        ),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "home": "/root" }]"#,
            "1:48 `home`: expected \"scratch\", found \"/root\"",
        ),
        (
            r#"[{ "name": "n", "agent": "claude" }]"#,
            "1:2 `agent` and `stdin` belong together, and one of them is missing",
        ),
        (
            r#"[{ "name": "n", "agent": "claude", "stdin": {}, "tool": "x" }]"#,
            "1:57 `tool` beside `agent`: `stdin` has everything",
        ),
        // What a person and the parser read differently.
        (r#"[{ "name": "n", "event": "BeforeTool", "name": "m" }]"#, "1:40 the key `name` occurs twice"),
        (
            r#"[{ "name": "n", "event": "BeforeTool", "input": { "a": 1, "a": 2 } }]"#,
            "1:59 the key `a` occurs twice",
        ),
        (
            "[{ \"name\": \"a\0b\", \"event\": \"BeforeTool\" }]",
            "1:14 not valid JSON: the character U+0000 inside of a string",
        ),
        (
            "[{ \"name\": \"a\nb\", \"event\": \"BeforeTool\" }]",
            "1:14 not valid JSON: the character U+000A inside of a string",
        ),
    ] {
        assert_eq!(problems(text).first().map(String::as_str), Some(expected), "{text}");
    }
    for text in ["[", "[{ 'name': 1 }]", "\0", "[] []", &deep] {
        let first = problems(text).into_iter().next().unwrap_or_default();
        assert!(first.contains("not valid JSON"), "{first}");
    }
}

#[test]
fn a_byte_order_mark_moves_no_place() {
    let found = parse(Path::new("t.json"), "\u{feff}[5]").unwrap_err();
    let place = found[0].place.clone().unwrap();
    assert_eq!((place.line, place.column, place.span), (1, 2, 4..5));
    assert!(parse(Path::new("t.json"), "\u{feff}[]").unwrap().is_empty());
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = "[{ \"name\": 1, \"event\": 2 },\n { \"nam\": 1, \"event\": \"BeforeTool\" }]";
    let lines: Vec<_> =
        problems(text).iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
    assert!(lines.contains(&"1".to_owned()) && lines.contains(&"2".to_owned()), "{lines:?}");
}
