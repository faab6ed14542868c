//! `hookrail schema`: what is printed, what is committed, and what is really written.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail them by panicking"
)]

use std::fs;
use std::path::Path;

use hookrail::EventName;
use hookrail::settings::Settings;
use hookrail_testkit::TestProject;
use serde_json::{Map, Value, json};

use crate::program::{log_path, run};

fn schema(args: &[&str]) -> Value {
    let project = TestProject::new();
    let args = [&["schema"], args].concat();
    let ran = run(&project, &args);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran}");
    let value = ran.json();
    assert_eq!(value["$schema"], json!("https://json-schema.org/draft/2020-12/schema"));
    value
}

/// Checks a document against a schema, as far as our schemas go. Says where it does not fit.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fields = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(fields) => fields,
        other => return Err(format!("{at}: nothing fits {other}")),
    };
    for (keyword, rule) in fields {
        check_keyword(root, fields, keyword, rule, value, at)?;
    }
    Ok(())
}

fn check_keyword(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
    at: &str,
) -> Result<(), String> {
    let all = || rule.as_array().expect("an array of schemas").iter();
    let fits = |schema: &&Value| check(root, schema, value, at).is_ok();
    let holds = match keyword {
        "$ref" => {
            let target = root.pointer(rule.as_str().unwrap().trim_start_matches('#')).expect("a definition");
            return check(root, target, value, at);
        }
        "type" => match rule {
            Value::String(name) => is_of_type(value, name),
            names => names.as_array().unwrap().iter().any(|name| is_of_type(value, name.as_str().unwrap())),
        },
        "const" => value == rule,
        "enum" => all().any(|allowed| allowed == value),
        "anyOf" => all().any(|schema| fits(&schema)),
        "oneOf" => all().filter(fits).count() == 1,
        "allOf" => return all().try_for_each(|schema| check(root, schema, value, at)),
        "required" => {
            value.as_object().is_none_or(|object| all().all(|key| object.contains_key(key.as_str().unwrap())))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= rule.as_u64().unwrap()),
        "items" => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            return items
                .iter()
                .enumerate()
                .try_for_each(|(n, item)| check(root, rule, item, &format!("{at}/{n}")));
        }
        "properties" | "additionalProperties" => {
            let Some(object) = value.as_object() else { return Ok(()) };
            let known = schema.get("properties").and_then(Value::as_object);
            return object.iter().try_for_each(|(key, value)| {
                let at = format!("{at}/{key}");
                match (known.and_then(|known| known.get(key)), keyword) {
                    (Some(schema), "properties") => check(root, schema, value, &at),
                    (None, "additionalProperties") => check(root, rule, value, &at),
                    _ => Ok(()),
                }
            });
        }
        "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "format" | "examples" => true,
        other => return Err(format!("this test does not know the keyword `{other}`")),
    };
    if holds { Ok(()) } else { Err(format!("{at}: {keyword} {rule} does not hold for {value}")) }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[test]
fn what_is_committed_is_what_is_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let same = |args: &[&str], file: &str| {
        let committed: Value = serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap();
        assert!(schema(args) == committed, "{file} is out of date; run `cargo xtask all`");
    };
    same(&["settings"], "settings.schema.json");
    same(&["session-log"], "session-log.schema.json");
    same(&["test"], "test.schema.json");
    for event in EventName::ALL.map(EventName::as_str) {
        same(&["input", event], &format!("input/{event}.schema.json"));
        same(&["output", event], &format!("output/{event}.schema.json"));
    }
}

#[test]
fn what_hooks_receive_fits_the_input_schemas() {
    for event in EventName::ALL.map(EventName::as_str) {
        let project = TestProject::new();
        let hooks = json!([{ "hooks": [{ "type": "command", "command": "cat > received.json" }] }]);
        project.user_settings(&json!({ "enableHooks": true, "hooks": { event: hooks } }));
        assert_eq!(run(&project, &["fire", event]).code, Some(0));
        let received: Value = serde_json::from_str(&project.read("received.json")).unwrap();
        let schema = schema(&["input", event]);
        check(&schema, &schema, &received, event).unwrap();
        let mut broken = received;
        broken.as_object_mut().unwrap().remove("session_id");
        assert!(check(&schema, &schema, &broken, event).is_err(), "{event}: a missing field is found");
    }
}

#[test]
fn answers_fit_the_output_schemas() {
    for (event, answer, fits) in [
        ("BeforeTool", json!({}), true),
        ("BeforeTool", json!({ "decision": "deny", "reason": "no", "mine": 1 }), true),
        (
            "BeforeTool",
            json!({ "hookSpecificOutput": { "hookEventName": "BeforeTool", "tool_input": {} } }),
            true,
        ),
        ("BeforeTool", json!({ "decision": 5 }), false),
        ("BeforeTool", json!({ "continue": "no" }), false),
        (
            "BeforeModel",
            json!({ "hookSpecificOutput": { "llm_request": { "config": { "temperature": 0 } } } }),
            true,
        ),
        ("SessionEnd", json!({ "systemMessage": "bye" }), true),
        ("SessionEnd", json!([]), false),
    ] {
        let schema = schema(&["output", event]);
        let result = check(&schema, &schema, &answer, event);
        assert_eq!(result.is_ok(), fits, "{event} {answer}: {result:?}");
    }
}

