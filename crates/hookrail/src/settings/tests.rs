//! What one text means: each case is a settings value or text and what becomes of it.

mod laws;
mod levels;
mod places;
mod unread;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::source::Source;
use super::*;
use crate::diagnostic::Severity;
use crate::event::EventName;
use crate::hook::{ConfigSource, HookKind, OnFailure};

fn read(value: &Value) -> Settings {
    Settings::from_value("/project", value)
}

/// Settings with one hook that has one more field.
fn with_field(field: &str, value: Value) -> Settings {
    let mut hook = json!({ "type": "command", "command": "check.sh" });
    hook[field] = value;
    read(&json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }))
}

fn codes(settings: &Settings) -> Vec<&'static str> {
    settings.diagnostics.iter().map(|finding| finding.code.as_str()).collect()
}

fn commands(settings: &Settings) -> Vec<String> {
    settings.hooks.iter().map(|hook| format!("{} {}", hook.event, hook.command())).collect()
}

#[test]
fn every_event_takes_groups_of_hooks() {
    for event in EventName::ALL {
        let settings = read(&json!({ "hooks": { event.as_str(): [
            { "hooks": [{ "type": "command", "command": "a" }, { "type": "command", "command": "b" }] },
            { "sequential": true, "hooks": [{ "type": "command", "command": "c" }] },
        ] } }));
        assert_eq!(settings.diagnostics, [], "HOOK-081: {event}");
        assert_eq!(commands(&settings), ["a", "b", "c"].map(|c| format!("{event} {c}")), "HOOK-080");
        let sequential: Vec<bool> = settings.hooks.iter().map(|hook| hook.sequential).collect();
        assert_eq!(sequential, [false, false, true], "HOOK-082: parallel unless the group says otherwise");
        for hook in &settings.hooks {
            assert_eq!(hook.matcher.text(), None, "HOOK-082: the matcher is optional");
            assert_eq!(hook.source, ConfigSource::Project, "HOOK-085");
            assert_eq!(hook.timeout.as_millis(), 60_000, "HOOK-120");
        }
    }
}

#[test]
fn all_fields_of_a_hook_are_read() {
    let settings = read(&json!({ "hooks": { "BeforeTool": [{ "matcher": "write|edit", "hooks": [{
        "type": "command", "command": "guard.sh", "timeout": 2500, "name": "guard", "description": "no secrets",
        "env": { "B": "1", "A": "x=y" }, "onFailure": "block",
    }] }] } }));
    assert_eq!(settings.diagnostics, []);
    let hook = &settings.hooks[0];
    assert_eq!(hook.command_text(), Some("guard.sh"), "HOOK-083");
    assert_eq!(hook.timeout, Duration::from_millis(2500), "HOOK-083");
    assert_eq!(hook.matcher.text(), Some("write|edit"), "HOOK-082");
    assert_eq!((hook.name.as_str(), hook.description.as_deref()), ("guard", Some("no secrets")));
    let env = [("B".to_owned(), "1".to_owned()), ("A".to_owned(), "x=y".to_owned())];
    assert_eq!(hook.env, env, "in the order of the settings");
    assert_eq!(hook.on_failure, OnFailure::Block);
    assert_eq!((hook.origin.level.clone(), hook.origin.line), (Level::User, 0));
}

