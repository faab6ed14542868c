//! What follows a backslash: sets, assertions, back references, single characters.

use super::super::set::Set;
use super::groups::{hexadecimal, name_at};
use super::{Assertion, Node, Parser, Read, Unread, ascii};

/// A `\k` that refers to nothing.
pub(super) const UNNAMED_REFERENCE: Unread = Unread::Invalid("a `\\k` without a group's name");

impl Parser<'_> {
    /// What follows a backslash outside of a class. `\3` refers to a group if the pattern has that many, and is an
    /// octal escape otherwise; `\k` refers to a name only if some group has one.
    pub(super) fn escape(&mut self) -> Read<Node> {
        let start = self.at;
        let escaped = self.next().map(ascii).unwrap_or_default();
        if let Some(set) = Set::of_escape(escaped) {
            return Ok(Node::Set(set));
        }
        match escaped {
            'b' => return Ok(Node::Assert(Assertion::WordBoundary)),
            'B' => return Ok(Node::Assert(Assertion::NotWordBoundary)),
            'k' if self.has_names() => return self.named_reference(),
            '1'..='9' => {
                self.refers = true;
                self.at = start;
                if let Some(number) = self.number()
                    && number <= self.known.len()
                {
                    return Ok(self.back_reference(vec![number - 1]));
                }
            }
            _ => {}
        }
        self.at = start;
        let unit = self.character_escape()?;
        Ok(self.unit(unit))
    }

    /// Whether some group has a name, which gives `\k` its meaning everywhere in the pattern.
    pub(super) fn has_names(&mut self) -> bool {
        self.refers = true;
        self.known.iter().any(Option::is_some)
    }

    /// The `<name>` behind a `\k`: all groups with that name, of which at most one takes part in a match.
    fn named_reference(&mut self) -> Read<Node> {
        let name = if self.eat("<") { name_at(self.units, self.at) } else { None };
        let Some((name, end)) = name else { return Err(UNNAMED_REFERENCE) };
        self.at = end;
        let named = self.known.iter().enumerate().filter(|(_, given)| given.as_ref() == Some(&name));
        let groups: Vec<usize> = named.map(|(group, _)| group).collect();
        if groups.is_empty() {
            return Err(Unread::Invalid("a `\\k` with a name that no group has"));
        }
        Ok(self.back_reference(groups))
    }

    /// A reference to groups, under the flags that hold here.
    fn back_reference(&mut self, groups: Vec<usize>) -> Node {
        self.has_back_references = true;
        self.folds |= self.flags.ignore_case;
        Node::BackReference { groups, folded: self.flags.ignore_case }
    }

    /// One unit after a backslash, with the leniency that web pages once asked for.
    pub(super) fn character_escape(&mut self) -> Read<u16> {
        let Some(unit) = self.next() else { return Err(Unread::Invalid("a `\\` at the end")) };
        Ok(match ascii(unit) {
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            'c' => match self.peek_ascii() {
                Some(letter) if letter.is_ascii_alphabetic() => self.next().unwrap_or_default() % 32,
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
        let value = hexadecimal(self.units.get(self.at..self.at + digits)?)?;
        self.at += digits;
        u16::try_from(value).ok()
    }
}
