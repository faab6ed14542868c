//! Groups: capturing, named, looking ahead or behind, with flags.

use super::{Node, Parser, ascii, starts_with};

/// The names of all capturing groups in the order of their opening brackets. A number such as `\3` can be
/// read only when it is known how many groups there are.
pub(super) fn group_names(units: &[u16]) -> Option<Vec<Option<Vec<u16>>>> {
    let mut names = Vec::new();
    let mut in_class = false;
    let mut at = 0;
    while let Some(&unit) = units.get(at) {
        at += 1;
        match ascii(unit) {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let rest = units.get(at..).unwrap_or_default();
                if !starts_with(rest, "?") {
                    names.push(None);
                } else if starts_with(rest, "?<") && !starts_with(rest, "?<=") && !starts_with(rest, "?<!") {
                    names.push(Some(name_at(units, at + 2)?));
                }
            }
            _ => {}
        }
    }
    Some(names)
}

/// The group name that ends at the next `>`. Names with escapes are legal, unheard of, and not read.
pub(super) fn name_at(units: &[u16], start: usize) -> Option<Vec<u16>> {
    let rest = units.get(start..)?;
    let end = rest.iter().position(|&unit| ascii(unit) == '>')?;
    let name = rest.get(..end)?;
    (!name.iter().any(|&unit| ascii(unit) == '\\')).then(|| name.to_vec())
}

impl Parser<'_> {
    /// The rest of a group, whose `(` is read, with its `)`. Flags that it sets end with it.
    pub(super) fn group(&mut self) -> Option<Node> {
        let outer = self.flags;
        let node = if self.eat("?=") {
            self.look(false, false)?
        } else if self.eat("?!") {
            self.look(false, true)?
        } else if self.eat("?<=") {
            self.look(true, false)?
        } else if self.eat("?<!") {
            self.look(true, true)?
        } else if self.eat("?:") {
            self.disjunction()?
        } else if self.eat("?<") {
            while self.next().map(ascii)? != '>' {}
            self.capture()?
        } else if self.eat("?") {
            self.modifiers()?;
            self.disjunction()?
        } else {
            self.capture()?
        };
        self.flags = outer;
        self.eat(")").then_some(node)
    }

    fn look(&mut self, behind: bool, negate: bool) -> Option<Node> {
        Some(Node::Look { behind, negate, node: Box::new(self.disjunction()?) })
    }

    /// The number is given before the inside is read: groups are counted by their opening brackets.
    fn capture(&mut self) -> Option<Node> {
        let group = self.next_group;
        self.next_group += 1;
        Some(Node::Capture { group, node: Box::new(self.disjunction()?) })
    }

    /// The flags of `(?i-s:`, up to the colon. Those behind a `-` are switched off.
    fn modifiers(&mut self) -> Option<()> {
        let mut value = true;
        loop {
            match ascii(self.next()?) {
                'i' => self.flags.ignore_case = value,
                'm' => self.flags.multiline = value,
                's' => self.flags.dot_all = value,
                '-' => value = false,
                ':' => return Some(()),
                _ => return None,
            }
        }
    }
}
