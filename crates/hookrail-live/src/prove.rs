//! What an agent does in many scenarios, in as few runs as possible; and the ten effects that `hookrail doctor --live`
//! proves.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::observed::{Cell, Ending, Observed, describe};
use crate::run::{PATIENCE, Subject, attempt};
use crate::scenario::{ANSWER, HARMLESS, SCENARIOS, Scenario};

/// The effects, in the order in which they are reported.
pub const EFFECTS: [&str; 10] = [
    "block-shell",
    "block-write",
    "block-mcp",
    "block-subagent",
    "parallel-calls",
    "ask",
    "changed-arguments",
    "context",
    "slow-hook",
    "broken-settings",
];

/// What an agent did about one effect. What is worse is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proved {
    /// It did what the hook asked for.
    Obeyed,
    /// It has no such thing; something else was seen in its place.
    Cannot,
    /// The run shows neither.
    Unknown,
    /// What the hook asked for was not done.
    NotObeyed,
}

impl Proved {
    /// The word for it, in reports and in the measured table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Cannot => "cannot",
            Self::Unknown => "unknown",
            Self::NotObeyed => "not-obeyed",
        }
    }

    /// The result for a word.
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::Obeyed, Self::Cannot, Self::Unknown, Self::NotObeyed];
        all.into_iter().find(|each| each.as_str() == word)
    }
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was seen of one scenario.
#[derive(Clone)]
pub struct Observation {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// What the agent did.
    pub result: Proved,
    /// The same in words, with how the run ended.
    pub words: String,
}

/// The scenarios of [`EFFECTS`], in that order.
pub fn effects() -> Vec<&'static Scenario> {
    EFFECTS
        .iter()
        .filter_map(|effect| SCENARIOS.iter().find(|scenario| scenario.effect.as_deref() == Some(*effect)))
        .collect()
}

/// Runs the agent until every scenario was seen or the time is over. Scenarios that do not disturb each other share a
/// run; those that it does not show are repeated one by one.
pub fn observe(
    subject: &Subject<'_>,
    scenarios: &[&'static Scenario],
    limit: Duration,
    mut tell: impl FnMut(&Observation),
) -> Vec<Observation> {
    let started = Instant::now();
    let left = || limit.saturating_sub(started.elapsed());
    let mut subject = *subject;
    let (impossible, possible): (Vec<&'static Scenario>, Vec<&'static Scenario>) =
        scenarios.iter().partition(|scenario| scenario.turns(subject.program, Path::new("")).is_none());
    let has_none = |scenario| Observation {
        scenario,
        result: Proved::Cannot,
        words: Cell::Instead("it has no such tool").to_string(),
    };
    let mut found: Vec<Observation> = impossible.into_iter().map(has_none).collect();
    found.iter().for_each(&mut tell);
    let (mut alone, together): (Vec<&'static Scenario>, Vec<&'static Scenario>) =
        possible.into_iter().partition(|scenario| scenario.alone);
    // With all of its tools an agent may not be the one that people have.
    let (all_tools, usual): (Vec<_>, Vec<_>) =
        together.into_iter().partition(|scenario| scenario.declares_all());
    let groups = [usual, all_tools].into_iter().filter(|group| !group.is_empty());
    for group in groups {
        let (seen, answers) = run(&subject, &group, left());
        subject.answers |= answers;
        for observation in seen {
            if observation.result == Proved::Unknown && group.len() > 1 {
                alone.push(observation.scenario);
            } else {
                tell(&observation);
                found.push(observation);
            }
        }
    }
    if !subject.answers {
        // Silence means something only in an agent that answers otherwise.
        subject.answers = run(&subject, &[&*HARMLESS], left()).1;
    }
    for scenario in alone {
        let (seen, _) = run(&subject, &[scenario], left());
        seen.iter().for_each(&mut tell);
        found.extend(seen);
    }
    let place = |found: &Observation| scenarios.iter().position(|each| std::ptr::eq(*each, found.scenario));
    found.sort_by_key(place);
    found
}

/// One run, and whether the agent answered at its end.
fn run(subject: &Subject<'_>, group: &[&'static Scenario], left: Duration) -> (Vec<Observation>, bool) {
    const LATE: &str = "there was no time left";
    // Each of them may take a few seconds more.
    let more = Duration::from_secs(10) * u32::try_from(group.len()).unwrap_or(u32::MAX);
    let patience =
        group.iter().map(|scenario| scenario.patience()).max().unwrap_or(PATIENCE).saturating_add(more);
    let mut found = Vec::new();
    let mut answers = false;
    let look = |seen: &Observed<'_>| {
        answers = seen.user_saw(ANSWER);
        let is_cut_off = seen.ending == Ending::TimedOut && left < patience;
        for scenario in group {
            let cell = match scenario.read(seen) {
                Cell::Unknown(_) if is_cut_off => Cell::Unknown(LATE),
                cell => cell,
            };
            let result = match cell {
                Cell::Works(_) => Proved::Obeyed,
                Cell::Instead(_) => Proved::Cannot,
                Cell::Fails => Proved::NotObeyed,
                Cell::Unknown(_) => Proved::Unknown,
            };
            found.push(Observation { scenario, result, words: describe(cell, seen) });
        }
    };
    let unknown = |why: String| {
        group
            .iter()
            .map(|&scenario| Observation { scenario, result: Proved::Unknown, words: why.clone() })
            .collect()
    };
    if left.is_zero() {
        return (unknown(Cell::Unknown(LATE).to_string()), false);
    }
    match attempt(subject, group, patience.min(left), look) {
        Ok(()) => (found, answers),
        Err(error) => (unknown(format!("? ({error:#})")), false),
    }
}
