//! One hook of a group: its type, its command and its other fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use super::super::HookSpans;
use super::super::bridge_entry::calls_bridge;
use super::super::diagnose::{Route, span};
use super::super::read::{boolean, given, last, pick, texts, word};
use super::{HookGroup, HookReader, bytes_of};
use crate::diagnostic::DiagnosticCode;
use crate::dialect::{HookDialect, claude_event};
use crate::formats::json_object::JsonObject;
use crate::hook::{DEFAULT_HOOK_TIMEOUT, Hook, HookKind, Level, OnFailure, WorkerMode};
use crate::matcher::Matcher;

/// The fields of a hook. Those from `when` on are read as part of a rule or a condition.
#[rustfmt::skip] // A list is read as a block.
pub(in crate::settings) const HOOK_KEYS: [&str; 24] = [
    "type", "command", "timeout", "name", "description", "env", "onFailure", "watch", "pure", "worker",
    "dialect", "when", "then", "block", "ask", "context", "instead", "unknown", "examples", "url", "headers",
    "headersFile", "subject", "credentials",
];

/// The kinds of hooks.
const TYPES: [&str; 5] = ["command", "rule", "http", "remote", "plugin"];

/// The fields that decide what a rule says, and how a command is run. A change of one of them asks for approval again.
#[rustfmt::skip] // A list is read as a block.
const DEFINING_KEYS: [&str; 15] = [
    "when", "then", "block", "ask", "context", "instead", "unknown", "pure", "worker", "dialect", "url",
    "headers", "headersFile", "subject", "credentials",
];

/// A year. Deadlines further away overflow clocks and mean "never" in practice.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(365 * 24);

