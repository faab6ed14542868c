//! Reading a hook's answer field by field: what is mistyped is left out with a warning, the rest counts.

use serde_json::Value;

use super::{Decision, HookOutput};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::ToolMode;

/// The decision words, for suggestions.
const DECISIONS: [&str; 5] = ["block", "deny", "allow", "approve", "ask"];

/// The fields of `hookSpecificOutput` that hookrail reads, with what they must be.
const SPECIFIC_FIELDS: [(&str, Kind); 8] = [
    ("additionalContext", Kind::Text),
    ("clearContext", Kind::Flag),
    ("llm_request", Kind::Object),
    ("llm_response", Kind::Object),
    ("permissionDecision", Kind::Text),
    ("permissionDecisionReason", Kind::Text),
    ("toolConfig", Kind::Object),
    ("tool_input", Kind::Object),
];

impl HookOutput {
    /// Reads an answer. The second half of the result says what was odd about it.
    pub fn from_object(mut fields: JsonObject) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let mut take = |name, kind| take_field(&mut fields, name, name, kind, &mut warnings);
        let decision = text(take("decision", Kind::Text)).map(|word| Decision::from_word(&word));
        let mut output = Self {
            decision,
            reason: text(take("reason", Kind::Text)),
            continue_: flag(take("continue", Kind::Flag)),
            stop_reason: text(take("stopReason", Kind::Text)),
            suppress_output: flag(take("suppressOutput", Kind::Flag)),
            system_message: text(take("systemMessage", Kind::Text)),
            hook_specific_output: object(take("hookSpecificOutput", Kind::Object)),
            extra: fields,
        };
        if let Some(Decision::Other(word)) = &output.decision {
            warnings.push(unknown_word("decision", word, &DECISIONS));
        }
        if let Some(specific) = &mut output.hook_specific_output {
            check_specific(specific, &mut warnings);
        }
        (output, warnings)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Flag,
    Object,
    List,
}

