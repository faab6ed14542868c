//! What a hook listens to, compiled once and bounded in time.
//!
//! A matcher on a tool's name is an ECMAScript pattern that may be found anywhere in the name, as
//! `new RegExp(matcher).test(name)` would find it. A valid pattern is run in the first of these ways that can:
//!
//! 1. plain words are compared (`words`);
//! 2. what has no back references runs as sets of instructions, lookarounds included, in time proportional to pattern
//!    times name (`sets`);
//! 3. the rest runs in attempts whose steps are counted (`attempts`).
//!
//! Texts that are longer than names, for the tests of rules, are read by the linear `regex` crate where it can mean the
//! same (`long`).
//!
//! Where the steps do not suffice the verdict is [`MatchVerdict::BoundReached`], which counts as a match: a guard
//! that cannot be decided stays on. The argument is in `docs/design/matchers.md`.

mod attempts;
mod literals;
mod long;
mod plain_names;
mod program;
#[cfg(any(test, feature = "fuzzing"))]
#[path = "matcher/tests/reference.rs"]
pub(crate) mod reference;
mod set;
mod sets;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

use self::long::LongPattern;
use self::plain_names::Words;
use self::program::{Program, Way};
use self::syntax::Unread;
use crate::event::EventName;

/// Longer patterns are not compiled.
const MAX_PATTERN_BYTES: usize = 8 * 1024;
/// Longer names are decided by plain words only.
const MAX_NAME_BYTES: usize = 16 * 1024;
/// Longer texts are sooner matched by the `regex` crate, whatever it takes to compile the pattern for it.
const LONG_TEXT_BYTES: usize = 256;
/// Steps for one matcher on one name; a few milliseconds.
const MAX_STEPS: usize = 1_000_000;
/// Steps for all matchers of one plan.
const MAX_STEPS_PER_PLAN: usize = 20_000_000;

/// A compiled matcher. Cloning it is cheap.
#[derive(Clone)]
pub struct Matcher {
    compiled: Option<Arc<Compiled>>,
}

struct Compiled {
    text: String,
    problem: Option<&'static str>,
    kind: Kind,
}

enum Kind {
    /// One of these is to be found, or is the name.
    Words(Words),
    /// The pattern for long texts is compiled when the first one comes. Of the required texts one is in everything that it
    /// matches. Without a program it is beyond our limits.
    Pattern {
        program: Option<Program>,
        folds: bool,
        required: Option<Vec<String>>,
        long: OnceLock<Option<LongPattern>>,
    },
}

/// Whether a matcher matches a name. Exhaustive on purpose: what is not decided is a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum MatchVerdict {
    /// It does not.
    No,
    /// It does.
    Yes,
    /// It could not be decided within bounds, and counts as a match.
    BoundReached,
}

impl MatchVerdict {
    /// Whether the hook runs.
    pub fn is_match(self) -> bool {
        self != Self::No
    }
}

impl From<bool> for MatchVerdict {
    fn from(is_match: bool) -> Self {
        if is_match { Self::Yes } else { Self::No }
    }
}

/// The steps that are left for the matchers of one plan. Without a common bound, thousands of slow matchers
/// that keep their own bounds could still stall an event.
#[derive(Debug)]
pub(crate) struct Steps(usize);

impl Default for Steps {
    fn default() -> Self {
        Self(MAX_STEPS_PER_PLAN)
    }
}

impl Steps {
    /// Takes the given number of steps; false if there are not that many.
    fn take(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps).filter(|_| steps <= MAX_STEPS);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

impl Matcher {
    /// The matcher of a hook whose settings give none: matches everything.
    pub fn any() -> Self {
        Self { compiled: None }
    }

    /// A matcher on tool names.
    pub fn compile(text: &str) -> Self {
        match Kind::compile(text) {
            Ok(kind) => Self::of(text, None, kind),
            Err(problem) => Self::of(text, Some(problem), Kind::Words(Words::exactly([text]))),
        }
    }

    fn of(text: &str, problem: Option<&'static str>, kind: Kind) -> Self {
        Self { compiled: Some(Arc::new(Compiled { text: text.to_owned(), problem, kind })) }
    }

    /// A matcher as Claude Code reads it: names or a list of them, compared as a whole, else a pattern.
    pub(crate) fn names_or_pattern(text: &str) -> Self {
        let is_name =
            |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | ' ' | ',' | '|');
        if Self::is_wildcard(text.trim()) || !text.chars().all(is_name) {
            return Self::compile(text);
        }
        let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
        Self::of(text, None, Kind::Words(Words::exactly(names)))
    }

    /// Whether it names tools, by a name or a pattern, instead of accepting every one.
    pub(crate) fn names_tools(&self) -> bool {
        // No tool has this name.
        !self.matches_tool("\u{1}").is_match()
    }

    /// A matcher that is compared as a whole; `''` and `'*'` match everything.
    pub fn exact(text: &str) -> Self {
        let words = if Self::is_wildcard(text) { Words::any() } else { Words::exactly([text]) };
        Self::of(text, None, Kind::Words(words))
    }

    /// The matcher of a hook of this event: a pattern where the event has a tool, a word elsewhere.
    pub fn for_event(event: EventName, text: Option<&str>) -> Self {
        match text {
            None => Self::any(),
            Some(text) if event.has_tool() => Self::compile(text),
            Some(text) => Self::exact(text),
        }
    }

    /// Whether a matcher of this text matches everything.
    pub fn is_wildcard(text: &str) -> bool {
        matches!(text, "" | "*")
    }

    /// Whether it matches everything because of its text, or because there is none.
    pub fn matches_everything(&self) -> bool {
        self.text().is_none_or(Self::is_wildcard)
    }

