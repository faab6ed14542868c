//! The shipped guards, which a person turns on by name.
//!
//! Each guard is a rule in JSON with comments, in a file beside this one. It is read like a rule of any settings, and its
//! examples are checked by the tests of this crate.

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::Value as JsonValue;

use super::condition::needs::{Detail, Need, ShippedNeed};
use super::rule::{ExampleUse, Rule, RulePlace, ShippedRule};
use crate::event::EventName;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::matcher::Matcher;

/// The names of the guards, the smallest preset that turns each on, and their texts, in the order in which they are
/// listed. A guard's text is parsed when the guard is asked for, and not before.
const GUARDS: [(&str, Preset, &str); 37] = [
    ("no-secrets-in-files", Preset::Standard, include_str!("library/no-secrets-in-files.jsonc")),
    ("no-secret-files", Preset::Standard, include_str!("library/no-secret-files.jsonc")),
    ("no-force-push", Preset::Standard, include_str!("library/no-force-push.jsonc")),
    ("no-delete-outside", Preset::Standard, include_str!("library/no-delete-outside.jsonc")),
    ("no-pipe-to-shell", Preset::Standard, include_str!("library/no-pipe-to-shell.jsonc")),
    ("no-network-shell", Preset::Standard, include_str!("library/no-network-shell.jsonc")),
    ("no-git-metadata", Preset::Standard, include_str!("library/no-git-metadata.jsonc")),
    ("no-disk-damage", Preset::Standard, include_str!("library/no-disk-damage.jsonc")),
    ("no-system-tools", Preset::Standard, include_str!("library/no-system-tools.jsonc")),
    ("no-hook-settings", Preset::Standard, include_str!("library/no-hook-settings.jsonc")),
    ("ask-before-publish", Preset::Standard, include_str!("library/ask-before-publish.jsonc")),
    ("ask-before-discard", Preset::Standard, include_str!("library/ask-before-discard.jsonc")),
    ("ask-permissions", Preset::Standard, include_str!("library/ask-permissions.jsonc")),
    ("ask-secret-stores", Preset::Standard, include_str!("library/ask-secret-stores.jsonc")),
    ("ask-databases", Preset::Standard, include_str!("library/ask-databases.jsonc")),
    ("ask-framework-databases", Preset::Standard, include_str!("library/ask-framework-databases.jsonc")),
    ("ask-containers", Preset::Standard, include_str!("library/ask-containers.jsonc")),
    ("ask-kubernetes", Preset::Standard, include_str!("library/ask-kubernetes.jsonc")),
    ("ask-infrastructure", Preset::Standard, include_str!("library/ask-infrastructure.jsonc")),
    ("ask-aws", Preset::Standard, include_str!("library/ask-aws.jsonc")),
    ("ask-google-cloud", Preset::Standard, include_str!("library/ask-google-cloud.jsonc")),
    ("ask-azure", Preset::Standard, include_str!("library/ask-azure.jsonc")),
    ("ask-platforms", Preset::Standard, include_str!("library/ask-platforms.jsonc")),
    ("ask-forges", Preset::Standard, include_str!("library/ask-forges.jsonc")),
    ("ask-copies-and-backups", Preset::Standard, include_str!("library/ask-copies-and-backups.jsonc")),
    ("ask-service-clis", Preset::Standard, include_str!("library/ask-service-clis.jsonc")),
    (
        "ask-interpreter-one-liners",
        Preset::Standard,
        include_str!("library/ask-interpreter-one-liners.jsonc"),
    ),
    ("ask-personal-files", Preset::Standard, include_str!("library/ask-personal-files.jsonc")),
    ("ask-wide-delete", Preset::Strict, include_str!("library/ask-wide-delete.jsonc")),
    ("ask-unclear-delete", Preset::Strict, include_str!("library/ask-unclear-delete.jsonc")),
    ("ask-downloaded-code", Preset::Standard, include_str!("library/ask-downloaded-code.jsonc")),
    ("ask-hidden-code", Preset::Strict, include_str!("library/ask-hidden-code.jsonc")),
    ("ask-uploads", Preset::Strict, include_str!("library/ask-uploads.jsonc")),
    ("ask-container-removal", Preset::Strict, include_str!("library/ask-container-removal.jsonc")),
    ("ask-packages", Preset::Strict, include_str!("library/ask-packages.jsonc")),
    ("ask-services", Preset::Strict, include_str!("library/ask-services.jsonc")),
    ("ask-http-delete", Preset::Standard, include_str!("library/ask-http-delete.jsonc")),
];

/// A named set of guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// What is hardly ever meant is blocked, what is sometimes meant is asked about.
    Standard,
    /// All of [`Preset::Standard`], and what cautious people want besides.
    Strict,
}

impl Preset {
    /// All presets; each contains those before it.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Strict];

