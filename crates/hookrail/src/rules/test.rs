//! What is asked of a fact: equals, one of, glob, regex, contains, starts with, exists, outside.

mod read;

use hookrail_shell::Cause;
use serde_json::Value;

pub(crate) use self::read::read_tests;
use super::command::CommandPattern;
use super::fact::Fact;
use super::facts::{Facts, LineCommand, ShellLine};
use super::glob::Glob;
use super::path::ResolvedPath;
use super::truth::Truth;
use crate::matcher::{MatchVerdict, Matcher};

/// One test: all its parts must hold for the same value.
#[derive(Debug, Default)]
pub(crate) struct Test {
    /// Whether the fact must have a value, or must have none.
    pub(crate) exists: Option<bool>,
    /// What must hold for one of its values.
    pub(crate) parts: Vec<TestPart>,
    /// The test as it is written, for comparing conditions by their texts.
    pub(crate) written: Value,
}

#[derive(Debug)]
pub(crate) enum TestPart {
    /// The value is one of these.
    OneOf(Vec<Value>),
    /// The text matches.
    Glob(Glob),
    /// The text contains a match.
    Regex(Matcher),
    /// The text contains this one, or the list has this entry.
    Contains(Value),
    /// The text begins so.
    StartsWith(String),
    /// The path lies outside of the project, or does not.
    Outside(bool),
    /// The command has the words of one of these.
    Patterns(Vec<CommandPattern>),
    /// The command certainly has the words of none of these. A word that cannot be determined is not an excuse.
    Unless(Vec<CommandPattern>),
    /// The path certainly matches none of these.
    UnlessGlob(Vec<Glob>),
}

/// A value of a fact, as tests see it.
#[derive(Clone, Copy)]
pub(crate) enum TestedValue<'v> {
    /// A text of the event.
    Text(&'v str),
    /// An argument of a tool, of any type.
    Json(&'v Value),
    /// Yes or no.
    Flag(bool),
    /// A path, and whether case is ignored where it is.
    Path(&'v ResolvedPath, bool),
    /// One command of a shell line.
    Command(&'v LineCommand),
}

impl TestedValue<'_> {
    /// The value for people.
    pub(crate) fn shown(self) -> String {
        match self {
            Self::Text(text) => text.to_owned(),
            Self::Json(value) => value.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Path(path, _) => path.shown.clone(),
            Self::Command(command) => command.shown(),
        }
    }
}

/// The values of a fact, and whether there may be others, which cannot be determined.
pub(crate) fn values_of<'v>(fact: &Fact, facts: &'v Facts<'_>) -> (Vec<TestedValue<'v>>, bool) {
    let subject = facts.subject();
    let one = |text: Option<&'v str>| (text.map(TestedValue::Text).into_iter().collect(), false);
    match fact {
        Fact::Tool => one(subject.tool_name),
        Fact::Prompt => one(subject.prompt),
        Fact::Model => one(subject.model),
        Fact::Text => one(subject.text.as_deref()),
        Fact::Agent => one(subject.agent),
        Fact::Input(names) => {
            let value = facts.input(names).map(TestedValue::Json);
            (value.into_iter().collect(), facts.is_unreadable(names))
        }
        Fact::Command | Fact::Program | Fact::Dynamic => {
            let shell = facts.shell();
            let (is_dynamic, shell) = (shell.is_some_and(ShellLine::is_dynamic), shell.into_iter());
            match fact {
                Fact::Command => {
                    (shell.flat_map(|shell| &shell.commands).map(TestedValue::Command).collect(), is_dynamic)
                }
                Fact::Program => {
                    let names = shell.flat_map(|shell| &shell.programs);
                    (names.map(|name| TestedValue::Text(name)).collect(), is_dynamic)
                }
                _ => {
                    let causes = shell.flat_map(|shell| &shell.causes);
                    // What a bound kept us from reading may have any cause.
                    let and_others = causes.clone().any(|cause| *cause == Cause::Bound);
                    let causes = causes.map(|cause| TestedValue::Text(cause.name()));
                    (std::iter::once(TestedValue::Flag(is_dynamic)).chain(causes).collect(), and_others)
                }
            }
        }
        Fact::Writes | Fact::Reads | Fact::Shows => {
            let (paths, and_others) = facts.paths().of_fact(fact);
            let ignore_case = paths.clone().next().is_some() && facts.places().ignores_case();
            (paths.map(|path| TestedValue::Path(path, ignore_case)).collect(), and_others)
        }
    }
}

/// Whether one of the tests holds for one of the values of a fact.
pub(crate) fn evaluate(fact: &Fact, tests: &[Test], facts: &Facts<'_>) -> Truth {
    let (values, and_others) = values_of(fact, facts);
    Truth::any(tests.iter().map(|test| {
        if let (Fact::Command, false, Some(shell)) = (fact, and_others, facts.shell())
            && !test.may_hold_in(shell)
        {
            return Truth::No;
        }
        let others = perhaps(and_others && (*fact != Fact::Dynamic || test.names_cause()));
        let exists = test.exists.map_or(Truth::Yes, |expected| {
            let exists = Truth::from(!values.is_empty()).or(others);
            if expected { exists } else { exists.negated() }
        });
        if test.parts.is_empty() {
            return exists;
        }
        exists.and(Truth::any(values.iter().map(|value| test.holds(*value))).or(others))
    }))
}

impl Test {
    /// Whether all parts hold for this one value.
    fn holds(&self, value: TestedValue<'_>) -> Truth {
        Truth::all(self.parts.iter().map(|part| part.holds(value)))
    }

    /// Whether it may hold for a command of this line, as far as the first letters of programs tell.
    fn may_hold_in(&self, shell: &ShellLine) -> bool {
        let may_hold = |part: &TestPart| match part {
            TestPart::Patterns(patterns) => {
                patterns.iter().any(|pattern| pattern.initials.meet(shell.initials))
            }
            _ => true,
        };
        self.exists.is_some() || self.parts.iter().all(may_hold)
    }

    /// Whether it asks for one of the causes of `dynamic`.
    fn names_cause(&self) -> bool {
        let is_text =
            |part: &TestPart| matches!(part, TestPart::OneOf(values) if values.iter().any(Value::is_string));
        self.parts.iter().any(is_text)
    }

    /// Whether a plain value passes all parts but those that compare with plain values; used to find contradictions.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.parts.iter().all(|part| part.holds(TestedValue::Json(value)) != Truth::No)
    }
}

