//! ECMAScript patterns without flags, read into a tree.
//!
//! JavaScript matches such patterns on UTF-16 units, so the tree consists of them. What is valid is what
//! `new RegExp(pattern)` accepts, with the leniency outside of Unicode mode (annex B of ECMA-262).

use std::ops::Range;

use super::set::Set;

mod classes;
mod escapes;
mod groups;

/// How deep groups may nest; deeper patterns are not read.
const MAX_DEPTH: usize = 250;

/// One piece of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// Matches nothing, everywhere: `()` or an empty branch.
    Empty,
    /// Exactly this unit.
    Unit(u16),
    /// One unit of a set: a class, `.`, or an escape such as `\d`.
    Set(Set),
    /// A condition that reads nothing.
    Assert(Assertion),
    /// One after another; at least two.
    Concat(Vec<Node>),
    /// Branches, the preferred one first; at least two.
    Alternate(Vec<Node>),
    /// A quantifier. `max` is `None` for any number; `groups` are the capturing groups inside, numbered from 0.
    Repeat { node: Box<Node>, min: usize, max: Option<usize>, greedy: bool, groups: Range<usize> },
    /// A capturing group, numbered from 0 by its opening bracket.
    Capture { group: usize, node: Box<Node> },
    /// A lookaround: `(?=…)`, `(?!…)`, `(?<=…)` or `(?<!…)`.
    Look { behind: bool, negate: bool, node: Box<Node> },
    /// What one of these groups matched; several only where a name is given to several groups.
    BackReference { groups: Vec<usize>, folded: bool },
}

/// A condition on a place between two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    /// `^` without the `m` flag.
    Start,
    /// `$` without the `m` flag.
    End,
    /// `^` with the `m` flag.
    LineStart,
    /// `$` with the `m` flag.
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

/// Why a pattern could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is not valid.
    Invalid(&'static str),
    /// Its groups are nested too deeply for this reader.
    TooDeep,
}

/// A part of a pattern, if it could be read.
type Read<T> = Result<T, Unread>;

pub(super) fn parse(text: &str) -> Read<Pattern> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (pattern, names, refers) = read(&units, &[])?;
    // What `\3` and `\k` mean depends on which groups there are, also behind them.
    if refers && !names.is_empty() { read(&units, &names).map(|(pattern, ..)| pattern) } else { Ok(pattern) }
}

/// A pattern under the assumption that it has these groups; those that it has; and whether that makes a difference.
fn read(units: &[u16], known: &[GroupName]) -> Read<(Pattern, Vec<GroupName>, bool)> {
    let mut parser = Parser {
        units,
        at: 0,
        known,
        names: Vec::new(),
        names_in_reach: Vec::new(),
        depth: 0,
        flags: Flags::default(),
        refers: false,
        has_back_references: false,
        folds: false,
    };
    let root = parser.disjunction()?;
    if parser.at < units.len() {
        return Err(Unread::Invalid("a `)` without its `(`"));
    }
    let Parser { names, refers, has_back_references, folds, .. } = parser;
    Ok((Pattern { root, groups: names.len(), has_back_references, folds }, names, refers))
}

/// The name of a capturing group, if it has one.
type GroupName = Option<String>;

/// The flags that a group such as `(?i-s:…)` can set.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

