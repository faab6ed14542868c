//! The `hooks` map of one settings text: events, groups, hooks. What is malformed is left out with a
//! finding, and its neighbours stay.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;

use super::bridge_entry::calls_bridge;
use super::diagnose::{Findings, Route, span};
use super::read::{HOOKS_KEYS, boolean, event_named, given, pick, texts, word};
use super::{ConfiguredHook, HookSpans, Settings};
use crate::diagnostic::DiagnosticCode;
use crate::event::{EventName, Matching};
use crate::formats::json_object::JsonObject;
use crate::hook::{ConfigSource, DEFAULT_HOOK_TIMEOUT, Hook, HookKind, Level, OnFailure, Origin, WorkerMode};
use crate::matcher::Matcher;
use crate::rules::{Condition, Rule, RulePlace, RuleReading};
use crate::spelling::shortened;

/// The fields of a group.
pub(super) const GROUP_KEYS: [&str; 3] = ["matcher", "sequential", "hooks"];
/// The fields of a hook. Those from `when` on are read by the rules, or by whoever they are for.
pub(super) const HOOK_KEYS: [&str; 17] = [
    "type",
    "command",
    "timeout",
    "name",
    "description",
    "env",
    "onFailure",
    "watch",
    "pure",
    "worker",
    "when",
    "then",
    "block",
    "ask",
    "context",
    "unknown",
    "examples",
];
/// The fields that decide what a rule says, and how a command is run. A change of one of them asks for approval again.
const DEFINING_KEYS: [&str; 8] = ["when", "then", "block", "ask", "context", "unknown", "pure", "worker"];

/// A year. Deadlines further away overflow clocks and mean "never" to everyone.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(365 * 24);

/// Reads a `hooks` map into `settings`.
pub(super) fn read_hooks(
    map: &Value<'_>,
    route: Route<'_>,
    level: &Level,
    findings: &mut Findings<'_>,
    settings: &mut Settings,
) {
    let Some(object) = map.as_object() else {
        findings.wrong_type(route, "an object of events", map, "write { \"BeforeTool\": [ … ] }");
        return;
    };
    let mut events: Vec<(EventName, &ObjectProp<'_>)> = Vec::new();
    for prop in &object.properties {
        let name = prop.name.as_str();
        match event_named(name) {
            Some(event) => {
                let before = events.len();
                events.retain(|(known, _)| *known != event);
                if events.len() < before {
                    findings.repeated_key(route, prop);
                }
                events.push((event, prop));
            }
            None if !HOOKS_KEYS.contains(&name) => findings.unknown_event(prop),
            None if matches!(level, Level::Extension(_)) => {
                let message = format!("`{}` has no effect in an extension", route.key(name));
                findings.warn(DiagnosticCode::NoEffect, &prop.name, message, "it belongs into your settings");
            }
            None => {} // Read with the other settings of this level.
        }
    }
    let mut reader = HookReader { level, findings, settings, matchers: HashMap::new() };
    for (event, prop) in events {
        reader.read_event(event, &prop.value, route.key(event.as_str()));
    }
}

struct HookReader<'r, 's, 'v> {
    level: &'r Level,
    findings: &'r mut Findings<'s>,
    settings: &'r mut Settings,
    /// Compiling costs more than all the rest, and the same few patterns stand in many groups.
    matchers: HashMap<&'v str, Matcher>,
}

/// What the hooks of a group share.
struct Group {
    event: EventName,
    matcher: Matcher,
    matcher_span: Option<Range<usize>>,
    sequential: bool,
}

impl<'v> HookReader<'_, '_, 'v> {
    fn read_event(&mut self, event: EventName, value: &'v Value<'_>, route: Route<'_>) {
        let Some(groups) = value.as_array() else {
            let help = "write [ { \"hooks\": [ … ] } ]";
            return self.findings.wrong_type(route, "an array of groups", value, help);
        };
        for (index, group) in groups.elements.iter().enumerate() {
            self.read_group(event, group, route.index(index));
        }
    }

