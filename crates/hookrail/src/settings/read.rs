//! What one settings text says besides its hooks: the flag, the lists, the limits.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;

use super::diagnose::{Findings, Route, must_be};
use super::{AgentEvents, LevelSettings, LogDetail, Redaction};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::event::EventName;
use crate::hook::AskReading;
use crate::rules::library::Guard;
use crate::spelling::{misspelling_of, nearest, shortened};

/// The keys of a settings file that are about hooks. All others belong to the agent.
pub(super) const ROOT_KEYS: [&str; 7] =
    ["enableHooks", "tools", "hooksConfig", "hooks", "extensions", "security", "policy"];
/// The keys of `hooksConfig`.
pub(super) const CONFIG_KEYS: [&str; 8] =
    ["enabled", "disabled", "agentEvents", "ask", "maxConcurrentHooks", "maxOutputBytes", "rules", "log"];
/// The keys of `security.environmentVariableRedaction`.
pub(super) const REDACTION_KEYS: [&str; 3] = ["enabled", "allowed", "blocked"];
/// The keys of the `hooks` map that are no events.
pub(super) const HOOKS_KEYS: [&str; 2] = ["enabled", "disabled"];

/// Something that was meant to hold guards and cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// The event that its guards stand for; every guarded one if there is none.
    pub(super) event: Option<EventName>,
    pub(super) range: Range<usize>,
    pub(super) code: DiagnosticCode,
    pub(super) message: String,
}

impl Unreadable {
    /// A key that was meant to be another one.
    fn misspelt(event: Option<EventName>, prop: &ObjectProp<'_>, route: Route<'_>, meant: &str) -> Self {
        let range = prop.name.range();
        let message = format!("`{route}` should be `{meant}`");
        Self { event, range: range.start..range.end, code: DiagnosticCode::MisspeltField, message }
    }

    /// A value of another type than the settings need.
    pub(super) fn wrong_type(
        event: Option<EventName>,
        route: Route<'_>,
        expected: &str,
        value: &Value<'_>,
    ) -> Self {
        let message = must_be(route, expected, value);
        Self { event, range: value.start()..value.end(), code: DiagnosticCode::WrongType, message }
    }
}

/// What one level says besides its hooks.
#[derive(Debug, Default)]
pub(super) struct LevelRead {
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) enable: Option<bool>,
    pub(super) disabled: Vec<String>,
    pub(super) settings: LevelSettings,
}

/// The values of an object's known fields, and its other properties.
type Picked<'v, 'a, const N: usize> = ([Option<&'v ObjectProp<'a>>; N], Vec<&'v ObjectProp<'a>>);

/// A field that an object may have.
struct KnownField<'k, 'v, 'a> {
    name: &'k str,
    prop: Option<&'v ObjectProp<'a>>,
}

/// Picks the known fields of an object. Of a repeated key the last one counts, as in JavaScript.
pub(super) fn pick<'v, 'a, const N: usize>(
    object: &'v Object<'a>,
    known: &[&str; N],
    route: Route<'_>,
    findings: &mut Findings<'_>,
) -> Picked<'v, 'a, N> {
    let mut fields = known.map(|name| KnownField { name, prop: None });
    let mut others = Vec::new();
    for prop in &object.properties {
        let name = prop.name.as_str();
        match fields.iter_mut().find(|field| field.name == name) {
            Some(field) => {
                if field.prop.replace(prop).is_some() {
                    findings.repeated_key(route, prop);
                }
            }
            None => others.push(prop),
        }
    }
    (fields.map(|field| field.prop), others)
}

/// The field of this name; of several, the last one counts.
pub(super) fn last<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().rfind(|prop| prop.name.as_str() == name)
}

/// The value of an optional field; `null` says nothing.
pub(super) fn given<'v, 'a>(field: Option<&'v ObjectProp<'a>>) -> Option<&'v Value<'a>> {
    field.map(|prop| &prop.value).filter(|value| value.as_null_keyword().is_none())
}

/// An optional boolean.
pub(super) fn boolean(
    field: Option<&ObjectProp<'_>>,
    route: Route<'_>,
    findings: &mut Findings<'_>,
) -> Option<bool> {
    let value = given(field)?;
    let boolean = value.as_boolean_lit().map(|literal| literal.value);
    if boolean.is_none() {
        findings.ignored_type(route, "`true` or `false`", value);
    }
    boolean
}

