//! A pattern rewritten for the `regex` crate, where both mean the same.
//!
//! The rewritten pattern is for texts in which each unit beyond ASCII was replaced by the byte of its class (see `long`).
//! There a unit is a byte, and what the dialects see differently (what `.`, `\w`, `\s`, `\b` and negated classes mean beyond
//! ASCII) cannot show. Every set is written out, so that no flag and no shorthand of the other dialect is relied upon.
//! Which of several matches is found does not matter, because only whether there is one is asked; so captures and laziness
//! are dropped.

use std::fmt::Write as _;

use super::long::Classes;
use super::syntax::{Assertion, Node};

/// How large a compiled regex may become, in bytes. Larger ones are run like those for names.
const SIZE_LIMIT: usize = 256 * 1024;

/// Compiles a pattern for the `regex` crate; `None` where it has no equivalent there or grows too large.
pub(super) fn compile(root: &Node, classes: &Classes) -> Option<regex::bytes::Regex> {
    let mut text = String::new();
    write(&mut text, root, classes)?;
    regex::bytes::RegexBuilder::new(&text)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
        .ok()
}

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
        Node::Assert(Assertion::Start) => text.push_str("\\A"),
        Node::Assert(Assertion::End) => text.push_str("\\z"),
        Node::Assert(Assertion::WordBoundary) => text.push_str("\\b"),
        Node::Assert(Assertion::NotWordBoundary) => text.push_str("\\B"),
        Node::Concat(nodes) => {
            for node in nodes {
                write(text, node, classes)?;
            }
        }
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
            match (min, max) {
                (0, None) => text.push('*'),
                (1, None) => text.push('+'),
                (0, Some(1)) => text.push('?'),
                (min, None) => write!(text, "{{{min},}}").ok()?,
                (min, Some(max)) => write!(text, "{{{min},{max}}}").ok()?,
            }
        }
        Node::Capture { node, .. } => {
            text.push_str("(?:");
            write(text, node, classes)?;
            text.push(')');
        }
        // A line ends at `\r` too in JavaScript, and in `regex` it does not, or not alone.
        Node::Assert(Assertion::LineStart | Assertion::LineEnd)
        | Node::Look { .. }
        | Node::BackReference { .. } => return None,
    }
    Some(())
}