    /// The matcher as configured; `None` where the settings give none.
    pub fn text(&self) -> Option<&str> {
        self.compiled.as_ref().map(|compiled| compiled.text.as_str())
    }

    /// Why it is not a valid pattern and therefore compared as a whole.
    pub fn problem(&self) -> Option<&str> {
        self.compiled.as_ref()?.problem
    }

    /// Whether it is too large to be run, so that it counts as a match for every tool.
    pub fn is_too_large(&self) -> bool {
        let kind = self.compiled.as_ref().map(|compiled| &compiled.kind);
        matches!(kind, Some(Kind::Pattern { program: None, .. })) && self.long_pattern().is_none()
    }

    /// Whether it matches a tool's name.
    pub fn matches_tool(&self, name: &str) -> MatchVerdict {
        self.matches_tool_within(name, &mut Steps::default())
    }

    /// Whether it matches a tool's name, as far as the steps go.
    pub(crate) fn matches_tool_within(&self, name: &str, steps: &mut Steps) -> MatchVerdict {
        let Some(compiled) = &self.compiled else { return MatchVerdict::Yes };
        match &compiled.kind {
            Kind::Words(words) => words.is_match(name).into(),
            Kind::Pattern { .. } if name.len() > MAX_NAME_BYTES => MatchVerdict::BoundReached,
            // Ignoring case beyond ASCII takes tables that no tool's name has needed yet.
            Kind::Pattern { folds: true, .. } if !name.is_ascii() => MatchVerdict::BoundReached,
            Kind::Pattern { program: Some(program), .. } => run(program, name, steps),
            Kind::Pattern { program: None, long, .. } if matches!(long.get(), Some(None)) => {
                MatchVerdict::BoundReached
            }
            // What has too many instructions may still be small for the `regex` crate, which takes about as long to
            // compile it as all steps of a matcher.
            Kind::Pattern { program: None, .. } if steps.take(MAX_STEPS) => {
                self.matches_long(name).map_or(MatchVerdict::BoundReached, MatchVerdict::from)
            }
            Kind::Pattern { program: None, .. } => MatchVerdict::BoundReached,
        }
    }

    /// Whether it is found in a text, which may be longer than any name: a file, a prompt, an answer. Plain words and
    /// patterns without look-around and back references are found in texts of any length.
    pub(crate) fn matches_text(&self, text: &str) -> MatchVerdict {
        if let Some(Kind::Pattern { required: Some(texts), .. }) =
            self.compiled.as_ref().map(|found| &found.kind)
            && !texts.iter().any(|part| text.contains(part.as_str()))
        {
            return MatchVerdict::No; // What a rule looks for is rare, and this is sooner seen.
        }
        let is_short = text.len() <= LONG_TEXT_BYTES;
        let long = if is_short { None } else { self.matches_long(text) };
        long.map_or_else(|| self.matches_tool(text), MatchVerdict::from)
    }

    /// Whether it is found in a text; `None` where the pattern has no way for long texts.
    fn matches_long(&self, text: &str) -> Option<bool> {
        let Kind::Pattern { folds, .. } = self.compiled.as_ref()?.kind else { return None };
        if folds && !text.is_ascii() {
            return None;
        }
        self.long_pattern().map(|long| long.is_match(text))
    }

    /// The pattern for long texts, if there is one.
    fn long_pattern(&self) -> Option<&LongPattern> {
        let compiled = self.compiled.as_ref()?;
        let Kind::Pattern { long, .. } = &compiled.kind else { return None };
        let compile = || LongPattern::compile(&syntax::parse(&compiled.text).ok()?.root);
        long.get_or_init(compile).as_ref()
    }

    /// Texts of which one is in every name or text that it matches; `None` if there are none.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(crate) fn required_texts(&self) -> Option<Vec<String>> {
        let compiled = self.compiled.as_ref()?;
        match &compiled.kind {
            Kind::Words(words) => Some(words.texts()),
            Kind::Pattern { required, .. } => required.clone(),
        }
    }

    /// Whether it is the word, or matches everything.
    pub fn matches_exactly(&self, word: &str) -> bool {
        self.text().is_none_or(|text| Self::is_wildcard(text) || text == word)
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Matcher").field(&self.text()).finish()
    }
}

impl Kind {
    /// Compiles a pattern; the error says why it is not valid.
    fn compile(text: &str) -> Result<Self, &'static str> {
        if Matcher::is_wildcard(text) {
            return Ok(Self::Words(Words::any()));
        }
        if let Some(words) = Words::parse(text) {
            return Ok(Self::Words(words));
        }
        let too_large =
            Self::Pattern { program: None, folds: false, required: None, long: OnceLock::from(None) };
        if text.len() > MAX_PATTERN_BYTES {
            return Ok(too_large);
        }
        let pattern = match syntax::parse(text) {
            Ok(pattern) => pattern,
            Err(Unread::Invalid(why)) => return Err(why),
            Err(Unread::TooDeep) => return Ok(too_large),
        };
        let (program, required) = (Program::compile(&pattern), literals::required(&pattern.root));
        Ok(Self::Pattern { program, folds: pattern.folds, required, long: OnceLock::new() })
    }
}

fn run(program: &Program, name: &str, steps: &mut Steps) -> MatchVerdict {
    let units: Vec<u16> = name.encode_utf16().collect();
    match program.way {
        Way::Sets => {
            if !steps.take(program.size.saturating_mul(units.len() + 1)) {
                return MatchVerdict::BoundReached;
            }
            sets::is_match(program, &units).into()
        }
        Way::Attempts => {
            let granted = steps.0.min(MAX_STEPS);
            let mut left = granted;
            let found = attempts::is_match(program, &units, &mut left);
            steps.0 -= granted - left;
            found.map_or(MatchVerdict::BoundReached, MatchVerdict::from)
        }
    }
}
