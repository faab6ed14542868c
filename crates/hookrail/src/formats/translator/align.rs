//! Finds out what a hook did to a conversation: which messages it kept, changed, removed and added.
//!
//! The result decides only which original entry a text belongs to, and thereby which tool calls and
//! images stay beside it; every text comes out exactly as the hook gave it, in the hook's order.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::request::GivenMessage;
use crate::formats::llm::LlmMessage;

/// One step from the conversation a hook was shown to the one it gave. Numbers are places in the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The same message is in both.
    Keep { shown: usize },
    /// A message got another text.
    Change { shown: usize, given: usize },
    /// A message is gone.
    Remove { shown: usize },
    /// A message is new.
    Add { given: usize },
}

/// Beyond this many pairs, changed messages are paired place by place.
const MAX_PAIRS: usize = 16_384;

/// Aligns the two conversations. Long equal beginnings and ends cost one comparison for each message.
pub(super) fn align(shown: &[LlmMessage<'_>], given: &[GivenMessage<'_>]) -> Vec<Step> {
    let start = shown.iter().zip(given).take_while(|(a, b)| same(a, b)).count();
    let (rest_shown, rest_given) =
        (shown.get(start..).unwrap_or_default(), given.get(start..).unwrap_or_default());
    let end = rest_shown.iter().rev().zip(rest_given.iter().rev()).take_while(|(a, b)| same(a, b)).count();
    let middle_shown = rest_shown.get(..rest_shown.len() - end).unwrap_or_default();
    let middle_given = rest_given.get(..rest_given.len() - end).unwrap_or_default();

    let mut steps = Vec::with_capacity(shown.len().max(given.len()));
    steps.extend((0..start).map(|shown| Step::Keep { shown }));
    let mut middle = Middle { shown: middle_shown, given: middle_given, offset: start, steps: &mut steps };
    middle.align();
    steps.extend((shown.len() - end..shown.len()).map(|shown| Step::Keep { shown }));
    steps
}

/// What is left between an equal beginning and an equal end.
struct Middle<'m, 'a, 'g> {
    shown: &'m [LlmMessage<'a>],
    given: &'m [GivenMessage<'g>],
    offset: usize,
    steps: &'m mut Vec<Step>,
}

impl Middle<'_, '_, '_> {
    /// Keeps what is in both, and pairs what is between two kept messages.
    fn align(&mut self) {
        let kept = self.kept();
        let (mut shown, mut given) = (0, 0);
        for (kept_shown, kept_given) in kept {
            self.pair(shown..kept_shown, given..kept_given);
            self.steps.push(Step::Keep { shown: self.offset + kept_shown });
            (shown, given) = (kept_shown + 1, kept_given + 1);
        }
        self.pair(shown..self.shown.len(), given..self.given.len());
    }

    /// The messages that are in both, in order.
    ///
    /// `similar` bounds its search by the number of messages, so that a hook cannot stall an event with a conversation
    /// that is hard to compare. Beyond the bound it may find fewer messages in common than there are.
    fn kept(&self) -> Vec<(usize, usize)> {
        let shown: Vec<(&str, &str)> =
            self.shown.iter().map(|message| (&*message.role, &*message.content)).collect();
        let given: Vec<(&str, &str)> =
            self.given.iter().map(|message| (message.role, &*message.text)).collect();
        let steps = capture_diff_slices(Algorithm::Myers, &shown, &given);
        steps
            .into_iter()
            .flat_map(|step| match step {
                DiffOp::Equal { old_index, new_index, len } => {
                    (old_index..old_index + len).zip(new_index..new_index + len)
                }
                _ => (0..0).zip(0..0),
            })
            .collect()
    }

    /// Pairs what was removed between two kept messages with what was added there.
    fn pair(&mut self, shown: std::ops::Range<usize>, given: std::ops::Range<usize>) {
        let offset = self.offset;
        let removed = self.shown.get(shown.clone()).unwrap_or_default();
        let added = self.given.get(given.clone()).unwrap_or_default();
        let (mut next_shown, mut next_given) = (0, 0);
        let pairs = pairs(removed, added);
        for (a, b) in pairs.into_iter().chain([(removed.len(), added.len())]) {
            self.steps.extend((next_shown..a).map(|a| Step::Remove { shown: offset + shown.start + a }));
            self.steps.extend((next_given..b).map(|b| Step::Add { given: offset + given.start + b }));
            if a < removed.len() {
                self.steps
                    .push(Step::Change { shown: offset + shown.start + a, given: offset + given.start + b });
            }
            (next_shown, next_given) = (a + 1, b + 1);
        }
    }
}

fn same(shown: &LlmMessage<'_>, given: &GivenMessage<'_>) -> bool {
    shown.role == given.role && shown.content == given.text
}

/// Which removed message became which added one. Only messages of the same role are paired: a tool call
/// must not change sides.
fn pairs(removed: &[LlmMessage<'_>], added: &[GivenMessage<'_>]) -> Vec<(usize, usize)> {
    let in_place = || {
        let places = removed.iter().zip(added).enumerate();
        places.filter(|(_, (a, b))| a.role == b.role).map(|(place, _)| (place, place)).collect()
    };
    let rewritten_in_place =
        removed.len() == added.len() && removed.iter().zip(added).all(|(a, b)| a.role == b.role);
    if removed.is_empty() || added.is_empty() {
        Vec::new()
    } else if rewritten_in_place || removed.len().saturating_mul(added.len()) > MAX_PAIRS {
        in_place()
    } else {
        best_pairs(removed, added)
    }
}

/// The pairs, in order, whose texts are most alike in sum.
#[expect(clippy::indexing_slicing, reason = "every index is bounded by the loops over the same lengths")]
fn best_pairs(removed: &[LlmMessage<'_>], added: &[GivenMessage<'_>]) -> Vec<(usize, usize)> {
    let (rows, columns) = (removed.len(), added.len());
    let mut likeness = vec![vec![0; columns]; rows];
    // `best[a][b]` is the best sum for what is removed from `a` on and added from `b` on.
    let mut best = vec![vec![0_u64; columns + 1]; rows + 1];
    for a in (0..rows).rev() {
        for b in (0..columns).rev() {
            if removed[a].role == added[b].role {
                likeness[a][b] = alike(&removed[a].content, &added[b].text);
            }
            let paired = if likeness[a][b] > 0 { likeness[a][b] + best[a + 1][b + 1] } else { 0 };
            best[a][b] = paired.max(best[a + 1][b]).max(best[a][b + 1]);
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < rows && b < columns {
        if likeness[a][b] > 0 && best[a][b] == likeness[a][b] + best[a + 1][b + 1] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if best[a][b] == best[a][b + 1] {
            b += 1;
        } else {
            a += 1;
        }
    }
    pairs
}

/// How alike two texts are: a little for the same role alone, more for a common beginning and end.
fn alike(shown: &str, given: &str) -> u64 {
    const SAME_ROLE: usize = 250;
    let (a, b) = (shown.as_bytes(), given.as_bytes());
    let shorter = a.len().min(b.len());
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
    let share = (start + end).saturating_mul(1000) / a.len().max(b.len()).max(1);
    u64::try_from(SAME_ROLE + share).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