    fn read_group(&mut self, event: EventName, value: &'v Value<'_>, route: Route<'_>) {
        let Some(object) = value.as_object() else {
            return self.findings.wrong_type(route, "a group", value, "write { \"hooks\": [ … ] }");
        };
        let (fields, others) = pick(object, &GROUP_KEYS, route, self.findings);
        let [matcher, sequential, hooks] = fields;
        let Some(hooks) = hooks else {
            let message = format!("`{route}` has no `hooks`: nothing of it runs");
            let help = if object.get("command").is_some() {
                "a hook belongs inside a group: { \"hooks\": [ { \"type\": \"command\", … } ] }"
            } else {
                "list the group's hooks: \"hooks\": [ … ]"
            };
            let brace = span(object.range.start..object.range.start + 1);
            return self.findings.error(DiagnosticCode::MissingHooks, &brace, message, help);
        };
        for other in others {
            self.findings.unknown_field(route, other, &GROUP_KEYS);
        }
        let Some(array) = hooks.value.as_array() else {
            let help = "write \"hooks\": [ { \"type\": \"command\", \"command\": \"…\" } ]";
            return self.findings.wrong_type(route.key("hooks"), "an array of hooks", &hooks.value, help);
        };
        let matcher_span = given(matcher).map(|value| self.findings.source().in_file(bytes_of(value)));
        let matcher = match given(matcher) {
            None => Matcher::any(),
            Some(Value::StringLit(text)) => self.read_matcher(event, text, route.key("matcher")),
            Some(other) => {
                // A guess in either direction would be wrong: matching all could stop every tool, matching
                // none would be silent.
                let help = "its hooks do not run until this is mended; join alternatives with `|`";
                return self.findings.wrong_type(route.key("matcher"), "a string", other, help);
            }
        };
        let sequential = boolean(sequential, route.key("sequential"), self.findings).unwrap_or(false);
        let group = Group { event, matcher, matcher_span, sequential };
        let list = route.key("hooks");
        for (index, hook) in array.elements.iter().enumerate() {
            self.read_hook(&group, hook, list.index(index));
        }
    }

    fn read_matcher(
        &mut self,
        event: EventName,
        literal: &'v jsonc_parser::ast::StringLit<'_>,
        route: Route<'_>,
    ) -> Matcher {
        let text = literal.value.as_ref();
        let matches_all = matches!(text, "" | "*");
        if event.matching() == Matching::Tool {
            let matcher = self.matchers.entry(text).or_insert_with(|| Matcher::compile(text)).clone();
            if let Some(problem) = matcher.problem().filter(|_| !matches_all) {
                let message = format!("`{route}` is not a regular expression: {problem}");
                let help = format!("it is compared as plain text, with a tool named `{}`", shortened(text));
                self.findings.error(DiagnosticCode::MatcherNotARegex, literal, message, help);
            }
            return matcher;
        }
        if !matches_all {
            match event.matching() {
                Matching::Ignored => {
                    let message = format!("`{route}` has no effect: {event} hooks run every time");
                    self.findings.note(DiagnosticCode::MatcherWithoutEffect, literal, message, "remove it");
                }
                Matching::Word { known } if !known.is_empty() && !known.contains(&text) => {
                    let message = format!("`{route}` never matches: for {event} it is compared exactly");
                    let help = format!("use one of: {}", known.join(", "));
                    self.findings.warn(DiagnosticCode::MatcherNeverMatches, literal, message, help);
                }
                Matching::Word { .. } | Matching::Tool => {}
            }
        }
        Matcher::exact(text)
    }

