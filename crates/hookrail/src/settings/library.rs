//! `hooksConfig.rules`: guards of the shipped library, turned on by name.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged as _;

use super::diagnose::{Findings, Route};
use super::read::given;
use super::{ConfiguredHook, HookSpans, Settings};
use crate::diagnostic::DiagnosticCode;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, Level, Origin, UnreadableRule};
use crate::rules::library::{self, Guard};
use crate::spelling::{nearest, shortened};

/// Adds the guards that a list names to the hooks of its level.
pub(super) fn read_library(
    field: Option<&ObjectProp<'_>>,
    level: &Level,
    findings: &mut Findings<'_>,
    settings: &mut Settings,
) {
    let root = Route::Root;
    let config = root.key("hooksConfig");
    let route = config.key("rules");
    let Some(value) = given(field) else { return };
    let Some(array) = value.as_array() else {
        return findings.wrong_type(route, "an array of names", value, "`hookrail rules` lists the names");
    };
    for (index, element) in array.elements.iter().enumerate() {
        match element.as_string_lit() {
            Some(name) => add_guard(&name.value, element, level, findings, settings),
            None => {
                findings.wrong_type(
                    route.index(index),
                    "a name",
                    element,
                    "`hookrail rules` lists the names",
                );
            }
        }
    }
}

/// Adds one guard. A name that no guard has becomes a rule that cannot be read, which blocks tool calls until the name
/// is corrected.
fn add_guard(
    name: &str,
    element: &Value<'_>,
    level: &Level,
    findings: &mut Findings<'_>,
    settings: &mut Settings,
) {
    let source = findings.source();
    let origin = Origin {
        level: level.clone(),
        file: source.file().map(PathBuf::from).unwrap_or_default(),
        line: source.line(element.start()),
    };
    let mut hook = Hook::new(Guard::EVENT, "");
    if let Some(guard) = library::find(name) {
        let is_same = |known: &ConfiguredHook| {
            known.origin.level == *level && known.definition.as_deref() == Some(guard.text)
        };
        if settings.hooks.iter().any(is_same) {
            return; // The lists of a level are one list.
        }
        hook.description = Some(guard.description);
        hook.matcher = guard.matcher;
        hook.definition = Some(guard.text.to_owned());
        hook.kind = HookKind::Rule(Arc::new(guard.rule));
    } else {
        let known: Vec<String> = library::names().collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hookrail rules` lists the names".to_owned(),
        };
        let name = shortened(name);
        let message = UnreadableRule::UnknownName { name: name.clone(), place: None }.to_string();
        // A guard that was turned on and does not exist must be reported.
        let place = source.place(element.start()..element.end());
        hook.kind = HookKind::UnreadableRule(UnreadableRule::UnknownName { name, place });
        findings.error(DiagnosticCode::UnknownRule, element, message, help);
    }
    name.clone_into(&mut hook.name);
    hook.source = level.config_source();
    hook.origin = origin;
    let span = findings.source().in_file(element.start()..element.end());
    let spans = HookSpans { command: span, matcher: None };
    settings.hooks.push(ConfiguredHook { hook, spans, extra_fields: JsonObject::new() });
}
