//! Edits: whole texts before and after, and what holds for every text.

use hookrail::EventName;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use hookrail::settings::Settings;

#[test]
fn enabling_writes_the_canonical_key() {
    for (before, enable, after) in [
        ("", true, "{\n  \"enableHooks\": true\n}\n"),
        (" \n", false, "{\n  \"enableHooks\": false\n}\n"),
        ("\u{feff}{}", true, "\u{feff}{\n  \"enableHooks\": true\n}"),
        (
            "{\n  // Off for now.\n  \"enableHooks\": /* why */ false, // later\n}\n",
            true,
            "{\n  // Off for now.\n  \"enableHooks\": /* why */ true, // later\n}\n",
        ),
        (
            "// mine\n{\n\t\"theme\": \"dark\" // nice\n}\n",
            true,
            "// mine\n{\n\t\"theme\": \"dark\", // nice\n\t\"enableHooks\": true\n}\n",
        ),
        (
            "{\r\n  \"theme\": \"dark\"\r\n}",
            true,
            "{\r\n  \"theme\": \"dark\",\r\n  \"enableHooks\": true\r\n}",
        ),
        ("{\"enableHooks\": 1, \"enableHooks\": 2}", true, "{\"enableHooks\": 1, \"enableHooks\": true}"),
    ] {
        assert_eq!(set_enable_hooks(before, enable).as_deref(), Ok(after), "{before:?}");
    }
}

