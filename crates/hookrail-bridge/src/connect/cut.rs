//! Cuts values out of a JSON text, on the text itself: the tree would drop the comments around them.

use std::ops::Range;

use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};

use crate::jsonc::cut_entry;

/// One step of the path to a value: a key of an object, or a place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'p> {
    Key(&'p str),
    Element(usize),
}

/// The text without the value at a path, and without what is then empty and is not to be kept.
pub(super) fn remove(text: &str, path: &[Step<'_>], kept: &[Vec<Step<'_>>]) -> Option<String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok()?;
    let root = parsed.value.as_ref()?;
    // From the top: the first container on the way whose only content leads to the value goes as a whole.
    let mut at = root;
    let mut cut = None;
    for (depth, step) in path.iter().enumerate() {
        let (range, before, count, value) = child(at, step)?;
        let is_kept = kept.iter().any(|kept| Some(kept.as_slice()) == path.get(..depth));
        cut = match cut {
            Some(whole) if count == 1 && !is_kept => Some(whole),
            _ => Some((range, before)),
        };
        at = value;
    }
    let (range, before) = cut?;
    Some(cut_entry(text, range, before))
}

/// The text of the list or object at a path, if nothing is in it, and where it is.
pub(super) fn empty_at(text: &str, path: &[Step<'_>]) -> Option<Range<usize>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok()?;
    let mut at = parsed.value.as_ref()?;
    for step in path {
        at = child(at, step)?.3;
    }
    let range = at.start()..at.end();
    let is_blank =
        |text: &str| text.chars().skip(1).all(|sign| sign.is_whitespace() || matches!(sign, ']' | '}'));
    let is_container = matches!(at, Value::Object(_) | Value::Array(_));
    (is_container && text.get(range.clone()).is_some_and(is_blank)).then_some(range)
}

/// A child: its range, where the one before it ends, how many there are, and its value.
type ChildValue<'v, 'a> = (Range<usize>, Option<usize>, usize, &'v Value<'a>);

fn child<'v, 'a>(value: &'v Value<'a>, step: &Step<'_>) -> Option<ChildValue<'v, 'a>> {
    match (value, step) {
        (Value::Object(object), Step::Key(key)) => {
            let place = object.properties.iter().rposition(|prop| prop.name.as_str() == *key)?;
            let prop = object.properties.get(place)?;
            let before = place.checked_sub(1).and_then(|place| object.properties.get(place));
            let before = before.map(|prop| prop.range().end);
            Some((prop.start()..prop.end(), before, object.properties.len(), &prop.value))
        }
        (Value::Array(array), Step::Element(place)) => {
            let element = array.elements.get(*place)?;
            let before = place.checked_sub(1).and_then(|place| array.elements.get(place));
            Some((
                element.start()..element.end(),
                before.map(jsonc_parser::common::Ranged::end),
                array.elements.len(),
                element,
            ))
        }
        _ => None,
    }
}

/// The value of a key; of a repeated key the last one.
pub(super) fn property<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    let Value::Object(object) = value else { return None };
    object.properties.iter().rfind(|prop| prop.name.as_str() == key).map(|prop| &prop.value)
}

/// The elements of a list; of anything else none.
pub(super) fn elements<'v, 'a>(value: &'v Value<'a>) -> impl Iterator<Item = &'v Value<'a>> {
    let elements = if let Value::Array(array) = value { array.elements.as_slice() } else { &[] };
    elements.iter()
}

/// The value of a string, with its escapes decoded.
pub(super) fn value_text(value: &Value<'_>) -> Option<String> {
    value.as_string_lit().map(|literal| literal.value.clone().into_owned())
}
