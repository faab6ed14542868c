//! One rule: a condition, what to say when it holds, what to say when that cannot be determined, and examples.

mod read;

use std::ops::Range;

use jsonc_parser::ast::Object;

use super::condition::{Condition, ConditionReport};
use super::examples::{Example, Examples};
use super::facts::Facts;
use super::problem::RuleProblem;
use super::truth::Truth;
use crate::event::EventName;
use crate::matcher::Matcher;
use crate::output::{Decision, HookOutput};

/// A rule that was read.
#[derive(Debug)]
pub struct Rule {
    when: Condition,
    then: HookOutput,
    on_unknown: Option<HookOutput>,
    /// A call for which one of these certainly holds is not stopped by the rule.
    exceptions: Vec<Condition>,
    examples: Examples,
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RulePlace<'a> {
    /// The event whose facts it may ask about.
    pub event: EventName,
    /// The matcher of its group, which examples must pass.
    pub matcher: &'a Matcher,
    /// Whether its examples are tried. A program that only evaluates the rule can skip them.
    pub try_examples: bool,
}

/// What reading a rule gave.
#[derive(Debug)]
pub(crate) struct RuleReading {
    /// The rule; `None` if something keeps it from being read. Then the guarded events it stands for are blocked.
    pub rule: Option<Rule>,
    /// What keeps it from being read.
    pub problems: Vec<RuleProblem>,
    /// What is probably not meant; the rule counts all the same.
    pub warnings: Vec<RuleProblem>,
    /// Examples that are malformed or do not hold; the rule counts all the same, and `check` reports them as errors.
    pub failed_examples: Vec<RuleProblem>,
}

impl Rule {
    /// The fields of a rule, besides those that all hooks have.
    pub const FIELDS: [&'static str; 8] =
        ["when", "then", "block", "ask", "context", "instead", "unknown", "examples"];

    /// Reads a rule from the object of a hook.
    pub(crate) fn read(object: &Object<'_>, place: RulePlace<'_>) -> RuleReading {
        read::rule(object, place)
    }

    /// Whether its condition holds.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        self.when.evaluate(facts)
    }

    /// Its output for an event; `None` if it does not hold, or if that cannot be determined and the rule has no `unknown`.
    pub(crate) fn answer(&self, facts: &Facts<'_>) -> Option<&HookOutput> {
        let truth = self.evaluate(facts);
        // What a limit of ours kept us from reading must not pass a rule by.
        let is_hidden = truth == Truth::Unknown && self.on_unknown.is_none() && facts.reached_bound();
        let answer = if is_hidden && strength(Some(&self.then)) > 0 {
            Some(&self.then)
        } else {
            self.answer_to(truth)
        };
        // What cannot be determined is no exception.
        let is_excepted = |exception: &Condition| exception.evaluate(facts) == Truth::Yes;
        answer.filter(|_| !self.exceptions.iter().any(is_excepted))
    }

    /// Lets calls pass for which one of these holds.
    pub(crate) fn add_exceptions(&mut self, exceptions: Vec<Condition>) {
        self.exceptions.extend(exceptions);
    }

    /// How many exceptions it has.
    #[doc(hidden)]
    pub fn exceptions(&self) -> usize {
        self.exceptions.len()
    }

    /// Its output for this result of its condition.
    pub(crate) fn answer_to(&self, truth: Truth) -> Option<&HookOutput> {
        match truth {
            Truth::Yes => Some(&self.then),
            Truth::Unknown => self.on_unknown.as_ref(),
            Truth::No => None,
        }
    }

    /// Which parts of its condition hold, which do not, and what was seen.
    #[doc(hidden)]
    pub fn explain(&self, facts: &Facts<'_>) -> ConditionReport {
        self.when.explain(facts)
    }

    /// Whether `other` decides nothing beside this rule, where both are asked about the same call: this one blocks
    /// whenever the other one would block or ask. `false` where that cannot be seen.
    #[doc(hidden)]
    pub fn shadows(&self, other: &Self) -> bool {
        let blocks = self.then.is_blocking_decision();
        blocks
            && self.exceptions.is_empty()
            && has_only_a_decision(&other.then)
            && strength(self.on_unknown.as_ref()) >= strength(other.on_unknown.as_ref())
            && self.when.follows_from(&other.when)
    }

    /// What it says when it holds.
    pub fn output(&self) -> &HookOutput {
        &self.then
    }

    /// Its examples.
    #[doc(hidden)]
    pub fn examples(&self) -> &[Example] {
        &self.examples.list
    }

    /// The examples that do not hold, each with the place of its text.
    pub(crate) fn failed_examples(&self, matcher: &Matcher) -> Vec<(Range<usize>, String)> {
        self.examples.failures(self, matcher)
    }
}

/// Whether an output says nothing but that it blocks or asks, and why.
fn has_only_a_decision(output: &HookOutput) -> bool {
    let decides = output.is_blocking_decision() || output.decision == Some(Decision::Ask);
    let rest = HookOutput { decision: None, reason: None, ..output.clone() };
    decides && rest == HookOutput::default()
}

/// How strongly an answer restricts a call: a block more than a question, a question more than nothing.
fn strength(output: Option<&HookOutput>) -> u8 {
    match output {
        Some(output) if output.is_blocking_decision() => 2,
        Some(output) if output.decision == Some(Decision::Ask) => 1,
        Some(_) | None => 0,
    }
}

#[cfg(test)]
mod tests;
