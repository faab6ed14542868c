//! Rules of one's own that are not read yet, so that a call does not pay for a thousand rules that are not for it.
//!
//! A rule is left unread if it only asks for commands and nothing about it could be wrong or doubtful. It is taken out of
//! the text, and what is left is read as ever. A text for which this cannot be done is read whole, and so is a rule that
//! says more: whoever wants to know what is wrong with rules gets them all read.

use std::fmt;
use std::sync::Arc;

use memchr::{memchr, memchr2_iter};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::rules::{PatternPrograms, Rule};

/// Stands for a rule in the text that is left: a value that is no hook.
pub(super) const MARK: &str = "0";
/// The parser refuses values that are nested more deeply than several times this.
const MAX_BRACKETS: usize = 64;

/// A text without the rules that are not read.
#[derive(Debug)]
pub(super) struct CutText<'t> {
    /// What is left of it, with a mark for each rule.
    pub(super) text: String,
    /// The rules in their order.
    pub(super) rules: Vec<CutRule<'t>>,
}

/// A rule that was taken out of its text.
#[derive(Debug)]
pub(super) struct CutRule<'t> {
    /// Where its mark is in what is left.
    pub(super) mark: usize,
    /// Where it ends in the whole text.
    pub(super) end: usize,
    pub(super) name: Option<&'t str>,
    pub(super) description: Option<&'t str>,
    pub(super) rule: Arc<Rule>,
}

impl<'t> CutText<'t> {
    /// Takes out what need not be read; `None` if that is nothing.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let document: Document<'t> = serde_json::from_str(text).ok()?;
        let mut cut = Self { text: String::new(), rules: Vec::new() };
        let mut end = 0;
        let hooks = document.hooks.before_tool.into_iter().flat_map(|group| group.hooks);
        for hook in hooks.filter_map(|hook| hook.0) {
            // Only a blank, a quote or a bracket is between its fields and its braces.
            let offset = |part: &str| (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
            let start = text.get(..offset(hook.first)?)?.rfind('{')?;
            let last = offset(hook.last)? + hook.last.len();
            cut.text.push_str(text.get(end..start)?);
            end = last + text.get(last..)?.find('}')? + 1;
            let mark = cut.text.len();
            cut.text.push_str(MARK);
            let rule = Arc::new(Rule::unread(text.get(start..end)?, hook.programs));
            let (name, description) = (hook.name.and_then(plain), hook.description.and_then(plain));
            cut.rules.push(CutRule { mark, end, name, description, rule });
        }
        cut.text.push_str(text.get(end..)?);
        (!cut.rules.is_empty()).then_some(cut)
    }
}

/// Settings, as far as rules are in them. What has another form is read in full, and so is what has a key twice.
#[derive(Deserialize)]
struct Document<'t> {
    #[serde(borrow)]
    hooks: Events<'t>,
}

#[derive(Deserialize)]
struct Events<'t> {
    #[serde(borrow, rename = "BeforeTool")]
    before_tool: Vec<Group<'t>>,
}

#[derive(Deserialize)]
struct Group<'t> {
    #[serde(borrow)]
    hooks: Vec<HookInText<'t>>,
}

/// What is kept of a hook until all are passed: nothing of one that has to be read.
struct HookInText<'t>(Option<PlainRule<'t>>);

/// A rule on commands of which reading it in full would find nothing to say.
struct PlainRule<'t> {
    programs: PatternPrograms,
    name: Option<&'t str>,
    description: Option<&'t str>,
    /// Its first key and its last value.
    first: &'t str,
    last: &'t str,
}

/// The fields of a hook, as far as a rule that need not be read has them.
#[derive(Default)]
struct Fields<'t> {
    kind: Option<&'t str>,
    name: Option<&'t str>,
    description: Option<&'t str>,
    when: Option<&'t str>,
    block: Option<&'t str>,
    ask: Option<&'t str>,
    instead: Option<&'t str>,
    unknown: Option<&'t str>,
    examples: Option<&'t str>,
    /// Any other field.
    other: Option<&'t str>,
    has_twice: bool,
    /// Its first key and its last value.
    first: &'t str,
    last: &'t str,
}

impl<'de: 't, 't> Deserialize<'de> for HookInText<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = deserializer.deserialize_map(FieldsVisitor)?;
        let programs = fields.programs();
        let Fields { name, description, first, last, .. } = fields;
        Ok(Self(programs.map(|programs| PlainRule { programs, name, description, first, last })))
    }
}

struct FieldsVisitor;

impl<'t> Visitor<'t> for FieldsVisitor {
    type Value = Fields<'t>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a hook")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Fields<'t>, A::Error> {
        let mut fields = Fields::default();
        while let Some((key, value)) = map.next_entry::<&'t str, &'t RawValue>()? {
            if fields.first.is_empty() {
                fields.first = key;
            }
            fields.last = value.get();
            let field = match key {
                "type" => &mut fields.kind,
                "name" => &mut fields.name,
                "description" => &mut fields.description,
                "when" => &mut fields.when,
                "block" => &mut fields.block,
                "ask" => &mut fields.ask,
                "instead" => &mut fields.instead,
                "unknown" => &mut fields.unknown,
                "examples" => &mut fields.examples,
                _ => &mut fields.other,
            };
            fields.has_twice |= field.replace(value.get()).is_some();
        }
        Ok(fields)
    }
}

/// `{ "command": … }` and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct When<'t> {
    #[serde(borrow)]
    command: &'t RawValue,
}

impl Fields<'_> {
    /// The programs of its patterns, if it is a rule on commands of which reading it in full would find nothing to say.
    fn programs(&self) -> Option<PatternPrograms> {
        let says = |field: Option<&str>| {
            field.is_none_or(|text| plain(text).is_some_and(|text| !text.trim().is_empty()))
        };
        let is_plain = self.kind == Some("\"rule\"")
            && self.other.is_none()
            && !self.has_twice
            && (self.block.is_some() || self.ask.is_some())
            && [self.block, self.ask, self.instead].into_iter().all(says)
            && [self.name, self.description].into_iter().flatten().all(|text| plain(text).is_some())
            && self.unknown.is_none_or(|word| matches!(word, "\"block\"" | "\"ask\""))
            && self.examples.is_none_or(|value| !is_doubtful(value));
        // An array of its values would do as well.
        let when = self.when.filter(|when| is_plain && when.starts_with('{'))?;
        let command = serde_json::from_str::<When<'_>>(when).ok()?.command.get();
        let patterns = match plain(command) {
            Some(pattern) => vec![pattern],
            None => serde_json::from_str::<Vec<&str>>(command).ok()?,
        };
        let mut programs = PatternPrograms::default();
        (!patterns.is_empty() && patterns.into_iter().all(|pattern| programs.add(pattern)))
            .then_some(programs)
    }
}

/// The text that a value is, if it has no escapes.
fn plain(value: &str) -> Option<&str> {
    let text = value.strip_prefix('"')?.strip_suffix('"')?;
    memchr(b'\\', text.as_bytes()).is_none().then_some(text)
}

/// What is passed over is not looked at closely: values that are nested too deeply, and escapes that stand for no character.
fn is_doubtful(value: &str) -> bool {
    let brackets = memchr2_iter(b'{', b'[', value.as_bytes()).count();
    brackets > MAX_BRACKETS || memchr(b'\\', value.as_bytes()).is_some_and(|_| value.contains("\\u"))
}
