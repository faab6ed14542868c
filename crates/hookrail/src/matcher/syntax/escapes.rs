//! What follows a backslash: sets, assertions, back references, single characters.

use super::super::set::Set;
use super::groups::name_at;
use super::{Assertion, Node, Parser, ascii};

impl Parser<'_> {
    /// What follows a backslash outside of a class. `\3` refers to a group if the pattern has that many, and is an
    /// octal escape otherwise; `\k` refers to a name only if some group has one.
    pub(super) fn escape(&mut self) -> Option<Node> {
        let unit = self.peek()?;
        if let Some(set) = Set::of_escape(ascii(unit)) {
            self.at += 1;
            return Some(Node::Set(set));
        }
        match ascii(unit) {
            'b' => {
                self.at += 1;
                Some(Node::Assert(Assertion::WordBoundary))
            }
            'B' => {
                self.at += 1;
                Some(Node::Assert(Assertion::NotWordBoundary))
            }
            'k' if self.names.iter().any(Option::is_some) => {
                self.at += 1;
                if !self.eat("<") {
                    return None;
                }
                let name = name_at(self.units, self.at)?;
                self.at += name.len() + 1;
                let is_named = |given: &Option<Vec<u16>>| given.as_ref() == Some(&name);
                let groups: Vec<usize> = self
                    .names
                    .iter()
                    .enumerate()
                    .filter(|(_, given)| is_named(given))
                    .map(|(group, _)| group)
                    .collect();
                (!groups.is_empty()).then(|| self.back_reference(groups))
            }
            '1'..='9' => {
                let start = self.at;
                let number = self.number()?;
                if number <= self.names.len() {
                    return Some(self.back_reference(vec![number - 1]));
                }
                self.at = start;
                let unit = self.character_escape()?;
                Some(self.unit(unit))
            }
            _ => {
                let unit = self.character_escape()?;
                Some(self.unit(unit))
            }
        }
    }

    /// A reference to groups, under the flags that hold here.
    fn back_reference(&mut self, groups: Vec<usize>) -> Node {
        self.has_back_references = true;
        self.folds |= self.flags.ignore_case;
        Node::BackReference { groups, folded: self.flags.ignore_case }
    }

    /// One unit after a backslash, with the leniency that web pages once asked for.
    pub(super) fn character_escape(&mut self) -> Option<u16> {
        let unit = self.next()?;
        Some(match ascii(unit) {
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            'c' => match self.peek_ascii() {
                Some(letter) if letter.is_ascii_alphabetic() => self.next()? % 32,
                _ => {
                    self.at -= 1; // The backslash stands for itself, and the `c` comes next.
                    u16::from(b'\\')
                }
            },
            '0'..='7' => self.octal(unit - u16::from(b'0')),
            'x' => self.hex(2).unwrap_or(unit),
            'u' => self.hex(4).unwrap_or(unit),
            _ => unit,
        })
    }

    /// Up to three octal digits, of which the first was read, with a value below 256.
    fn octal(&mut self, first: u16) -> u16 {
        let mut value = first;
        for _ in 0..2 {
            match self.peek_ascii().and_then(|digit| digit.to_digit(8)) {
                Some(_) if value >= 32 => break,
                Some(_) => value = value * 8 + self.next().map_or(0, |digit| digit - u16::from(b'0')),
                None => break,
            }
        }
        value
    }

    /// Exactly so many hexadecimal digits; without them nothing is read, and the `x` or `u` stands for itself.
    fn hex(&mut self, digits: usize) -> Option<u16> {
        let mut value = 0_u16;
        for unit in self.units.get(self.at..self.at + digits)? {
            value = value << 4 | u16::try_from(ascii(*unit).to_digit(16)?).ok()?;
        }
        self.at += digits;
        Some(value)
    }
}
