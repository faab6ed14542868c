//! Runs a program without back references in time proportional to its size times the length of the name.
//!
//! All attempts advance together, as a set of instructions, one unit at a time; nothing is tried twice. A lookaround
//! is not an attempt inside an attempt: its segment runs once over the whole name beforehand and leaves a table
//! that shows for each place whether it matches there.

use super::program::{Instruction, Program, Segment, holds, read};
use super::syntax::Assertion;

/// Whether the pattern is found anywhere in the name.
pub(super) fn is_match(program: &Program, units: &[u16]) -> bool {
    let Some((main, looks)) = program.segments.split_last() else { return false };
    let mut tables: Vec<Vec<bool>> = Vec::with_capacity(looks.len());
    for segment in looks {
        let mut table = vec![false; units.len() + 1];
        Run { program, segment, units, tables: &tables }.places(|at| {
            if let Some(entry) = table.get_mut(at) {
                *entry = true;
            }
            false
        });
        tables.push(table);
    }
    Run { program, segment: main, units, tables: &tables }.places(|_| true)
}

/// One segment on one name. `tables` has an entry for each earlier segment.
struct Run<'a> {
    program: &'a Program,
    segment: &'a Segment,
    units: &'a [u16],
    tables: &'a [Vec<bool>],
}

impl Run<'_> {
    /// Calls `found` with each place at which a match ends, in reading direction, until it returns true.
    fn places(&self, mut found: impl FnMut(usize) -> bool) -> bool {
        let size = self.segment.instructions.len();
        let (mut current, mut next) = (Active::new(size), Active::new(size));
        let origin = if self.segment.backward { self.units.len() } else { 0 };
        let mut at = origin;
        loop {
            if at == origin || !self.is_anchored() {
                // A match may begin anywhere.
                current.accepted |= self.follow(&mut current, 0, at);
            }
            if current.accepted && found(at) {
                return true;
            }
            if current.members.is_empty() {
                return false; // Only an anchored segment can have nothing left to follow.
            }
            let Some((unit, after)) = read(self.units, at, self.segment.backward) else { return false };
            next.clear();
            for &index in &current.members {
                let instruction = self.segment.instructions.get(index);
                if instruction.is_some_and(|instruction| self.program.takes(instruction, unit)) {
                    next.accepted |= self.follow(&mut next, index + 1, after);
                }
            }
            std::mem::swap(&mut current, &mut next);
            at = after;
        }
    }

    /// Whether a match can begin only where reading begins.
    fn is_anchored(&self) -> bool {
        let anchor = if self.segment.backward { Assertion::End } else { Assertion::Start };
        matches!(self.segment.instructions.first(), Some(Instruction::Assert(first)) if *first == anchor)
    }

    /// Adds an instruction and all that can be reached from it without reading; returns whether that accepts.
    fn follow(&self, active: &mut Active, start: usize, at: usize) -> bool {
        let mut accepted = false;
        active.waiting.push(start);
        while let Some(index) = active.waiting.pop() {
            if !active.insert(index) {
                continue;
            }
            match self.segment.instructions.get(index) {
                Some(Instruction::Accept) => accepted = true,
                Some(Instruction::Jump(target)) => active.waiting.push(*target),
                Some(Instruction::Split { first, second }) => {
                    active.waiting.push(*second);
                    active.waiting.push(*first);
                }
                Some(Instruction::Assert(assertion)) if holds(*assertion, self.units, at) => {
                    active.waiting.push(index + 1);
                }
                Some(Instruction::Look { segment, negate }) => {
                    let matches = self.tables.get(*segment).and_then(|table| table.get(at)) == Some(&true);
                    if matches != *negate {
                        active.waiting.push(index + 1);
                    }
                }
                _ => {}
            }
        }
        accepted
    }
}

/// The instructions that attempts have reached at one place.
struct Active {
    members: Vec<usize>,
    /// For each instruction of the segment, whether it is in `members`.
    is_member: Vec<bool>,
    /// Instructions still to be followed; empty between two calls of `follow`.
    waiting: Vec<usize>,
    /// Whether a match ends at this place.
    accepted: bool,
}

impl Active {
    fn new(size: usize) -> Self {
        Self { members: Vec::new(), is_member: vec![false; size], waiting: Vec::new(), accepted: false }
    }

    /// Adds an instruction; false if it was there, so that nothing is followed twice.
    fn insert(&mut self, index: usize) -> bool {
        let Some(is_member) = self.is_member.get_mut(index) else { return false };
        let is_new = !std::mem::replace(is_member, true);
        if is_new {
            self.members.push(index);
        }
        is_new
    }

    /// Empties the set in time proportional to its members, not to the size of the segment.
    fn clear(&mut self) {
        for index in self.members.drain(..) {
            if let Some(is_member) = self.is_member.get_mut(index) {
                *is_member = false;
            }
        }
        self.accepted = false;
    }
}
