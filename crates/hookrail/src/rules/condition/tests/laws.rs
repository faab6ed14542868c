//! What holds for any condition.

use proptest::prelude::*;

use super::*;

/// One word of a pattern or of a command.
fn words() -> impl Strategy<Value = Vec<&'static str>> {
    let known = vec![
        "push",
        "-f",
        "--force",
        "--forc",
        "-u",
        "origin",
        "-C",
        "d",
        "x",
        "-x",
        "y",
        "-xy",
        "a=b",
        "--",
        "...",
        "*",
        "-vf",
        "p?sh",
        "{x,y}",
        "--force=x",
        "$X",
        "-r",
        "-rf",
    ];
    proptest::collection::vec(proptest::sample::select(known), 0..4)
}

fn programs() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["git", "rm", "tool", "g*", "/bin/rm"])
}

proptest! {
    /// What is said to follow does follow: of every line, also of those that cannot be determined.
    #[test]
    fn a_condition_that_follows_holds_whenever_the_other_one_does(
        program in programs(),
        wide in words(),
        added in words(),
        line in (programs(), words(), words()),
        is_related in any::<bool>(),
        negated in any::<bool>(),
        more in any::<bool>(),
    ) {
        // Conditions that have nothing in common hardly ever follow from each other.
        let narrow = (program, [wide.clone(), added.clone()].concat());
        let line = if is_related {
            (program, [line.1, narrow.1.clone(), line.2].concat())
        } else {
            (line.0, [line.1, line.2].concat())
        };
        let wide = (program, wide);
        let text = |(program, words): &(&str, Vec<&str>)| format!("{program} {}", words.join(" "));
        let pattern = |parts: &(&str, Vec<&str>)| {
            let command = json!({ "command": text(parts) });
            if negated { json!({ "not": command }) } else { command }
        };
        let (wide, narrow) = (pattern(&wide), pattern(&narrow));
        let (wide, mut narrow) = if negated { (narrow, wide) } else { (wide, narrow) };
        if more {
            narrow["tool"] = json!("run_shell_command");
        }
        let read = |when: &Value| parse(&when.to_string(), EventName::BeforeTool).ok().map(|(read, _)| read);
        let (Some(wide_read), Some(narrow_read)) = (read(&wide), read(&narrow)) else { return Ok(()) };
        let input = json!({ "command": text(&line) });
        let subject = Subject {
            tool_name: Some("run_shell_command"),
            tool_input: input.as_object(),
            ..Subject::default()
        };
        let facts = Facts::imagined(subject, Places::imagined("/", "/"));
        if wide_read.follows_from(&narrow_read) {
            let (by_wide, by_narrow) = (wide_read.evaluate(&facts), narrow_read.evaluate(&facts));
            prop_assert!(by_narrow != Yes || by_wide == Yes, "{wide} {by_wide:?}, {narrow} {by_narrow:?}: {input}");
            prop_assert!(by_narrow != Unknown || by_wide != No, "{wide} {by_wide:?}, {narrow} {by_narrow:?}: {input}");
        }
    }

    /// No JSON makes the reader panic, and what it accepts can be asked.
    #[test]
    fn any_json_is_a_condition_or_a_problem(
        keys in proptest::collection::vec(proptest::sample::select(vec!["tool", "command", "writes", "any", "not", "all", "input.x", "dynamic", "x"]), 0..4),
        values in proptest::collection::vec(proptest::sample::select(vec![
            "1", "\"a\"", "[]", "{}", "[\"a\"]", "[{}]", "null", "true", "{\"regex\":\"a\"}", "{\"exists\":true}", "{\"glob\":\"[\"}", "[{\"tool\":\"a\"}]",
        ]), 4),
    ) {
        let props: Vec<String> = keys.iter().zip(&values).map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let text = format!("{{{}}}", props.join(","));
        if let Ok((condition, _)) = parse(&text, EventName::BeforeTool) {
            let input = json!({ "command": "a" });
            let subject = Subject { tool_name: Some("run_shell_command"), tool_input: input.as_object(), ..Subject::default() };
            let facts = Facts::imagined(subject, Places::imagined("/", "/"));
            let truth = condition.evaluate(&facts);
            prop_assert_eq!(condition.explain(&facts).truth, truth);
        }
    }
}
