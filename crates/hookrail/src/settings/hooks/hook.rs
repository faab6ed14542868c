//! One hook of a group: its type, its command and its other fields.

use std::borrow::Cow;
use std::time::Duration;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use super::super::HookSpans;
use super::super::bridge_entry::calls_bridge;
use super::super::diagnose::Route;
use super::super::reader::{Node, Reader, bytes_of, last};
use super::HookGroup;
use crate::diagnostic::DiagnosticCode as Code;
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

impl Reader<'_> {
    /// Reads one hook. A required field that cannot be used leaves the hook out; an optional one falls back to its
    /// default. Both are reported.
    pub(super) fn read_hook(&mut self, group: &HookGroup<'_>, value: &Value<'_>, route: Route<'_>) {
        if let Some(cut) = self.source.cut_rule(value.start()) {
            return self.add_unread(group, cut, value.start());
        }
        let Some(object) = value.as_object() else {
            let help = "write { \"type\": \"command\", \"command\": \"…\" }";
            self.wrong_type(route, "a hook", value, help);
            return self.refuse_misplaced(group.event, value);
        };
        let node = Node::new(object, route);
        let others = self.others(node, &HOOK_KEYS);
        let Some(kind) = self.read_kind(group, node) else { return };
        let is_service = matches!(kind, HookKind::Http(_) | HookKind::Remote(_));
        let is_command = matches!(kind, HookKind::Command(_));
        let Some(dialect) = self.read_dialect(group, node, is_command) else { return };
        let is_rule = matches!(kind, HookKind::Rule(_) | HookKind::UnreadableRule(_));
        let when = if is_rule { None } else { self.read_when(group.event, node) };
        // Approvals are for a project's hooks, and commands are compared with each other.
        let is_bound = !is_rule || *self.level == Level::Project;
        let name = self.text(node, "name").filter(|name| !name.is_empty());
        let words = [("allow", OnFailure::Allow), ("block", OnFailure::Block)];
        let on_failure = self.word(node, "onFailure", &words);
        let mut hook = Hook {
            description: self.text(node, "description"),
            kind,
            matcher: matcher_in(dialect, &group.matcher),
            sequential: group.sequential,
            timeout: self.read_timeout(node, is_service),
            env: self.read_env(node),
            // Nobody else knows what a service would have said.
            on_failure: on_failure.unwrap_or({
                if is_service && group.event.is_guarded() { OnFailure::Block } else { OnFailure::Allow }
            }),
            when,
            definition: if is_bound { definition(object, dialect).map(Cow::Owned) } else { None },
            pure: self.boolean(node, "pure").unwrap_or(false),
            watch: self.texts(node, "watch"),
            worker: self.read_worker(node, is_command),
            dialect,
            ..Hook::new(group.event, "")
        };
        hook.name = name.unwrap_or_else(|| match &hook.kind {
            HookKind::Command(command) => command.clone(),
            HookKind::Plugin => "plugin".to_owned(),
            HookKind::Http(_) | HookKind::Remote(_) => hook.service().unwrap_or_default(),
            HookKind::Rule(_) | HookKind::UnreadableRule(_) => {
                format!("rule {}", self.place_name(object.range.start))
            }
        });
        let mut extra_fields = JsonObject::new();
        for other in others {
            self.unknown_field(route, other, &HOOK_KEYS);
            extra_fields.insert(other.name.as_str().to_owned(), other.value.clone().into());
        }
        let command = last(object, "command").map(|command| bytes_of(&command.value));
        let command = self.source.in_file(command.unwrap_or_else(|| bytes_of(&node.brace())));
        let spans = HookSpans { command, matcher: group.matcher_span.clone() };
        self.add(hook, object.range.start, spans, extra_fields);
    }

    /// A hook's type and command; `None`, with a finding, for a hook that cannot be one.
    fn read_kind(&mut self, group: &HookGroup<'_>, hook: Node<'_, '_>) -> Option<HookKind> {
        let route = hook.route;
        let command = last(hook.object, "command").map(|command| &command.value);
        let Some(kind) = last(hook.object, "type").map(|kind| &kind.value) else {
            let message = format!("`{route}` has no `type`: it never runs");
            let is_rule = command.is_none() && hook.object.get("when").is_some();
            let help = if is_rule { "add \"type\": \"rule\"" } else { "add \"type\": \"command\"" };
            self.error(Code::InvalidHookType, &hook.brace(), message, help);
            return None;
        };
        let named = kind.as_string_lit().map(|literal| literal.value.as_ref());
        self.warn_of_service_fields(hook, named);
        match named {
            Some("command") => {}
            Some("http") => return Some(self.read_service("http", hook)),
            Some("remote") => return Some(self.read_service("remote", hook)),
            Some("rule") => return Some(self.read_rule(group, hook)),
            Some("plugin") => {
                let message = format!("`{route}` is a plugin, which cannot be run yet: it always fails");
                self.warn(Code::PluginHook, kind, message, "use \"type\": \"command\"");
                return Some(HookKind::Plugin);
            }
            _ => {
                let types = "\"command\", \"rule\", \"http\", \"remote\" or \"plugin\"";
                let message = format!("`{route}.type` must be {types}: the hook never runs");
                let given = named.map(str::to_ascii_lowercase);
                let meant = given.as_deref().filter(|given| TYPES.contains(given));
                let help = format!("use \"type\": \"{}\"", meant.unwrap_or("command"));
                self.error(Code::InvalidHookType, kind, message, help);
                if meant.is_some() {
                    self.refuse(group.event, group.matcher.clone(), kind);
                }
                return None;
            }
        }
        let Some(command) = command else {
            let message = format!("`{route}` has no `command`: it never runs");
            self.error(Code::MissingCommand, &hook.brace(), message, "add \"command\": \"…\"");
            return None;
        };
        let Some(text) = command.as_string_lit().map(|literal| literal.value.as_ref()) else {
            self.wrong_type(route.key("command"), "a string", command, "the hook never runs");
            return None;
        };
        if text.trim().is_empty() {
            let message = format!("`{route}.command` is empty: the hook never runs");
            self.error(Code::MissingCommand, command, message, "name a program or a script");
            return None;
        }
        if calls_bridge(text) {
            let message =
                format!("`{route}` calls `hookrail bridge`, so it is not run: it would call itself");
            let help = "it belongs in another agent's settings; `hookrail connect` writes it there";
            // LLxprt Code's own entry is where `connect` writes it: in a file that both read.
            let folder = self.source.file.and_then(|file| file.parent());
            let is_shared = folder.is_some_and(|folder| folder.ends_with(".llxprt"));
            if !(is_shared && text.split_whitespace().any(|word| word == "llxprt")) {
                self.note(Code::BridgeEntry, command, message, help);
            }
            return None;
        }
        if text.contains('\0') {
            // It stays a hook: its failure to start is what `onFailure` is for.
            let message = format!("`{route}.command` contains a NUL character: it cannot be started");
            self.error(Code::InvalidValue, command, message, "");
        }
        Some(HookKind::Command(text.to_owned()))
    }

    /// A timeout in milliseconds, of which fractions count. The default stands in for what is not a number above zero.
    fn read_timeout(&mut self, hook: Node<'_, '_>, is_service: bool) -> Duration {
        let route = hook.route.key("timeout");
        let Some(value) = last(hook.object, "timeout").map(|field| &field.value) else {
            return DEFAULT_HOOK_TIMEOUT;
        };
        let number = value.as_number_lit().and_then(|literal| literal.value.parse::<f64>().ok());
        let Some(milliseconds) = number.filter(|number| *number > 0.0) else {
            let message = format!("`{route}` must be a number of milliseconds above zero");
            let help = format!("until then it is {} ms", DEFAULT_HOOK_TIMEOUT.as_millis());
            self.warn(Code::InvalidTimeout, value, message, help);
            return DEFAULT_HOOK_TIMEOUT;
        };
        // A service answers in milliseconds, or not at all.
        if milliseconds < 1000.0 && !is_service {
            let message = format!("`{route}` is {milliseconds} milliseconds, which is very short");
            let help = format!("if seconds were meant, write {}", milliseconds * 1000.0);
            self.warn(Code::TimeoutLooksLikeSeconds, value, message, help);
        }
        let timeout = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        if timeout > LONGEST_TIMEOUT {
            let message = format!("`{route}` is longer than a year, so it counts as a year");
            self.warn(Code::InvalidTimeout, value, message, "");
        }
        // A fraction of a nanosecond would round to a deadline that is over before it starts.
        timeout.clamp(Duration::from_nanos(1), LONGEST_TIMEOUT)
    }

    /// Whether a hook's process is kept. What cannot be read means a process per event, which is always right.
    fn read_worker(&mut self, hook: Node<'_, '_>, is_command: bool) -> WorkerMode {
        let Some(value) = hook.given("worker") else { return WorkerMode::Off };
        let mode = match value {
            Value::BooleanLit(flag) if flag.value => WorkerMode::Lines,
            Value::BooleanLit(_) => WorkerMode::Off,
            Value::StringLit(text) if text.value == "fork" => WorkerMode::Fork,
            other => {
                let message = format!("`{}` must be true, false or \"fork\"", hook.route.key("worker"));
                self.warn(Code::InvalidValue, other, message, "until then each event starts a process");
                return WorkerMode::Off;
            }
        };
        if is_command || mode == WorkerMode::Off {
            return mode;
        }
        self.without_effect(hook.route.key("worker"), value, "hooks of type `command`", "remove it");
        WorkerMode::Off
    }

    /// In which agent's terms a hook is written; `None`, with a finding, where that cannot be told. Run in other terms a
    /// guard would read nothing, so that its event is refused then.
    fn read_dialect(
        &mut self,
        group: &HookGroup<'_>,
        hook: Node<'_, '_>,
        is_command: bool,
    ) -> Option<HookDialect> {
        let Some(value) = hook.given("dialect") else { return Some(HookDialect::Own) };
        let route = hook.route.key("dialect");
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
        self.error(Code::InvalidValue, value, message, "use \"dialect\": \"claude\", or remove it");
        // Its matcher may name tools in terms that are not ours, so that it counts for all of them.
        self.refuse(group.event, Matcher::any(), value);
        None
    }

    /// Extra variables. Numbers and booleans count as the text they are written as: that is what a shell
    /// would make of them.
    fn read_env(&mut self, hook: Node<'_, '_>) -> Vec<(String, String)> {
        let route = hook.route.key("env");
        let Some(value) = hook.given("env") else { return Vec::new() };
        let Some(object) = value.as_object() else {
            self.ignored_type(route, "an object of strings", value);
            return Vec::new();
        };
        // Of a name that is given twice the last value counts, in the place of the first one.
        let mut variables = JsonObject::new();
        for prop in &object.properties {
            let name = prop.name.as_str();
            let text = match &prop.value {
                Value::StringLit(text) => text.value.as_ref(),
                Value::NumberLit(number) => number.value,
                Value::BooleanLit(boolean) if boolean.value => "true",
                Value::BooleanLit(_) => "false",
                other => {
                    self.ignored_type(route.key(name), "a string", other);
                    continue;
                }
            };
            if prop.value.as_string_lit().is_none() {
                let message = format!("`{}` should be a string", route.key(name));
                self.warn(Code::WrongType, &prop.value, message, format!("it counts as \"{text}\""));
            }
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                let message = format!("`{}` is ignored: it cannot be in an environment", route.key(name));
                self.warn(Code::InvalidValue, &prop.name, message, "");
                continue;
            }
            if variables.insert(name.to_owned(), text.into()).is_some() {
                self.repeated_key(route, prop);
            }
        }
        variables.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect()
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