#[test]
fn disabling_and_enabling_a_hook_edits_the_lists() {
    for (before, disabled, after) in [
        ("", true, "{\n  \"hooksConfig\": {\n    \"disabled\": [\"lint\"]\n  }\n}\n"),
        (
            "{\n  \"hooksConfig\": {\n    \"disabled\": [\n      \"a\" // first\n    ]\n  }\n}\n",
            true,
            "{\n  \"hooksConfig\": {\n    \"disabled\": [\n      \"a\", // first\n      \"lint\"\n    ]\n  }\n}\n",
        ),
        // It is disabled already, in the one or the other list.
        (
            r#"{ "hooksConfig": { "disabled": ["lint"] } }"#,
            true,
            r#"{ "hooksConfig": { "disabled": ["lint"] } }"#,
        ),
        (r#"{ "hooks": { "disabled": ["lint"] } }"#, true, r#"{ "hooks": { "disabled": ["lint"] } }"#),
        // Enabling clears both lists of it, however often it is there.
        (
            r#"{ "hooksConfig": { "disabled": ["lint", "a"] }, "hooks": { "disabled": ["b", "lint", "lint"] } }"#,
            false,
            r#"{ "hooksConfig": { "disabled": ["a"] }, "hooks": { "disabled": ["b"] } }"#,
        ),
        (
            "{ \"hooksConfig\": { \"disabled\": [\n  \"a\",\n  // too slow\n  \"lint\", // really\n  \"b\"\n] } }",
            false,
            "{ \"hooksConfig\": { \"disabled\": [\n  \"a\",\n  // too slow\n   // really\n  \"b\"\n] } }",
        ),
        (
            "{ \"hooksConfig\": { \"disabled\": [\n  \"a\",\n  \"lint\"\n] } }",
            false,
            "{ \"hooksConfig\": { \"disabled\": [\n  \"a\"\n] } }",
        ),
        ("{ \"hooksConfig\": {} }", false, "{ \"hooksConfig\": {} }"),
    ] {
        assert_eq!(set_hook_disabled(before, "lint", disabled).as_deref(), Ok(after), "{before:?}");
    }
}

#[test]
fn a_sequential_hook_is_added_behind_all_others() {
    let hook = |command: &str| json!({ "type": "command", "command": command });
    let mut text = String::new();
    for (matcher, command) in [(Some("a"), "1"), (Some("a"), "2"), (None, "3"), (Some("a"), "4")] {
        text = add_hook(&text, EventName::BeforeTool, matcher, true, &hook(command)).unwrap();
    }
    // A parallel hook does not join them.
    text = add_hook(&text, EventName::BeforeTool, Some("a"), false, &hook("5")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        written["hooks"]["BeforeTool"],
        json!([
            { "matcher": "a", "sequential": true, "hooks": [hook("1"), hook("2")] },
            { "sequential": true, "hooks": [hook("3")] },
            { "matcher": "a", "sequential": true, "hooks": [hook("4")] },
            { "matcher": "a", "hooks": [hook("5")] },
        ])
    );
    let off = r#"{"hooks": {"BeforeTool": [{"sequential": false, "hooks": []}]}}"#;
    let text = add_hook(off, EventName::BeforeTool, None, true, &hook("x")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["hooks"]["BeforeTool"].as_array().unwrap().len(), 2, "{text}");
}

#[test]
fn a_hook_is_added_to_its_group_or_in_a_new_one() {
    let hook = json!({ "type": "command", "command": "say \"hi\"\n" });
    let written = |text: &str, matcher: Option<&str>| {
        let text = add_hook(text, EventName::BeforeTool, matcher, false, &hook).unwrap();
        let settings = Settings::from_value("/p", &serde_json::Value::from(source_value(&text)));
        assert_eq!(settings.diagnostics, []);
        (text, settings)
    };
    let (text, _) = written("", Some("write"));
    insta::assert_snapshot!(text, @r#"
    {
      "hooks": {
        "BeforeTool": [
          {
            "matcher": "write",
            "hooks": [
              {
                "type": "command",
                "command": "say \"hi\"\n"
              }
            ]
          }
        ]
      }
    }
    "#);
    for (matchers, matcher, groups) in [
        (r#""matcher": "write","#, Some("write"), 1),
        (r#""matcher": "write","#, None, 2),
        (r#""matcher": "write","#, Some("read"), 2),
        ("", None, 1),
        ("", Some("read"), 2),
        // Joining a sequential group would chain the new hook to the others.
        (r#""sequential": true,"#, None, 2),
    ] {
        let before = format!(
            "{{ \"hooks\": {{ \"BeforeTool\": [ {{ {matchers} \"hooks\": [ {{ \"type\": \"command\", \"command\": \"a\" }} ] /* kept */ }} ] }} }}"
        );
        let (text, settings) = written(&before, matcher);
        assert!(text.contains("/* kept */"), "{text}");
        assert_eq!(settings.hooks.len(), 2, "{text}");
        let value: serde_json::Value = source_value(&text).into();
        assert_eq!(value["hooks"]["BeforeTool"].as_array().unwrap().len(), groups, "{text}");
        assert_eq!(settings.hooks[1].command(), "say \"hi\"\n");
        assert_eq!(settings.hooks[1].matcher.text(), matcher);
    }
}

#[test]
fn what_cannot_be_edited_is_refused_and_says_where() {
    let hook = json!({});
    assert_eq!(
        set_enable_hooks("{\n  \"a\": 1\n  \"b\": 2\n}", true).unwrap_err().to_string(),
        "line 2, column 9: malformed settings: expected `,`, found `\"`"
    );
    for (error, expected) in [
        (
            set_enable_hooks("[]", true),
            "line 1, column 1: malformed settings: expected an object `{ … }`, found an array",
        ),
        (set_hook_disabled(r#"{"hooksConfig": 1}"#, "a", true), "`hooksConfig` is not an object"),
        (
            set_hook_disabled(r#"{"hooksConfig": {"disabled": "a"}}"#, "a", true),
            "`hooksConfig.disabled` is not an array",
        ),
        (
            add_hook(r#"{"hooks": {"AfterTool": {}}}"#, EventName::AfterTool, None, false, &hook),
            "`hooks.AfterTool` is not an array",
        ),
    ] {
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}

fn source_value(text: &str) -> ast::Value<'_> {
    ast::Value::Object(SourceText::of_file(Path::new(""), text).parse().unwrap())
}

/// JSON text with comments in all sorts of places. Each comment has a number of its own.
fn commented(value: &serde_json::Value, choices: &mut impl Iterator<Item = u8>, count: &mut usize) -> String {
    let mut gap = |choices: &mut dyn Iterator<Item = u8>| {
        *count += 1;
        match choices.next().unwrap_or(0) % 8 {
            1 => format!(" /* c{count}; */ "),
            2 => format!(" // c{count};\n  "),
            3 => "\n    ".to_owned(),
            4 => format!("\n// c{count};\n"),
            5 => " ".to_owned(),
            _ => String::new(),
        }
    };
    match value {
        serde_json::Value::Array(values) => {
            let mut text = format!("[{}", gap(choices));
            for (index, value) in values.iter().enumerate() {
                let mut inner = *count;
                text += &commented(value, choices, &mut inner);
                *count = inner;
                text += &gap_after(index + 1 == values.len(), choices, count);
            }
            text + "]"
        }
        serde_json::Value::Object(fields) => {
            let mut text = format!("{{{}", gap(choices));
            for (index, (name, value)) in fields.iter().enumerate() {
                text += &serde_json::to_string(name).unwrap();
                text += ":";
                let mut inner = *count;
                text += &commented(value, choices, &mut inner);
                *count = inner;
                text += &gap_after(index + 1 == fields.len(), choices, count);
            }
            text + "}"
        }
        scalar => scalar.to_string(),
    }
}

fn gap_after(is_last: bool, choices: &mut impl Iterator<Item = u8>, count: &mut usize) -> String {
    *count += 1;
    let comma = if is_last && choices.next().unwrap_or(0).is_multiple_of(2) { "" } else { "," };
    match choices.next().unwrap_or(0) % 6 {
        1 => format!(" /* c{count}; */{comma}\n"),
        2 => format!("{comma} // c{count};\n"),
        3 => format!("// c{count};\n{comma} "),
        4 => format!("{comma}/* c{count}; */"),
        _ => comma.to_owned(),
    }
}

fn comments(text: &str) -> Vec<&str> {
    let mut comments: Vec<&str> =
        text.split(" c").skip(1).map(|rest| rest.split(';').next().unwrap()).collect();
    comments.sort_unstable();
    comments
}

fn settings() -> impl Strategy<Value = serde_json::Value> {
    let names = prop::collection::vec(prop::sample::select(vec!["lint", "a", "b"]), 0..4);
    let hook = Just(json!({ "type": "command", "command": "x" }));
    let group =
        (prop::option::of("[a-z]{1,3}"), prop::collection::vec(hook, 0..3)).prop_map(|(matcher, hooks)| {
            let mut group = json!({ "hooks": hooks });
            if let Some(matcher) = matcher {
                group["matcher"] = matcher.into();
            }
            group
        });
    let groups = prop::collection::vec(group, 0..3);
    (
        prop::option::of(any::<bool>()),
        prop::option::of(names.clone()),
        prop::option::of((names, groups)),
        any::<bool>(),
    )
        .prop_map(|(enable, disabled, hooks, other)| {
            let mut settings = json!({});
            if other {
                settings["theme"] = json!({ "dark": [1, 2, { "x": null }] });
            }
            if let Some(disabled) = disabled {
                settings["hooksConfig"] = json!({ "disabled": disabled });
            }
            if let Some((disabled, groups)) = hooks {
                settings["hooks"] = json!({ "BeforeTool": groups, "disabled": disabled });
            }
            if let Some(enable) = enable {
                settings["enableHooks"] = enable.into();
            }
            settings
        })
}

proptest! {
    /// Whatever the text looks like: the result parses, says what was asked for, keeps every comment, and a
    /// second edit of the same kind changes nothing.
    #[test]
    fn edits_keep_comments_and_do_what_they_say(
        value in settings(),
        choices in prop::collection::vec(any::<u8>(), 0..80),
        flag in any::<bool>(),
    ) {
        let text = commented(&value, &mut choices.into_iter(), &mut 0);
        prop_assert_eq!(serde_json::Value::from(source_value(&text)), value.clone(), "{}", text);

        let enabled = set_enable_hooks(&text, flag).unwrap();
        let mut expected = value.clone();
        expected["enableHooks"] = flag.into();
        prop_assert_eq!(serde_json::Value::from(source_value(&enabled)), expected, "{}", enabled);
        prop_assert_eq!(comments(&enabled), comments(&text));
        prop_assert_eq!(set_enable_hooks(&enabled, flag).unwrap(), enabled);

        let listed = set_hook_disabled(&text, "lint", flag).unwrap();
        let is_disabled = Settings::from_value("/p", &source_value(&listed).into())
            .disabled.iter().any(|entry| entry.name_or_command == "lint");
        prop_assert_eq!(is_disabled, flag, "{}", listed);
        prop_assert_eq!(comments(&listed), comments(&text), "{}\n->\n{}", text, listed);
        prop_assert_eq!(set_hook_disabled(&listed, "lint", flag).unwrap(), listed);

        let hook = json!({ "type": "command", "command": "new" });
        let added = add_hook(&text, EventName::BeforeTool, flag.then_some("abc"), false, &hook).unwrap();
        let before = Settings::from_value("/p", &value).hooks.len();
        let after = Settings::from_value("/p", &source_value(&added).into());
        prop_assert_eq!(after.hooks.len(), before + 1, "{}", added);
        prop_assert_eq!(comments(&added), comments(&text));
    }
}

#[test]
fn rules_are_turned_on_once_and_taken_out_again() {
    let text = "{\n  // mine\n  \"hooksConfig\": {\n    \"rules\": [\n      \"no-force-push\",\n      { \"name\": \"no-secret-files\", \"except\": [] }\n    ]\n  }\n}\n";
    assert_eq!(add_rules(text, &["no-force-push", "no-secret-files"]).unwrap(), text);
    let added = add_rules(text, &["@standard"]).unwrap();
    assert!(added.contains("\"@standard\"") && added.contains("// mine"), "{added}");
    assert_eq!(
        remove_rule(&added, "@standard").unwrap().split_whitespace().collect::<String>(),
        text.split_whitespace().collect::<String>()
    );
    let without = remove_rule(text, "no-secret-files").unwrap();
    assert!(!without.contains("no-secret-files") && without.contains("no-force-push"), "{without}");
    assert_eq!(remove_rule("", "x").unwrap(), "{}\n");
    assert!(add_rules("{\"hooksConfig\": {\"rules\": 5}}", &["x"]).is_err());
    assert_eq!(
        add_rules("", &["x"]).unwrap().split_whitespace().collect::<String>(),
        "{\"hooksConfig\":{\"rules\":[\"x\"]}}"
    );
}

#[test]
fn an_edited_text_is_read_as_it_was_meant() {
    let hook = json!({ "type": "command", "command": "lint.sh", "name": "lint" });
    let text = set_enable_hooks("// My settings.\n{\n}\n", true).unwrap();
    let text = add_hook(&text, EventName::AfterTool, Some("write_file"), false, &hook).unwrap();
    let text = set_hook_disabled(&text, "lint", true).unwrap();
    let settings = Settings::from_value("/p", &source_value(&text).into());
    assert!(text.starts_with("// My settings.\n"));
    assert_eq!(settings.diagnostics, []);
    assert_eq!(settings.enable.user, Some(true));
    assert_eq!(settings.hooks[0].name, "lint");
    assert_eq!(settings.disabled[0].name_or_command, "lint");
}

proptest! {
    /// Texts that are hardly settings at all: an edit is refused, or does what it says.
    #[test]
    fn edits_of_any_text_are_refused_or_done(text in "[{}\\[\\],:\"a-c \n/*\u{feff}-]{0,24}|\\{(\"hooksConfig\"|\"hooks\"|\"a\"):[{}\\[\\],:\"a \n]{0,16}\\}") {
        let read = |text: &str| {
            Settings::from_value("/p", &source_value(split_byte_order_mark(text).1).into())
        };
        if let Ok(edited) = set_enable_hooks(&text, true) {
            prop_assert_eq!(read(&edited).enable.user, Some(true), "{}", edited);
        }
        let disables = |text: &str| read(text).disabled.iter().any(|entry| entry.name_or_command == "a");
        if let Ok(disabled) = set_hook_disabled(&text, "a", true) {
            prop_assert!(disables(&disabled), "{}", disabled);
            let enabled = set_hook_disabled(&disabled, "a", false).unwrap();
            prop_assert!(!disables(&enabled), "{}", enabled);
        }
    }
}