impl HookReader<'_, '_, '_> {
    /// Reads one hook. A required field that cannot be used leaves the hook out; an optional one falls back to its
    /// default. Both are reported.
    pub(super) fn read_hook(&mut self, group: &HookGroup, value: &Value<'_>, route: Route<'_>) {
        if let Some(cut) = self.findings.source.cut_rule(value.start()) {
            return self.add_unread(group, cut, value.start());
        }
        let Some(object) = value.as_object() else {
            let help = "write { \"type\": \"command\", \"command\": \"…\" }";
            self.findings.wrong_type(route, "a hook", value, help);
            return self.refuse_misplaced(group.event, value, route);
        };
        let (_, others) = pick(object, &HOOK_KEYS, route, self.findings);
        let Some(kind) = self.read_kind(group, object, route) else { return };
        let is_service = matches!(kind, HookKind::Http(_) | HookKind::Remote(_));
        let is_command = matches!(kind, HookKind::Command(_));
        let Some(dialect) = self.read_dialect(group, object, is_command, route.key("dialect")) else {
            return;
        };
        let is_rule = matches!(kind, HookKind::Rule(_) | HookKind::UnreadableRule(_));
        let when = if is_rule { None } else { self.read_when(group.event, object, last(object, "when")) };
        // Approvals are for a project's hooks, and commands are compared with each other.
        let is_bound = !is_rule || *self.level == Level::Project;
        let name = self.text(object, "name", route).filter(|name| !name.is_empty());
        let words = [("allow", OnFailure::Allow), ("block", OnFailure::Block)];
        let on_failure = word(last(object, "onFailure"), &words, route.key("onFailure"), self.findings);
        let hook = Hook {
            name: name.unwrap_or_else(|| match &kind {
                HookKind::Command(command) => command.clone(),
                HookKind::Plugin => "plugin".to_owned(),
                HookKind::Http(http) => http.url.shown(),
                HookKind::Remote(nats) => format!("{} {}", nats.url.shown(), nats.subject),
                HookKind::Rule(_) | HookKind::UnreadableRule(_) => {
                    format!("rule {}", self.place_name(object.range.start))
                }
            }),
            description: self.text(object, "description", route),
            kind,
            matcher: matcher_in(dialect, &group.matcher),
            sequential: group.sequential,
            timeout: self.read_timeout(object, is_service, route.key("timeout")),
            env: self.read_env(object, route.key("env")),
            on_failure: on_failure.unwrap_or({
                // Nobody else knows what a service would have said.
                if is_service && group.event.is_guarded() { OnFailure::Block } else { OnFailure::Allow }
            }),
            when,
            definition: if is_bound { definition(object, dialect).map(Cow::Owned) } else { None },
            pure: boolean(last(object, "pure"), route.key("pure"), self.findings).unwrap_or(false),
            watch: texts(last(object, "watch"), route.key("watch"), self.findings),
            worker: self.read_worker(object, is_command, route.key("worker")),
            dialect,
            ..Hook::new(group.event, "")
        };
        let mut extra_fields = JsonObject::new();
        for other in others {
            self.findings.unknown_field(route, other, &HOOK_KEYS);
            extra_fields.insert(other.name.as_str().to_owned(), other.value.clone().into());
        }
        let span = match last(object, "command") {
            Some(command) => bytes_of(&command.value),
            None => object.range.start..object.range.start + 1,
        };
        let spans =
            HookSpans { command: self.findings.source.in_file(span), matcher: group.matcher_span.clone() };
        self.add(hook, object.range.start, spans);
        if let Some(added) = self.settings.hooks.last_mut() {
            added.extra_fields = extra_fields;
        }
    }

    /// A hook's type and command; `None`, with a finding, for a hook that cannot be one.
    fn read_kind(&mut self, group: &HookGroup, object: &Object<'_>, route: Route<'_>) -> Option<HookKind> {
        let brace = span(object.range.start..object.range.start + 1);
        let command = last(object, "command");
        let Some(kind) = last(object, "type") else {
            let message = format!("`{route}` has no `type`: it never runs");
            let is_rule = command.is_none() && object.get("when").is_some();
            let help = if is_rule { "add \"type\": \"rule\"" } else { "add \"type\": \"command\"" };
            self.findings.error(DiagnosticCode::InvalidHookType, &brace, message, help);
            return None;
        };
        let named = kind.value.as_string_lit().map(|literal| literal.value.as_ref());
        self.warn_of_service_fields(object, named, route);
        match named {
            Some("command") => {}
            Some("http") => return Some(self.read_service("http", object, route)),
            Some("remote") => return Some(self.read_service("remote", object, route)),
            Some("rule") => return Some(self.read_rule(group, object)),
            Some("plugin") => {
                let message = format!("`{route}` is a plugin, which cannot be run yet: it always fails");
                let help = "use \"type\": \"command\"";
                self.findings.warn(DiagnosticCode::PluginHook, &kind.value, message, help);
                return Some(HookKind::Plugin);
            }
            _ => {
                let message = format!(
                    "`{route}.type` must be \"command\", \"rule\", \"http\", \"remote\" or \"plugin\": the hook never runs"
                );
                let given = kind.value.as_string_lit().map(|literal| literal.value.to_ascii_lowercase());
                let meant = given.as_deref().filter(|given| TYPES.contains(given));
                let help = format!("use \"type\": \"{}\"", meant.unwrap_or("command"));
                self.findings.error(DiagnosticCode::InvalidHookType, &kind.value, message, help);
                if let Some(meant) = meant {
                    let message = format!("`{route}.type` should be \"{meant}\"");
                    let at = bytes_of(&kind.value);
                    let code = DiagnosticCode::InvalidHookType;
                    self.refuse(group.event, group.matcher.clone(), at, code, message);
                }
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
                format!("`{route}` calls `hookrail bridge`, so it is not run: it would call itself");
            let help = "it belongs in another agent's settings; `hookrail connect` writes it there";
            // LLxprt Code's own entry is where `connect` writes it: in a file that both read.
            let folder = self.findings.source.file.and_then(|file| file.parent());
            let is_shared = folder.is_some_and(|folder| folder.ends_with(".llxprt"));
            if !(is_shared && text.value.split_whitespace().any(|word| word == "llxprt")) {
                self.findings.note(DiagnosticCode::BridgeEntry, text, message, help);
            }
            return None;
        }
        if text.value.contains('\0') {
            // It stays a hook: its failure to start is what `onFailure` is for.
            let message = format!("`{route}.command` contains a NUL character: it cannot be started");
            self.findings.error(DiagnosticCode::InvalidValue, text, message, "");
        }
        Some(HookKind::Command(text.value.clone().into_owned()))
    }

    /// An optional text; of another type it is left out with a finding.
    fn text(&mut self, object: &Object<'_>, key: &str, route: Route<'_>) -> Option<String> {
        match given(last(object, key))? {
            Value::StringLit(text) => Some(text.value.to_string()),
            other => {
                self.findings.ignored_type(route.key(key), "a string", other);
                None
            }
        }
    }

    /// A timeout in milliseconds, of which fractions count. The default stands in for what is not a number above zero.
    fn read_timeout(&mut self, object: &Object<'_>, is_service: bool, route: Route<'_>) -> Duration {
        let Some(field) = last(object, "timeout") else { return DEFAULT_HOOK_TIMEOUT };
        let number = field.value.as_number_lit().and_then(|literal| literal.value.parse::<f64>().ok());
        let Some(milliseconds) = number.filter(|number| *number > 0.0) else {
            let message = format!("`{route}` must be a number of milliseconds above zero");
            let help = format!("until then it is {} ms", DEFAULT_HOOK_TIMEOUT.as_millis());
            self.findings.warn(DiagnosticCode::InvalidTimeout, &field.value, message, help);
            return DEFAULT_HOOK_TIMEOUT;
        };
        // A service answers in milliseconds, or not at all.
        if milliseconds < 1000.0 && !is_service {
            let message = format!("`{route}` is {milliseconds} milliseconds, which is very short");
            let help = format!("if seconds were meant, write {}", milliseconds * 1000.0);
            self.findings.warn(DiagnosticCode::TimeoutLooksLikeSeconds, &field.value, message, help);
        }
        let timeout = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        if timeout > LONGEST_TIMEOUT {
            let message = format!("`{route}` is longer than a year, so it counts as a year");
            self.findings.warn(DiagnosticCode::InvalidTimeout, &field.value, message, "");
        }
        // A fraction of a nanosecond would round to a deadline that is over before it starts.
        timeout.clamp(Duration::from_nanos(1), LONGEST_TIMEOUT)
    }

    /// Whether a hook's process is kept. What cannot be read means a process per event, which is always right.
    fn read_worker(&mut self, object: &Object<'_>, is_command: bool, route: Route<'_>) -> WorkerMode {
        let Some(value) = given(last(object, "worker")) else { return WorkerMode::Off };
        let mode = match value {
            Value::BooleanLit(flag) if flag.value => WorkerMode::Lines,
            Value::BooleanLit(_) => WorkerMode::Off,
            Value::StringLit(text) if text.value == "fork" => WorkerMode::Fork,
            other => {
                let message = format!("`{route}` must be true, false or \"fork\"");
                let help = "until then each event starts a process";
                self.findings.warn(DiagnosticCode::InvalidValue, other, message, help);
                return WorkerMode::Off;
            }
        };
        if !is_command && mode != WorkerMode::Off {
            let message = format!("`{route}` has an effect only on hooks of type `command`");
            self.findings.warn(DiagnosticCode::NoEffect, value, message, "remove it");
            return WorkerMode::Off;
        }
        mode
    }

    /// In which agent's terms a hook is written; `None`, with a finding, where that cannot be told. Run in other terms a
    /// guard would read nothing, so that its event is refused then.
    fn read_dialect(
        &mut self,
        group: &HookGroup,
        object: &Object<'_>,
        is_command: bool,
        route: Route<'_>,
    ) -> Option<HookDialect> {
        let Some(value) = given(last(object, "dialect")) else { return Some(HookDialect::Own) };
        let is_claude = value.as_string_lit().is_some_and(|text| text.value == "claude");
        let letters: String = group.event_name.chars().filter(char::is_ascii_alphabetic).collect();
        let message = if !is_claude {
            format!("`{route}` must be \"claude\": the hook never runs")
        } else if !is_command {
            format!("`{route}` is for hooks of type `command`: this one never runs")
        } else if claude_event(group.event).is_none() {
            format!("`{route}`: Claude Code has no such event as {}: the hook never runs", group.event)
        } else if letters.eq_ignore_ascii_case("PermissionRequest") {
            format!("`{route}`: the question of {letters} cannot be answered here: the hook never runs")
        } else if letters.eq_ignore_ascii_case("PostToolUseFailure") {
            return Some(HookDialect::ClaudeFailure);
        } else {
            return Some(HookDialect::Claude);
        };
        let code = DiagnosticCode::InvalidValue;
        self.findings.error(code, value, message.clone(), "use \"dialect\": \"claude\", or remove it");
        // Its matcher may name tools in terms that are not ours, so that it counts for all of them.
        self.refuse(group.event, Matcher::any(), bytes_of(value), code, message);
        None
    }

    /// Extra variables. Numbers and booleans count as the text they are written as: that is what a shell
    /// would make of them.
    fn read_env(&mut self, object: &Object<'_>, route: Route<'_>) -> Vec<(String, String)> {
        let Some(value) = given(last(object, "env")) else { return Vec::new() };
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
                let help = format!("it counts as \"{text}\"");
                self.findings.warn(DiagnosticCode::WrongType, &prop.value, message, help);
            }
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                let message = format!("`{}` is ignored: it cannot be in an environment", route.key(name));
                self.findings.warn(DiagnosticCode::InvalidValue, &prop.name, message, "");
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

/// A group's matcher as a hook of this dialect means it.
fn matcher_in(dialect: HookDialect, matcher: &Matcher) -> Matcher {
    match (dialect, matcher.text()) {
        (dialect, Some(text)) if dialect.is_claude() => Matcher::names_or_pattern(text),
        _ => matcher.clone(),
    }
}

/// What decides what a rule says, or whether a command is started, as JSON text with sorted keys.
fn definition(object: &Object<'_>, dialect: HookDialect) -> Option<String> {
    let fields = DEFINING_KEYS.iter().filter_map(|key| {
        Some(((*key).to_owned(), serde_json::Value::from(last(object, key)?.value.clone())))
    });
    let mut fields: JsonObject = fields.collect();
    if dialect == HookDialect::ClaudeFailure {
        // The same command for calls that succeeded is another hook.
        fields.insert("event".to_owned(), "PostToolUseFailure".into());
    }
    (!fields.is_empty()).then(|| serde_json::Value::Object(fields).to_string())
}
