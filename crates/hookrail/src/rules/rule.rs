//! One rule: a condition, what to say when it holds, what to say when that cannot be determined, and examples.

mod read;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jsonc_parser::ast::Object;

use super::command::plain_program;
use super::condition::needs::{Detail, OwnNeed, ShippedNeed};
use super::condition::{Condition, ConditionReport};
use super::examples::{Example, Examples};
use super::facts::Facts;
use super::library;
use super::problem::RuleProblem;
use super::truth::Truth;
use crate::event::EventName;
use crate::matcher::Matcher;
use crate::output::{Decision, HookOutput};

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// What it says; read when the first call comes for which it may hold.
    parts: OnceLock<Box<RuleParts>>,
    examples: OnceLock<Examples>,
    unread: Unread,
    /// A call for which one of these certainly holds is not stopped by the rule.
    exceptions: Vec<Condition>,
}

/// What a rule says.
#[derive(Debug)]
pub(crate) struct RuleParts {
    when: Condition,
    then: HookOutput,
    on_unknown: Option<HookOutput>,
}

/// A rule of the library, which is read when it is needed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShippedRule {
    /// What a call must have for the rule to hold; one of these.
    pub(crate) needs: &'static [ShippedNeed],
    /// Its condition and what it says, without what is for people.
    pub(crate) body: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

/// The text of a rule, and what is known of it without reading it.
#[derive(Debug)]
enum Unread {
    /// It was read at once.
    Nothing,
    Shipped(ShippedRule),
    Own(UnreadRule),
}

/// The text of a rule of one's own on commands, about which nothing is wrong or doubtful.
#[derive(Debug)]
struct UnreadRule {
    /// The settings that it is in.
    content: Arc<String>,
    place: Range<usize>,
    programs: PatternPrograms,
}

/// The programs of the patterns of a rule that is not read, with blanks between them.
#[derive(Debug, Default)]
pub(crate) struct PatternPrograms(String);

impl PatternPrograms {
    /// Adds that of a pattern; `None` if this has to be read to know what is wrong with it.
    pub(crate) fn add(&mut self, pattern: &str) -> Option<()> {
        let program = plain_program(pattern)?;
        if self.0 != program {
            self.0.push_str(if self.0.is_empty() { "" } else { " " });
            self.0.push_str(program);
        }
        Some(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn iter(&self) -> std::str::Split<'_, char> {
        self.0.split(' ')
    }
}

/// Where a rule is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RulePlace<'a> {
    /// The event whose facts it may ask about.
    pub event: EventName,
    /// The matcher of its group, which examples must pass.
    pub matcher: &'a Matcher,
    /// What becomes of its examples.
    pub examples: ExampleUse,
}

