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
            if self.peek_ascii() != Some('-') {
                set.add(&first.set());
                continue;
            }
            self.at += 1;
            if self.peek_ascii() == Some(']') {
                set.add(&first.set());
                set.add(&ClassAtom::Unit(u16::from(b'-')).set());
                continue;
            }
            let last = self.class_atom()?;
            match (first, last) {
                (ClassAtom::Unit(first), ClassAtom::Unit(last)) if first > last => {
                    return Err(Unread::Invalid("a range of a `[]` is out of order"));
                }
                (ClassAtom::Unit(first), ClassAtom::Unit(last)) => set.add(&Set::of(first, last)),
                (first, last) => {
                    set.add(&first.set());
                    set.add(&ClassAtom::Unit(u16::from(b'-')).set());
                    set.add(&last.set());
                }
            }
        }
        if self.flags.ignore_case {
            self.folds = true;
            set = set.with_ascii_case();
        }
        Ok(Node::Set(if negate { set.inverted() } else { set }))
    }

    /// One member of a class, or one end of a range. Inside a class `\b` is a backspace and `\c` takes digits too.
    fn class_atom(&mut self) -> Read<ClassAtom> {
        let Some(unit) = self.next() else { return Err(Unread::Invalid("a `[` without its `]`")) };
        if ascii(unit) != '\\' {
            return Ok(ClassAtom::Unit(unit));
        }
        let escaped = self.peek_ascii().unwrap_or_default();
        if let Some(set) = Set::of_escape(escaped) {
            self.at += 1;
            return Ok(ClassAtom::Set(set));
        }
        match escaped {
            'b' => {
                self.at += 1;
                Ok(ClassAtom::Unit(0x08))
            }
            'k' if self.has_names() => Err(UNNAMED_REFERENCE),
            'c' => {
                let control = self.units.get(self.at + 1).copied();
                match control {
                    Some(unit) if ascii(unit).is_ascii_digit() || ascii(unit) == '_' => {
                        self.at += 2;
                        Ok(ClassAtom::Unit(unit & 0x1F))
                    }
                    _ => self.character_escape().map(ClassAtom::Unit),
                }
            }
            _ => self.character_escape().map(ClassAtom::Unit),
        }
    }
}

/// One member of a class, or one end of a range in it.
enum ClassAtom {
    /// A single unit, which can be the end of a range.
    Unit(u16),
    /// An escape for a set, which cannot.
    Set(Set),
}

impl ClassAtom {
    fn set(self) -> Set {
        match self {
            Self::Unit(unit) => Set::of(unit, unit),
            Self::Set(set) => set,
        }
    }
}