#[test]
fn a_malformed_hook_is_left_out_and_its_neighbours_stay() {
    let good = |name: &str| json!({ "type": "command", "command": name });
    for (requirement, bad, code) in [
        ("HOOK-191", json!({ "type": "script", "command": "x" }), "invalid-hook-type"),
        ("HOOK-191", json!({ "type": "Command", "command": "x" }), "invalid-hook-type"),
        ("HOOK-191", json!({ "type": 1, "command": "x" }), "invalid-hook-type"),
        ("HOOK-083", json!({ "command": "x" }), "invalid-hook-type"),
        ("HOOK-191", json!({ "type": "command" }), "missing-command"),
        ("HOOK-191", json!({ "type": "command", "command": "" }), "missing-command"),
        ("HOOK-191", json!({ "type": "command", "command": " \t" }), "missing-command"),
        ("HOOK-191", json!({ "type": "command", "command": ["x"] }), "wrong-type"),
        ("HOOK-191", json!({ "type": "command", "command": null }), "wrong-type"),
        ("C8", json!("x"), "wrong-type"),
        ("C8", json!(null), "wrong-type"),
    ] {
        let settings = read(&json!({ "hooks": { "AfterTool": [{ "hooks": [good("a"), bad, good("b")] }] } }));
        assert_eq!(commands(&settings), ["AfterTool a", "AfterTool b"], "{requirement}: {bad}");
        assert_eq!(codes(&settings), [code], "{requirement}: {bad}");
        assert!(settings.diagnostics[0].message.contains("hooks.AfterTool[0].hooks[1]"), "{bad}");
    }
    for (bad, code) in [
        (json!({}), "missing-hooks"),
        (json!({ "type": "command", "command": "x" }), "missing-hooks"),
        (json!({ "hooks": {} }), "wrong-type"),
        (json!({ "hooks": null }), "wrong-type"),
        (json!({ "matcher": ["a"], "hooks": [good("x")] }), "wrong-type"),
        (json!([]), "wrong-type"),
    ] {
        let group = |name| json!({ "hooks": [good(name)] });
        let settings =
            read(&json!({ "hooks": { "AfterTool": [group("a"), bad, group("b")], "BeforeTool": 1 } }));
        assert_eq!(commands(&settings), ["AfterTool a", "AfterTool b"], "HOOK-082: {bad}");
        assert_eq!(codes(&settings), [code, "wrong-type"], "HOOK-082: {bad}");
    }
    for hooks in [json!([]), json!("x"), json!(1)] {
        assert_eq!(codes(&read(&json!({ "hooks": hooks, "enableHooks": true }))), ["wrong-type"], "HOOK-080");
    }
}

#[test]
fn plugins_are_accepted_with_a_warning() {
    let settings = read(&json!({ "hooks": { "AfterTool": [{ "hooks": [{ "type": "plugin" }] }] } }));
    assert!(matches!(settings.hooks[0].kind, HookKind::Plugin), "HOOK-191");
    assert_eq!(codes(&settings), ["plugin-hook"]);
}

#[test]
fn odd_values_of_optional_fields_fall_back_with_a_finding() {
    for (value, milliseconds, code) in [
        (json!(1), 1, Some("timeout-looks-like-seconds")),
        (json!(999), 999, Some("timeout-looks-like-seconds")),
        (json!(1000), 1000, None),
        (json!(1e3), 1000, None),
        (json!(0), 60_000, Some("invalid-timeout")),
        (json!(0.0), 60_000, Some("invalid-timeout")),
        (json!(-5), 60_000, Some("invalid-timeout")),
        (json!("5000"), 60_000, Some("invalid-timeout")),
        (json!(true), 60_000, Some("invalid-timeout")),
        (json!(null), 60_000, Some("invalid-timeout")),
        (json!(1e300), 31_536_000_000, Some("invalid-timeout")),
    ] {
        let settings = with_field("timeout", value.clone());
        assert_eq!(settings.hooks[0].timeout.as_millis(), milliseconds, "HOOK-120, R13: {value}");
        assert_eq!(codes(&settings), Vec::from_iter(code), "{value}");
    }
    for (field, value, code) in [
        ("name", json!(1), Some("wrong-type")),
        ("name", json!(""), None),
        ("name", json!(null), None),
        ("description", json!([]), Some("wrong-type")),
        ("onFailure", json!("Block"), Some("invalid-value")),
        ("onFailure", json!(true), Some("invalid-value")),
        ("env", json!("A=b"), Some("wrong-type")),
        ("env", json!({ "A=": "b" }), Some("invalid-value")),
        ("env", json!({ "": "b" }), Some("invalid-value")),
        ("env", json!({ "A": "\u{0}" }), Some("invalid-value")),
        ("env", json!({ "A": null }), Some("wrong-type")),
    ] {
        let settings = with_field(field, value.clone());
        let hook = &settings.hooks[0];
        assert_eq!((hook.name.as_str(), &hook.description), ("check.sh", &None), "{field} {value}");
        assert_eq!((hook.on_failure, hook.env.len()), (OnFailure::Allow, 0), "{field} {value}");
        assert_eq!(codes(&settings), Vec::from_iter(code), "{field} {value}");
    }
    let settings = with_field("env", json!({ "N": 8080, "T": true, "F": 1.50 }));
    let texts: Vec<&str> = settings.hooks[0].env.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(texts, ["8080", "true", "1.5"], "numbers and booleans count as their text");
    assert_eq!(codes(&settings), ["wrong-type"; 3]);
}