    fn read_hook(&mut self, group: &Group, value: &Value<'_>, route: Route<'_>) {
        let Some(object) = value.as_object() else {
            let help = "write { \"type\": \"command\", \"command\": \"…\" }";
            return self.findings.wrong_type(route, "a hook", value, help);
        };
        let (fields, others) = pick(object, &HOOK_KEYS, route, self.findings);
        let [kind, command, timeout, name, description, env, on_failure, watch, pure, worker, when, ..] =
            fields;
        let Some(kind) = self.read_kind(group, object, kind, command, route) else { return };
        let is_command = matches!(kind, HookKind::Command(_));
        let is_rule = matches!(kind, HookKind::Rule(_) | HookKind::UnreadableRule { .. });
        let when = if is_rule { None } else { self.read_when(group.event, object, when) };
        let name = self.text(name, route.key("name")).filter(|name| !name.is_empty());
        let words = [("allow", OnFailure::Allow), ("block", OnFailure::Block)];
        let hook = Hook {
            event: group.event,
            name: name.unwrap_or_else(|| match &kind {
                HookKind::Command(command) => command.clone(),
                HookKind::Plugin => "plugin".to_owned(),
                HookKind::Rule(_) | HookKind::UnreadableRule { .. } => self.rule_name(object),
            }),
            description: self.text(description, route.key("description")),
            kind,
            matcher: group.matcher.clone(),
            sequential: group.sequential,
            timeout: self.read_timeout(timeout, route.key("timeout")),
            env: self.read_env(env, route.key("env")),
            on_failure: word(on_failure, &words, route.key("onFailure"), self.findings).unwrap_or_default(),
            when,
            definition: definition(object),
            pure: boolean(pure, route.key("pure"), self.findings).unwrap_or(false),
            watch: texts(watch, route.key("watch"), self.findings),
            worker: self.read_worker(worker, is_command, route.key("worker")),
            source: match self.level {
                Level::Extension(_) => ConfigSource::Extensions,
                Level::Project | Level::User | Level::System => ConfigSource::Project,
            },
            origin: Origin {
                level: self.level.clone(),
                file: self.findings.source().file().map(PathBuf::from).unwrap_or_default(),
                line: self.findings.source().line(object.range.start),
            },
        };
        let mut extra_fields = JsonObject::new();
        for other in others {
            self.findings.unknown_field(route, other, &HOOK_KEYS);
            extra_fields.insert(other.name.as_str().to_owned(), other.value.clone().into());
        }
        let span = match command {
            Some(command) => bytes_of(&command.value),
            None => object.range.start..object.range.start + 1,
        };
        let spans =
            HookSpans { command: self.findings.source().in_file(span), matcher: group.matcher_span.clone() };
        self.settings.hooks.push(ConfiguredHook { hook, spans, extra_fields });
    }

    /// What a rule without a name is called: `rule FILE:LINE`.
    fn rule_name(&self, object: &Object<'_>) -> String {
        let source = self.findings.source();
        let file = source.file().and_then(|file| file.file_name()).unwrap_or_default().to_string_lossy();
        format!("rule {file}:{}", source.line(object.range.start))
    }

    fn read_rule(&mut self, group: &Group, object: &Object<'_>) -> HookKind {
        let place = RulePlace {
            event: group.event,
            matcher: &group.matcher,
            try_examples: self.settings.try_examples,
        };
        let RuleReading { rule, problems, warnings, failed_examples } = Rule::read(object, place);
        for problem in problems.iter().chain(&failed_examples) {
            let at = span(problem.range.clone());
            self.findings.error(problem.code, &at, problem.message.clone(), problem.help.clone());
        }
        for problem in &warnings {
            let at = span(problem.range.clone());
            self.findings.warn(problem.code, &at, problem.message.clone(), problem.help.clone());
        }
        if let Some(rule) = rule {
            return HookKind::Rule(Arc::new(rule));
        }
        let why = problems.first().map_or("it cannot be read", |problem| problem.message.as_str());
        let place = self.findings.source().place(object.range.start..object.range.start + 1);
        let place = place.map_or_else(|| "a rule".to_owned(), |place| format!("the rule at {place}"));
        HookKind::UnreadableRule { why: format!("{place} cannot be read: {why}") }
    }

    /// The `when` of a command hook. One that cannot be read is left out: its hook is started always.
    fn read_when(
        &mut self,
        event: EventName,
        object: &Object<'_>,
        when: Option<&ObjectProp<'_>>,
    ) -> Option<Arc<Condition>> {
        for key in Rule::FIELDS.into_iter().filter(|key| *key != "when") {
            if let Some(prop) = object.get(key) {
                let message = format!("`{key}` has no effect on a hook that is no rule");
                self.findings.warn(
                    DiagnosticCode::NoEffect,
                    &prop.name,
                    message,
                    "remove it, or make it a rule",
                );
            }
        }
        let (problems, condition, warnings) = match Condition::parse(given(when)?, event) {
            Ok((condition, warnings)) => (Vec::new(), Some(condition), warnings),
            Err(problems) => (problems, None, Vec::new()),
        };
        for problem in problems {
            let at = span(problem.range);
            self.findings.error(problem.code, &at, problem.message, problem.help);
        }
        for problem in warnings {
            let at = span(problem.range);
            self.findings.warn(problem.code, &at, problem.message, problem.help);
        }
        condition.map(Arc::new)
    }

