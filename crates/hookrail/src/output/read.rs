//! Reading a hook's answer field by field: what is mistyped is left out with a warning, the rest counts.

use serde_json::Value;

use super::{Decision, HookOutput};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::ToolMode;
use crate::spelling::{misspelling_of, nearest, shortened};

/// The decision words, for suggestions.
const DECISIONS: [&str; 5] = ["block", "deny", "allow", "approve", "ask"];

/// A field, and what it must be.
type Field = (&'static str, FieldType);

/// The fields of an answer. Objects without any of them are not answers.
const FIELDS: [Field; 7] = [
    ("decision", FieldType::Text),
    ("reason", FieldType::Text),
    ("continue", FieldType::Flag),
    ("stopReason", FieldType::Text),
    ("suppressOutput", FieldType::Flag),
    ("systemMessage", FieldType::Text),
    ("hookSpecificOutput", FieldType::Object),
];

/// How many unknown fields of an answer are compared with the known ones.
const MOST_COMPARED: usize = 32;

/// The fields of `hookSpecificOutput` that hookrail reads.
const SPECIFIC_FIELDS: [Field; 8] = [
    ("additionalContext", FieldType::Text),
    ("clearContext", FieldType::Flag),
    ("llm_request", FieldType::Object),
    ("llm_response", FieldType::Object),
    ("permissionDecision", FieldType::Text),
    ("permissionDecisionReason", FieldType::Text),
    ("toolConfig", FieldType::Object),
    ("tool_input", FieldType::Object),
];

const TOOL_CONFIG_FIELDS: [Field; 2] = [("mode", FieldType::Text), (NAMES, FieldType::List)];
const NAMES: &str = "allowedFunctionNames";

/// Whether an object is an answer: it has a field of one.
pub(crate) fn is_answer(fields: &JsonObject) -> bool {
    FIELDS.iter().any(|(name, _)| fields.contains_key(*name))
}

impl HookOutput {
    /// Reads an answer. The second half of the result is the warnings about it.
    pub fn from_object(mut fields: JsonObject) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        drop_mistyped(&mut fields, "", &FIELDS, &mut warnings);
        if let Some(Value::Object(specific)) = fields.get_mut("hookSpecificOutput") {
            check_specific(specific, &mut warnings);
        }
        // Shifting keeps the order of the fields that stay.
        let mut text = |name: &str| match fields.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let mut output = Self {
            decision: text("decision").map(|word| Decision::from_word(&word)),
            reason: text("reason"),
            stop_reason: text("stopReason"),
            system_message: text("systemMessage"),
            ..Self::default()
        };
        let mut flag = |name: &str| fields.shift_remove(name).as_ref().and_then(Value::as_bool);
        output.continue_ = flag("continue");
        output.suppress_output = flag("suppressOutput");
        if let Some(Value::Object(specific)) = fields.shift_remove("hookSpecificOutput") {
            output.hook_specific_output = Some(specific);
        }
        warnings.extend(fields.keys().take(MOST_COMPARED).filter_map(|key| misspelt_field(key)));
        if let Some(Decision::Other(word)) = &output.decision {
            warnings.push(unknown_word("decision", word, &DECISIONS));
        }
        output.extra = fields;
        (output, warnings)
    }
}

/// The type that a field must have.
#[derive(Clone, Copy)]
enum FieldType {
    Text,
    Flag,
    Object,
    List,
}

impl FieldType {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "a boolean",
            Self::Object => "an object",
            Self::List => "an array",
        }
    }
}

/// Removes what has the wrong type, each with a warning, and leaves every field that hookrail does not know. `null` reads
/// as absent: that is how many languages write a value they do not have.
fn drop_mistyped(fields: &mut JsonObject, path: &str, known: &[Field], warnings: &mut Vec<String>) {
    for (name, kind) in known {
        let Some(value) = fields.get(*name).filter(|value| !kind.fits(value)) else { continue };
        if !value.is_null() {
            let found = describe(value);
            warnings.push(format!("`{path}{name}` must be {} but is {found}: ignored", kind.name()));
        }
        fields.shift_remove(*name);
    }
}

fn check_specific(specific: &mut JsonObject, warnings: &mut Vec<String>) {
    drop_mistyped(specific, "hookSpecificOutput.", &SPECIFIC_FIELDS, warnings);
    if let Some(Value::String(word)) = specific.get("permissionDecision")
        && !DECISIONS.contains(&word.as_str())
    {
        warnings.push(unknown_word("hookSpecificOutput.permissionDecision", word, &DECISIONS));
    }
    if let Some(Value::Object(config)) = specific.get_mut("toolConfig") {
        check_tool_config(config, warnings);
    }
}

/// Entries that are not names are removed one by one: a restriction stays in force with the names that can be read.
fn check_tool_config(config: &mut JsonObject, warnings: &mut Vec<String>) {
    const PATH: &str = "hookSpecificOutput.toolConfig.";
    drop_mistyped(config, PATH, &TOOL_CONFIG_FIELDS, warnings);
    if let Some(mode) = config.get("mode").filter(|mode| ToolMode::from_value(mode).is_none()) {
        let word = mode.as_str().unwrap_or_default();
        warnings.push(unknown_word(&format!("{PATH}mode"), word, &["AUTO", "ANY", "NONE"]));
        config.shift_remove("mode");
    }
    if let Some(Value::Array(entries)) = config.get_mut(NAMES) {
        entries.retain(|entry| {
            if !entry.is_string() {
                let found = describe(entry);
                warnings
                    .push(format!("an entry of `{PATH}{NAMES}` must be a string but is {found}: ignored"));
            }
            entry.is_string()
        });
    }
}

/// A warning about a field that is spelt nearly like a known one: a lost decision must not be silent.
fn misspelt_field(key: &str) -> Option<String> {
    let meant = misspelling_of(key, &FIELDS.map(|(name, _)| name))?;
    Some(format!("`{}` is not a field of an answer (did you mean `{meant}`?): no effect", shortened(key)))
}

/// A warning about a word that no field of this name can have.
fn unknown_word(path: &str, word: &str, known: &[&str]) -> String {
    let hint = nearest(word, known).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    format!("`{path}` has the unknown value `{}`{hint}: no effect", shortened(word))
}

/// A value in a few words, for the author of a hook.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean `{flag}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the string `{}`", shortened(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests;