#[test]
fn schema_and_loader_agree_about_settings() {
    let schema = schema(&["settings"]);
    let hook = json!({ "type": "command", "command": "x" });
    let with = |key: &str, value: Value| {
        let mut hook = hook.clone();
        hook[key] = value;
        json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } })
    };
    for (document, accepted) in [
        (json!({}), true),
        (
            json!({ "enableHooks": true, "theme": "dark", "tools": { "sandbox": 1, "enableHooks": true } }),
            true,
        ),
        (json!({ "enableHooks": "yes" }), false),
        (json!({ "hooks": { "BeforeTool": {} } }), false),
        (json!({ "hooks": { "enabled": true, "disabled": ["x"], "AfterTool": [] } }), true),
        (json!({ "hooks": { "disabled": [1] } }), false),
        (json!({ "hooks": [] }), false),
        (json!({ "hooks": { "SessionStart": {} } }), false),
        (json!({ "hooks": { "SessionStart": [{}] } }), false),
        (
            json!({ "hooks": { "SessionStart": [{ "matcher": "resume", "sequential": true, "hooks": [] }] } }),
            true,
        ),
        (json!({ "hooks": { "SessionStart": [{ "matcher": 1, "hooks": [] }] } }), false),
        (json!({ "hooks": { "SessionStart": [{ "sequential": "no", "hooks": [] }] } }), false),
        (with("timeout", json!(1500.5)), true),
        (with("timeout", json!("1500")), false),
        (with("name", json!("n")), true),
        (with("name", json!(1)), false),
        (with("description", json!(null)), true),
        (with("env", json!({ "A": "b" })), true),
        (with("env", json!({ "A": {} })), false),
        (with("onFailure", json!("block")), true),
        (with("onFailure", json!("Block")), false),
        (with("worker", json!(true)), true),
        (with("worker", json!(false)), true),
        (with("worker", json!("fork")), true),
        (with("worker", json!("forks")), false),
        (with("worker", json!(1)), false),
        (with("type", json!("script")), false),
        (with("command", json!(["x"])), false),
        (
            json!({ "hooksConfig": { "enabled": false, "disabled": [], "agentEvents": "apply", "ask": "allow",
            "maxConcurrentHooks": 3, "maxOutputBytes": 9 } }),
            true,
        ),
        (json!({ "hooksConfig": { "agentEvents": "never" } }), false),
        (json!({ "hooksConfig": { "ask": "nobody" } }), false),
        (json!({ "hooksConfig": { "maxConcurrentHooks": -1 } }), false),
        (json!({ "hooksConfig": { "maxOutputBytes": 1.5 } }), false),
        (json!({ "extensions": { "disabled": ["a"] } }), true),
        (
            json!({ "security": { "environmentVariableRedaction": { "enabled": true, "allowed": ["A"], "blocked": [] } } }),
            true,
        ),
        (json!({ "security": { "environmentVariableRedaction": { "enabled": 1 } } }), false),
    ] {
        let result = check(&schema, &schema, &document, "");
        assert_eq!(result.is_ok(), accepted, "schema: {document}: {result:?}");
        let findings = Settings::from_value("/p", &document).diagnostics;
        assert_eq!(findings.is_empty(), accepted, "loader: {document}: {findings:?}");
    }
}

#[test]
fn log_lines_fit_the_session_log_schema() {
    let project = TestProject::new();
    let hooks = json!([{ "hooks": [
        { "type": "command", "command": "echo no >&2; exit 2" },
        { "type": "command", "command": "kill -9 $$" },
        { "type": "command", "command": "sleep 60", "timeout": 100 },
        { "type": "command", "command": "echo fine" },
    ] }]);
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": hooks } }));
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(2));
    let schema = schema(&["session-log"]);
    let log = fs::read_to_string(log_path(&project)).unwrap();
    assert_eq!(log.lines().count(), 6);
    for line in log.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        check(&schema, &schema, &line, "").unwrap();
        line.as_object_mut().unwrap().remove("timestamp");
        assert!(check(&schema, &schema, &line, "").is_err(), "every line has a timestamp");
    }
}

#[test]
fn a_wrong_word_is_a_usage_error() {
    let project = TestProject::new();
    for args in
        [&["schema"][..], &["schema", "nothing"], &["schema", "input"], &["schema", "input", "BeforTool"]]
    {
        let ran = run(&project, args);
        assert_eq!((ran.code, &*ran.stdout), (Some(64), ""), "{ran}");
    }
}
