//! The one reader of a settings text: whose it is, where hooks and findings go, and how fields are read.
//!
//! What is malformed is left out with a finding, and its neighbours stay. What was meant to hold guards of the user or the
//! system and cannot be read blocks instead: [`Reader::refuse`].

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::source::Source;
use super::{ConfiguredHook, HookSpans, Settings};
use crate::diagnostic::{Diagnostic, DiagnosticCode as Code};
use crate::event::EventName;
use crate::formats::field::FieldPath as Route;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, Level, Origin, UnreadableRule};
use crate::matcher::Matcher;
use crate::spelling::{nearest, shortened};

/// Reads one text of a level into settings. Hooks and findings are added as they are found, in the order of the text.
pub(super) struct Reader<'r> {
    pub(super) level: &'r Level,
    pub(super) source: &'r Source<'r>,
    pub(super) settings: &'r mut Settings,
    /// Compiling costs more than all the rest, and the same few patterns stand in many groups.
    matchers: HashMap<String, Matcher>,
}

/// An object of the settings, and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Node<'n, 'a> {
    pub(super) object: &'n Object<'a>,
    pub(super) route: Route<'n>,
}

impl<'n, 'a> Node<'n, 'a> {
    pub(super) const fn new(object: &'n Object<'a>, route: Route<'n>) -> Self {
        Self { object, route }
    }

    /// The value of an optional field; `null` says nothing.
    pub(super) fn given(self, key: &str) -> Option<&'n Value<'a>> {
        given(self.object, key)
    }

    /// The object under a key. Where the agent owns the key, it may hold anything else, which is ignored.
    pub(super) fn inner(&'n self, key: &'n str) -> Option<Self> {
        Some(Self::new(self.given(key)?.as_object()?, self.route.key(key)))
    }

    /// Its opening brace, for findings about all of it.
    pub(super) fn brace(self) -> jsonc_parser::common::Range {
        span(self.object.range.start..self.object.range.start + 1)
    }
}

/// The field of this name; of several, the last one counts, as in JavaScript.
pub(super) fn last<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().rfind(|prop| prop.name.as_str() == name)
}

/// The value of an optional field; `null` says nothing.
pub(super) fn given<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    last(object, name).map(|prop| &prop.value).filter(|value| value.as_null_keyword().is_none())
}

/// A range of the text as something that has one.
pub(super) fn span(range: Range<usize>) -> jsonc_parser::common::Range {
    jsonc_parser::common::Range { start: range.start, end: range.end }
}

/// Where a value is, in bytes of the text without its byte order mark.
pub(super) fn bytes_of(at: &impl Ranged) -> Range<usize> {
    at.start()..at.end()
}

impl<'r> Reader<'r> {
    pub(super) fn new(level: &'r Level, source: &'r Source<'r>, settings: &'r mut Settings) -> Self {
        Self { level, source, settings, matchers: HashMap::new() }
    }

    /// The fields of an object that are not known. Of a known one that is repeated the last one counts.
    pub(super) fn others<'n, 'a>(&mut self, node: Node<'n, 'a>, known: &[&str]) -> Vec<&'n ObjectProp<'a>> {
        let mut others = Vec::new();
        let mut seen = 0_u32;
        for prop in &node.object.properties {
            match known.iter().position(|known| *known == prop.name.as_str()) {
                None => others.push(prop),
                Some(at) if seen & 1 << at != 0 => self.repeated_key(node.route, prop),
                Some(at) => seen |= 1 << at,
            }
        }
        others
    }

    /// An optional boolean.
    pub(super) fn boolean(&mut self, node: Node<'_, '_>, key: &str) -> Option<bool> {
        let value = node.given(key)?;
        let boolean = value.as_boolean_lit().map(|literal| literal.value);
        if boolean.is_none() {
            self.ignored_type(node.route.key(key), "`true` or `false`", value);
        }
        boolean
    }

    /// An optional text; of another type it is left out with a finding.
    pub(super) fn text(&mut self, node: Node<'_, '_>, key: &str) -> Option<String> {
        let value = node.given(key)?;
        let text = value.as_string_lit().map(|literal| literal.value.to_string());
        if text.is_none() {
            self.ignored_type(node.route.key(key), "a string", value);
        }
        text
    }

