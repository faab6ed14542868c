//! A pattern for texts of any length, for the `regex` tests of rules: a file's content is longer than a tool's name.
//!
//! The linear `regex` crate reads bytes, and ECMAScript reads UTF-16 units. A pattern distinguishes only a few classes
//! of units beyond ASCII: those between the ends of its ranges. Each class gets one of the bytes from 128 on, in the
//! pattern and in the text, and then both readers see the same: what the dialects see differently beyond ASCII (`.`, `\w`,
//! `\s`, `\b`, negated classes) cannot show. Every set is written out, so that no flag and no shorthand of the other dialect
//! is relied upon. Only whether there is a match is asked, so captures and laziness are dropped.

use std::fmt::Write as _;

use super::syntax::{Assertion, Node};

/// As many classes as there are bytes beyond ASCII.
const MAX_CLASSES: usize = 128;

/// A compiled pattern for long texts.
#[derive(Debug)]
pub(super) struct LongPattern {
    regex: regex::bytes::Regex,
    classes: Classes,
}

/// The units beyond ASCII that a pattern distinguishes: where each class begins, in order.
#[derive(Debug)]
struct Classes(Vec<u32>);

impl Classes {
    /// A class begins at each unit that some range of the pattern begins with or ends before; `None` if there are
    /// more classes than bytes.
    fn of(root: &Node) -> Option<Self> {
        let mut starts = vec![128];
        collect(root, &mut starts);
        starts.retain(|start| (128..=0xFFFF).contains(start));
        starts.sort_unstable();
        starts.dedup();
        (starts.len() <= MAX_CLASSES).then_some(Self(starts))
    }

    /// The byte of a unit's class.
    fn byte_of(&self, unit: u16) -> Option<u8> {
        let class = self.0.partition_point(|start| *start <= u32::from(unit)).checked_sub(1)?;
        u8::try_from(128 + class).ok()
    }
}

impl LongPattern {
    /// Compiles a pattern; `None` where it has no equivalent in the linear crate.
    pub(super) fn compile(root: &Node) -> Option<Self> {
        let classes = Classes::of(root)?;
        let mut text = String::new();
        write(&mut text, root, &classes)?;
        let mut builder = regex::bytes::RegexBuilder::new(&text);
        builder.unicode(false).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT);
        Some(Self { regex: builder.build().ok()?, classes })
    }

    /// Whether the pattern is found in a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        if text.is_ascii() {
            return self.regex.is_match(text.as_bytes());
        }
        let byte = |unit: u16| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => byte,
            _ => self.classes.byte_of(unit).unwrap_or(u8::MAX),
        };
        self.regex.is_match(&text.encode_utf16().map(byte).collect::<Vec<u8>>())
    }
}

/// Adds the places where classes begin. The depth of a pattern is bounded where it is parsed.
fn collect(node: &Node, starts: &mut Vec<u32>) {
    match node {
        Node::Unit(unit) => starts.extend([u32::from(*unit), u32::from(*unit) + 1]),
        Node::Set(set) => {
            for (first, last) in set.ranges() {
                starts.extend([u32::from(*first), u32::from(*last) + 1]);
            }
        }
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().for_each(|node| collect(node, starts)),
        Node::Repeat { node, .. } | Node::Capture { node, .. } | Node::Look { node, .. } => {
            collect(node, starts);
        }
        Node::Empty | Node::Assert(_) | Node::BackReference { .. } => {}
    }
}

/// How large a compiled regex may become, in bytes. Larger ones are run like those for names.
const SIZE_LIMIT: usize = 256 * 1024;

