//! Whole files before and after, and what holds for every file.

use serde_json::json;

use super::*;

/// A user's entries that call a program.
fn user(program: &str) -> EntryScope<'_> {
    EntryScope::User {
        program: Path::new(program),
        home: Path::new("/home/a b"),
        file: Path::new("/home/a b/file"),
    }
}

const PROGRAM: &str = "/opt/hook rail/bin/hookrail";

fn connected(agent: Agent, text: Option<&str>) -> String {
    let edit = connect(agent, text, user(PROGRAM), ConnectOptions::default()).expect("an edit");
    edit.new_text.expect("a text")
}

fn disconnected(agent: Agent, text: &str) -> Option<String> {
    disconnect(agent, Some(text), None, ConnectOptions::default()).expect("an edit").new_text
}

fn parsed(text: &str) -> serde_json::Value {
    json::to_value(text).expect("JSON with comments")
}

const SCOPES: [EntryScope<'static>; 2] =
    [EntryScope::Project { require: false }, EntryScope::Project { require: true }];

#[test]
fn every_registered_event_gets_an_entry_in_the_agents_unit() {
    let claude = parsed(&connected(Agent::Claude, None));
    let events: Vec<&String> = claude["hooks"].as_object().expect("hooks").keys().collect();
    assert_eq!(
        events,
        [
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "UserPromptSubmit",
            "Stop",
            "SessionStart",
            "SessionEnd",
            "PreCompact",
            "Notification",
            "PermissionRequest"
        ]
    );
    for (agent, event, place, expected) in [
        (Agent::Claude, "PreToolUse", "/0/hooks/0/timeout", 600),
        (Agent::Claude, "SessionEnd", "/0/hooks/0/timeout", 1),
        (Agent::Codex, "SessionEnd", "/0/hooks/0/timeout", 1),
        (Agent::Gemini, "BeforeTool", "/0/hooks/0/timeout", 600_000),
        (Agent::Qwen, "PreToolUse", "/0/hooks/0/timeout", 600_000),
        (Agent::Copilot, "preToolUse", "/0/timeoutSec", 600),
    ] {
        let settings = parsed(&connected(agent, None));
        assert_eq!(settings["hooks"][event].pointer(place), Some(&json!(expected)), "{agent} {event}");
    }
    let gemini = parsed(&connected(Agent::Gemini, None));
    assert!(gemini["hooks"].get("AfterModel").is_none());
    let options = ConnectOptions { model_events: true, ..ConnectOptions::default() };
    let gemini = connect(Agent::Gemini, None, user(PROGRAM), options).expect("an edit").new_text;
    assert!(parsed(&gemini.expect("a text"))["hooks"].get("AfterModel").is_some());
    assert_eq!(parsed(&connected(Agent::Copilot, None))["version"], 1);
}

/// Of a repeated key the last one counts, and the one before it once that is gone.
#[test]
fn entries_of_a_group_with_two_lists_all_go() {
    let entry = r#"{"type":"command","command":"/opt/hookrail bridge claude PreToolUse"}"#;
    let mine = r#"{"type":"command","command":"mine.sh"}"#;
    for (first, second) in [(entry, entry), (mine, entry)] {
        let group = format!(r#"{{"hooks":[{first}],"matcher":"x","hooks":[{second}]}}"#);
        let text = format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
        let once = connected(Agent::Claude, Some(&text));
        assert_eq!(connected(Agent::Claude, Some(&once)), once);
        let left = disconnected(Agent::Claude, &text).expect("a text");
        assert_eq!((left.contains("hookrail"), left.contains("mine.sh")), (false, first == mine), "{left}");
    }
}

#[test]
fn connecting_twice_changes_nothing_and_disconnecting_takes_it_back() {
    for agent in Agent::ALL {
        let once = connected(agent, None);
        let again = connect(agent, Some(&once), user(PROGRAM), ConnectOptions::default()).expect("an edit");
        assert_eq!((again.new_text.as_deref(), again.is_changed), (Some(once.as_str()), false), "{agent}");
        let state = |program: &str| connection(agent, &once, user(program), ConnectOptions::default());
        assert_eq!(state(PROGRAM), Ok(Connection::Full), "{agent}");
        assert!(matches!(state("/elsewhere/hookrail"), Ok(Connection::Partly { .. })), "{agent}");
        let moved = connect(agent, Some(&once), user("/elsewhere/hookrail"), ConnectOptions::default());
        let moved = moved.expect("an edit").new_text.expect("a text");
        assert!(!moved.contains("/opt/"), "{agent}: the old entries are replaced");
        let left = disconnected(agent, &once);
        let expected = match agent {
            Agent::Copilot | Agent::Opencode | Agent::Kilo | Agent::Pi | Agent::Cline => None,
            Agent::Cursor => Some("{\"version\":1}"),
            Agent::Kimi => Some(""),
            _ => Some("{}\n"),
        };
        assert_eq!(
            left.as_deref().map(|text| text.replace(['\n', ' '], "")),
            expected.map(|text| text.replace('\n', "")),
            "{agent}"
        );
    }
}

/// Everything else in the file stays, byte for byte, and comes back when the bridge goes.
#[test]
fn what_others_wrote_survives() {
    for text in [
        "{\n  // mine\n  \"model\": \"opus\", // nice\n  \"permissions\": { \"deny\": [\"Bash(rm:*)\"] }\n}\n",
        "{\n\t\"model\": \"opus\"\n}",
        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
        "\u{feff}{\n  \"model\": \"opus\"\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"./mine.sh\" }] // keep\n      }\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] },\n    ],\n  },\n}\n",
    ] {
        for agent in [Agent::Claude, Agent::Qwen] {
            let with = connected(agent, Some(text));
            let (before, after) = (parsed(strip(text)), parsed(strip(&with)));
            assert_eq!(before.get("model"), after.get("model"));
            assert_eq!(before.get("permissions"), after.get("permissions"));
            for (event, groups) in before["hooks"].as_object().into_iter().flatten() {
                assert_eq!(groups[0], after["hooks"][event][0], "{event}");
            }
            assert_eq!(with.contains("// mine"), text.contains("// mine"));
            assert_eq!(with.contains("// keep"), text.contains("// keep"));
            assert_eq!(disconnected(agent, &with).as_deref(), Some(text), "{agent}: {with}");
        }
    }
}

fn strip(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A file with hooks of the person, under headers or in one line, is the same again without the bridge.
#[test]
fn a_list_of_hooks_in_toml_is_edited_in_place() {
    let own = "[[hooks]]\nevent = \"Stop\" # mine\ncommand = \"say done\"\n";
    for text in [
        format!("default_model = \"k\" # nice\n\n{own}\n[providers.a]\ntype = \"kimi\"\n"),
        format!("[providers.a]\ntype = \"kimi\"\n\n{own}"),
        "hooks = [{ event = \"Stop\", command = \"say done\" }]\n\n[providers.a]\ntype = \"kimi\"\n"
            .to_owned(),
        "[providers.a]\r\ntype = \"kimi\"\r\n".to_owned(),
        String::new(),
    ] {
        let with = connected(Agent::Kimi, Some(&text));
        let found = bridge_entries(Agent::Kimi, &with, ConnectOptions::default()).expect("entries");
        assert_eq!(found.len(), 10, "{with}");
        assert!(found.contains(&("PreToolUse".to_owned(), found[0].1.clone())), "{with}");
        let state = connection(Agent::Kimi, &with, user(PROGRAM), ConnectOptions::default());
        assert_eq!(state, Ok(Connection::Full), "{with}");
        assert_eq!(disconnected(Agent::Kimi, &with).as_deref(), Some(text.as_str()), "{with}");
    }
    let broken = connect(Agent::Kimi, Some("hooks = 1\n"), user(PROGRAM), ConnectOptions::default());
    assert!(matches!(broken, Err(EditError::WrongType { .. })), "{broken:?}");
}

#[test]
fn toml_is_edited_in_place() {
    let options = ConnectOptions { toml: true, ..ConnectOptions::default() };
    let text = "# mine\nmodel = \"gpt\" # nice\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"./mine.sh\"\n\n[hooks.state]\nx = \"hash\"\n";
    let once = connect(Agent::Codex, Some(text), user(PROGRAM), options).expect("an edit");
    let with = once.new_text.expect("a text");
    assert!(
        with.starts_with("# mine\nmodel = \"gpt\" # nice\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n"),
        "{with}"
    );
    assert!(with.contains("./mine.sh") && with.contains("[hooks.state]\nx = \"hash\"\n"), "{with}");
    assert_eq!(connection(Agent::Codex, &with, user(PROGRAM), options), Ok(Connection::Full));
    let again = connect(Agent::Codex, Some(&with), user(PROGRAM), options).expect("an edit");
    assert!(!again.is_changed);
    let left = disconnect(Agent::Codex, Some(&with), None, options).expect("an edit");
    assert_eq!(left.new_text.as_deref(), Some(text));
    let broken = connect(Agent::Codex, Some("a = 1\nb = = 2\n"), user(PROGRAM), options);
    assert!(matches!(broken, Err(EditError::Malformed { line: 2, .. })), "{broken:?}");
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for (text, expected) in [
        ("{\n  \"a\": 1,\n  oops\n}", "line 3, column 3"),
        ("[]", "`settings` is not an object"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is not a list"),
    ] {
        let error = connect(Agent::Claude, Some(text), user(PROGRAM), ConnectOptions::default());
        let error = error.expect_err(text).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let foreign =
        connect(Agent::Opencode, Some("export default 1"), user(PROGRAM), ConnectOptions::default());
    assert_eq!(foreign, Err(EditError::NotOurs));
    for program in ["hookrail", "/a\nb"] {
        let error = connect(Agent::Claude, None, user(program), ConnectOptions::default());
        assert!(matches!(error, Err(EditError::Path { .. })), "{program}");
    }
}

/// By Copilot's documents `powershell` is what Windows runs, and one JSON object on stdout is the answer. Not tried on
/// Windows.
#[test]
fn windows_is_refused_in_words_where_copilot_is_guarded() {
    let settings = parsed(&connected(Agent::Copilot, None));
    for (event, entries) in settings["hooks"].as_object().expect("events") {
        let entry = &entries[0];
        let command = entry["powershell"].as_str();
        let refusal = match event.as_str() {
            "preToolUse" => Some(("permissionDecision", "deny", "permissionDecisionReason")),
            "userPromptSubmitted" => Some(("decision", "block", "reason")),
            _ => None,
        };
        assert_eq!(command.is_some(), refusal.is_some(), "{event}");
        let (Some(command), Some((key, word, reason))) = (command, refusal) else { continue };
        let literal = command.strip_prefix("Write-Output '").and_then(|rest| rest.strip_suffix('\''));
        let literal = literal.expect("one literal");
        assert!(!literal.replace("''", "").contains('\''), "{command}");
        let answer = parsed(&literal.replace("''", "'"));
        assert_eq!(answer[key], word, "{command}");
        assert!(
            answer[reason].as_str().is_some_and(|text| text.contains("no hookrail for Windows")),
            "{command}"
        );
    }
}

#[test]
fn entries_that_call_the_bridge_are_distinguished_from_others() {
    for (command, expected) in [
        ("hookrail bridge claude", true),
        ("'/opt/hook rail/hookrail' bridge codex PreToolUse", true),
        ("HOOKRAIL_HOME=/x /usr/bin/hookrail bridge gemini", true),
        ("hookrail fire BeforeTool", false),
        ("./bridge claude", false),
        ("hookrail bridge windsurf", false),
        ("echo hookrail", false),
    ] {
        assert_eq!(calls_bridge(command), expected, "{command}");
    }
    for agent in Agent::ALL {
        let options = ConnectOptions { model_events: true, ..ConnectOptions::default() };
        for scope in [user(PROGRAM)].into_iter().chain(SCOPES) {
            for entry in wanted(agent, scope, options) {
                assert!(calls_bridge(&entry.command), "{}", entry.command);
            }
        }
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(|value| json!(value)),
            any::<i32>().prop_map(|value| json!(value)),
            "[a-z\"\\\\/ é{}\\[\\],]{0,8}".prop_map(|value| json!(value)),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4).prop_map(|values| json!(values)),
                proptest::collection::btree_map("[a-z]{1,5}", inner, 1..4).prop_map(|fields| json!(fields)),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever is in the file, in whatever layout, is there again after connecting and disconnecting.
        #[test]
        fn in_and_out_is_the_identity(
            fields in proptest::collection::btree_map("[a-z]{1,6}", value(), 1..4),
            pretty in any::<bool>(),
            agent in proptest::sample::select(vec![Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Qwen]),
        ) {
            prop_assume!(!fields.contains_key("hooks"));
            let fields = json!(fields);
            let text = if pretty { serde_json::to_string_pretty(&fields) } else { serde_json::to_string(&fields) };
            let text = text.expect("JSON");
            let with = connected(agent, Some(&text));
            prop_assert_eq!(connected(agent, Some(&with)), with.clone());
            let left = disconnected(agent, &with).expect("a text");
            prop_assert_eq!(parsed(&left), fields);
            if pretty {
                prop_assert_eq!(left, text);
            }
        }

        #[test]
        fn any_text_is_edited_or_left_alone(text in "[\\[\\]{}\":,/* \\n\\\\a-c0-9]{0,40}") {
            let options = ConnectOptions::default();
            for toml in [false, true] {
                let options = ConnectOptions { toml, ..options };
                if let Ok(edit) = connect(Agent::Codex, Some(&text), user(PROGRAM), options) {
                    let again = connect(Agent::Codex, edit.new_text.as_deref(), user(PROGRAM), options);
                    prop_assert!(again.is_ok_and(|again| !again.is_changed));
                }
                let _ = disconnect(Agent::Codex, Some(&text), None, options).is_ok();
            }
        }
    }
}

/// A file that somebody changed after `connect`: what was empty before stays as it was written.
#[test]
fn what_was_empty_before_stays() {
    for (original, changed_to, left) in [
        (
            r#"{ "hooks": { "Stop": [], "PreToolUse": [ ] } }"#,
            r#"{ "model": "x", "#,
            r#"{ "model": "x", "hooks": { "Stop": [], "PreToolUse": [ ] } }"#,
        ),
        (
            "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
            "{\n  \"a\": 1,\n  ",
            "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
        ),
        ("{\n  \"hooks\": {}\n}\n", "{\n  \"a\": 1,\n  ", "{\n  \"a\": 1,\n  \"hooks\": {}\n}\n"),
        ("{\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  ", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
    ] {
        let with = connected(Agent::Claude, Some(original));
        let changed = format!("{changed_to}{}", with.trim_start_matches(['{', ' ', '\n']));
        let edit = disconnect(Agent::Claude, Some(&changed), Some(original), ConnectOptions::default());
        assert_eq!(edit.expect("an edit").new_text.as_deref(), Some(left), "{changed}");
    }
}
