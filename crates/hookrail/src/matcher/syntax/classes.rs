//! Classes such as `[a-z\d]`.

use super::super::set::Set;
use super::escapes::UNNAMED_REFERENCE;
use super::{Node, Parser, Read, Unread, ascii};

impl Parser<'_> {
    /// The rest of a class, whose `[` is read. A `-` beside a set such as `\d` stands for itself.
    pub(super) fn class(&mut self) -> Read<Node> {
        let negate = self.eat("^");
        let mut set = Set::default();
        while !self.eat("]") {
            let first = self.class_atom()?;
            let hyphen = Set::of(b'-'.into(), b'-'.into());
            if !self.eat("-") {
                set.add(&first);
                continue;
            }
            let last = if self.peek_ascii() == Some(']') { Set::default() } else { self.class_atom()? };
            match (first.single(), last.single()) {
                (Some(first), Some(last)) if first > last => {
                    return Err(Unread::Invalid("a range of a `[]` is out of order"));
                }
                (Some(first), Some(last)) => set.add(&Set::of(first, last)),
                _ => [first, hyphen, last].iter().for_each(|one| set.add(one)),
            }
        }
        if self.flags.ignore_case {
            self.folds = true;
            set = set.with_ascii_case();
        }
        Ok(Node::Set(if negate { set.inverted() } else { set }))
    }

    /// One member of a class, or one end of a range. Inside a class `\b` is a backspace and `\c` takes digits too.
    fn class_atom(&mut self) -> Read<Set> {
        let single = |unit: u16| Set::of(unit, unit);
        let Some(unit) = self.next() else { return Err(Unread::Invalid("a `[` without its `]`")) };
        if ascii(unit) != '\\' {
            return Ok(single(unit));
        }
        let escaped = self.peek_ascii().unwrap_or_default();
        if let Some(set) = Set::of_escape(escaped) {
            self.at += 1;
            return Ok(set);
        }
        match (escaped, self.units.get(self.at + 1).copied()) {
            ('b', _) => {
                self.at += 1;
                Ok(single(0x08))
            }
            ('k', _) if self.has_names() => Err(UNNAMED_REFERENCE),
            ('c', Some(unit)) if ascii(unit).is_ascii_digit() || ascii(unit) == '_' => {
                self.at += 2;
                Ok(single(unit & 0x1F))
            }
            _ => self.character_escape().map(single),
        }
    }
}
