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
fn settings_fit_the_settings_schema() {
    let schema = schema(&["settings"]);
    let group =
        |hook: Value| json!({ "hooks": { "BeforeTool": [{ "matcher": "write_.*", "hooks": [hook] }] } });
    for (settings, fits) in [
        (json!({}), true),
        (json!({ "enableHooks": true, "theme": "dark" }), true),
        (
            group(
                json!({ "type": "command", "command": "true", "timeout": 5000, "env": { "A": "b" }, "onFailure": "block" }),
            ),
            true,
        ),
        (
            json!({ "hooksConfig": { "enabled": true, "disabled": ["x"], "agentEvents": "apply", "maxConcurrentHooks": 3 } }),
            true,
        ),
        (json!({ "enableHooks": "yes" }), false),
        (json!({ "hooks": { "BeforeTool": {} } }), false),
        (group(json!({ "type": "command", "command": 5 })), false),
    ] {
        let result = check(&schema, &schema, &settings, "");
        assert_eq!(result.is_ok(), fits, "{settings}: {result:?}");
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
