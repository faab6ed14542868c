//! Runs a program with back references, one attempt after another, counting steps.
//!
//! With back references no fast way is known, and an attempt may take exponential time. Each instruction
//! executed and each unit compared is a step, and the caller says how many there may be.

use super::program::{Instruction, Program, holds, read};

/// The steps ran out before the answer was known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutOfSteps;

/// Whether the pattern is found anywhere in the name; takes its steps from `steps`.
pub(super) fn is_match(program: &Program, units: &[u16], steps: &mut usize) -> Result<bool, OutOfSteps> {
    let Some(main) = program.segments.len().checked_sub(1) else { return Ok(false) };
    let mut run = Run { program, units, slots: vec![None; program.slots], trail: Vec::new(), steps };
    for start in 0..=units.len() {
        if run.attempt(main, start)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The state of all attempts on one name. Captures are two slots each: where a group begins and where it ends.
struct Run<'a> {
    program: &'a Program,
    units: &'a [u16],
    slots: Vec<Option<usize>>,
    /// How to go back: what to restore, and where to try something else.
    trail: Vec<Back>,
    steps: &'a mut usize,
}

/// An entry of the trail, newest last.
enum Back {
    /// A choice that was not taken: go on at this instruction and place.
    Try { index: usize, at: usize },
    /// A slot that was written since, and what it held.
    Restore { slot: usize, value: Option<usize> },
}

impl Run<'_> {
    /// Runs one segment from one place. A success keeps what was captured; a failure leaves everything as it was.
    fn attempt(&mut self, segment: usize, start: usize) -> Result<bool, OutOfSteps> {
        let program = self.program;
        let Some(code) = program.segments.get(segment) else { return Ok(false) };
        let base = self.trail.len();
        let (mut index, mut at) = (0, start);
        loop {
            self.spend(1)?;
            let next = match code.instructions.get(index) {
                Some(Instruction::Accept) => {
                    // A segment that has matched is not entered again, but its captures can still be undone.
                    self.forget_choices(base);
                    return Ok(true);
                }
                Some(one @ (Instruction::Unit(_) | Instruction::Set(_))) => {
                    let found = read(self.units, at, code.backward);
                    found.filter(|(unit, _)| program.takes(one, *unit)).map(|(_, after)| (index + 1, after))
                }
                Some(Instruction::Assert(assertion)) => {
                    holds(*assertion, self.units, at).then_some((index + 1, at))
                }
                Some(Instruction::Split { first, second }) => {
                    self.trail.push(Back::Try { index: *second, at });
                    Some((*first, at))
                }
                Some(Instruction::Jump(target)) => Some((*target, at)),
                Some(Instruction::Look { segment, negate }) => {
                    let before = self.trail.len();
                    let matches = self.attempt(*segment, at)?;
                    if matches && *negate {
                        // Restores every slot, whatever choices are left.
                        while self.go_back(before).is_some() {}
                    }
                    (matches != *negate).then_some((index + 1, at))
                }
                Some(Instruction::Save(slot)) => {
                    self.set(*slot, Some(at));
                    Some((index + 1, at))
                }
                Some(Instruction::Clear { from, to }) => {
                    self.spend(to - from)?;
                    for slot in *from..*to {
                        self.set(slot, None);
                    }
                    Some((index + 1, at))
                }
                Some(Instruction::Progress(slot)) => {
                    (self.slots.get(*slot) != Some(&Some(at))).then_some((index + 1, at))
                }
                Some(Instruction::BackReference { groups, folded }) => {
                    self.repeated(groups, *folded, at, code.backward)?.map(|after| (index + 1, after))
                }
                None => None,
            };
            match next.or_else(|| self.go_back(base)) {
                Some(place) => (index, at) = place,
                None => return Ok(false),
            }
        }
    }

    /// Counts steps before they are done, so that the bound holds whatever the pattern is.
    fn spend(&mut self, steps: usize) -> Result<(), OutOfSteps> {
        *self.steps = self.steps.checked_sub(steps).ok_or(OutOfSteps)?;
        Ok(())
    }

    /// Writes a slot, and notes on the trail what it held. An equal value needs no note.
    fn set(&mut self, slot: usize, value: Option<usize>) {
        if let Some(place) = self.slots.get_mut(slot) {
            let old = std::mem::replace(place, value);
            if old != value {
                self.trail.push(Back::Restore { slot, value: old });
            }
        }
    }

    /// The place after a repetition of what a group captured. A group that has not captured repeats as nothing.
    fn repeated(
        &mut self,
        groups: &[usize],
        folded: bool,
        at: usize,
        backward: bool,
    ) -> Result<Option<usize>, OutOfSteps> {
        let captured = groups.iter().find_map(|group| {
            let start = (*self.slots.get(group * 2)?)?;
            let end = (*self.slots.get(group * 2 + 1)?)?;
            self.units.get(start..end)
        });
        let Some(captured) = captured else { return Ok(Some(at)) };
        self.spend(captured.len())?;
        let (start, end) = if backward {
            let Some(start) = at.checked_sub(captured.len()) else { return Ok(None) };
            (start, at)
        } else {
            (at, at + captured.len())
        };
        let fold = |unit: u16| u8::try_from(unit).map_or(unit, |byte| byte.to_ascii_uppercase().into());
        let is_same = |(one, other): (&u16, &u16)| one == other || folded && fold(*one) == fold(*other);
        let found = self.units.get(start..end).is_some_and(|there| captured.iter().zip(there).all(is_same));
        Ok(found.then_some(if backward { start } else { end }))
    }

    /// Undoes up to the last choice that was made since `base`.
    fn go_back(&mut self, base: usize) -> Option<(usize, usize)> {
        while self.trail.len() > base {
            match self.trail.pop()? {
                Back::Try { index, at } => return Some((index, at)),
                Back::Restore { slot, value } => {
                    if let Some(place) = self.slots.get_mut(slot) {
                        *place = value;
                    }
                }
            }
        }
        None
    }

    /// Drops the choices since `base` and keeps the notes that restore slots, in their order.
    fn forget_choices(&mut self, base: usize) {
        let mut kept = base;
        for index in base..self.trail.len() {
            if matches!(self.trail.get(index), Some(Back::Restore { .. })) {
                self.trail.swap(kept, index);
                kept += 1;
            }
        }
        self.trail.truncate(kept);
    }
}
