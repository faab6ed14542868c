//! The operands of a pattern, in order, against those of a command.

use hookrail_shell::{Item, Operand};

use super::is_assignment;
use crate::rules::glob::Glob;
use crate::rules::truth::Truth;

/// One word of a pattern that is not a flag.
#[derive(Debug, Clone)]
pub(super) enum OperandPattern {
    /// A word.
    Word(Glob),
    /// A subcommand, by the first of its names.
    Subcommand(&'static str),
    /// `...`: any number of operands.
    Skip,
}

impl OperandPattern {
    /// Texts of which a word must contain one to match, given further names of subcommands with their first ones; `None` if
    /// that cannot be told.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(super) fn required_texts(&self, further: &[(&str, &str)]) -> Option<Vec<String>> {
        let mut texts = match self {
            Self::Word(glob) => glob.plain_parts()?,
            Self::Subcommand(name) => vec![(*name).to_owned()],
            Self::Skip => return None,
        };
        let is_meant = |first: &str| match self {
            Self::Word(glob) => glob.is_match(first, false),
            Self::Subcommand(name) => first == *name,
            Self::Skip => false,
        };
        let further = further.iter().filter(|(_, first)| is_meant(first));
        texts.extend(further.map(|(name, _)| (*name).to_owned()));
        Some(texts)
    }

    /// A subcommand matches under any of its names, as written or by the first one.
    fn is_match(&self, operand: &Operand) -> bool {
        match self {
            Self::Word(glob) => {
                glob.is_match(&operand.text, false)
                    || operand.subcommand.is_some_and(|name| glob.is_match(name, false))
            }
            Self::Subcommand(name) => operand.subcommand == Some(name) || operand.text == *name,
            Self::Skip => true,
        }
    }
}

/// Whether some operand matches, wherever it is.
pub(super) fn anywhere(glob: &Glob, items: &[Item]) -> Truth {
    Truth::any(items.iter().map(|item| match item {
        Item::Operand(operand) => glob.is_match(&operand.text, false).into(),
        Item::Unknown(_) => Truth::Unknown,
        Item::Flag(_) => Truth::No,
    }))
}

/// Whether the first operands match the pattern. Each operand is looked at once for each word of the pattern.
pub(super) fn in_order(pattern: &[OperandPattern], items: &[Item]) -> Truth {
    // At each word of the pattern: whether all before it have been matched by the operands so far.
    let mut reached = vec![Truth::No; pattern.len() + 1];
    enter(&mut reached, pattern, 0, Truth::Yes);
    for item in items {
        if done(&reached) == Truth::Yes {
            break;
        }
        match item {
            Item::Flag(_) => {}
            Item::Operand(operand) => reached = after_operand(pattern, &reached, operand),
            Item::Unknown(_) => reached = after_unknown(pattern, &reached),
        }
    }
    done(&reached)
}

/// Whether the whole pattern has been matched.
fn done(reached: &[Truth]) -> Truth {
    reached.last().copied().unwrap_or(Truth::No)
}

/// Stands at a word, and behind it as well if it may skip nothing.
fn enter(reached: &mut [Truth], pattern: &[OperandPattern], mut index: usize, truth: Truth) {
    while let Some(at) = reached.get_mut(index) {
        *at = at.or(truth);
        match pattern.get(index) {
            Some(OperandPattern::Skip) => index += 1,
            _ => break,
        }
    }
}

/// One step: operands that match move on, `...` stays, and what may be a value or an assignment may be passed over.
fn after_operand(pattern: &[OperandPattern], reached: &[Truth], operand: &Operand) -> Vec<Truth> {
    let mut next = vec![Truth::No; reached.len()];
    // Both may be between other operands without being counted among them.
    let can_be_left_out = operand.may_be_value || is_assignment(&operand.text);
    for (index, truth) in reached.iter().copied().enumerate().filter(|(_, truth)| *truth != Truth::No) {
        match pattern.get(index) {
            None | Some(OperandPattern::Skip) => enter(&mut next, pattern, index, truth),
            Some(word) => {
                if word.is_match(operand) {
                    enter(&mut next, pattern, index + 1, truth);
                }
                if can_be_left_out {
                    enter(&mut next, pattern, index, truth);
                }
            }
        }
    }
    next
}

/// A word that cannot be determined may be any number of operands, also none: from here on every later word may be next.
fn after_unknown(pattern: &[OperandPattern], reached: &[Truth]) -> Vec<Truth> {
    let mut next = vec![Truth::No; reached.len()];
    let mut passed = Truth::No;
    for (index, truth) in reached.iter().copied().enumerate() {
        match pattern.get(index) {
            None | Some(OperandPattern::Skip) => enter(&mut next, pattern, index, truth),
            Some(_) => {}
        }
        passed = passed.or(truth.and(Truth::Unknown));
        enter(&mut next, pattern, index, passed);
    }
    next
}
