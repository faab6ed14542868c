//! One rule: a condition, what to say when it holds, what to say when that cannot be determined, and examples.

mod read;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jsonc_parser::ast::Object;

use super::command::plain_program;
use super::condition::needs::ShippedNeed;
use super::condition::{Condition, ConditionReport};
use super::examples::{self, Example};
use super::facts::Facts;
use super::library::{self, Guard, ShippedGuard};
use super::problem::RuleFindings;
use super::truth::Truth;
use crate::event::EventName;
use crate::matcher::Matcher;
use crate::output::{Decision, HookOutput};

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// What it says; read when the first call comes for which it may hold.
    parts: OnceLock<Box<RuleParts>>,
    examples: OnceLock<Vec<Example>>,
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

/// The text of a rule, and what is known of it without reading it.
#[derive(Debug)]
enum Unread {
    /// It was read at once.
    Nothing,
    /// A rule of the library.
    Shipped(&'static ShippedGuard),
    /// A rule of one's own on commands, about which nothing is wrong or doubtful, at its place in the settings.
    Own { content: Arc<String>, place: Range<usize>, programs: PatternPrograms },
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

impl Rule {
    /// The fields of a rule, besides those that all hooks have.
    pub const FIELDS: [&'static str; 8] =
        ["when", "then", "block", "ask", "context", "instead", "unknown", "examples"];

    /// Reads a rule from the object of a hook; `None` if something keeps it from being read. Then the guarded events that
    /// it stands for are blocked. With the matcher of its group its examples are read and tried; an event that only asks the
    /// rule does not need them.
    pub(crate) fn read(
        object: &Object<'_>,
        event: EventName,
        try_with: Option<&Matcher>,
        findings: &mut RuleFindings,
    ) -> Option<Self> {
        let parts = read::parts(object, event, findings);
        let prop = read::field(object, "examples").filter(|_| try_with.is_some());
        let examples = prop.map(|prop| examples::read(prop, event, findings)).unwrap_or_default();
        let rule = Self { examples: OnceLock::from(examples), ..Self::of(Unread::Nothing) };
        let _ = rule.parts.set(parts?);
        if let Some(matcher) = try_with {
            findings.0.extend(rule.examples().iter().filter_map(|example| example.failure(&rule, matcher)));
        }
        Some(rule)
    }

    fn of(unread: Unread) -> Self {
        Self { parts: OnceLock::new(), examples: OnceLock::new(), unread, exceptions: Vec::new() }
    }

    /// A rule of the library.
    pub(crate) fn shipped(guard: &'static ShippedGuard) -> Self {
        Self::of(Unread::Shipped(guard))
    }

    /// A rule of one's own, at this place of settings, that is read when it is needed; its examples are never asked for.
    pub(crate) fn unread(content: Arc<String>, place: Range<usize>, programs: PatternPrograms) -> Self {
        Self::of(Unread::Own { content, place, programs })
    }

    /// What it says. The tests of this crate show that what is left unread can be read; if not, it would block.
    fn parts(&self) -> &RuleParts {
        self.parts.get_or_init(|| {
            let text = match &self.unread {
                Unread::Nothing => None,
                Unread::Shipped(guard) => Some(guard.body),
                Unread::Own { content, place, .. } => content.get(place.clone()),
            };
            let read = |object: &Object<'_>| read::parts(object, Guard::EVENT, &mut RuleFindings::default());
            text.and_then(|text| library::with_object(text, read)?).unwrap_or_else(|| {
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
            Unread::Shipped(guard) => guard.needs.iter().any(|need| need.may_be_met(facts)),
            Unread::Own { programs, .. } => {
                facts.shell().is_some_and(|shell| shell.may_start(programs.iter()))
            }
        }
    }

    /// Whether its condition holds.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        if self.may_hold(facts) { self.parts().when.evaluate(facts) } else { Truth::No }
    }

    /// The programs of which a call must start one for the rule to hold, if they are known by their names.
    pub(crate) fn programs(&self) -> Option<Vec<String>> {
        match &self.unread {
            Unread::Nothing => self.parts().when.programs(),
            Unread::Shipped(guard) => {
                let is_named = |name: &&str| !name.ends_with('*');
                let is_found =
                    |need: &ShippedNeed| !need.programs.is_empty() && need.programs.iter().all(is_named);
                let programs = guard.needs.iter().flat_map(|need| need.programs);
                guard.needs.iter().all(is_found).then(|| programs.map(|name| (*name).to_owned()).collect())
            }
            Unread::Own { programs, .. } => Some(programs.iter().map(str::to_owned).collect()),
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
        self.examples.get_or_init(|| {
            let Unread::Shipped(guard) = &self.unread else { return Vec::new() };
            let read = library::with_object(guard.text, |object| {
                let examples = read::field(object, "examples")?;
                Some(examples::read(examples, Guard::EVENT, &mut RuleFindings::default()))
            });
            read.flatten().unwrap_or_default()
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
