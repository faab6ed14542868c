//! A pattern as a list of instructions, for the two ways of running it that are our own.
//!
//! Counted repetitions are written out, so that no instruction needs a counter, and each lookaround becomes a
//! segment of its own. A segment is written for one direction: `backward` ones read the name from right to left.

use super::set::{Set, is_line_terminator, is_word};
use super::syntax::{Assertion, Node, Pattern};

/// How many instructions a pattern may have. `(a{1000}){1000}` would have a million.
const MAX_INSTRUCTIONS: usize = 10_000;
/// How many nodes may be visited while writing them: `((){9999}){9999}` has no instructions at all.
const MAX_WORK: usize = 50_000;

/// One step of a segment. Places of other instructions are indexes into the same segment.
#[derive(Debug)]
pub(super) enum Instruction {
    /// Read exactly this unit.
    Unit(u16),
    /// Read a unit of this set of the program.
    Set(usize),
    /// Go on if it holds here.
    Assert(Assertion),
    /// Try `first`, then `second`.
    Split { first: usize, second: usize },
    /// Go on elsewhere. Also the placeholder of a `Split` until its targets are known.
    Jump(usize),
    /// Whether another segment matches here.
    Look { segment: usize, negate: bool },
    /// Remember the place in a slot.
    Save(usize),
    /// Forget the slots of the groups inside a repetition.
    Clear { from: usize, to: usize },
    /// Fail if nothing was read since the slot was saved: an empty round of a loop is not taken.
    Progress(usize),
    /// Read again what one of these groups captured. Only programs for `Way::Attempts` contain it.
    BackReference { groups: Vec<usize>, folded: bool },
    /// The segment has matched.
    Accept,
}

/// Instructions that begin at their first one and end at `Accept`.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) instructions: Vec<Instruction>,
    pub(super) backward: bool,
}

/// A compiled pattern. Each segment looks only at segments before it; the last one is the pattern itself.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) way: Way,
    pub(super) segments: Vec<Segment>,
    pub(super) sets: Vec<Set>,
    pub(super) slots: usize,
    /// The number of instructions in all segments.
    pub(super) size: usize,
}

/// Which of the two ways a program is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// All places at once. What looks ahead is read backward, from every possible end towards its beginnings:
    /// one pass then shows for every place whether it matches there.
    Sets,
    /// One attempt after another, with captures.
    Attempts,
}

impl Program {
    /// Writes a program for the first way that can run it; `None` if it would be too large.
    pub(super) fn compile(pattern: &Pattern) -> Option<Self> {
        Self::compile_for(pattern, if pattern.has_back_references { Way::Attempts } else { Way::Sets })
    }

    /// Writes a program for one of the two ways.
    pub(super) fn compile_for(pattern: &Pattern, way: Way) -> Option<Self> {
        let slots = pattern.groups * 2;
        let program = Self { way, segments: Vec::new(), sets: Vec::new(), slots, size: 0 };
        let mut compiler = Compiler { program, work: 0 };
        compiler.segment(&pattern.root, false)?;
        Some(compiler.program)
    }

    /// Whether an instruction reads a unit, and may read this one.
    pub(super) fn takes(&self, instruction: &Instruction, unit: u16) -> bool {
        match instruction {
            Instruction::Unit(expected) => *expected == unit,
            Instruction::Set(set) => self.sets.get(*set).is_some_and(|set| set.contains(unit)),
            _ => false,
        }
    }
}

/// What was written so far, and how much of the bounds is used up.
struct Compiler {
    program: Program,
    work: usize,
}

impl Compiler {
    /// Writes a segment and returns its index. Segments of lookarounds inside it are complete before it is, which is
    /// why a segment looks only at earlier ones.
    fn segment(&mut self, node: &Node, backward: bool) -> Option<usize> {
        let mut segment = Segment { instructions: Vec::new(), backward };
        self.node(&mut segment, node)?;
        self.push(&mut segment, Instruction::Accept)?;
        self.program.segments.push(segment);
        Some(self.program.segments.len() - 1)
    }

    /// Appends an instruction and returns its place.
    fn push(&mut self, segment: &mut Segment, instruction: Instruction) -> Option<usize> {
        self.program.size += 1;
        if self.program.size > MAX_INSTRUCTIONS {
            return None;
        }
        segment.instructions.push(instruction);
        Some(segment.instructions.len() - 1)
    }