    /// An optional list of texts; entries of other types are left out.
    pub(super) fn texts(&mut self, node: Node<'_, '_>, key: &str) -> Vec<String> {
        let Some(value) = node.given(key) else { return Vec::new() };
        let route = node.route.key(key);
        let Some(array) = value.as_array() else {
            self.ignored_type(route, "an array of strings", value);
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(array.elements.len());
        for (index, element) in array.elements.iter().enumerate() {
            match element.as_string_lit() {
                Some(text) => texts.push(text.value.clone().into_owned()),
                None => self.ignored_type(route.index(index), "a string", element),
            }
        }
        texts
    }

    /// A number of things or bytes: at least one.
    pub(super) fn count<T: TryFrom<u64>>(&mut self, node: Node<'_, '_>, key: &str) -> Option<T> {
        let value = node.given(key)?;
        let number = value.as_number_lit().and_then(|literal| literal.value.parse::<u64>().ok());
        let number = number.filter(|number| *number > 0).and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            let message = format!("`{}` is ignored: it must be a whole number from 1", node.route.key(key));
            self.warn(Code::InvalidValue, value, message, "");
        }
        number
    }

    /// An optional word out of a few; an unknown one is left out.
    pub(super) fn word<T: Copy>(&mut self, node: Node<'_, '_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let value = node.given(key)?;
        let text = value.as_string_lit().map(|literal| literal.value.as_ref());
        if let Some((_, meaning)) = text.and_then(|text| words.iter().find(|(word, _)| *word == text)) {
            return Some(*meaning);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let near = text.and_then(|text| nearest(text, &known));
        let help = near.map(|near| format!("did you mean \"{near}\"?")).unwrap_or_default();
        let found = text.map(|text| format!(", not \"{}\"", shortened(text))).unwrap_or_default();
        let (route, known) = (node.route.key(key), known.join("\" or \""));
        let message = format!("`{route}` is ignored: it must be \"{known}\"{found}");
        self.error(Code::InvalidValue, value, message, help);
        None
    }

    /// A matcher as an event compares it.
    pub(super) fn matcher(&mut self, event: EventName, text: &str) -> Matcher {
        if event.has_tool() { self.compiled(text) } else { Matcher::for_event(event, Some(text)) }
    }

    /// A pattern of tools.
    pub(super) fn compiled(&mut self, text: &str) -> Matcher {
        self.matchers.entry(text.to_owned()).or_insert_with(|| Matcher::compile(text)).clone()
    }

    /// Adds a hook of this level that is at this place of the text.
    pub(super) fn add(&mut self, mut hook: Hook, start: usize, spans: HookSpans, extra_fields: JsonObject) {
        let file = self.source.file.map(ToOwned::to_owned).unwrap_or_default();
        hook.source = self.level.config_source();
        hook.origin = Origin { level: self.level.clone(), file, line: self.source.line(start) };
        self.settings.hooks.push(ConfiguredHook { hook: Arc::new(hook), spans, extra_fields });
    }

    /// The file's name and the line, for entries without a name of their own.
    pub(super) fn place_name(&self, start: usize) -> String {
        let file = self.source.file.and_then(|file| file.file_name()).unwrap_or_default().to_string_lossy();
        format!("{file}:{}", self.source.line(start))
    }

    /// Blocks an event because of what the last finding is about: it was meant to hold guards of it and cannot be read. A
    /// project's guards count only with approval, and what was never read was never approved.
    pub(super) fn refuse(&mut self, event: EventName, matcher: Matcher, at: &impl Ranged) {
        let is_trusted = matches!(self.level, Level::Managed | Level::User | Level::System);
        if !event.is_guarded() || !is_trusted {
            return;
        }
        let finding = self.settings.diagnostics.last();
        let help = finding.and_then(|finding| finding.help.as_ref());
        let help = help.map(|help| format!("; {help}")).unwrap_or_default();
        let (code, reason) = code_and_message(finding);
        let (place, message) = (self.source.place(bytes_of(at)), reason + &help);
        let mut hook = Hook::new(event, "");
        hook.kind =
            HookKind::UnreadableRule(UnreadableRule::Malformed { what: "entry", place, code, message });
        hook.name = format!("unreadable {}", self.place_name(at.start()));
        hook.matcher = matcher;
        let spans = HookSpans { command: self.source.in_file(bytes_of(at)), matcher: None };
        self.add(hook, at.start(), spans, JsonObject::new());
    }

    /// The same for every guarded event.
    pub(super) fn refuse_all(&mut self, at: &impl Ranged) {
        for event in EventName::ALL {
            self.refuse(event, Matcher::any(), at);
        }
    }

    /// What blocks in place of a hook that cannot be read for the reason that this finding gives.
    pub(super) fn malformed(&self, what: &'static str, hook: Node<'_, '_>, finding: usize) -> HookKind {
        let (code, message) = code_and_message(self.settings.diagnostics.get(finding));
        let place = self.source.place(bytes_of(&hook.brace()));
        HookKind::UnreadableRule(UnreadableRule::Malformed { what, place, code, message })
    }
}

fn code_and_message(finding: Option<&Diagnostic>) -> (Code, String) {
    let known = finding.map(|finding| (finding.code, finding.message.clone()));
    known.unwrap_or((Code::InvalidValue, "it cannot be read".to_owned()))
}
