use serde_json::{Value, json};

use super::super::hooks::{GROUP_KEYS, HOOK_KEYS};
use super::super::read::{CONFIG_KEYS, HOOKS_KEYS, REDACTION_KEYS, ROOT_KEYS};
use super::*;
use crate::event::EventName;
use crate::settings::Settings;

fn keys_of(schema: &Value, definition: Option<&str>) -> Vec<String> {
    let object = definition.map_or(schema, |name| &schema["$defs"][name]);
    let mut keys: Vec<String> = object["properties"].as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

fn sorted(keys: impl IntoIterator<Item = &'static str>) -> Vec<String> {
    let mut keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
    keys.sort();
    keys
}

#[test]
fn the_schema_has_exactly_the_keys_that_the_loader_reads() {
    let schema = settings_schema().to_value();
    let events = EventName::ALL.iter().map(|event| event.as_str());
    for (definition, keys) in [
        (None, sorted(ROOT_KEYS)),
        (Some("HooksConfig"), sorted(CONFIG_KEYS)),
        (Some("EnvironmentVariableRedaction"), sorted(REDACTION_KEYS)),
        (Some("Hooks"), sorted(events.chain(HOOKS_KEYS))), // HOOK-080, HOOK-081
        (Some("HookGroup"), sorted(GROUP_KEYS)),           // HOOK-082
        (Some("Hook"), sorted(HOOK_KEYS)),                 // HOOK-083
        (Some("Tools"), sorted(["enableHooks"])),
        (Some("Extensions"), sorted(["disabled"])),
        (Some("Security"), sorted(["environmentVariableRedaction"])),
    ] {
        assert_eq!(keys_of(&schema, definition), keys, "{definition:?}");
    }
    assert_eq!(schema["$defs"]["HookGroup"]["required"], json!(["hooks"]), "HOOK-082");
    assert_eq!(schema["$defs"]["Hook"]["required"], json!(["type"]), "HOOK-083");
    assert_eq!(schema["additionalProperties"], Value::Null, "the agent's own keys are allowed");
}

#[test]
fn loader_and_types_agree_about_documents() {
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
        let described = serde_json::from_value::<SettingsWire>(document.clone());
        assert_eq!(described.is_ok(), accepted, "types: {document} {described:?}");
        let settings = Settings::from_value("/p", &document);
        assert_eq!(
            settings.diagnostics.is_empty(),
            accepted,
            "loader: {document} {:?}",
            settings.diagnostics
        );
    }
}