    /// A hook's type and command; `None`, with a finding, for a hook that cannot be one.
    fn read_kind(
        &mut self,
        group: &Group,
        object: &Object<'_>,
        kind: Option<&ObjectProp<'_>>,
        command: Option<&ObjectProp<'_>>,
        route: Route<'_>,
    ) -> Option<HookKind> {
        let brace = span(object.range.start..object.range.start + 1);
        let Some(kind) = kind else {
            let message = format!("`{route}` has no `type`: it never runs");
            self.findings.error(
                DiagnosticCode::InvalidHookType,
                &brace,
                message,
                "add \"type\": \"command\"",
            );
            return None;
        };
        match kind.value.as_string_lit().map(|literal| literal.value.as_ref()) {
            Some("command") => {}
            Some("rule") => return Some(self.read_rule(group, object)),
            Some("plugin") => {
                let message = format!("`{route}` is a plugin, which cannot be run yet: it always fails");
                self.findings.warn(
                    DiagnosticCode::PluginHook,
                    &kind.value,
                    message,
                    "use \"type\": \"command\"",
                );
                return Some(HookKind::Plugin);
            }
            _ => {
                let message = format!(
                    "`{route}.type` must be \"command\", \"rule\" or \"plugin\": the hook never runs"
                );
                let help = "use \"type\": \"command\"";
                self.findings.error(DiagnosticCode::InvalidHookType, &kind.value, message, help);
                return None;
            }
        }
        let Some(command) = command else {
            let message = format!("`{route}` has no `command`: it never runs");
            self.findings.error(DiagnosticCode::MissingCommand, &brace, message, "add \"command\": \"…\"");
            return None;
        };
        let Some(text) = command.value.as_string_lit() else {
            let help = "the hook never runs";
            self.findings.wrong_type(route.key("command"), "a string", &command.value, help);
            return None;
        };
        if text.value.trim().is_empty() {
            let message = format!("`{route}.command` is empty: the hook never runs");
            self.findings.error(DiagnosticCode::MissingCommand, text, message, "name a program or a script");
            return None;
        }
        if calls_bridge(&text.value) {
            let message =
                format!("`{route}` calls `hookrail bridge`, so that it is not run: it would call itself");
            let help = "it belongs into another agent's settings; `hookrail connect` writes it there";
            self.findings.note(DiagnosticCode::BridgeEntry, text, message, help);
            return None;
        }
        if text.value.contains('\0') {
            // It stays a hook: its failure to start is what `onFailure` is for.
            let message = format!("`{route}.command` contains a NUL character: it cannot be started");
            self.findings.error(DiagnosticCode::InvalidValue, text, message, ());
        }
        Some(HookKind::Command(text.value.clone().into_owned()))
    }

    fn text(&mut self, field: Option<&ObjectProp<'_>>, route: Route<'_>) -> Option<String> {
        match given(field)? {
            Value::StringLit(text) => Some(text.value.clone().into_owned()),
            other => {
                self.findings.ignored_type(route, "a string", other);
                None
            }
        }
    }