/// What becomes of the examples of a rule that is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ExampleUse {
    /// They are left out: a program that only evaluates the rule does not need them.
    Ignore,
    /// They are read, and not tried.
    Read,
    /// They are tried.
    #[default]
    Try,
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

    /// A rule that has been read.
    fn new(parts: RuleParts, examples: Examples) -> Self {
        let (parts, examples) = (OnceLock::from(Box::new(parts)), OnceLock::from(examples));
        Self { parts, examples, unread: Unread::Nothing, exceptions: Vec::new() }
    }

    /// A rule of the library.
    pub(crate) fn shipped(shipped: ShippedRule) -> Self {
        let (parts, examples) = (OnceLock::new(), OnceLock::new());
        Self { parts, examples, unread: Unread::Shipped(shipped), exceptions: Vec::new() }
    }

    /// A rule of one's own, at this place of settings, that is read when it is needed; its examples are never asked for.
    pub(crate) fn unread(content: Arc<String>, place: Range<usize>, programs: PatternPrograms) -> Self {
        let rule = UnreadRule { content, place, programs };
        let (parts, examples) = (OnceLock::new(), OnceLock::from(Examples::default()));
        Self { parts, examples, unread: Unread::Own(rule), exceptions: Vec::new() }
    }

    /// What it says. The tests of this crate show that what is left unread can be read; if not, it would block.
    fn parts(&self) -> &RuleParts {
        self.parts.get_or_init(|| {
            let text = match &self.unread {
                Unread::Nothing => None,
                Unread::Shipped(shipped) => Some(shipped.body),
                Unread::Own(own) => own.content.get(own.place.clone()),
            };
            let read = text.and_then(|text| library::read(text, ExampleUse::Ignore));
            read.and_then(|rule| rule.parts.into_inner()).unwrap_or_else(|| {
                let (decision, reason) = (Some(Decision::Block), Some("a rule cannot be read".to_owned()));
                let then = HookOutput { decision, reason, ..HookOutput::default() };
                Box::new(RuleParts { when: Condition::always(), then, on_unknown: None })
            })
        })
    }

    /// Whether its condition may hold, or be undecided, as far as that is known without reading it. That is asked of a rule
    /// that has been read, too: it costs less than to evaluate its condition.
    fn may_hold(&self, facts: &Facts<'_>) -> bool {
        match &self.unread {
            Unread::Nothing => true,
            Unread::Shipped(shipped) => shipped.needs.iter().any(|need| need.may_be_met(facts)),
            Unread::Own(own) => facts.shell().is_some_and(|shell| shell.may_start(own.programs.iter())),
        }
    }

    /// Whether its condition holds.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        if self.may_hold(facts) { self.parts().when.evaluate(facts) } else { Truth::No }
    }

    /// The ways in which its condition may hold.
    pub(crate) fn needs(&self, detail: Detail) -> Vec<OwnNeed> {
        match &self.unread {
            Unread::Nothing => self.parts().when.needs(detail),
            Unread::Shipped(shipped) => shipped.needs.iter().map(ShippedNeed::to_own).collect(),
            Unread::Own(own) => {
                let programs = own.programs.iter().map(str::to_owned).collect();
                vec![OwnNeed { programs, ..OwnNeed::default() }]
            }
        }
    }

    /// Its output for an event; `None` if it does not hold, or if that cannot be determined and the rule has no `unknown`.
    pub(crate) fn answer(&self, facts: &Facts<'_>) -> Option<&HookOutput> {
        let truth = self.evaluate(facts);
        if truth == Truth::No {
            return None;
        }
        let RuleParts { then, on_unknown, .. } = self.parts();
        // What a limit of ours kept us from reading must not pass a rule by.
        let is_hidden = truth == Truth::Unknown && on_unknown.is_none() && facts.reached_bound();
        let answer = if is_hidden && strength(Some(then)) > 0 { Some(then) } else { self.answer_to(truth) };
        // What cannot be determined is not an exception.
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
            Truth::Yes => Some(&self.parts().then),
            Truth::Unknown => self.parts().on_unknown.as_ref(),
            Truth::No => None,
        }
    }

    /// Which parts of its condition hold, which do not, and what was seen.
    #[doc(hidden)]
    pub fn explain(&self, facts: &Facts<'_>) -> ConditionReport {
        self.parts().when.explain(facts)
    }

    /// Whether `other` decides nothing beside this rule, where both are asked about the same call: this one blocks
    /// whenever the other one would block or ask. `false` where that cannot be seen.
    #[doc(hidden)]
    pub fn shadows(&self, other: &Self) -> bool {
        let (own, other) = (self.parts(), other.parts());
        own.then.is_blocking_decision()
            && self.exceptions.is_empty()
            && has_only_a_decision(&other.then)
            && strength(own.on_unknown.as_ref()) >= strength(other.on_unknown.as_ref())
            && own.when.follows_from(&other.when)
    }

    /// What it says when it holds.
    pub fn output(&self) -> &HookOutput {
        &self.parts().then
    }

    /// Its examples.
    #[doc(hidden)]
    pub fn examples(&self) -> &[Example] {
        &self.all_examples().list
    }

    /// The examples that do not hold, each with the place of its text.
    pub(crate) fn failed_examples(&self, matcher: &Matcher) -> Vec<(Range<usize>, String)> {
        self.all_examples().failures(self, matcher)
    }

    fn all_examples(&self) -> &Examples {
        self.examples.get_or_init(|| {
            let Unread::Shipped(shipped) = &self.unread else { return Examples::default() };
            let read = library::read(shipped.text, ExampleUse::Read);
            read.and_then(|rule| rule.examples.into_inner()).unwrap_or_default()
        })
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