#[test]
fn unknown_fields_are_kept_and_reported() {
    let settings = with_field("onFailrue", json!({ "deep": [1] }));
    assert_eq!(codes(&settings), ["misspelt-field"], "C7");
    assert_eq!(settings.diagnostics[0].severity, Severity::Error, "C11");
    assert_eq!(settings.diagnostics[0].help.as_deref(), Some("did you mean `onFailure`?"));
    assert_eq!(json!(settings.hooks[0].extra_fields), json!({ "onFailrue": { "deep": [1] } }));
    assert!(with_field("name", json!("lint")).hooks[0].extra_fields.is_empty());
    let settings = with_field("deny", json!("no"));
    assert_eq!(settings.diagnostics[0].help.as_deref(), Some("did you mean `block`?"));

    let group = json!({ "hooks": { "AfterTool": [{ "match": "x", "hooks": [] }] } });
    assert_eq!(codes(&read(&group)), ["misspelt-field"]);
    assert_eq!(codes(&read(&json!({ "hooksConfig": { "disable": [] } }))), ["misspelt-field"]);
    let settings = with_field("owner", json!("me"));
    assert_eq!(
        (codes(&settings), settings.diagnostics[0].severity),
        (vec!["unknown-field"], Severity::Note),
        "C7"
    );
    for (text, expected) in [
        (json!({ "enableHook": true }), vec!["misspelt-flag"]),
        (json!({ "enablehooks": true }), vec!["misspelt-flag"]),
        (json!({ "tools": { "enablesHooks": true } }), vec!["misspelt-flag"]),
        (json!({ "hookConfig": {} }), vec!["misspelt-field"]),
        (json!({ "hook": {} }), vec!["misspelt-field"]),
        (json!({ "editHooks": true, "tools": { "core": [] } }), vec![]),
    ] {
        let settings = read(&text);
        assert_eq!(codes(&settings), expected, "C11: {text}");
        assert!(settings.unusable.is_empty(), "C11: a misspelling alone refuses nothing: {text}");
    }
    assert_eq!(codes(&read(&json!({ "theme": 1, "tools": [], "extensions": [], "security": 1 }))), [""; 0]);
}

#[test]
fn other_agents_names_of_our_events_are_those_events() {
    for (word, event) in [
        ("PreToolUse", "BeforeTool"),
        ("preToolUse", "BeforeTool"),
        ("tool.execute.before", "BeforeTool"),
        ("PostToolUse", "AfterTool"),
        ("PostToolUseFailure", "AfterTool"),
        ("UserPromptSubmit", "BeforeAgent"),
        ("userPromptSubmitted", "BeforeAgent"),
        ("beforeSubmitPrompt", "BeforeAgent"),
        ("Stop", "AfterAgent"),
        ("agentStop", "AfterAgent"),
        ("sessionStart", "SessionStart"),
        ("sessionEnd", "SessionEnd"),
        ("PreCompact", "PreCompress"),
        ("preCompact", "PreCompress"),
        ("PermissionRequest", "Notification"),
    ] {
        let group = |command: &str| json!([{ "hooks": [{ "type": "command", "command": command }] }]);
        let settings = read(&json!({ "hooks": { word: group("theirs"), event: group("ours") } }));
        assert_eq!(codes(&settings), ["foreign-event"], "C9: {word}");
        assert_eq!(settings.diagnostics[0].severity, Severity::Note, "C9: {word}");
        assert!(settings.diagnostics[0].message.contains(event), "C9: {word}");
        assert_eq!(
            commands(&settings),
            [format!("{event} theirs"), format!("{event} ours")],
            "C9: both count"
        );
    }
}

/// The guarded events that settings refuse because something in them cannot be read.
fn refused(settings: &Settings) -> Vec<EventName> {
    let refused = |hook: &&ConfiguredHook| matches!(hook.kind, HookKind::UnreadableRule(_));
    settings.hooks.iter().filter(refused).map(|hook| hook.event).collect()
}