/// Appends a node; `None` where it has no equivalent. Each unit and each end of a range is written as the byte that
/// stands for it in the text.
fn write(text: &mut String, node: &Node, classes: &Classes) -> Option<()> {
    match node {
        Node::Empty => text.push_str("(?:)"),
        Node::Unit(unit) if *unit >= 128 => write!(text, "\\x{:02X}", classes.byte_of(*unit)?).ok()?,
        Node::Unit(unit) => match char::from_u32((*unit).into()).filter(char::is_ascii)? {
            plain if plain.is_ascii_alphanumeric() || plain == '_' => text.push(plain),
            other => write!(text, "\\x{:02X}", u32::from(other)).ok()?,
        },
        Node::Set(set) => {
            let mut is_empty = true;
            text.push('[');
            for (first, last) in set.ranges().iter().filter(|(first, _)| *first < 128) {
                is_empty = false;
                write!(text, "\\x{:02X}-\\x{:02X}", first, last.min(&127)).ok()?;
            }
            for (first, last) in set.ranges().iter().filter(|(_, last)| *last >= 128) {
                is_empty = false;
                let (first, last) = (classes.byte_of(*first.max(&128))?, classes.byte_of(*last)?);
                write!(text, "\\x{first:02X}-\\x{last:02X}").ok()?;
            }
            text.push(']');
            if is_empty {
                return None;
            }
        }
        Node::Assert(assertion) => text.push_str(match assertion {
            Assertion::Start => "\\A",
            Assertion::End => "\\z",
            Assertion::WordBoundary => "\\b",
            Assertion::NotWordBoundary => "\\B",
            // A line ends at `\r` too in JavaScript, and in `regex` it does not, or not alone.
            Assertion::LineStart | Assertion::LineEnd => return None,
        }),
        Node::Concat(nodes) => nodes.iter().try_for_each(|node| write(text, node, classes))?,
        Node::Alternate(branches) => {
            text.push_str("(?:");
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    text.push('|');
                }
                write(text, branch, classes)?;
            }
            text.push(')');
        }
        Node::Repeat { node, min, max, .. } => {
            text.push_str("(?:");
            write(text, node, classes)?;
            text.push(')');
            match max {
                None => write!(text, "{{{min},}}").ok()?,
                Some(max) => write!(text, "{{{min},{max}}}").ok()?,
            }
        }
        Node::Capture { node, .. } => write(text, node, classes)?,
        Node::Look { .. } | Node::BackReference { .. } => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::matcher::{MatchVerdict, Matcher};

    #[test]
    fn a_secret_is_found_in_a_large_text_of_any_language() {
        let matcher = Matcher::compile("AKIA[0-9A-Z]{16}(?:[^0-9A-Z]|$)");
        for filler in ["x", "é", "日本", "😀 "] {
            let text = filler.repeat(200_000);
            assert_eq!(matcher.matches_text(&text), MatchVerdict::No, "{filler}");
            let found = format!("{text}AKIAABCDEFGHIJKLMNOP{text}");
            assert_eq!(matcher.matches_text(&found), MatchVerdict::Yes, "{filler}");
        }
        let lookahead = Matcher::compile("a(?=b)");
        assert_eq!(lookahead.matches_text(&"a".repeat(100_000)), MatchVerdict::BoundReached);
        assert_eq!(lookahead.matches_text(&"x".repeat(100_000)), MatchVerdict::No, "it needs an `a`");
    }

    proptest! {
        /// The way for long texts and the way for names agree.
        #[test]
        fn long_texts_are_read_like_names(
            pattern in proptest::sample::select(vec![
                "^.$", "[^a]b", "\\w\\b", "\\s", "é+", "[à-ÿ]x", "[^é-ü]\\W", "a.b", "\\u65e5", "[\\u3040-\\u9fff]{2}", "\\S\\s\\S", "^[^\\n]*$",
            ]),
            text in "[ab é日\u{2028}\u{a0}\u{ff}😀\nx]{0,6}",
        ) {
            let matcher = Matcher::compile(pattern);
            let long = matcher.matches_long(&text);
            prop_assert!(long.is_some(), "{} has a way for long texts", pattern);
            prop_assert_eq!(long.map(MatchVerdict::from), Some(matcher.matches_tool(&text)), "{} {:?}", pattern, text);
        }
    }
}
