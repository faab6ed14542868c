//! The JSON Schema of a settings file. It is written by hand, because loading reads the text itself, so that one wrong
//! field never takes the rest down. Tests compare it with what the loader reads.

use serde_json::Value;

use crate::texts::TEXTS;

/// The JSON Schema of a settings file, for editors.
pub fn settings_schema() -> Value {
    serde_json::from_str(TEXTS.get("settings.schema.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::EventName;
    use crate::settings::hooks::{GROUP_KEYS, HOOK_KEYS};
    use crate::settings::read::{CONFIG_KEYS, HOOKS_KEYS, REDACTION_KEYS, ROOT_KEYS};

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
        let schema = settings_schema();
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
}
