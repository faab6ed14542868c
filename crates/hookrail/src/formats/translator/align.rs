//! Finds out what a hook did to a conversation: which messages it kept, changed, removed and added.
//!
//! The result decides only which original entry a text belongs to, and thereby which tool calls and
//! images stay beside it; every text comes out exactly as the hook gave it, in the hook's order.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

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

/// Aligns the two conversations: keeps what is in both, and pairs what is between two kept messages.
///
/// `similar` bounds its search by the number of messages, so that a hook cannot stall an event with a conversation
/// that is hard to compare. Beyond the bound it may find fewer messages in common than there are.
pub(super) fn align(shown: &[LlmMessage<'_>], given: &[LlmMessage<'_>]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(shown.len().max(given.len()));
    let (mut next_shown, mut next_given) = (0, 0);
    for step in capture_diff_slices(Algorithm::Myers, &texts(shown), &texts(given)) {
        if let DiffOp::Equal { old_index, new_index, len } = step {
            pair((shown, next_shown..old_index), (given, next_given..new_index), &mut steps);
            steps.extend((old_index..old_index + len).map(|shown| Step::Keep { shown }));
            (next_shown, next_given) = (old_index + len, new_index + len);
        }
    }
    pair((shown, next_shown..shown.len()), (given, next_given..given.len()), &mut steps);
    steps
}

fn texts<'m>(messages: &'m [LlmMessage<'_>]) -> Vec<(&'m str, &'m str)> {
    messages.iter().map(|message| (&*message.role, &*message.content)).collect()
}

/// A part of a conversation.
type Part<'m, 'a> = (&'m [LlmMessage<'a>], Range<usize>);

/// Pairs what was removed between two kept messages with what was added there.
fn pair((shown, removed): Part<'_, '_>, (given, added): Part<'_, '_>, steps: &mut Vec<Step>) {
    let (mut next_shown, mut next_given) = (removed.start, added.start);
    let pairs =
        pairs(shown.get(removed.clone()).unwrap_or_default(), given.get(added.clone()).unwrap_or_default());
    for (a, b) in pairs.into_iter().map(|(a, b)| (removed.start + a, added.start + b)) {
        steps.extend((next_shown..a).map(|shown| Step::Remove { shown }));
        steps.extend((next_given..b).map(|given| Step::Add { given }));
        steps.push(Step::Change { shown: a, given: b });
        (next_shown, next_given) = (a + 1, b + 1);
    }
    steps.extend((next_shown..removed.end).map(|shown| Step::Remove { shown }));
    steps.extend((next_given..added.end).map(|given| Step::Add { given }));
}

/// Which removed message became which added one. Only messages of the same role are paired: a tool call
/// must not change sides.
fn pairs(removed: &[LlmMessage<'_>], added: &[LlmMessage<'_>]) -> Vec<(usize, usize)> {
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
fn best_pairs(removed: &[LlmMessage<'_>], added: &[LlmMessage<'_>]) -> Vec<(usize, usize)> {
    let (rows, columns) = (removed.len(), added.len());
    let mut likeness = vec![vec![0; columns]; rows];
    // `best[a][b]` is the best sum for what is removed from `a` on and added from `b` on.
    let mut best = vec![vec![0_u64; columns + 1]; rows + 1];
    for a in (0..rows).rev() {
        for b in (0..columns).rev() {
            if removed[a].role == added[b].role {
                likeness[a][b] = alike(&removed[a].content, &added[b].content);
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
