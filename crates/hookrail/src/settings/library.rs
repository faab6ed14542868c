//! `hooksConfig.rules`: guards of the shipped library, turned on by name or by preset, with exceptions.

use std::fmt::Write as _;
use std::sync::Arc;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use super::HookSpans;
use super::diagnose::Route;
use super::reader::{Node, Reader, bytes_of, last};
use crate::diagnostic::DiagnosticCode as Code;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, UnreadableRule};
use crate::matcher::Matcher;
use crate::rules::Condition;
use crate::rules::library::{self, Guard, Preset};
use crate::spelling::{nearest, shortened};

/// The fields of an entry that is an object.
const FIELDS: [&str; 4] = ["name", "except", "until", "why"];

/// Conditions under which a guard lets a call pass, and their text, which an approval is bound to.
#[derive(Default)]
struct Exceptions {
    conditions: Vec<Condition>,
    text: String,
}

impl Reader<'_> {
    /// Adds the guards that a list names to the hooks of its level.
    pub(super) fn read_library(&mut self, config: Node<'_, '_>) {
        let Some(value) = config.given("rules") else { return };
        let route = config.route.key("rules");
        let Some(array) = value.as_array() else {
            return self.refuse_guards(route, "an array of names", value);
        };
        for (index, element) in array.elements.iter().enumerate() {
            match element {
                Value::StringLit(word) if word.value.starts_with('@') => self.preset(&word.value, element),
                Value::StringLit(word) => self.turn_on(&word.value, element, Exceptions::default()),
                Value::Object(object) => self.entry(object, element),
                other => self.refuse_guards(route.index(index), "a name or an object", other),
            }
        }
    }

    /// Which rules were meant is not known, so that tool calls are refused.
    fn refuse_guards(&mut self, route: Route<'_>, expected: &str, value: &Value<'_>) {
        self.wrong_type(route, expected, value, "`hookrail rules` lists the names");
        self.refuse(Guard::EVENT, Matcher::any(), value);
    }

    fn preset(&mut self, word: &str, element: &Value<'_>) {
        let Some(preset) = Preset::named(word) else {
            return self.unknown(word, element, &["@standard", "@strict"]);
        };
        for name in preset.guards() {
            self.turn_on(name, element, Exceptions::default());
        }
    }

    /// An entry with exceptions. What cannot be read of it is an error, and then the guard is on without exceptions.
    fn entry(&mut self, object: &Object<'_>, element: &Value<'_>) {
        let Some(name) = last(object, "name").and_then(|prop| prop.value.as_string_lit()) else {
            return self.unknown("(an entry without a name)", element, &[]);
        };
        let mut is_readable = true;
        for prop in &object.properties {
            let word = prop.name.as_str();
            if !FIELDS.contains(&word) {
                let message =
                    format!("`{}` is not a field of an entry of `hooksConfig.rules`", shortened(word));
                let help =
                    nearest(word, &FIELDS).map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
                self.error(Code::UnknownField, &prop.name, message, help);
                is_readable = false;
            }
        }
        let mut exceptions = Exceptions::default();
        if let Some(except) = last(object, "except") {
            let conditions: &[Value<'_>] = match &except.value {
                Value::Array(list) => &list.elements,
                single => std::slice::from_ref(single),
            };
            for condition in conditions {
                match self.read_condition(condition, Guard::EVENT) {
                    Some(read) => exceptions.conditions.push(read),
                    None => is_readable = false,
                }
                let written: serde_json::Value = condition.clone().into();
                let _ = write!(exceptions.text, "\n// except {written}");
            }
        }
        let is_current =
            last(object, "until").is_none_or(|until| self.is_current(&until.value, &mut exceptions));
        if !is_readable || !is_current {
            exceptions = Exceptions::default();
        }
        self.turn_on(&name.value, element, exceptions);
    }

    /// Whether the day until which exceptions count is not over. A day that cannot be read counts as over.
    fn is_current(&mut self, value: &Value<'_>, exceptions: &mut Exceptions) -> bool {
        let text = value.as_string_lit().map(|literal| literal.value.to_string()).unwrap_or_default();
        let Ok(day) = text.parse::<jiff::civil::Date>() else {
            let message = "`until` must be a day such as \"2026-12-31\"".to_owned();
            let help = "write year, month and day; until then the exceptions do not count";
            self.error(Code::WrongType, value, message, help);
            return false;
        };
        if jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date() > day {
            let message = format!("the exceptions ended on {day} and no longer count");
            let help = "take them out, or set a later day";
            self.warn(Code::ExpiredException, value, message, help);
            return false;
        }
        let _ = write!(exceptions.text, "\n// until {day}");
        true
    }

    /// Turns a guard on. All entries of a level are one: what one of them excepts, the guard of this level lets pass.
    fn turn_on(&mut self, name: &str, element: &Value<'_>, exceptions: Exceptions) {
        let is_same = |hook: &Hook| hook.name == name && hook.origin.level == *self.level && hook.shipped;
        let present = self.settings.hooks.iter_mut().find(|configured| is_same(&configured.hook));
        if let Some(configured) = present {
            except(Arc::make_mut(&mut configured.hook), exceptions);
            return;
        }
        let Some(guard) = library::find_with(name, |text| self.compiled(text)) else {
            return self.unknown(name, element, &library::names().collect::<Vec<_>>());
        };
        let mut hook = Hook::new(Guard::EVENT, "");
        hook.description = Some(guard.description);
        hook.matcher = guard.matcher;
        hook.definition = Some(guard.text.into());
        hook.kind = HookKind::Rule(Arc::new(guard.rule));
        hook.shipped = true;
        except(&mut hook, exceptions);
        self.add_named(name, element, hook);
    }

    /// A name that no guard has becomes a rule that cannot be read, which blocks tool calls until the name is
    /// corrected: a guard that was turned on and does not exist must be reported.
    fn unknown(&mut self, name: &str, element: &Value<'_>, known: &[&str]) {
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hookrail rules` lists the names".to_owned(),
        };
        let shown = shortened(name);
        let message = UnreadableRule::UnknownName { name: shown.clone(), place: None }.to_string();
        let place = self.source.place(bytes_of(element));
        let mut hook = Hook::new(Guard::EVENT, "");
        hook.kind = HookKind::UnreadableRule(UnreadableRule::UnknownName { name: shown, place });
        self.error(Code::UnknownRule, element, message, help);
        self.add_named(name, element, hook);
    }

    fn add_named(&mut self, name: &str, element: &Value<'_>, mut hook: Hook) {
        name.clone_into(&mut hook.name);
        let spans = HookSpans { command: self.source.in_file(bytes_of(element)), matcher: None };
        self.add(hook, element.start(), spans, JsonObject::new());
    }
}

/// Adds exceptions to a guard that nobody else holds yet.
fn except(hook: &mut Hook, exceptions: Exceptions) {
    if let HookKind::Rule(rule) = &mut hook.kind
        && let Some(rule) = Arc::get_mut(rule)
    {
        rule.add_exceptions(exceptions.conditions);
    }
    if let Some(definition) = hook.definition.as_mut().filter(|_| !exceptions.text.is_empty()) {
        definition.to_mut().push_str(&exceptions.text);
    }
}