/// An optional list of texts; entries of other types are left out.
pub(super) fn texts(
    field: Option<&ObjectProp<'_>>,
    route: Route<'_>,
    findings: &mut Findings<'_>,
) -> Vec<String> {
    let Some(value) = given(field) else { return Vec::new() };
    let Some(array) = value.as_array() else {
        findings.ignored_type(route, "an array of strings", value);
        return Vec::new();
    };
    let mut texts = Vec::with_capacity(array.elements.len());
    for (index, element) in array.elements.iter().enumerate() {
        match element.as_string_lit() {
            Some(text) => texts.push(text.value.clone().into_owned()),
            None => findings.ignored_type(route.index(index), "a string", element),
        }
    }
    texts
}

/// A number of things or bytes: at least one.
fn count<T: TryFrom<u64>>(
    field: Option<&ObjectProp<'_>>,
    route: Route<'_>,
    findings: &mut Findings<'_>,
) -> Option<T> {
    let value = given(field)?;
    let number = value.as_number_lit().and_then(|literal| literal.value.parse::<u64>().ok());
    let number = number.filter(|number| *number > 0).and_then(|number| T::try_from(number).ok());
    if number.is_none() {
        let message = format!("`{route}` is ignored: it must be a whole number from 1");
        findings.warn(DiagnosticCode::InvalidValue, value, message, "");
    }
    number
}

/// An optional word out of a few; an unknown one is left out.
pub(super) fn word<T: Copy>(
    field: Option<&ObjectProp<'_>>,
    words: &[(&str, T)],
    route: Route<'_>,
    findings: &mut Findings<'_>,
) -> Option<T> {
    let value = given(field)?;
    let text = value.as_string_lit().map(|literal| literal.value.as_ref());
    if let Some((_, meaning)) = text.and_then(|text| words.iter().find(|(word, _)| *word == text)) {
        return Some(*meaning);
    }
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let help = text
        .and_then(|text| nearest(text, &known))
        .map(|near| format!("did you mean \"{near}\"?"))
        .unwrap_or_default();
    let found = text.map(|text| format!(", not \"{}\"", shortened(text))).unwrap_or_default();
    let message = format!("`{route}` is ignored: it must be \"{}\"{found}", known.join("\" or \""));
    findings.error(DiagnosticCode::InvalidValue, value, message, help);
    None
}

/// An object inside a key that the agent owns: whatever else the key holds is ignored.
fn object_in<'v, 'a>(field: Option<&'v ObjectProp<'a>>) -> Option<&'v Object<'a>> {
    given(field).and_then(Value::as_object)
}

/// Only whether hooks are on. Several keys can say so, and the first of this order that does wins. One of them
/// with a value that is not a boolean makes the whole file unusable.
fn read_enable(root: &Object<'_>, findings: &mut Findings<'_>) -> Result<Option<bool>, Box<Diagnostic>> {
    let top = Route::TOP;
    let (tools, config, hooks) = (top.key("tools"), top.key("hooksConfig"), top.key("hooks"));
    let inner = |key: &str| object_in(last(root, key));
    let mut enable = None;
    for (object, key, route) in [
        (Some(root), "enableHooks", top.key("enableHooks")),
        (inner("tools"), "enableHooks", tools.key("enableHooks")),
        (inner("hooksConfig"), "enabled", config.key("enabled")),
        (inner("hooks"), "enabled", hooks.key("enabled")),
    ] {
        let Some(value) = object.and_then(|object| given(last(object, key))) else { continue };
        let Some(flag) = value.as_boolean_lit() else {
            return Err(Box::new(findings.not_a_flag(route, value)));
        };
        enable = enable.or(Some(flag.value));
    }
    Ok(enable)
}