#[test]
fn entries_that_were_meant_to_be_guards_refuse_what_they_stand_for() {
    let rule = json!({ "type": "rule", "when": {}, "block": "no" });
    let command = json!({ "type": "command", "command": "x" });
    let guarded = [EventName::BeforeTool, EventName::BeforeModel, EventName::BeforeAgent];
    let groups = |hook: &Value| json!([{ "hooks": [hook] }]);
    let mut guarded_in_order = guarded;
    guarded_in_order.sort();
    let all: &[EventName] = &guarded_in_order;
    let tool: &[EventName] = &[EventName::BeforeTool];
    let none: &[EventName] = &[];
    for (settings, code, expected) in [
        (json!({ "Hooks": { "BeforeTool": groups(&rule) } }), "misspelt-field", all),
        (json!({ "HOOKS": {} }), "misspelt-field", all),
        (json!({ "hoks": { "BeforeTool": groups(&rule) } }), "misspelt-field", all),
        (
            json!({ "hooks": { "BeforeTool": groups(&json!({ "type": "Rule", "when": {}, "block": "no" })) } }),
            "invalid-hook-type",
            tool,
        ),
        (
            json!({ "hooks": { "BeforeTool": groups(&json!({ "type": "COMMAND", "command": "x" })) } }),
            "invalid-hook-type",
            tool,
        ),
        (
            json!({ "hooks": { "AfterTool": groups(&json!({ "type": "Command", "command": "x" })) } }),
            "invalid-hook-type",
            none,
        ),
        (
            json!({ "hooks": { "BeforeTool": groups(&json!({ "type": "comand", "command": "x" })) } }),
            "invalid-hook-type",
            none,
        ),
        (json!({ "hooks": { "BeforeTool": [command] } }), "missing-hooks", tool),
        (json!({ "hooks": { "PreToolUse": [rule] } }), "missing-hooks", tool),
        (json!({ "hooks": { "BeforeTool": rule } }), "wrong-type", tool),
        (json!({ "hooks": { "BeforeTool": [{ "matcher": "x" }] } }), "missing-hooks", none),
        (json!({ "hooks": { "BeforeTool": [{ "Hooks": [command] }] } }), "missing-hooks", tool),
        (json!({ "hooks": { "BeforeTool": [{ "hooks": rule }] } }), "wrong-type", tool),
        (json!({ "hooks": { "BeforeTool": { "hooks": [rule] } } }), "wrong-type", tool),
        (json!({ "hooks": { "BeforeTool": [[rule]] } }), "wrong-type", tool),
        (json!({ "hooks": { "BeforeTool": [groups(&rule)] } }), "wrong-type", tool),
        (json!({ "hooks": { "BeforeTool": [{ "hooks": [[rule]] }] } }), "wrong-type", tool),
        (json!({ "hooks": [rule] }), "wrong-type", all),
        (json!({ "hooks": "guard.sh" }), "wrong-type", all),
        (json!({ "hooksConfig": ["@standard"] }), "wrong-type", tool),
        (json!({ "hooksConfig": { "rules": "@standard" } }), "wrong-type", tool),
        (json!({ "hooksConfig": { "rules": { "name": "no-secrets" } } }), "wrong-type", tool),
        (json!({ "hooksConfig": { "rules": [["@standard"]] } }), "wrong-type", tool),
        (json!({ "hooksConfig": { "Rules": ["@standard"] } }), "misspelt-field", tool),
        (json!({ "hooksConfig": { "rule": ["@standard"] } }), "misspelt-field", tool),
        (json!({ "hooksconfig": { "rules": ["@standard"] } }), "misspelt-field", tool),
        (json!({ "hooksconfig": { "Rules": ["@standard"] } }), "misspelt-field", tool),
        (json!({ "hooksconfig": { "ask": "allow" } }), "misspelt-field", none),
        (json!({ "rules": ["@standard"] }), "misspelt-field", none),
        (json!({ "hooks": { "BeforTool": groups(&rule) } }), "unknown-event", tool),
        (json!({ "hooks": { "beforetool": groups(&rule) } }), "unknown-event", tool),
        (json!({ "hooks": { "PreTolUse": groups(&rule) } }), "unknown-event", tool),
        (json!({ "hooks": { "BeforeModels": groups(&rule) } }), "unknown-event", &[EventName::BeforeModel]),
        (json!({ "hooks": { "SubagentStop": groups(&rule) } }), "unknown-event", none),
        (json!({ "hooks": { "AfterTol": groups(&rule) } }), "unknown-event", none),
        (json!({ "BeforeTool": groups(&rule) }), "misplaced-event", none),
    ] {
        let read = read(&settings);
        assert!(codes(&read).contains(&code), "X8: {settings}: {:?}", codes(&read));
        let finding = read.diagnostics.iter().find(|finding| finding.code.as_str() == code).unwrap();
        assert_eq!(finding.severity, Severity::Error, "X8: {settings}");
        let mut found = refused(&read);
        found.sort();
        assert_eq!(found, expected, "X8: {settings}");
    }
    let refusal = read(&json!({ "Hooks": {} })).hooks[0].kind.clone();
    let HookKind::UnreadableRule(refusal) = refusal else { panic!("X8: {refusal:?}") };
    assert!(
        refusal.to_string().contains("entry"),
        "X8: not everything that cannot be read is a rule: {refusal}"
    );
    // Other agents' own settings are not ours.
    assert_eq!(
        codes(&read(&json!({ "looks": { "theme": "dark" }, "stop": true, "notification": {} }))),
        [""; 0]
    );
    // A project's guards count with approval only.
    let text =
        json!({ "Hooks": {}, "hooks": { "BeforTool": groups(&rule), "BeforeAgent": [command] } }).to_string();
    let mut settings = Settings::default();
    load::parse_level(&Level::Project, &Source::of_file(Path::new("s.json"), &text), &mut settings);
    assert_eq!(refused(&settings), [], "X8");
}

