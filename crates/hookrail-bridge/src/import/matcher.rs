//! Matchers of other agents as ours: an unanchored pattern for tools, an exact word for other events.
//!
//! A matcher that cannot be expressed in ours makes the hook run more often, never less: a guard that does not run lets
//! calls pass. Each such change is reported.

use hookrail::EventName;
use hookrail::components::{Matcher, Matching};
use serde_json::Value;

use super::{Importing, LossKind};
use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::{MatcherDialect, NativeEvent};
use crate::input::{compress_trigger, end_reason, start_source};
use crate::tools::our_name;

impl Importing {
    /// Our matchers for one of theirs: `None` matches everything, and several mean a group for each.
    pub(super) fn matchers(
        &mut self,
        place: &str,
        native: &NativeEvent,
        ours: EventName,
        matcher: Option<&Value>,
    ) -> Vec<Option<String>> {
        if ours == EventName::Notification && native.name.eq_ignore_ascii_case("permissionRequest") {
            if matcher.is_some() {
                self.report(
                    LossKind::Lost,
                    place,
                    "the matcher on the tool's name is lost: it runs for every question",
                );
            }
            return vec![Some("ToolPermission".to_owned())];
        }
        let matcher = match matcher {
            None | Some(Value::Null) => return vec![None],
            Some(Value::String(text)) if Matcher::is_wildcard(text.trim()) => return vec![None],
            Some(Value::String(text)) => text.trim(),
            Some(_) => {
                self.report(LossKind::Lost, place, "the matcher is not a text; the hook runs for everything");
                return vec![None];
            }
        };
        let word: fn(&str) -> String = match ours {
            event if self.agent == Agent::Claude && event.matching() != Matching::Ignored => {
                return vec![Some(matcher.to_owned())]; // Its hooks keep its rules.
            }
            event if event.has_tool() => {
                return vec![Some(self.tool_matcher(place, native, matcher))];
            }
            EventName::SessionStart => |word| start_source(word).to_owned(),
            EventName::SessionEnd => |word| end_reason(word).to_owned(),
            EventName::PreCompress => |word| compress_trigger(word).to_owned(),
            EventName::Notification => str::to_owned,
            _ => {
                self.report(LossKind::Note, place, "the matcher has no meaning at this event");
                return vec![None];
            }
        };
        if !matcher.chars().all(is_name_sign) {
            self.report(
                LossKind::Changed,
                place,
                format!("`{matcher}` is a pattern, and here only words are compared: the hook runs for all"),
            );
            return vec![None];
        }
        let mut words: Vec<Option<String>> = Vec::new();
        for theirs in names(matcher) {
            let ours = word(theirs);
            if ours != theirs {
                self.report(LossKind::Changed, place, format!("`{theirs}` is called `{ours}` here"));
            }
            if !words.contains(&Some(ours.clone())) {
                words.push(Some(ours));
            }
        }
        if words.is_empty() { vec![None] } else { words }
    }

    /// A pattern on tool names. Agents that compare a plain name with the whole name need anchors here, where every pattern
    /// is looked for anywhere: `Read` must not match `ReadMcpResource`.
    fn tool_matcher(&mut self, place: &str, native: &NativeEvent, matcher: &str) -> String {
        let dialect = dialect_of(self.agent).matchers;
        // Copilot's `PascalCase` events follow Claude's rules.
        let is_pascal = native.name.starts_with(|first: char| first.is_ascii_uppercase());
        let dialect = if dialect == MatcherDialect::WholePattern && is_pascal {
            MatcherDialect::NamesOrPattern
        } else {
            dialect
        };
        let ours = match dialect {
            MatcherDialect::NamesOrPattern | MatcherDialect::NamesOrRustPattern
                if matcher.chars().all(is_name_sign) =>
            {
                let mut ours: Vec<String> = Vec::new();
                for name in names(matcher) {
                    let name = our_name(self.agent, name).unwrap_or(name).to_owned();
                    if !ours.contains(&name) {
                        ours.push(name);
                    }
                }
                match ours.as_slice() {
                    [one] => format!("^{one}$"),
                    several => format!("^(?:{})$", several.join("|")),
                }
            }
            MatcherDialect::NamesOrPattern | MatcherDialect::NamesOrRustPattern | MatcherDialect::Pattern => {
                translated(self.agent, matcher)
            }
            MatcherDialect::WholePattern => format!("^(?:{})$", translated(self.agent, matcher)),
        };
        if ours != matcher {
            self.report(LossKind::Changed, place, format!("matcher `{matcher}` is written `{ours}`"));
        }
        if dialect == MatcherDialect::NamesOrRustPattern
            && ["(?i", "(?P", "\\A", "\\z", "(?x"].iter().any(|sign| matcher.contains(sign))
        {
            self.report(
                LossKind::Changed,
                place,
                "the pattern has signs that mean nothing, or something else, to JavaScript",
            );
        }
        ours
    }
}

/// The signs of names and lists of names.
/// A matcher of only these is a list of names and no pattern.
fn is_name_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | ' ' | ',' | '|')
}

/// Agents separate names by `|` or by commas.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty())
}

/// A pattern in which every whole word that names a tool has our name. Words in brackets are sets of letters, and what
/// follows a backslash is not a word.
fn translated(agent: Agent, pattern: &str) -> String {
    let mut ours = String::with_capacity(pattern.len());
    let mut word = String::new();
    let mut is_set = false;
    let mut is_escaped = false;
    let flush = |word: &mut String, ours: &mut String| {
        ours.push_str(our_name(agent, word).unwrap_or(word));
        word.clear();
    };
    for sign in pattern.chars() {
        let is_word = sign.is_ascii_alphanumeric() || sign == '_';
        if is_word && !is_set && !is_escaped {
            word.push(sign);
            continue;
        }
        flush(&mut word, &mut ours);
        match sign {
            _ if is_escaped => {}
            '[' => is_set = true,
            ']' => is_set = false,
            _ => {}
        }
        is_escaped = sign == '\\' && !is_escaped;
        ours.push(sign);
    }
    flush(&mut word, &mut ours);
    ours
}
