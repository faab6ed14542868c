//! Rules of one's own that are not read yet, so that a call does not pay for a thousand rules that are not for it.
//!
//! A rule is left unread if it only asks for commands and nothing about it could be wrong or doubtful. It is taken out of
//! the text, and what is left is read as ever. A text for which this cannot be done is read whole, and so is a rule that
//! says more: whoever wants to know what is wrong with rules gets them all read.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
        for plain in hooks.filter_map(|Any(Element(plain))| plain) {
            let range = plain.range_in(text)?;
            cut.text.push_str(text.get(end..range.start)?);
            end = range.end;
            let mark = cut.text.len();
            cut.text.push_str(MARK);
            let rule = Arc::new(Rule::unread(text.get(range)?, plain.programs));
            let (name, description) = (plain.name, plain.description);
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
    hooks: Vec<Any<Element<'t>>>,
}

/// An element of a list of hooks, if it is a rule that need not be read.
#[derive(Default)]
struct Element<'t>(Option<PlainRule<'t>>);

/// A rule on commands of which reading it in full would find nothing to say: its texts have no escapes, and no field is
/// there twice.
struct PlainRule<'t> {
    name: Option<&'t str>,
    description: Option<&'t str>,
    programs: PatternPrograms,
    /// Its first key.
    first: &'t str,
    /// The last text in it, and how many objects end behind that.
    last: &'t str,
    open: usize,
}

impl PlainRule<'_> {
    /// Where it is in the text that it was read from: only blanks, quotes and brackets are around its first key and its
    /// last text.
    fn range_in(&self, text: &str) -> Option<Range<usize>> {
        let offset = |part: &str| (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
        let start = text.get(..offset(self.first)?)?.rfind('{')?;
        let last = offset(self.last)? + self.last.len();
        let (end, _) = text.get(last..)?.match_indices('}').nth(self.open - 1)?;
        Some(start..last + end + 1)
    }
}

impl<'de: 't, 't> Loose<'de> for Element<'t> {
    fn of_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let [mut kind, mut name, mut description, mut block, mut ask, mut instead, mut unknown] = [None; 7];
        let (mut programs, mut examples) = (None, None);
        let (mut first, mut last, mut open) = (None, "", 1);
        let mut is_plain = true;
        while let Some(key) = map.next_key::<&'de str>()? {
            first = first.or(Some(key));
            let field = match key {
                "type" => &mut kind,
                "name" => &mut name,
                "description" => &mut description,
                "block" => &mut block,
                "ask" => &mut ask,
                "instead" => &mut instead,
                "unknown" => &mut unknown,
                "when" => {
                    let Any(Commands { programs: found, last: text }) = map.next_value()?;
                    (last, open) = (text, 2);
                    is_plain &= found.is_some() && programs.is_none();
                    programs = found;
                    continue;
                }
                "examples" => {
                    let found = map.next_value::<&'de RawValue>()?.get();
                    (last, open) = (found, 1);
                    is_plain &= examples.replace(found).is_none() && !is_doubtful(found);
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    is_plain = false;
                    continue;
                }
            };
            let Any(Text(text)) = map.next_value()?;
            (last, open) = (text.unwrap_or_default(), 1);
            is_plain &= text.is_some() && field.is_none();
            *field = text;
        }
        let is_blank = |text: Option<&str>| text.is_some_and(|text| text.trim().is_empty());
        is_plain &= kind == Some("rule") && (block.is_some() || ask.is_some());
        is_plain &= ![block, ask, instead].into_iter().any(is_blank);
        is_plain &= unknown.is_none_or(|word| matches!(word, "block" | "ask"));
        Ok(match (programs.filter(|_| is_plain), first) {
            (Some(programs), Some(first)) => {
                Self(Some(PlainRule { name, description, programs, first, last, open }))
            }
            _ => Self(None),
        })
    }
}

/// What is passed over is not looked at closely: values that are nested too deeply, and escapes that stand for no character.
fn is_doubtful(value: &str) -> bool {
    let brackets = value.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    brackets > MAX_BRACKETS || value.contains("\\u")
}

/// The programs of patterns of commands, and the last pattern. Nothing if one of them has to be read in full.
#[derive(Default)]
struct Commands<'t> {
    programs: Option<PatternPrograms>,
    last: &'t str,
}

impl<'de: 't, 't> Loose<'de> for Commands<'t> {
    /// `{ "command": … }` and nothing else.
    fn of_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut all = Self::default();
        let mut is_first = true;
        while let Some(key) = map.next_key::<&'de str>()? {
            let Any(Patterns(found)) = map.next_value()?;
            all = if is_first && key == "command" { found } else { Self::default() };
            is_first = false;
        }
        Ok(all)
    }
}

#[derive(Default)]
struct Patterns<'t>(Commands<'t>);

impl<'de: 't, 't> Loose<'de> for Patterns<'t> {
    fn of_text(text: &'de str) -> Self {
        let mut programs = PatternPrograms::default();
        let programs = programs.add(text).then_some(programs);
        Self(Commands { programs, last: text })
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut programs = PatternPrograms::default();
        let (mut last, mut is_plain) = ("", true);
        while let Some(Any(Text(text))) = list.next_element()? {
            last = text.unwrap_or_default();
            is_plain = is_plain && programs.add(last);
        }
        let programs = (is_plain && !last.is_empty()).then_some(programs);
        Ok(Self(Commands { programs, last }))
    }
}

/// A text without escapes.
#[derive(Default)]
struct Text<'t>(Option<&'t str>);

impl<'de: 't, 't> Loose<'de> for Text<'t> {
    fn of_text(text: &'de str) -> Self {
        Self(Some(text))
    }
}

/// What is read from a value of any type: what is not expected is passed over.
trait Loose<'t>: Default {
    fn of_text(_: &'t str) -> Self {
        Self::default()
    }

    fn of_list<A: SeqAccess<'t>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn of_object<A: MapAccess<'t>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct Any<T>(T);

impl<'t, T: Loose<'t>> Deserialize<'t> for Any<T> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor(PhantomData)).map(Any)
    }
}

struct AnyVisitor<T>(PhantomData<T>);

impl<'t, T: Loose<'t>> Visitor<'t> for AnyVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<T, E> {
        Ok(T::of_text(text))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, list: A) -> Result<T, A::Error> {
        T::of_list(list)
    }

    fn visit_map<A: MapAccess<'t>>(self, map: A) -> Result<T, A::Error> {
        T::of_object(map)
    }
}
