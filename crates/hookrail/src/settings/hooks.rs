//! The `hooks` map of one settings text: events, groups, hooks. What is malformed is left out with a
//! finding, and its neighbours stay.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, StringLit, Value};

use super::diagnose::Route;
use super::read::{HOOKS_KEYS, event_named};
use super::reader::{Node, Reader, bytes_of, given, last};
use crate::diagnostic::DiagnosticCode as Code;
use crate::dialect::HookDialect;
use crate::event::{EventName, Matching};
use crate::hook::Level;
use crate::matcher::Matcher;
use crate::spelling::{misspelling_of, shortened};

mod hook;
mod rule;
mod service;

#[cfg(test)]
pub(super) use hook::HOOK_KEYS;

/// The fields of a group.
pub(super) const GROUP_KEYS: [&str; 3] = ["matcher", "sequential", "hooks"];

/// What the hooks of a group share.
struct HookGroup<'g> {
    event: EventName,
    /// The event as the settings name it, which may be another agent's name.
    event_name: &'g str,
    matcher: Matcher,
    matcher_span: Option<Range<usize>>,
    sequential: bool,
}

impl Reader<'_> {
    /// Reads a `hooks` map.
    pub(super) fn read_hooks(&mut self, map: &Value<'_>, route: Route<'_>) {
        let Some(object) = map.as_object() else {
            self.wrong_type(route, "an object of events", map, "write { \"BeforeTool\": [ … ] }");
            return self.refuse_all(map);
        };
        let mut events: Vec<(EventName, &ObjectProp<'_>)> = Vec::new();
        for prop in &object.properties {
            let name = prop.name.as_str();
            match event_named(name) {
                Some(event) => {
                    let before = events.len();
                    events.retain(|(_, known)| known.name.as_str() != name);
                    if events.len() < before {
                        self.repeated_key(route, prop);
                    } else if name != event.as_str() && !holds_claude_hooks(&prop.value) {
                        self.foreign_event(prop, event);
                    }
                    events.push((event, prop));
                }
                None if !HOOKS_KEYS.contains(&name) => self.unknown_event(prop),
                None if matches!(self.level, Level::Extension(_)) => {
                    let message = format!("`{}` has no effect in an extension", route.key(name));
                    self.warn(Code::NoEffect, &prop.name, message, "it belongs in your settings");
                }
                None => {} // Read with the other settings of this level.
            }
        }
        for (event, prop) in events {
            let (name, route) = (prop.name.as_str(), route.key(prop.name.as_str()));
            let Some(groups) = prop.value.as_array() else {
                let help = "write [ { \"hooks\": [ … ] } ]";
                self.wrong_type(route, "an array of groups", &prop.value, help);
                self.refuse_misplaced(event, &prop.value);
                continue;
            };
            for (index, group) in groups.elements.iter().enumerate() {
                self.read_group(event, name, group, route.index(index));
            }
        }
    }

    /// Refuses the event of hooks and rules that are where a group, or a list of groups, should be; in a list too many, too.
    fn refuse_misplaced(&mut self, event: EventName, value: &Value<'_>) {
        const KEYS: [&str; 7] = ["type", "command", "when", "then", "block", "ask", "hooks"];
        match value {
            Value::Array(list) => list.elements.iter().for_each(|each| self.refuse_misplaced(event, each)),
            Value::Object(object) if KEYS.iter().any(|key| object.get(key).is_some()) => {
                let matcher = match given(object, "matcher") {
                    Some(Value::StringLit(text)) => self.matcher(event, &text.value),
                    _ => Matcher::any(),
                };
                self.refuse(event, matcher, value);
            }
            _ => {}
        }
    }

    /// Reads a group. Without `hooks`, or with a matcher of another type than a string, its hooks are not used.
    fn read_group(&mut self, event: EventName, event_name: &str, value: &Value<'_>, route: Route<'_>) {
        let Some(object) = value.as_object() else {
            self.wrong_type(route, "a group", value, "write { \"hooks\": [ … ] }");
            return self.refuse_misplaced(event, value);
        };
        let node = Node::new(object, route);
        let others = self.others(node, &GROUP_KEYS);
        let Some(hooks) = last(object, "hooks").map(|hooks| &hooks.value) else {
            let message = format!("`{route}` has no `hooks`: nothing of it runs");
            let help = if object.get("command").is_some() || object.get("type").is_some() {
                "a hook belongs inside a group: { \"hooks\": [ { \"type\": \"command\", … } ] }"
            } else {
                "list the group's hooks: \"hooks\": [ … ]"
            };
            self.error(Code::MissingHooks, &node.brace(), message, help);
            let misspelt =
                |other: &&&ObjectProp<'_>| misspelling_of(other.name.as_str(), &["hooks"]).is_some();
            return match others.iter().find(misspelt) {
                Some(other) => self.refuse(event, Matcher::any(), &other.name),
                None => self.refuse_misplaced(event, value),
            };
        };
        for other in others {
            self.unknown_field(route, other, &GROUP_KEYS);
        }
        let list = route.key("hooks");
        let Some(array) = hooks.as_array() else {
            let help = "write \"hooks\": [ { \"type\": \"command\", \"command\": \"…\" } ]";
            self.wrong_type(list, "an array of hooks", hooks, help);
            return self.refuse_misplaced(event, hooks);
        };
        let matcher_span = node.given("matcher").map(|value| self.source.in_file(bytes_of(value)));
        let matcher = match node.given("matcher") {
            None => Matcher::any(),
            Some(Value::StringLit(text)) => {
                let is_claude = array.elements.iter().any(is_claude_hook);
                self.read_matcher(event, text, is_claude, route.key("matcher"))
            }
            Some(other) => {
                // Either default would be wrong: matching all could stop every tool, matching
                // none would be silent.
                let help = "its hooks do not run until this is fixed; join alternatives with `|`";
                return self.wrong_type(route.key("matcher"), "a string", other, help);
            }
        };
        let sequential = self.boolean(node, "sequential").unwrap_or(false);
        let group = HookGroup { event, event_name, matcher, matcher_span, sequential };
        for (index, hook) in array.elements.iter().enumerate() {
            self.read_hook(&group, hook, list.index(index));
        }
    }

    /// Compiles a matcher as its event compares it, and reports one that is not a pattern or cannot have an effect. What is
    /// not a pattern is compared as plain text.
    fn read_matcher(
        &mut self,
        event: EventName,
        literal: &StringLit<'_>,
        is_claude: bool,
        route: Route<'_>,
    ) -> Matcher {
        let text = literal.value.as_ref();
        let matcher = self.matcher(event, text);
        if matcher.matches_everything() {
            return matcher;
        }
        match event.matching() {
            Matching::Tool => {
                if let Some(problem) = matcher.problem() {
                    let message = format!("`{route}` is not a regular expression: {problem}");
                    let help =
                        format!("it is compared as plain text, with a tool named `{}`", shortened(text));
                    self.error(Code::MatcherNotARegex, literal, message, help);
                }
            }
            Matching::Ignored => {
                let message = format!("`{route}` has no effect: {event} hooks run every time");
                self.note(Code::MatcherWithoutEffect, literal, message, "remove it");
            }
            Matching::Word { known } => {
                let (words, why): (Vec<&str>, _) = if is_claude {
                    let words = known.iter().map(|ours| HookDialect::Claude.word(event, ours)).collect();
                    (words, format!("Claude Code has no such word for {event}"))
                } else {
                    (known.to_vec(), format!("for {event} it is compared exactly"))
                };
                let listens = if is_claude { Matcher::names_or_pattern(text) } else { matcher.clone() };
                if !words.is_empty() && !words.iter().any(|word| listens.matches_tool(word).is_match()) {
                    let help = format!("use one of: {}", words.join(", "));
                    let message = format!("`{route}` never matches: {why}");
                    self.warn(Code::MatcherNeverMatches, literal, message, help);
                }
            }
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