impl Kind {
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
    kind: Kind,
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

fn check_tool_config(config: &mut JsonObject, warnings: &mut Vec<String>) {
    let (mode, names) = ("mode", "allowedFunctionNames");
    let mode_path = format!("hookSpecificOutput.toolConfig.{mode}");
    let names_path = format!("hookSpecificOutput.toolConfig.{names}");
    check_field(config, mode, &mode_path, Kind::Text, warnings);
    if let Some(Value::String(word)) = config.get(mode)
        && ToolMode::from_value(&Value::String(word.clone())).is_none()
    {
        warnings.push(unknown_word(&mode_path, word, &["AUTO", "ANY", "NONE"]));
        config.shift_remove(mode);
    }
    check_field(config, names, &names_path, Kind::List, warnings);
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

/// Removes a field that is not what it must be; one that is stays where it stands.
fn check_field(fields: &mut JsonObject, name: &str, path: &str, kind: Kind, warnings: &mut Vec<String>) {
    if fields.get(name).is_some_and(|value| !kind.fits(value)) {
        take_field(fields, name, path, kind, warnings);
    }
}

fn unknown_word(path: &str, word: &str, known: &[&str]) -> String {
    // The comparison costs memory by length, and no misspelling of a short word is long.
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
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> (Value, Vec<String>) {
        let Value::Object(fields) = value else { panic!("not an object") };
        let (output, warnings) = HookOutput::from_object(fields);
        (serde_json::to_value(output).unwrap(), warnings)
    }

    #[test]
    fn well_typed_fields_come_out_as_they_went_in() {
        let answer = json!({
            "decision": "block", "reason": "r", "continue": false, "stopReason": "s", "suppressOutput": true,
            "systemMessage": "m",
            "hookSpecificOutput": {
                "hookEventName": "BeforeTool", "tool_input": { "b": 1, "a": 2 }, "own": null, "additionalContext": "c",
                "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["x"] },
            },
            "zeta": 1, "alpha": { "kept": [true] },
        });
        assert_eq!(read(answer.clone()), (answer, vec![]), "HOOK-157; unknown fields are kept (O5)");
    }

    #[test]
    fn a_mistyped_field_never_loses_the_others() {
        for (requirement, given, kept, warning) in [
            (
                "O4",
                json!({"decision": 5, "reason": "r"}),
                json!({"reason": "r"}),
                "`decision` must be a string but is the number `5`",
            ),
            (
                "O4",
                json!({"decision": "block", "continue": "no"}),
                json!({"decision": "block"}),
                "`continue` must be a boolean but is the string `no`",
            ),
            (
                "O4",
                json!({"decision": "block", "reason": ["a"]}),
                json!({"decision": "block"}),
                "`reason` must be a string but is an array",
            ),
            (
                "O4",
                json!({"decision": "deny", "suppressOutput": "a typo"}),
                json!({"decision": "deny"}),
                "`suppressOutput`",
            ),
            (
                "O4",
                json!({"decision": "deny", "systemMessage": {}}),
                json!({"decision": "deny"}),
                "`systemMessage`",
            ),
            ("O4", json!({"continue": false, "stopReason": 1}), json!({"continue": false}), "`stopReason`"),
            (
                "O4",
                json!({"decision": "deny", "hookSpecificOutput": "x"}),
                json!({"decision": "deny"}),
                "`hookSpecificOutput` must be an object",
            ),
            (
                "O4",
                json!({"hookSpecificOutput": {"tool_input": "x", "llm_request": {}}}),
                json!({"hookSpecificOutput": {"llm_request": {}}}),
                "`hookSpecificOutput.tool_input`",
            ),
            (
                "O4",
                json!({"hookSpecificOutput": {"toolConfig": {"mode": 1, "allowedFunctionNames": ["a"]}}}),
                json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a"]}}}),
                "`hookSpecificOutput.toolConfig.mode`",
            ),
            (
                "O4",
                json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": "a"}}}),
                json!({"hookSpecificOutput": {"toolConfig": {}}}),
                "must be an array",
            ),
            (
                "O4",
                json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a", 1]}}}),
                json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a"]}}}),
                "an entry of",
            ),
            (
                "O6",
                json!({"decision": "blokc"}),
                json!({"decision": "blokc"}),
                "unknown value `blokc` (did you mean `block`?)",
            ),
            (
                "O6",
                json!({"decision": "whatever"}),
                json!({"decision": "whatever"}),
                "unknown value `whatever`: no effect",
            ),
            (
                "O6",
                json!({"hookSpecificOutput": {"permissionDecision": "DENY"}}),
                json!({"hookSpecificOutput": {"permissionDecision": "DENY"}}),
                "did you mean `deny`?",
            ),
            (
                "O6",
                json!({"hookSpecificOutput": {"toolConfig": {"mode": "none"}}}),
                json!({"hookSpecificOutput": {"toolConfig": {}}}),
                "did you mean `NONE`?",
            ),
        ] {
            let (output, warnings) = read(given.clone());
            assert_eq!(output, kept, "{requirement}: {given}");
            assert_eq!(warnings.len(), 1, "{requirement}: {warnings:?}");
            assert!(warnings[0].contains(warning), "{requirement}: {warnings:?}");
        }
    }

    #[test]
    fn null_reads_as_absent() {
        let nothing = json!({"decision": null, "reason": null, "continue": null, "hookSpecificOutput": null});
        assert_eq!(read(nothing), (json!({}), vec![]), "HOOK-158");
    }

    #[test]
    fn a_stop_always_has_a_reason() {
        let stop = |stop_reason: Option<&str>, reason: Option<&str>| HookOutput {
            stop_reason: stop_reason.map(str::to_owned),
            reason: reason.map(str::to_owned),
            ..HookOutput::default()
        };
        for (output, expected) in [
            (stop(Some("s"), Some("r")), "s"),
            (stop(Some(" \n"), Some("r")), "r"),
            (stop(None, Some("")), "Hook requested stop"),
            (stop(None, None), "Hook requested stop"),
        ] {
            assert_eq!(output.effective_stop_reason(), expected, "DELTA-HRUN-002 (O9)");
        }
    }
}
