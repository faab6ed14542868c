//! ECMAScript patterns without flags, read into a tree.
//!
//! JavaScript matches such patterns on UTF-16 units, so that is what the tree speaks of. Whether a
//! pattern is valid was decided before (see the parent module); a `None` here means only that the
//! pattern uses something this reader does not know.

use std::ops::Range;

use super::set::Set;

/// How deep groups may nest; deeper patterns are not read.
const MAX_DEPTH: usize = 250;

/// One piece of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    Unit(u16),
    Set(Set),
    Assert(Assertion),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: usize,
        max: Option<usize>,
        greedy: bool,
        groups: Range<usize>,
    },
    Capture {
        group: usize,
        node: Box<Node>,
    },
    Look {
        behind: bool,
        negate: bool,
        node: Box<Node>,
    },
    /// What one of these groups matched; several only where a name is given to several groups.
    BackReference {
        groups: Vec<usize>,
        folded: bool,
    },
}

/// A condition on a place between two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    Start,
    End,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

/// A pattern as read.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) root: Node,
    pub(super) groups: usize,
    pub(super) has_back_references: bool,
    /// Whether some part ignores case, which is known here for ASCII names only.
    pub(super) folds: bool,
}

/// Reads a valid pattern.
pub(super) fn parse(text: &str) -> Option<Pattern> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let names = group_names(&units)?;
    let mut parser = Parser {
        units: &units,
        at: 0,
        names: &names,
        next_group: 0,
        depth: 0,
        flags: Flags::default(),
        has_back_references: false,
        folds: false,
    };
    let root = parser.disjunction()?;
    (parser.at == units.len()).then_some(Pattern {
        root,
        groups: names.len(),
        has_back_references: parser.has_back_references,
        folds: parser.folds,
    })
}

/// The flags that a group such as `(?i-s:…)` can set.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

/// The names of all capturing groups in the order of their opening brackets. A number such as `\3` can be
/// read only when it is known how many groups there are.
fn group_names(units: &[u16]) -> Option<Vec<Option<Vec<u16>>>> {
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
fn name_at(units: &[u16], start: usize) -> Option<Vec<u16>> {
    let rest = units.get(start..)?;
    let end = rest.iter().position(|&unit| ascii(unit) == '>')?;
    let name = rest.get(..end)?;
    (!name.iter().any(|&unit| ascii(unit) == '\\')).then(|| name.to_vec())
}

struct Parser<'a> {
    units: &'a [u16],
    at: usize,
    names: &'a [Option<Vec<u16>>],
    next_group: usize,
    depth: usize,
    flags: Flags,
    has_back_references: bool,
    folds: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u16> {
        self.units.get(self.at).copied()
    }

    /// The next unit as a character; not ASCII reads as a NUL, which no rule of the grammar mentions.
    fn peek_ascii(&self) -> Option<char> {
        self.peek().map(ascii)
    }

    fn next(&mut self) -> Option<u16> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = starts_with(self.units.get(self.at..).unwrap_or_default(), text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn disjunction(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut branches = vec![self.alternative()?];
        while self.eat("|") {
            branches.push(self.alternative()?);
        }
        self.depth -= 1;
        Some(if branches.len() == 1 { branches.pop()? } else { Node::Alternate(branches) })
    }

    fn alternative(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(unit) = self.peek_ascii() {
            if matches!(unit, '|' | ')') {
                break;
            }
            let first_group = self.next_group;
            let node = self.term()?;
            let node = self.quantified(node, first_group)?;
            nodes.push(node);
        }
        Some(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.pop()?,
            _ => Node::Concat(nodes),
        })
    }

    fn term(&mut self) -> Option<Node> {
        let unit = self.next()?;
        Some(match ascii(unit) {
            '^' => Node::Assert(if self.flags.multiline { Assertion::LineStart } else { Assertion::Start }),
            '$' => Node::Assert(if self.flags.multiline { Assertion::LineEnd } else { Assertion::End }),
            '.' => {
                Node::Set(if self.flags.dot_all { Set::all() } else { Set::line_terminators().inverted() })
            }
            '(' => self.group()?,
            '[' => self.class()?,
            '\\' => self.escape()?,
            '*' | '+' | '?' => return None,
            '{' => {
                let after = self.at;
                self.at -= 1;
                if self.braces().is_some() {
                    return None;
                }
                self.at = after;
                Node::Unit(unit)
            }
            _ => self.unit(unit),
        })
    }

    /// A literal unit, under the flags that hold here.
    fn unit(&mut self, unit: u16) -> Node {
        if self.flags.ignore_case {
            self.folds = true;
            return Node::Set(Set::of(unit, unit).with_ascii_case());
        }
        Node::Unit(unit)
    }

    fn quantified(&mut self, node: Node, first_group: usize) -> Option<Node> {
        let (min, max) = match self.peek_ascii() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces() {
                Some(bounds) => {
                    self.at -= 1; // The closing brace is eaten below, like the other signs.
                    bounds
                }
                None => return Some(node),
            },
            _ => return Some(node),
        };
        self.at += 1;
        if max.is_some_and(|max| max < min) {
            return None;
        }
        let greedy = !self.eat("?");
        let groups = first_group..self.next_group;
        Some(Node::Repeat { node: Box::new(node), min, max, greedy, groups })
    }

    /// `{2}`, `{2,}` or `{2,3}`; anything else is no quantifier and nothing is eaten.
    fn braces(&mut self) -> Option<(usize, Option<usize>)> {
        let start = self.at;
        let bounds = self.braces_inside();
        if bounds.is_none() {
            self.at = start;
        }
        bounds
    }

    fn braces_inside(&mut self) -> Option<(usize, Option<usize>)> {
        if !self.eat("{") {
            return None;
        }
        let min = self.number()?;
        let max = if self.eat(",") { self.number() } else { Some(min) };
        self.eat("}").then_some((min, max))
    }

    fn number(&mut self) -> Option<usize> {
        let mut value = None;
        while let Some(digit) = self.peek_ascii().and_then(|digit| digit.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit as usize));
        }
        value
    }

    fn group(&mut self) -> Option<Node> {
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

    fn capture(&mut self) -> Option<Node> {
        let group = self.next_group;
        self.next_group += 1;
        Some(Node::Capture { group, node: Box::new(self.disjunction()?) })
    }

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

    fn escape(&mut self) -> Option<Node> {
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

    fn back_reference(&mut self, groups: Vec<usize>) -> Node {
        self.has_back_references = true;
        self.folds |= self.flags.ignore_case;
        Node::BackReference { groups, folded: self.flags.ignore_case }
    }

    /// One unit after a backslash, with the leniency that web pages once asked for.
    fn character_escape(&mut self) -> Option<u16> {
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

    fn hex(&mut self, digits: usize) -> Option<u16> {
        let mut value = 0_u16;
        for unit in self.units.get(self.at..self.at + digits)? {
            value = value << 4 | u16::try_from(ascii(*unit).to_digit(16)?).ok()?;
        }
        self.at += digits;
        Some(value)
    }

    fn class(&mut self) -> Option<Node> {
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

enum ClassAtom {
    Unit(u16),
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

fn ascii(unit: u16) -> char {
    u8::try_from(unit).ok().filter(u8::is_ascii).map_or('\0', char::from)
}

fn starts_with(units: &[u16], text: &str) -> bool {
    units.len() >= text.len() && text.bytes().zip(units).all(|(byte, &unit)| u16::from(byte) == unit)
}
