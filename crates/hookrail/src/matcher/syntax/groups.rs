//! Groups: capturing, named, looking ahead or behind, with flags.

use super::{Flags, GroupName, Node, Parser, Read, Unread, ascii, starts_with};

/// The group name that begins here, and the place behind its `>`; `None` if it is not an identifier. `\u{61}` and `\u0061`
/// (two of them for a character beyond the first plane) stand for what they name.
pub(super) fn name_at(units: &[u16], start: usize) -> Option<(String, usize)> {
    let mut name = Vec::new();
    let mut at = start;
    loop {
        let rest = units.get(at..)?;
        if starts_with(rest, "\\u{") {
            let length = rest.iter().position(|&unit| ascii(unit) == '}')?;
            let character = char::from_u32(hexadecimal(rest.get(3..length)?)?)?;
            name.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            at += length + 1;
        } else if starts_with(rest, "\\u") {
            name.push(u16::try_from(hexadecimal(rest.get(2..6)?)?).ok()?);
            at += 6;
        } else {
            let unit = *rest.first()?;
            at += 1;
            if ascii(unit) == '>' {
                break;
            }
            name.push(unit);
        }
    }
    let name = String::from_utf16(&name).ok()?;
    let is_allowed = |(at, character): (usize, char)| {
        matches!(character, '$' | '_')
            || unicode_ident::is_xid_start(character)
            || at > 0
                && (unicode_ident::is_xid_continue(character) || matches!(character, '\u{200C}' | '\u{200D}'))
    };
    (!name.is_empty() && name.char_indices().all(is_allowed)).then_some((name, at))
}

/// A number of at least one hexadecimal digit.
pub(super) fn hexadecimal(units: &[u16]) -> Option<u32> {
    let digits: String = units.iter().map(|&unit| ascii(unit)).collect();
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_number { u32::from_str_radix(&digits, 16).ok() } else { None }
}

impl Parser<'_> {
    /// The rest of a group, whose `(` is read, with its `)`. Flags that it sets end with it.
    pub(super) fn group(&mut self) -> Read<Node> {
        let outer = self.flags;
        let looks = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
        let node = if let Some((_, behind, negate)) = looks.into_iter().find(|(sign, ..)| self.eat(sign)) {
            Node::Look { behind, negate, node: Box::new(self.disjunction()?) }
        } else if self.eat("?:") {
            self.disjunction()?
        } else if self.eat("?<") {
            let Some((name, end)) = name_at(self.units, self.at) else {
                return Err(Unread::Invalid("a group with an invalid name"));
            };
            self.at = end;
            self.capture(Some(name))?
        } else if self.eat("?") {
            self.flags = self.modifiers().ok_or(Unread::Invalid("an unknown kind of group"))?;
            self.disjunction()?
        } else {
            self.capture(None)?
        };
        self.flags = outer;
        if self.eat(")") { Ok(node) } else { Err(Unread::Invalid("a `(` without its `)`")) }
    }

    /// The number is given before the inside is read: groups are counted by their opening brackets.
    fn capture(&mut self, name: GroupName) -> Read<Node> {
        let group = self.names.len();
        if let Some(name) = &name {
            if self.names_in_reach.contains(name) {
                return Err(Unread::Invalid("two groups with the same name"));
            }
            self.names_in_reach.push(name.clone());
        }
        self.names.push(name);
        Ok(Node::Capture { group, node: Box::new(self.disjunction()?) })
    }

    /// The flags inside of `(?i-s:`, up to the colon. Those behind a `-` are switched off. Each may be named once, and
    /// at least one must be.
    fn modifiers(&mut self) -> Option<Flags> {
        let mut flags = self.flags;
        let mut value = true;
        let mut named = String::new();
        loop {
            let sign = self.next().map(ascii)?;
            match sign {
                ':' => return (!named.is_empty()).then_some(flags),
                '-' if value => {
                    value = false;
                    continue;
                }
                'i' => flags.ignore_case = value,
                'm' => flags.multiline = value,
                's' => flags.dot_all = value,
                _ => return None,
            }
            if named.contains(sign) {
                return None;
            }
            named.push(sign);
        }
    }
}