#[test]
fn unknown_events_are_skipped_with_the_nearest_name() {
    for (word, help) in [
        ("AfterTools", "did you mean `AfterTool`?"),
        ("aftertool", "did you mean `AfterTool`?"),
        ("SubagentStop", "did you mean `AfterAgent`?"),
        ("Xyzzy", "known events: BeforeTool, "),
    ] {
        let group = json!([{ "hooks": [{ "type": "command", "command": "x" }] }]);
        let settings = read(&json!({ "hooks": { word: group, "AfterTool": group } }));
        assert_eq!(codes(&settings), ["unknown-event"], "C9: {word}");
        assert_eq!(settings.diagnostics[0].severity, Severity::Error, "C11");
        assert!(settings.diagnostics[0].help.as_deref().unwrap().starts_with(help), "C9: {word}");
        assert_eq!(commands(&settings), ["AfterTool x"], "HOOK-081: {word}");
    }
    assert_eq!(codes(&read(&json!({ "hooks": { "x".repeat(1_000_000): [] } }))), ["unknown-event"]);
    assert_eq!(codes(&read(&json!({ "BeforeTool": [] }))), ["misplaced-event"]);
}

#[test]
fn matchers_are_judged_by_their_event() {
    for (event, matcher, code) in [
        ("BeforeTool", "^(?!read_)", None),
        ("AfterTool", "*", None),
        ("BeforeTool", "", None),
        ("BeforeTool", "write_(", Some("matcher-not-a-regex")),
        ("SessionStart", "startup", None),
        ("SessionStart", "startup|resume", Some("matcher-never-matches")),
        ("SessionEnd", "*", None),
        ("SessionEnd", "quit", Some("matcher-never-matches")),
        ("PreCompress", "auto", None),
        ("Notification", "(", None),
        ("BeforeModel", "gemini", Some("matcher-without-effect")),
        ("AfterModel", "", None),
        ("BeforeToolSelection", "(", Some("matcher-without-effect")),
        ("BeforeAgent", "x", Some("matcher-without-effect")),
    ] {
        let hook = json!({ "type": "command", "command": "x" });
        let settings = read(&json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [hook] }] } }));
        assert_eq!(codes(&settings), Vec::from_iter(code), "HOOK-082: {event} {matcher}");
        assert_eq!(settings.hooks[0].matcher.text(), Some(matcher), "{event}");
    }
}

/// In whose terms the matcher of such a hook was written is not known, so that it refuses whatever the tool is called.
#[test]
fn a_dialect_that_cannot_be_told_refuses_every_call() {
    let with = |event: &str, dialect: Value| {
        let hook = json!({ "type": "command", "command": "check.sh", "dialect": dialect });
        read(&json!({ "hooks": { event: [{ "matcher": "Bash", "hooks": [hook] }] } }))
    };
    for dialect in [json!("cloude"), json!("Claude"), json!(1), json!(["claude"])] {
        let settings = with("PreToolUse", dialect.clone());
        assert!(codes(&settings).contains(&"invalid-value"), "{dialect}");
        assert_eq!(refused(&settings), [EventName::BeforeTool], "{dialect}");
        assert!(settings.hooks[0].matcher.matches_tool("run_shell_command").is_match(), "{dialect}");
    }
    assert_eq!(refused(&with("BeforeModel", json!("claude"))), [EventName::BeforeModel]);
    let known = with("PreToolUse", json!("claude"));
    assert_eq!((refused(&known), commands(&known)), (vec![], vec!["BeforeTool check.sh".to_owned()]));
    let [matcher, definition] = [known.hooks[0].matcher.text(), known.hooks[0].definition.as_deref()];
    assert_eq!((matcher, definition), (Some("Bash"), Some(r#"{"dialect":"claude"}"#)));
}
