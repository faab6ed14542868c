//! Reading a hook's answer field by field: what is mistyped is left out with a warning, the rest counts.

use serde_json::Value;

use super::{Decision, HookOutput};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::ToolMode;

/// The decision words, for suggestions.
const DECISIONS: [&str; 5] = ["block", "deny", "allow", "approve", "ask"];

/// The fields of an answer. Objects without any of them are not answers.
pub(crate) const FIELDS: [&str; 7] =
    ["decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"];

/// How many unknown fields of an answer are compared with the known ones.
const MOST_COMPARED: usize = 32;

/// The fields of `hookSpecificOutput` that hookrail reads, with what they must be.
const SPECIFIC_FIELDS: [(&str, FieldType); 8] = [
    ("additionalContext", FieldType::Text),
    ("clearContext", FieldType::Flag),
    ("llm_request", FieldType::Object),
    ("llm_response", FieldType::Object),
    ("permissionDecision", FieldType::Text),
    ("permissionDecisionReason", FieldType::Text),
    ("toolConfig", FieldType::Object),
    ("tool_input", FieldType::Object),
];

impl HookOutput {
    /// Reads an answer. The second half of the result is the warnings about it.
    pub fn from_object(mut fields: JsonObject) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let mut take = |name, kind| take_field(&mut fields, name, name, kind, &mut warnings);
        let decision = text(take("decision", FieldType::Text)).map(|word| Decision::from_word(&word));
        let mut output = Self {
            decision,
            reason: text(take("reason", FieldType::Text)),
            continue_: flag(take("continue", FieldType::Flag)),
            stop_reason: text(take("stopReason", FieldType::Text)),
            suppress_output: flag(take("suppressOutput", FieldType::Flag)),
            system_message: text(take("systemMessage", FieldType::Text)),
            hook_specific_output: object(take("hookSpecificOutput", FieldType::Object)),
            extra: fields,
        };
        warnings.extend(output.extra.keys().take(MOST_COMPARED).filter_map(|key| misspelt_field(key)));
        if let Some(Decision::Other(word)) = &output.decision {
            warnings.push(unknown_word("decision", word, &DECISIONS));
        }
        if let Some(specific) = &mut output.hook_specific_output {
            check_specific(specific, &mut warnings);
        }
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

/// Takes a field out if it is what it must be. `null` reads as absent: that is how many languages write a
/// value they do not have.
fn take_field(
    fields: &mut JsonObject,
    name: &str,
    shown_as: &str,
    kind: FieldType,
    warnings: &mut Vec<String>,
) -> Option<Value> {
    // Shifting keeps the order of the fields that stay.
    let value = fields.shift_remove(name).filter(|value| !value.is_null())?;
    if kind.fits(&value) {
        return Some(value);
    }
    warnings.push(format!("`{shown_as}` must be {} but is {}: ignored", kind.name(), describe(&value)));
    None
}

/// Removes what has the wrong type, each with a warning, and leaves every field that hookrail does not know.
fn check_specific(specific: &mut JsonObject, warnings: &mut Vec<String>) {
    for (name, kind) in SPECIFIC_FIELDS {
        check_field(specific, name, &format!("hookSpecificOutput.{name}"), kind, warnings);
    }
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
    let (mode, names) = ("mode", "allowedFunctionNames");
    let mode_path = format!("hookSpecificOutput.toolConfig.{mode}");
    let names_path = format!("hookSpecificOutput.toolConfig.{names}");
    check_field(config, mode, &mode_path, FieldType::Text, warnings);
    if let Some(Value::String(word)) = config.get(mode)
        && ToolMode::from_value(&Value::String(word.clone())).is_none()
    {
        warnings.push(unknown_word(&mode_path, word, &["AUTO", "ANY", "NONE"]));
        config.shift_remove(mode);
    }
    check_field(config, names, &names_path, FieldType::List, warnings);
    if let Some(Value::Array(entries)) = config.get_mut(names) {
        entries.retain(|entry| {
            if !entry.is_string() {
                let found = describe(entry);
                warnings.push(format!("an entry of `{names_path}` must be a string but is {found}: ignored"));
            }
            entry.is_string()
        });
    }
}

/// Removes a field that is not what it must be; one that is keeps its place.
fn check_field(fields: &mut JsonObject, name: &str, path: &str, kind: FieldType, warnings: &mut Vec<String>) {
    if fields.get(name).is_some_and(|value| !kind.fits(value)) {
        take_field(fields, name, path, kind, warnings);
    }
}

/// A warning about a field that is spelt nearly like a known one: a lost decision must not be silent.
fn misspelt_field(key: &str) -> Option<String> {
    if key.len() > 24 {
        return None;
    }
    let distance = |known: &str| strsim::damerau_levenshtein(&key.to_lowercase(), &known.to_lowercase());
    let meant = FIELDS.iter().min_by_key(|known| distance(known)).filter(|known| distance(known) <= 2)?;
    Some(format!("`{}` is not a field of an answer (did you mean `{meant}`?): no effect", excerpt(key)))
}

/// A warning about a word that no field of this name can have.
fn unknown_word(path: &str, word: &str, known: &[&str]) -> String {
    // The comparison needs memory in proportion to the length, and no misspelling of a short word is long.
    let comparable = known.iter().filter(|_| word.len() <= 16);
    let nearest = comparable
        .map(|candidate| {
            (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len() / 2);
    let hint = nearest.map(|(_, candidate)| format!(" (did you mean `{candidate}`?)")).unwrap_or_default();
    format!("`{path}` has the unknown value `{}`{hint}: no effect", excerpt(word))
}

/// A value in a few words, for the author of a hook.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean `{flag}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the string `{}`", excerpt(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Enough of a text to recognise it by.
fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(40).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn text(value: Option<Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn flag(value: Option<Value>) -> Option<bool> {
    value?.as_bool()
}

fn object(value: Option<Value>) -> Option<JsonObject> {
    match value? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
