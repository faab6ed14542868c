//! The shipped guards, which a person turns on by name.
//!
//! Each guard is a rule in JSON with comments, in a file beside this one. It is read like a rule of any settings, and its
//! examples are checked by the tests of this crate.

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::rule::{Rule, RulePlace, RuleReading};
use crate::event::EventName;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::matcher::Matcher;

/// The texts of the guards, in the order in which they are listed.
const TEXTS: [&str; 9] = [
    include_str!("library/no-secrets-in-files.jsonc"),
    include_str!("library/no-secret-files.jsonc"),
    include_str!("library/no-force-push.jsonc"),
    include_str!("library/no-delete-outside.jsonc"),
    include_str!("library/no-pipe-to-shell.jsonc"),
    include_str!("library/ask-before-publish.jsonc"),
    include_str!("library/ask-before-discard.jsonc"),
    include_str!("library/no-system-tools.jsonc"),
    include_str!("library/no-hook-settings.jsonc"),
];

/// A guard of the library.
#[derive(Debug)]
pub struct Guard {
    /// The name by which it is turned on.
    pub name: String,
    /// What it does, in a sentence or two.
    pub description: String,
    /// Its text as shipped, with comments.
    pub text: &'static str,
    /// The matcher of tools that it looks at.
    pub matcher: Matcher,
    /// The rule.
    pub rule: Rule,
}

impl Guard {
    /// The event of all guards.
    pub const EVENT: EventName = EventName::BeforeTool;
}

/// The names of all guards, in the order in which they are listed.
pub fn names() -> impl Iterator<Item = String> {
    TEXTS.iter().filter_map(|text| with_object(text, |object| text_of(object, "name")).flatten())
}

/// The guard of this name.
pub fn find(name: &str) -> Option<Guard> {
    all().find(|guard| guard.name == name)
}

/// All guards.
pub fn all() -> impl Iterator<Item = Guard> {
    TEXTS.iter().filter_map(|text| with_object(text, |object| guard(text, object)).flatten())
}

fn guard(text: &'static str, object: &Object<'_>) -> Option<Guard> {
    let matcher = text_of(object, "matcher").map_or_else(Matcher::any, |matcher| Matcher::compile(&matcher));
    let reading =
        Rule::read(object, RulePlace { event: Guard::EVENT, matcher: &matcher, try_examples: false });
    let RuleReading { rule, .. } = reading;
    Some(Guard {
        name: text_of(object, "name")?,
        description: text_of(object, "description")?,
        text,
        matcher,
        rule: rule?,
    })
}

fn with_object<T>(text: &str, read: impl FnOnce(&Object<'_>) -> T) -> Option<T> {
    match parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok()?.value? {
        Ast::Object(object) => Some(read(&object)),
        _ => None,
    }
}

fn text_of(object: &Object<'_>, name: &str) -> Option<String> {
    object.get(name)?.value.as_string_lit().map(|literal| literal.value.clone().into_owned())
}

#[cfg(test)]
mod tests;