    /// Appends the instructions of a node in the segment's direction; `None` when a bound is reached.
    fn node(&mut self, segment: &mut Segment, node: &Node) -> Option<()> {
        self.work += 1;
        if self.work > MAX_WORK {
            return None;
        }
        match node {
            Node::Empty => {}
            Node::Unit(unit) => {
                self.push(segment, Instruction::Unit(*unit))?;
            }
            Node::Set(set) => {
                let sets = &mut self.program.sets;
                let index = sets.iter().position(|known| known == set).unwrap_or_else(|| {
                    sets.push(set.clone());
                    sets.len() - 1
                });
                self.push(segment, Instruction::Set(index))?;
            }
            Node::Assert(assertion) => {
                self.push(segment, Instruction::Assert(*assertion))?;
            }
            Node::Concat(nodes) if segment.backward => {
                nodes.iter().rev().try_for_each(|node| self.node(segment, node))?;
            }
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(segment, node))?,
            Node::Alternate(branches) => self.alternate(segment, branches)?,
            Node::Repeat { node, min, max, greedy, groups } => {
                let slots = (groups.start * 2, groups.end * 2);
                self.repeat(segment, node, (*min, *max), *greedy, slots)?;
            }
            Node::Capture { node, .. } if self.program.way == Way::Sets => self.node(segment, node)?,
            Node::Capture { group, node } => {
                let (before, after) =
                    if segment.backward { (group * 2 + 1, group * 2) } else { (group * 2, group * 2 + 1) };
                self.push(segment, Instruction::Save(before))?;
                self.node(segment, node)?;
                self.push(segment, Instruction::Save(after))?;
            }
            Node::Look { behind, negate, node } => {
                let backward = if self.program.way == Way::Sets { !behind } else { *behind };
                let looked = self.segment(node, backward)?;
                self.push(segment, Instruction::Look { segment: looked, negate: *negate })?;
            }
            Node::BackReference { groups, folded } => {
                self.push(segment, Instruction::BackReference { groups: groups.clone(), folded: *folded })?;
            }
        }
        Some(())
    }

    /// Each branch but the last begins with a `Split` to the next one and ends with a `Jump` behind all of them.
    fn alternate(&mut self, segment: &mut Segment, branches: &[Node]) -> Option<()> {
        let mut jumps = Vec::new();
        let Some((last, others)) = branches.split_last() else { return Some(()) };
        for branch in others {
            let split = self.push(segment, Instruction::Jump(0))?;
            self.node(segment, branch)?;
            jumps.push(self.push(segment, Instruction::Jump(0))?);
            let second = segment.instructions.len();
            patch(segment, split, Instruction::Split { first: split + 1, second });
        }
        self.node(segment, last)?;
        let end = segment.instructions.len();
        for jump in jumps {
            patch(segment, jump, Instruction::Jump(end));
        }
        Some(())
    }

    /// The required rounds are written one after another, then either a loop or the optional rounds, each of which
    /// may leave for the end.
    fn repeat(
        &mut self,
        segment: &mut Segment,
        node: &Node,
        (min, max): (usize, Option<usize>),
        greedy: bool,
        slots: (usize, usize),
    ) -> Option<()> {
        for _ in 0..min {
            self.clear(segment, slots)?;
            self.node(segment, node)?;
        }
        match max {
            None => {
                let split = self.push(segment, Instruction::Jump(0))?;
                self.round(segment, node, slots)?;
                self.push(segment, Instruction::Jump(split))?;
                let end = segment.instructions.len();
                patch(segment, split, choice(split + 1, end, greedy));
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.push(segment, Instruction::Jump(0))?);
                    self.round(segment, node, slots)?;
                }
                let end = segment.instructions.len();
                for split in splits {
                    patch(segment, split, choice(split + 1, end, greedy));
                }
            }
        }
        Some(())
    }

    /// One round of a loop that may as well end.
    fn round(&mut self, segment: &mut Segment, node: &Node, slots: (usize, usize)) -> Option<()> {
        if self.program.way == Way::Sets {
            // An empty round changes nothing when its captures are not asked for.
            return self.node(segment, node);
        }
        let entry = self.program.slots;
        self.program.slots += 1;
        self.clear(segment, slots)?;
        self.push(segment, Instruction::Save(entry))?;
        self.node(segment, node)?;
        self.push(segment, Instruction::Progress(entry))?;
        Some(())
    }

    /// JavaScript clears the captures of a group at the beginning of each round of the repetition around it.
    fn clear(&mut self, segment: &mut Segment, (from, to): (usize, usize)) -> Option<()> {
        if self.program.way == Way::Attempts && from < to {
            self.push(segment, Instruction::Clear { from, to })?;
        }
        Some(())
    }
}

/// A choice between another round and the end, the preferred one first.
fn choice(stay: usize, leave: usize, greedy: bool) -> Instruction {
    let (first, second) = if greedy { (stay, leave) } else { (leave, stay) };
    Instruction::Split { first, second }
}

/// Replaces an instruction whose targets were not known when it was written.
fn patch(segment: &mut Segment, at: usize, instruction: Instruction) {
    if let Some(place) = segment.instructions.get_mut(at) {
        *place = instruction;
    }
}

/// Whether an assertion holds between the units before and after a place.
pub(super) fn holds(assertion: Assertion, units: &[u16], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| units.get(before)).copied();
    let after = units.get(at).copied();
    match assertion {
        Assertion::Start => before.is_none(),
        Assertion::End => after.is_none(),
        Assertion::LineStart => before.is_none_or(is_line_terminator),
        Assertion::LineEnd => after.is_none_or(is_line_terminator),
        Assertion::WordBoundary => before.is_some_and(is_word) != after.is_some_and(is_word),
        Assertion::NotWordBoundary => before.is_some_and(is_word) == after.is_some_and(is_word),
    }
}

/// The unit that is read next from a place, and the place after it.
pub(super) fn read(units: &[u16], at: usize, backward: bool) -> Option<(u16, usize)> {
    let index = if backward { at.checked_sub(1)? } else { at };
    let unit = *units.get(index)?;
    Some((unit, if backward { index } else { at + 1 }))
}