/// All that a settings file says about hooks, without the hooks, and the `hooks` map.
pub(super) fn read_level<'v, 'a>(
    root: &'v Object<'a>,
    findings: &mut Findings<'_>,
) -> Result<(LevelRead, Option<&'v Value<'a>>), Box<Diagnostic>> {
    let top = Route::TOP;
    let enable = read_enable(root, findings)?;
    let (fields, others) = pick(root, &ROOT_KEYS, top, findings);
    // A policy is read before the levels are.
    let [_, tools, config, hooks, extensions, security, _] = fields;
    let mut unreadable = Vec::new();
    for other in others {
        misplaced_event(other, findings);
        if let Some(meant) = findings.misspelt_root_key(other) {
            let event = (meant != "hooks").then_some(Guard::EVENT);
            unreadable.push(Unreadable::misspelt(event, other, top.key(other.name.as_str()), meant));
        }
    }
    if let Some(object) = object_in(tools) {
        for prop in &object.properties {
            findings.misspelt_flag(top.key("tools"), prop);
        }
    }

    let mut read = LevelRead { unreadable, enable, ..LevelRead::default() };
    if let Some(value) = given(config) {
        if let Some(object) = value.as_object() {
            read_config(object, &mut read, findings);
        } else {
            let route = top.key("hooksConfig");
            findings.wrong_type(route, "an object", value, "");
            read.unreadable.push(Unreadable::wrong_type(Some(Guard::EVENT), route, "an object", value));
        }
    }
    if let Some(object) = object_in(hooks) {
        read.disabled.extend(texts(last(object, "disabled"), top.key("hooks").key("disabled"), findings));
    }
    if let Some(object) = object_in(extensions) {
        read.settings.disabled_extensions =
            texts(last(object, "disabled"), top.key("extensions").key("disabled"), findings);
    }
    if let Some(object) = object_in(security) {
        read.settings.redaction = read_redaction(last(object, "environmentVariableRedaction"), findings);
    }
    Ok((read, given(hooks)))
}

/// The event of this name, which may be another agent's for it. Parsing the name would look for a near one each time
/// there is none, which is slow for long words and many of them.
pub(super) fn event_named(name: &str) -> Option<EventName> {
    EventName::ALL
        .into_iter()
        .find(|event| event.as_str() == name)
        .or_else(|| EventName::of_another_agent(name))
}

/// Reports an event that is beside `hooks` instead of inside it.
pub(super) fn misplaced_event(prop: &ObjectProp<'_>, findings: &mut Findings<'_>) {
    let name = prop.name.as_str();
    // Only a list of groups makes it an event: other agents' names are everyday words.
    if event_named(name).is_some() && prop.value.as_array().is_some() {
        let message = format!("`{name}` has no effect here: its hooks never run");
        findings.error(
            DiagnosticCode::MisplacedEvent,
            &prop.name,
            message,
            format!("move it into `hooks`: {{ \"hooks\": {{ \"{name}\": [ … ] }} }}"),
        );
    }
}

/// `hooksConfig`. Its enable flag and its rules are read elsewhere: the flag has aliases outside, and rules are
/// hooks.
fn read_config(object: &Object<'_>, read: &mut LevelRead, findings: &mut Findings<'_>) {
    let root = Route::TOP;
    let route = root.key("hooksConfig");
    let (fields, others) = pick(object, &CONFIG_KEYS, route, findings);
    let [_, disabled, agent_events, ask, concurrent, output, _, log] = fields;
    for other in others {
        findings.unknown_field(route, other, &CONFIG_KEYS);
        let name = other.name.as_str();
        if misspelling_of(name, &["rules"]).is_some() {
            let meant = "hooksConfig.rules";
            read.unreadable.push(Unreadable::misspelt(Some(Guard::EVENT), other, route.key(name), meant));
        }
    }
    read.disabled = texts(disabled, route.key("disabled"), findings);
    let words = [("observe", AgentEvents::Observe), ("apply", AgentEvents::Apply)];
    read.settings.agent_events = word(agent_events, &words, route.key("agentEvents"), findings);
    let words = [("person", AskReading::Person), ("allow", AskReading::Allow)];
    read.settings.ask = word(ask, &words, route.key("ask"), findings);
    let words = [("summary", LogDetail::Summary), ("none", LogDetail::None)];
    read.settings.log = word(log, &words, route.key("log"), findings);
    read.settings.max_concurrent_hooks = count(concurrent, route.key("maxConcurrentHooks"), findings);
    read.settings.max_output_bytes = count(output, route.key("maxOutputBytes"), findings);
}

/// A list that cannot be read counts as empty, and is reported: it must not change what the other fields say.
fn read_redaction(field: Option<&ObjectProp<'_>>, findings: &mut Findings<'_>) -> Redaction {
    let (root, security);
    root = Route::TOP;
    security = root.key("security");
    let route = security.key("environmentVariableRedaction");
    let Some(value) = given(field) else { return Redaction::default() };
    let Some(object) = value.as_object() else {
        findings.wrong_type(route, "an object", value, "");
        return Redaction::default();
    };
    let (fields, others) = pick(object, &REDACTION_KEYS, route, findings);
    let [enabled, allowed, blocked] = fields;
    for other in others {
        findings.unknown_field(route, other, &REDACTION_KEYS);
    }
    Redaction {
        enabled: boolean(enabled, route.key("enabled"), findings),
        allowed: texts(allowed, route.key("allowed"), findings),
        blocked: texts(blocked, route.key("blocked"), findings),
    }
}