/// A recursive descent over the units of a pattern. Every method that reads leaves `at` behind what it read.
struct Parser<'a> {
    units: &'a [u16],
    at: usize,
    /// The capturing groups that the pattern is taken to have, in the order of their opening brackets.
    known: &'a [GroupName],
    /// Those before this place.
    names: Vec<GroupName>,
    /// The names of those of them that can take part in the same match as a group here.
    names_in_reach: Vec<String>,
    depth: usize,
    flags: Flags,
    /// Whether something could refer to a group.
    refers: bool,
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

    /// Takes the next unit.
    fn next(&mut self) -> Option<u16> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    /// Takes this text if it comes next. It must be ASCII, because its length is counted in units.
    fn eat(&mut self, text: &str) -> bool {
        let found = starts_with(self.units.get(self.at..).unwrap_or_default(), text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// *Disjunction*: branches between `|`. Every kind of group comes through here, so that depth is counted here.
    fn disjunction(&mut self) -> Read<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unread::TooDeep);
        }
        // Only one branch takes part in a match, so two branches may use the same name.
        let before = self.names_in_reach.len();
        let mut names_of_branches = Vec::new();
        let mut branches = Vec::new();
        loop {
            branches.push(self.alternative()?);
            names_of_branches.extend(self.names_in_reach.drain(before..));
            if !self.eat("|") {
                break;
            }
        }
        self.names_in_reach.append(&mut names_of_branches);
        self.depth -= 1;
        Ok(single_or(branches, Node::Alternate))
    }

    /// *Alternative*: terms up to `|`, `)` or the end.
    fn alternative(&mut self) -> Read<Node> {
        let mut nodes = Vec::new();
        while let Some(unit) = self.peek_ascii() {
            if matches!(unit, '|' | ')') {
                break;
            }
            let (start, first_group) = (self.at, self.names.len());
            let node = self.term()?;
            let node = self.quantified(node, start, first_group)?;
            nodes.push(node);
        }
        Ok(single_or(nodes, Node::Concat))
    }

    /// *Term* without its quantifier. Outside of Unicode mode a `{` that begins no quantifier is a literal.
    fn term(&mut self) -> Read<Node> {
        let Some(unit) = self.next() else { return Ok(Node::Empty) };
        Ok(match ascii(unit) {
            '^' => Node::Assert(if self.flags.multiline { Assertion::LineStart } else { Assertion::Start }),
            '$' => Node::Assert(if self.flags.multiline { Assertion::LineEnd } else { Assertion::End }),
            '.' => {
                Node::Set(if self.flags.dot_all { Set::all() } else { Set::line_terminators().inverted() })
            }
            '(' => self.group()?,
            '[' => self.class()?,
            '\\' => self.escape()?,
            '*' | '+' | '?' => return Err(NOTHING_TO_REPEAT),
            '{' => {
                let after = self.at;
                self.at -= 1;
                if self.braces().is_some() {
                    return Err(NOTHING_TO_REPEAT);
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

    /// Puts the quantifier that follows, if any, around a node that was read from `start` on, and whose groups are
    /// numbered from `first_group` on. Of conditions only a lookahead may have one.
    fn quantified(&mut self, node: Node, start: usize, first_group: usize) -> Read<Node> {
        let (min, max) = match self.peek_ascii() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces() {
                Some(bounds) => {
                    self.at -= 1; // The closing brace is eaten below, like the other signs.
                    bounds
                }
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        self.at += 1;
        let term = self.units.get(start..).unwrap_or_default();
        if ["^", "$", r"\b", r"\B", "(?<=", "(?<!"].iter().any(|condition| starts_with(term, condition)) {
            return Err(NOTHING_TO_REPEAT);
        }
        if max.is_some_and(|max| max < min) {
            return Err(Unread::Invalid("the numbers of a `{}` are out of order"));
        }
        let greedy = !self.eat("?");
        let groups = first_group..self.names.len();
        Ok(Node::Repeat { node: Box::new(node), min, max, greedy, groups })
    }

    /// `{2}`, `{2,}` or `{2,3}`; anything else is not a quantifier and nothing is taken.
    fn braces(&mut self) -> Option<(usize, Option<usize>)> {
        let start = self.at;
        let bounds = self.braces_inside();
        if bounds.is_none() {
            self.at = start;
        }
        bounds
    }

    /// The same, which may have read something before it returns `None`.
    fn braces_inside(&mut self) -> Option<(usize, Option<usize>)> {
        if !self.eat("{") {
            return None;
        }
        let min = self.number()?;
        let max = if self.eat(",") { self.number() } else { Some(min) };
        self.eat("}").then_some((min, max))
    }

    /// A decimal number. One that is too large for the type is as good as the largest.
    fn number(&mut self) -> Option<usize> {
        let mut value = None;
        while let Some(digit) = self.peek_ascii().and_then(|digit| digit.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit as usize));
        }
        value
    }
}

/// A quantifier without something before it that may have one.
const NOTHING_TO_REPEAT: Unread = Unread::Invalid("nothing to repeat");

/// The only node, or all of them in one.
fn single_or(mut nodes: Vec<Node>, several: impl FnOnce(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        0 => Node::Empty,
        1 => nodes.swap_remove(0),
        _ => several(nodes),
    }
}

/// A unit as a character of the grammar; NUL for everything beyond ASCII.
fn ascii(unit: u16) -> char {
    u8::try_from(unit).ok().filter(u8::is_ascii).map_or('\0', char::from)
}

fn starts_with(units: &[u16], text: &str) -> bool {
    units.len() >= text.len() && text.bytes().zip(units).all(|(byte, &unit)| u16::from(byte) == unit)
}
