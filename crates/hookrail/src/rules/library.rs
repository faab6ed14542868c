//! The shipped guards, which a person turns on by name.
//!
//! Each guard is a rule in JSON with comments, in a file beside this one. It is read like a rule of any settings, and its
//! examples are checked by the tests of this crate.

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::condition::needs::{Need, ShippedNeed};
use super::rule::Rule;
use crate::event::EventName;
use crate::formats::jsonc::PARSE_OPTIONS;
use crate::matcher::Matcher;

/// The guards, in the order in which they are listed, with what is known of each without reading its text; made from the
/// texts by `cargo xtask all`.
static GUARDS: &[ShippedGuard] = &include!("library/index.in");

/// What is known of a guard without reading its text.
#[derive(Debug)]
pub(crate) struct ShippedGuard {
    name: &'static str,
    /// The smallest preset that turns it on.
    preset: Preset,
    /// Its text.
    pub(crate) text: &'static str,
    description: &'static str,
    matcher: &'static str,
    /// What a call must have for its rule to hold; one of these.
    pub(crate) needs: &'static [ShippedNeed],
    /// Its condition and what it says, without what is for people.
    pub(crate) body: &'static str,
}

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
        GUARDS.iter().filter(move |guard| guard.preset <= self).map(|guard| guard.name)
    }
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
    GUARDS.iter().map(|guard| guard.name)
}

/// The text of the guard of this name, without reading it.
pub fn text(name: &str) -> Option<&'static str> {
    GUARDS.iter().find(|guard| guard.name == name).map(|guard| guard.text)
}

/// The guard of this name. Its rule is read when a call comes for which it may hold.
pub fn find(name: &str) -> Option<Guard> {
    find_with(name, Matcher::compile)
}

/// The same with matchers that may be compiled already: most guards have the same.
pub(crate) fn find_with(name: &str, compile: impl FnOnce(&str) -> Matcher) -> Option<Guard> {
    let shipped = GUARDS.iter().find(|guard| guard.name == name)?;
    Some(Guard {
        name: shipped.name.to_owned(),
        preset: shipped.preset,
        description: shipped.description.to_owned(),
        text: shipped.text,
        matcher: compile(shipped.matcher),
        rule: Rule::shipped(shipped),
    })
}

/// All guards.
pub fn all() -> impl Iterator<Item = Guard> {
    names().filter_map(find)
}

/// Parses the text of a guard, or of a rule of one's own that is read late.
pub(super) fn with_object<T>(text: &str, read: impl FnOnce(&Object<'_>) -> T) -> Option<T> {
    match parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok()?.value? {
        Ast::Object(object) => Some(read(&object)),
        _ => None,
    }
}

#[cfg(any(test, feature = "shipped-index"))]
pub use self::index::index_file;

/// Making the index, for `cargo xtask all`.
#[cfg(any(test, feature = "shipped-index"))]
mod index {
    use serde_json::Value;

    use super::{Guard, Object, Preset, names, with_object};
    use crate::rules::condition::Condition;
    use crate::rules::condition::needs::Need;
    use crate::rules::condition::needs::making::needs;
    use crate::rules::problem::RuleFindings;
    use crate::rules::rule::Rule;

    /// The file from which guards are known without reading them, made from their texts. New ones come last.
    pub fn index_file(texts: impl IntoIterator<Item = String>) -> Option<String> {
        let entries = texts.into_iter().map(|text| with_object(&text, entry)?).collect::<Option<Vec<_>>>();
        let mut entries = entries?;
        entries.sort_by_key(|(name, _)| {
            (names().position(|known| known == name).unwrap_or(usize::MAX), name.clone())
        });
        let entries: String = entries.into_iter().map(|(_, entry)| entry).collect();
        Some(format!("// Made by `cargo xtask all` from the guards beside this file.\n[\n{entries}]\n"))
    }

    /// The name of a guard, and its entry in the index.
    fn entry(object: &Object<'_>) -> Option<(String, String)> {
        let text_of = |name: &str| Some(object.get(name)?.value.as_string_lit()?.value.clone().into_owned());
        let (name, preset, description) = (text_of("name")?, text_of("preset")?, text_of("description")?);
        let (preset, matcher) = (Preset::named(&preset)?, text_of("matcher").unwrap_or_default());
        let when = Condition::parse(&object.get("when")?.value, Guard::EVENT, &mut RuleFindings::default())?;
        let needs = needs(&when).into_iter().map(|need| {
            let Need { mut programs, words, paths, arguments, hidden } = need;
            programs.sort_unstable();
            programs.dedup();
            let lists =
                [("programs", programs), ("words", words), ("paths", paths), ("arguments", arguments)];
            let lists = lists.map(|(name, list)| format!("{name}: &{list:?}"));
            format!("        Need {{ {}, hidden: {hidden} }},\n", lists.join(", "))
        });
        let needs: String = needs.collect();
        let fields = Rule::FIELDS.into_iter().filter(|name| *name != "examples");
        let fields =
            fields.filter_map(|name| Some((name.to_owned(), object.get(name)?.value.clone().into())));
        let body = Value::Object(fields.collect()).to_string();
        let known =
            format!("name: {name:?}, preset: Preset::{preset:?}, text: include_str!(\"{name}.jsonc\")");
        let known = format!("{known}, description: {description:?}, matcher: {matcher:?}");
        Some((name, format!("    ShippedGuard {{ {known}, needs: &[\n{needs}    ], body: {body:?} }},\n")))
    }
}

#[cfg(test)]
mod tests;