impl TestPart {
    /// A part that does not fit the type of the value does not hold. Rules are checked for that when they are read, except
    /// for arguments of tools, whose types are not declared.
    fn holds(&self, value: TestedValue<'_>) -> Truth {
        match value {
            TestedValue::Text(text) => self.holds_for_text(text, false),
            TestedValue::Json(Value::String(text)) => self.holds_for_text(text, false),
            TestedValue::Json(value) => match self {
                Self::OneOf(expected) => expected.iter().any(|expected| same(expected, value)).into(),
                Self::Contains(entry) => {
                    value.as_array().is_some_and(|list| list.iter().any(|found| same(entry, found))).into()
                }
                _ => Truth::No,
            },
            TestedValue::Flag(flag) => match self {
                Self::OneOf(expected) => expected.contains(&Value::Bool(flag)).into(),
                _ => Truth::No,
            },
            TestedValue::Path(path, ignore_case) => match self {
                Self::Outside(true) => path.outside,
                Self::Outside(false) => path.outside.negated(),
                other => match path.beginning() {
                    Some(beginning) => other.holds_for_beginning(beginning, ignore_case),
                    None => other.holds_for_text(&path.shown, ignore_case),
                },
            },
            TestedValue::Command(command) => self.holds_for_command(command),
        }
    }

    /// A regular expression that reaches its bound is unknown, so that `unknown` decides what becomes of the call.
    fn holds_for_text(&self, text: &str, ignore_case: bool) -> Truth {
        match self {
            Self::OneOf(expected) => {
                let same = |expected: &str| {
                    expected == text || (ignore_case && expected.to_lowercase() == text.to_lowercase())
                };
                expected.iter().any(|expected| expected.as_str().is_some_and(same)).into()
            }
            Self::Glob(glob) => glob.is_match(text, ignore_case).into(),
            Self::Regex(regex) => match regex.matches_text(text) {
                MatchVerdict::Yes => Truth::Yes,
                MatchVerdict::No => Truth::No,
                MatchVerdict::BoundReached => Truth::Unknown,
            },
            Self::Contains(part) => part.as_str().is_some_and(|part| text.contains(part)).into(),
            Self::StartsWith(start) => text.starts_with(start.as_str()).into(),
            Self::UnlessGlob(globs) => (!globs.iter().any(|glob| glob.is_match(text, ignore_case))).into(),
            Self::Outside(_) | Self::Patterns(_) | Self::Unless(_) => Truth::No,
        }
    }

    /// Whether it holds for every text that begins so, for some, or for none.
    fn holds_for_beginning(&self, text: &str, ignore_case: bool) -> Truth {
        let lower = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
        let may_be = |other: &str| lower(other).starts_with(&lower(text));
        match self {
            Self::OneOf(expected) => perhaps(expected.iter().filter_map(Value::as_str).any(may_be)),
            Self::Glob(glob) => glob.matches_beginning(text, ignore_case),
            Self::StartsWith(start) if text.starts_with(start.as_str()) => Truth::Yes,
            Self::StartsWith(start) => perhaps(start.starts_with(text)),
            Self::Contains(_) => self.holds_for_text(text, ignore_case).or(Truth::Unknown),
            Self::Regex(_) => Truth::Unknown,
            Self::UnlessGlob(globs) => {
                let excepted = |glob: &Glob| glob.matches_beginning(text, ignore_case) == Truth::Yes;
                (!globs.iter().any(excepted)).into()
            }
            Self::Outside(_) | Self::Patterns(_) | Self::Unless(_) => Truth::No,
        }
    }

    /// Tests other than patterns see the words of a command joined by blanks. Where a word cannot be determined, what is
    /// found in the others holds, and what is not found there may still be in it.
    fn holds_for_command(&self, command: &LineCommand) -> Truth {
        match self {
            Self::Patterns(patterns) => {
                return Truth::any(patterns.iter().map(|pattern| command.matches(pattern)));
            }
            Self::Unless(patterns) => {
                return Truth::from(!patterns.iter().any(|pattern| command.is_excused_by(pattern)));
            }
            _ => {}
        }
        let (start, is_complete) = command.known_start();
        if is_complete {
            return self.holds_for_text(start, false);
        }
        let may_begin_so = |text: &str| text.starts_with(start) || start.starts_with(text);
        match self {
            Self::StartsWith(text) if !may_begin_so(text) => Truth::No,
            Self::OneOf(texts)
                if !texts.iter().filter_map(Value::as_str).any(|text| text.starts_with(start)) =>
            {
                Truth::No
            }
            part => part.holds_for_text(command.joined(), false).or(Truth::Unknown),
        }
    }
}

/// What may hold is not known to.
fn perhaps(may_hold: bool) -> Truth {
    if may_hold { Truth::Unknown } else { Truth::No }
}

/// Whether two plain values are the same. Nothing is converted, but `1` and `1.0` are one number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (left, right) => left == right,
    }
}
