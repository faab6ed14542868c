//! Classes such as `[a-z\d]`.

use super::super::set::Set;
use super::{Node, Parser, ascii};

impl Parser<'_> {
    /// The rest of a class, whose `[` is read. A `-` beside a set such as `\d` stands for itself.
    pub(super) fn class(&mut self) -> Option<Node> {
        let negate = self.eat("^");
        let mut set = Set::default();
        while !self.eat("]") {
            let first = self.class_atom()?;
            if self.peek_ascii() != Some('-') {
                set.add(&first.set());
                continue;
            }
            self.at += 1;
            if self.peek_ascii()? == ']' {
                set.add(&first.set());
                set.add(&ClassAtom::Unit(u16::from(b'-')).set());
                continue;
            }
            let last = self.class_atom()?;
            match (first, last) {
                (ClassAtom::Unit(first), ClassAtom::Unit(last)) if first > last => return None,
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
        Some(Node::Set(if negate { set.inverted() } else { set }))
    }

    /// One member of a class, or one end of a range. Inside a class `\b` is a backspace and `\c` takes digits too.
    fn class_atom(&mut self) -> Option<ClassAtom> {
        let unit = self.next()?;
        if ascii(unit) != '\\' {
            return Some(ClassAtom::Unit(unit));
        }
        let escaped = ascii(self.peek()?);
        if let Some(set) = Set::of_escape(escaped) {
            self.at += 1;
            return Some(ClassAtom::Set(set));
        }
        match escaped {
            'b' => {
                self.at += 1;
                Some(ClassAtom::Unit(0x08))
            }
            'c' => {
                let control = self.units.get(self.at + 1).copied();
                match control {
                    Some(unit) if ascii(unit).is_ascii_digit() || ascii(unit) == '_' => {
                        self.at += 2;
                        Some(ClassAtom::Unit(unit & 0x1F))
                    }
                    _ => self.character_escape().map(ClassAtom::Unit),
                }
            }
            _ => self.character_escape().map(ClassAtom::Unit),
        }
    }
}

/// What stands between two dashes of a class.
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