    fn read_timeout(&mut self, field: Option<&ObjectProp<'_>>, route: Route<'_>) -> Duration {
        let Some(field) = field else { return DEFAULT_HOOK_TIMEOUT };
        let number = field.value.as_number_lit().and_then(|literal| literal.value.parse::<f64>().ok());
        let Some(milliseconds) = number.filter(|number| *number > 0.0) else {
            let message = format!("`{route}` must be a number of milliseconds above zero");
            let help = format!("until then it is {} ms", DEFAULT_HOOK_TIMEOUT.as_millis());
            self.findings.warn(DiagnosticCode::InvalidTimeout, &field.value, message, help);
            return DEFAULT_HOOK_TIMEOUT;
        };
        if milliseconds < 1000.0 {
            let message = format!("`{route}` is {milliseconds} milliseconds, which is very short");
            let help = format!("if seconds were meant, write {}", milliseconds * 1000.0);
            self.findings.warn(DiagnosticCode::TimeoutLooksLikeSeconds, &field.value, message, help);
        }
        let timeout = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        if timeout > LONGEST_TIMEOUT {
            let message = format!("`{route}` is longer than a year: a year counts");
            self.findings.warn(DiagnosticCode::InvalidTimeout, &field.value, message, ());
        }
        // A fraction of a nanosecond would round to a deadline that is over before it starts.
        timeout.clamp(Duration::from_nanos(1), LONGEST_TIMEOUT)
    }

    /// Whether a hook's process is kept. What cannot be read means a process per event, which is always right.
    fn read_worker(
        &mut self,
        field: Option<&ObjectProp<'_>>,
        is_command: bool,
        route: Route<'_>,
    ) -> WorkerMode {
        let Some(value) = given(field) else { return WorkerMode::Off };
        let mode = match value {
            Value::BooleanLit(flag) if flag.value => WorkerMode::Lines,
            Value::BooleanLit(_) => WorkerMode::Off,
            Value::StringLit(text) if text.value == "fork" => WorkerMode::Fork,
            other => {
                let message = format!("`{route}` must be true, false or \"fork\"");
                self.findings.warn(
                    DiagnosticCode::InvalidValue,
                    other,
                    message,
                    "until then each event starts a process",
                );
                return WorkerMode::Off;
            }
        };
        if !is_command && mode != WorkerMode::Off {
            let message = format!("`{route}` has no effect on a hook that is no command");
            self.findings.warn(DiagnosticCode::NoEffect, value, message, "remove it");
            return WorkerMode::Off;
        }
        mode
    }

    /// Extra variables. Numbers and booleans count as the text they are written as: that is what a shell
    /// would make of them.
    fn read_env(&mut self, field: Option<&ObjectProp<'_>>, route: Route<'_>) -> Vec<(String, String)> {
        let Some(value) = given(field) else { return Vec::new() };
        let Some(object) = value.as_object() else {
            self.findings.ignored_type(route, "an object of strings", value);
            return Vec::new();
        };
        let mut variables = Vec::with_capacity(object.properties.len());
        let mut known: HashMap<&str, usize> = HashMap::new();
        for prop in &object.properties {
            let name = prop.name.as_str();
            let text = match &prop.value {
                Value::StringLit(text) => text.value.as_ref(),
                Value::NumberLit(number) => number.value,
                Value::BooleanLit(boolean) if boolean.value => "true",
                Value::BooleanLit(_) => "false",
                other => {
                    self.findings.ignored_type(route.key(name), "a string", other);
                    continue;
                }
            };
            if prop.value.as_string_lit().is_none() {
                let message = format!("`{}` should be a string", route.key(name));
                self.findings.warn(
                    DiagnosticCode::WrongType,
                    &prop.value,
                    message,
                    format!("it counts as \"{text}\""),
                );
            }
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                let message = format!("`{}` is ignored: no environment can hold it", route.key(name));
                self.findings.warn(DiagnosticCode::InvalidValue, &prop.name, message, ());
                continue;
            }
            let variable = (name.to_owned(), text.to_owned());
            if let Some(earlier) = known.get(name).and_then(|index| variables.get_mut(*index)) {
                self.findings.repeated_key(route, prop);
                *earlier = variable;
            } else {
                known.insert(name, variables.len());
                variables.push(variable);
            }
        }
        variables
    }
}

/// What decides what a rule says, or whether a command is started, as JSON text with sorted keys.
fn definition(object: &Object<'_>) -> Option<String> {
    let fields = DEFINING_KEYS.iter().filter_map(|key| {
        let prop = object.properties.iter().rfind(|prop| prop.name.as_str() == *key)?;
        Some(((*key).to_owned(), serde_json::Value::from(prop.value.clone())))
    });
    let fields: JsonObject = fields.collect();
    (!fields.is_empty()).then(|| serde_json::Value::Object(fields).to_string())
}

fn bytes_of(value: &Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}
