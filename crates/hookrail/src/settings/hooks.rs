//! The `hooks` map of one settings text: events, groups, hooks. What is malformed is left out with a
//! finding, and its neighbours stay.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::diagnose::{Findings, Route, span};
use super::read::{HOOKS_KEYS, Unreadable, boolean, event_named, given, pick};
use super::source::Source;
use super::{ConfiguredHook, HookSpans, Settings};
use crate::diagnostic::DiagnosticCode;
use crate::dialect::HookDialect;
use crate::event::{EventName, Matching};
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, Level, Origin, UnreadableRule};
use crate::matcher::Matcher;
use crate::spelling::{misspelling_of, shortened};

mod hook;
mod rule;
mod service;

#[cfg(test)]
pub(super) use hook::HOOK_KEYS;

/// The fields of a group.
pub(super) const GROUP_KEYS: [&str; 3] = ["matcher", "sequential", "hooks"];

/// Reads a `hooks` map into `settings`.
pub(super) fn read_hooks(
    map: &Value<'_>,
    route: Route<'_>,
    level: &Level,
    findings: &mut Findings<'_>,
    settings: &mut Settings,
) {
    let Some(object) = map.as_object() else {
        let expected = "an object of events";
        findings.wrong_type(route, expected, map, "write { \"BeforeTool\": [ … ] }");
        let unreadable = Unreadable::wrong_type(None, route, expected, map);
        return refuse_guarded(level, findings.source, &unreadable, settings);
    };
    let mut events: Vec<(EventName, &ObjectProp<'_>)> = Vec::new();
    let mut unknown: Vec<&ObjectProp<'_>> = Vec::new();
    for prop in &object.properties {
        let name = prop.name.as_str();
        match event_named(name) {
            Some(event) => {
                let before = events.len();
                events.retain(|(_, known)| known.name.as_str() != name);
                if events.len() < before {
                    findings.repeated_key(route, prop);
                } else if name != event.as_str() && !holds_claude_hooks(&prop.value) {
                    findings.foreign_event(prop, event);
                }
                events.push((event, prop));
            }
            None if !HOOKS_KEYS.contains(&name) => {
                findings.unknown_event(prop);
                unknown.push(prop);
            }
            None if matches!(level, Level::Extension(_)) => {
                let message = format!("`{}` has no effect in an extension", route.key(name));
                findings.warn(DiagnosticCode::NoEffect, &prop.name, message, "it belongs in your settings");
            }
            None => {} // Read with the other settings of this level.
        }
    }
    let mut reader = HookReader::new(level, findings, settings);
    for (event, prop) in events {
        reader.read_event(event, prop.name.as_str(), &prop.value, route.key(prop.name.as_str()));
    }
    for prop in unknown {
        if let Some(event) = EventName::misspelt_guarded(prop.name.as_str()) {
            let message = format!("`{}` should be `{event}`", route.key(prop.name.as_str()));
            let (at, code) = (bytes_of(&prop.name), DiagnosticCode::UnknownEvent);
            reader.refuse(event, Matcher::any(), at, code, message);
        }
    }
}

/// Refuses guarded events because of something in the settings of the user or the system that was meant to hold guards
/// and cannot be read.
pub(super) fn refuse_guarded(
    level: &Level,
    source: &Source<'_>,
    unreadable: &Unreadable,
    settings: &mut Settings,
) {
    let Unreadable { event: only, range, code, message } = unreadable;
    let findings = &mut Findings::new(source);
    let mut reader = HookReader::new(level, findings, settings);
    for event in EventName::ALL.into_iter().filter(|event| only.is_none_or(|only| only == *event)) {
        reader.refuse(event, Matcher::any(), range.clone(), *code, message.clone());
    }
}

/// Reads the events of one file. Hooks and findings are added as they are found, in the order of the text.
pub(super) struct HookReader<'r, 's, 'v> {
    pub(super) level: &'r Level,
    pub(super) findings: &'r mut Findings<'s>,
    pub(super) settings: &'r mut Settings,
    /// Compiling costs more than all the rest, and the same few patterns stand in many groups.
    /// The key says whether the event has a tool, too.
    matchers: HashMap<(bool, &'v str), Matcher>,
}

/// What the hooks of a group share.
struct HookGroup {
    event: EventName,
    /// The event as the settings name it, which may be another agent's name.
    event_name: String,
    matcher: Matcher,
    matcher_span: Option<Range<usize>>,
    sequential: bool,
}

impl<'r, 's, 'v> HookReader<'r, 's, 'v> {
    pub(super) fn new(level: &'r Level, findings: &'r mut Findings<'s>, settings: &'r mut Settings) -> Self {
        Self { level, findings, settings, matchers: HashMap::new() }
    }

    /// Adds a hook of this level that is at this place of the text.
    pub(super) fn add(&mut self, mut hook: Hook, start: usize, spans: HookSpans) {
        let source = self.findings.source;
        hook.source = self.level.config_source();
        let file = source.file.map(PathBuf::from).unwrap_or_default();
        hook.origin = Origin { level: self.level.clone(), file, line: source.line(start) };
        let hook = Arc::new(hook);
        self.settings.hooks.push(ConfiguredHook { hook, spans, extra_fields: JsonObject::new() });
    }

    /// The file's name and the line, for entries without a name of their own.
    fn place_name(&self, start: usize) -> String {
        let source = self.findings.source;
        let file = source.file.and_then(|file| file.file_name()).unwrap_or_default().to_string_lossy();
        format!("{file}:{}", source.line(start))
    }

    /// Adds what blocks a guarded event in place of a guard that cannot be read. A project's guards count only with
    /// approval, and what was never read was never approved.
    fn refuse(
        &mut self,
        event: EventName,
        matcher: Matcher,
        range: Range<usize>,
        code: DiagnosticCode,
        message: String,
    ) {
        if !event.is_guarded() || !matches!(self.level, Level::Managed | Level::User | Level::System) {
            return;
        }
        let source = self.findings.source;
        let mut hook = Hook::new(event, "");
        hook.name = format!("unreadable {}", self.place_name(range.start));
        hook.matcher = matcher;
        let place = source.place(range.clone());
        hook.kind =
            HookKind::UnreadableRule(UnreadableRule::Malformed { what: "entry", place, code, message });
        let spans = HookSpans { command: source.in_file(range.clone()), matcher: None };
        self.add(hook, range.start, spans);
    }

    /// Refuses the event of hooks and rules that are where a group, or a list of groups, should be; in a list too many, too.
    fn refuse_misplaced(&mut self, event: EventName, value: &Value<'_>, route: Route<'_>) {
        match value {
            Value::Object(object) => self.refuse_misplaced_hook(event, object, route),
            Value::Array(list) => {
                for (index, element) in list.elements.iter().enumerate() {
                    self.refuse_misplaced(event, element, route.index(index));
                }
            }
            _ => {}
        }
    }

    fn refuse_misplaced_hook(&mut self, event: EventName, object: &Object<'_>, route: Route<'_>) {
        let is_hook = ["type", "command", "when", "then", "block", "ask", "hooks"]
            .iter()
            .any(|key| object.get(key).is_some());
        if !is_hook {
            return;
        }
        let matcher = match given(object.get("matcher")) {
            Some(Value::StringLit(text)) => Matcher::for_event(event, Some(text.value.as_ref())),
            _ => Matcher::any(),
        };
        let start = object.range.start;
        let message = if object.get("hooks").is_some() {
            format!("`{route}` is a group outside of a list")
        } else {
            format!("`{route}` is a hook outside of a group")
        };
        self.refuse(event, matcher, start..start + 1, DiagnosticCode::MissingHooks, message);
    }

    /// Reads the groups of an event.
    fn read_event(&mut self, event: EventName, name: &str, value: &'v Value<'_>, route: Route<'_>) {
        let Some(groups) = value.as_array() else {
            let help = "write [ { \"hooks\": [ … ] } ]";
            self.findings.wrong_type(route, "an array of groups", value, help);
            return self.refuse_misplaced(event, value, route);
        };
        for (index, group) in groups.elements.iter().enumerate() {
            self.read_group(event, name, group, route.index(index));
        }
    }

    /// Reads a group. Without `hooks`, or with a matcher of another type than a string, its hooks are not used.
    fn read_group(&mut self, event: EventName, name: &str, value: &'v Value<'_>, route: Route<'_>) {
        let Some(object) = value.as_object() else {
            self.findings.wrong_type(route, "a group", value, "write { \"hooks\": [ … ] }");
            return self.refuse_misplaced(event, value, route);
        };
        let (fields, others) = pick(object, &GROUP_KEYS, route, self.findings);
        let [matcher, sequential, hooks] = fields;
        let Some(hooks) = hooks else {
            let message = format!("`{route}` has no `hooks`: nothing of it runs");
            let help = if object.get("command").is_some() || object.get("type").is_some() {
                "a hook belongs inside a group: { \"hooks\": [ { \"type\": \"command\", … } ] }"
            } else {
                "list the group's hooks: \"hooks\": [ … ]"
            };
            let brace = span(object.range.start..object.range.start + 1);
            self.findings.error(DiagnosticCode::MissingHooks, &brace, message, help);
            if let Some(other) =
                others.iter().find(|other| misspelling_of(other.name.as_str(), &["hooks"]).is_some())
            {
                let message = format!("`{}` should be `hooks`", route.key(other.name.as_str()));
                let (at, code) = (bytes_of(&other.name), DiagnosticCode::MisspeltField);
                return self.refuse(event, Matcher::any(), at, code, message);
            }
            return self.refuse_misplaced_hook(event, object, route);
        };
        for other in others {
            self.findings.unknown_field(route, other, &GROUP_KEYS);
        }
        let Some(array) = hooks.value.as_array() else {
            let help = "write \"hooks\": [ { \"type\": \"command\", \"command\": \"…\" } ]";
            self.findings.wrong_type(route.key("hooks"), "an array of hooks", &hooks.value, help);
            return self.refuse_misplaced(event, &hooks.value, route.key("hooks"));
        };
        let matcher_span = given(matcher).map(|value| self.findings.source.in_file(bytes_of(value)));
        let matcher = match given(matcher) {
            None => Matcher::any(),
            Some(Value::StringLit(text)) => {
                let is_claude = array.elements.iter().any(is_claude_hook);
                self.read_matcher(event, text, is_claude, route.key("matcher"))
            }
            Some(other) => {
                // Either default would be wrong: matching all could stop every tool, matching
                // none would be silent.
                let help = "its hooks do not run until this is fixed; join alternatives with `|`";
                return self.findings.wrong_type(route.key("matcher"), "a string", other, help);
            }
        };
        let sequential = boolean(sequential, route.key("sequential"), self.findings).unwrap_or(false);
        let event_name = name.to_owned();
        let group = HookGroup { event, event_name, matcher, matcher_span, sequential };
        let list = route.key("hooks");
        for (index, hook) in array.elements.iter().enumerate() {
            self.read_hook(&group, hook, list.index(index));
        }
    }

    /// Compiles a matcher as its event compares it, and reports one that is not a pattern or cannot have an effect. What is
    /// not a pattern is compared as plain text.
    fn read_matcher(
        &mut self,
        event: EventName,
        literal: &'v jsonc_parser::ast::StringLit<'_>,
        is_claude: bool,
        route: Route<'_>,
    ) -> Matcher {
        let text = literal.value.as_ref();
        let read = || Matcher::for_event(event, Some(text));
        let matcher = self.matchers.entry((event.has_tool(), text)).or_insert_with(read).clone();
        if matcher.matches_everything() {
            return matcher;
        }
        match event.matching() {
            Matching::Tool => {
                if let Some(problem) = matcher.problem() {
                    let message = format!("`{route}` is not a regular expression: {problem}");
                    let help =
                        format!("it is compared as plain text, with a tool named `{}`", shortened(text));
                    self.findings.error(DiagnosticCode::MatcherNotARegex, literal, message, help);
                }
            }
            Matching::Ignored => {
                let message = format!("`{route}` has no effect: {event} hooks run every time");
                self.findings.note(DiagnosticCode::MatcherWithoutEffect, literal, message, "remove it");
            }
            Matching::Word { known } if is_claude => {
                let words: Vec<&str> =
                    known.iter().map(|ours| HookDialect::Claude.word(event, ours)).collect();
                let listens = Matcher::names_or_pattern(text);
                if !words.is_empty() && !words.iter().any(|word| listens.matches_tool(word).is_match()) {
                    let message =
                        format!("`{route}` never matches: Claude Code has no such word for {event}");
                    let help = format!("use one of: {}", words.join(", "));
                    self.findings.warn(DiagnosticCode::MatcherNeverMatches, literal, message, help);
                }
            }
            Matching::Word { known } if !known.is_empty() && !known.contains(&text) => {
                let message = format!("`{route}` never matches: for {event} it is compared exactly");
                let help = format!("use one of: {}", known.join(", "));
                self.findings.warn(DiagnosticCode::MatcherNeverMatches, literal, message, help);
            }
            Matching::Word { .. } => {}
        }
        matcher
    }
}

/// Whether a hook is written for Claude Code.
fn is_claude_hook(hook: &Value<'_>) -> bool {
    let dialect = hook.as_object().and_then(|hook| hook.get_string("dialect"));
    dialect.is_some_and(|dialect| dialect.value == "claude")
}

/// Whether all hooks of an event are written for Claude Code.
fn holds_claude_hooks(groups: &Value<'_>) -> bool {
    let groups = groups.as_array().map(|groups| groups.elements.as_slice()).unwrap_or_default();
    let lists = groups.iter().map(|group| group.as_object().and_then(|group| group.get_array("hooks")));
    !groups.is_empty()
        && lists.into_iter().all(|list| list.is_some_and(|list| list.elements.iter().all(is_claude_hook)))
}

/// Where a value is, in bytes of the text without its byte order mark.
fn bytes_of(at: &impl Ranged) -> Range<usize> {
    at.start()..at.end()
}