    /// The name without `@`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// The preset that settings name with or without `@`.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.strip_prefix('@').unwrap_or(word);
        Self::ALL.into_iter().find(|preset| preset.as_str() == word)
    }

    /// The names of its guards.
    pub fn guards(self) -> impl Iterator<Item = &'static str> {
        GUARDS.iter().filter(move |(_, preset, _)| *preset <= self).map(|(name, _, _)| *name)
    }
}

/// What is known of the guards without reading their texts; made from these by `cargo xtask all`.
static INDEX: &[GuardIndex] = &include!("library/index.in");

/// What is known of a guard without reading its text.
struct GuardIndex {
    name: &'static str,
    description: &'static str,
    matcher: &'static str,
    needs: &'static [ShippedNeed],
    /// Its condition and what it says.
    body: &'static str,
}

/// A guard of the library.
#[derive(Debug)]
pub struct Guard {
    /// The name by which it is turned on.
    pub name: String,
    /// The smallest preset that contains it.
    pub preset: Preset,
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
pub fn names() -> impl Iterator<Item = &'static str> {
    GUARDS.iter().map(|(name, _, _)| *name)
}

/// The text of the guard of this name, without reading it.
pub fn text(name: &str) -> Option<&'static str> {
    GUARDS.iter().find(|(known, _, _)| *known == name).map(|(_, _, text)| *text)
}

/// The guard of this name. Its rule is read when a call comes for which it may hold.
pub fn find(name: &str) -> Option<Guard> {
    find_with(name, Matcher::compile)
}

/// The same with matchers that may be compiled already: most guards have the same.
pub(crate) fn find_with(name: &str, compile: impl FnOnce(&str) -> Matcher) -> Option<Guard> {
    let (name, preset, text) = GUARDS.iter().find(|(known, ..)| *known == name)?;
    let guard = |description: String, matcher: Matcher, rule: Rule| Guard {
        name: (*name).to_owned(),
        preset: *preset,
        description,
        text,
        matcher,
        rule,
    };
    match INDEX.iter().find(|entry| entry.name == *name) {
        Some(entry) => {
            let rule = Rule::shipped(ShippedRule { needs: entry.needs, body: entry.body, text });
            Some(guard(entry.description.to_owned(), compile(entry.matcher), rule))
        }
        // A new guard, until its entry is made.
        None => with_object(text, |object| {
            let rule = read_object(object, ExampleUse::Read)?;
            Some(guard(text_of(object, "description")?, matcher_of(object), rule))
        })?,
    }
}

/// All guards.
pub fn all() -> impl Iterator<Item = Guard> {
    names().filter_map(find)
}

/// The rule of a guard.
pub(super) fn read(text: &str, examples: ExampleUse) -> Option<Rule> {
    with_object(text, |object| read_object(object, examples))?
}

fn read_object(object: &Object<'_>, examples: ExampleUse) -> Option<Rule> {
    Rule::read(object, RulePlace { event: Guard::EVENT, matcher: &matcher_of(object), examples }).rule
}

fn matcher_of(object: &Object<'_>) -> Matcher {
    text_of(object, "matcher").map_or_else(Matcher::any, |matcher| Matcher::compile(&matcher))
}

/// The file from which [`find`] knows guards without reading them.
pub fn index_file() -> Option<String> {
    let mut file = "// Made by `cargo xtask all` from the guards beside this file.\n[\n".to_owned();
    for (name, _, text) in GUARDS {
        let entry = with_object(text, |object| {
            let rule = read_object(object, ExampleUse::Ignore)?;
            let description = text_of(object, "description")?;
            let matcher = text_of(object, "matcher").unwrap_or_default();
            let fields = format!("name: {name:?}, description: {description:?}, matcher: {matcher:?}");
            let needs = rule.needs(Detail::Words).into_iter().map(|need| {
                let Need { mut programs, words, paths, arguments, hidden } = need;
                programs.sort_unstable();
                programs.dedup();
                let lists =
                    [("programs", programs), ("words", words), ("paths", paths), ("arguments", arguments)];
                let lists = lists.map(|(name, list)| format!("{name}: &{list:?}"));
                format!("        Need {{ {}, hidden: {hidden} }},\n", lists.join(", "))
            });
            let needs: String = needs.collect();
            let fields_of_rule = Rule::FIELDS.into_iter().filter(|name| *name != "examples");
            let fields_of_rule = fields_of_rule
                .filter_map(|name| Some((name.to_owned(), object.get(name)?.value.clone().into())));
            let body = JsonValue::Object(fields_of_rule.collect()).to_string();
            Some(format!("    GuardIndex {{ {fields}, needs: &[\n{needs}    ], body: {body:?} }},\n"))
        })??;
        file.push_str(&entry);
    }
    Some(file + "]\n")
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
