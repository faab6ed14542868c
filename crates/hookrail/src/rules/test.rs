//! What is asked of a fact: equals, one of, glob, regex, contains, starts with, exists, outside.

mod read;

use hookrail_shell::Cause;
use serde_json::Value;

pub(crate) use self::read::{Readings, read_tests};
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
    /// The command has these words.
    Pattern(CommandPattern),
    /// The command has the words of one of these.
    AnyPattern(Vec<CommandPattern>),
    /// The command certainly has the words of none of these. A word that cannot be determined is not an excuse.
    Unless(Vec<CommandPattern>),
    /// The path certainly matches none of these.
    UnlessGlob(Vec<Glob>),
}

/// A value of a fact, as tests see it.
#[derive(Clone, Copy)]
enum TestedValue<'v> {
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

/// Whether one of the tests holds for a fact.
pub(crate) fn evaluate(fact: &Fact, tests: &[Test], facts: &Facts<'_>) -> Truth {
    let subject = facts.subject();
    let text = |value: Option<&str>| on_values(tests, value.map(TestedValue::Text), false);
    match fact {
        Fact::Tool => text(subject.tool_name),
        Fact::Prompt => text(subject.prompt),
        Fact::Model => text(subject.model),
        Fact::Text => text(subject.text.as_deref()),
        Fact::Agent => text(subject.agent),
        Fact::Input(names) => {
            on_values(tests, facts.input(names).map(TestedValue::Json), facts.is_unreadable(names))
        }
        Fact::Dynamic => {
            let dynamic = facts.shell().is_some_and(ShellLine::is_dynamic);
            let causes = facts.shell().into_iter().flat_map(|shell| &shell.causes);
            let values = causes.clone().map(|cause| TestedValue::Text(cause.name()));
            // What a bound kept us from reading may have any cause.
            let and_others =
                causes.clone().any(|cause| *cause == Cause::Bound) && tests.iter().any(Test::names_cause);
            on_values(tests, std::iter::once(TestedValue::Flag(dynamic)).chain(values), and_others)
        }
        Fact::Command => match facts.shell() {
            Some(shell) => {
                let tests = tests.iter().filter(|test| shell.is_dynamic() || test.may_hold_in(shell));
                on_values(tests, shell.commands.iter().map(TestedValue::Command), shell.is_dynamic())
            }
            None => on_values(tests, None, false),
        },
        Fact::Program => match facts.shell() {
            Some(shell) => {
                let names = shell.programs.iter().map(|name| TestedValue::Text(name));
                on_values(tests, names, shell.is_dynamic())
            }
            None => on_values(tests, None, false),
        },
        Fact::Writes | Fact::Reads | Fact::Shows => {
            let (paths, and_others) = facts.paths().of_fact(fact);
            let ignore_case = paths.clone().next().is_some() && facts.places().ignores_case();
            on_values(tests, paths.map(|path| TestedValue::Path(path, ignore_case)), and_others)
        }
    }
}

/// Whether one of the tests holds for one of the values; `and_others` says that there may be values that cannot be determined.
fn on_values<'t, 'v>(
    tests: impl IntoIterator<Item = &'t Test>,
    values: impl IntoIterator<Item = TestedValue<'v>, IntoIter: Clone>,
    and_others: bool,
) -> Truth {
    let values = values.into_iter();
    let others = if and_others { Truth::Unknown } else { Truth::No };
    Truth::any(tests.into_iter().map(|test| {
        let exists = match test.exists {
            None => Truth::Yes,
            Some(expected) => {
                let exists = Truth::from(values.clone().next().is_some()).or(others);
                if expected { exists } else { exists.negated() }
            }
        };
        if test.parts.is_empty() {
            return exists;
        }
        exists.and(Truth::any(values.clone().map(|value| test.holds(value))).or(others))
    }))
}

impl Test {
    /// Whether all parts hold for this one value.
    fn holds(&self, value: TestedValue<'_>) -> Truth {
        Truth::all(self.parts.iter().map(|part| part.holds(value)))
    }

    /// Whether it may hold for a command of this line, as far as the first letters of programs tell.
    fn may_hold_in(&self, shell: &ShellLine) -> bool {
        let is_other = |part: &TestPart| matches!(part, TestPart::Pattern(pattern) if !pattern.initials.meet(shell.initials));
        self.exists.is_some() || !self.parts.iter().any(is_other)
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
            Self::Outside(_) | Self::Pattern(_) | Self::AnyPattern(_) | Self::Unless(_) => Truth::No,
        }
    }

    /// Whether it holds for every text that begins so, for some, or for none.
    fn holds_for_beginning(&self, text: &str, ignore_case: bool) -> Truth {
        let lower = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
        let may_be = |other: &str| lower(other).starts_with(&lower(text));
        match self {
            Self::OneOf(expected) => {
                if expected.iter().filter_map(Value::as_str).any(may_be) {
                    Truth::Unknown
                } else {
                    Truth::No
                }
            }
            Self::Glob(glob) => glob.matches_beginning(text, ignore_case),
            Self::StartsWith(start) if text.starts_with(start.as_str()) => Truth::Yes,
            Self::StartsWith(start) => {
                if start.starts_with(text) {
                    Truth::Unknown
                } else {
                    Truth::No
                }
            }
            Self::Contains(_) => self.holds_for_text(text, ignore_case).or(Truth::Unknown),
            Self::Regex(_) => Truth::Unknown,
            Self::UnlessGlob(globs) => {
                let excepted = |glob: &Glob| glob.matches_beginning(text, ignore_case) == Truth::Yes;
                (!globs.iter().any(excepted)).into()
            }
            Self::Outside(_) | Self::Pattern(_) | Self::AnyPattern(_) | Self::Unless(_) => Truth::No,
        }
    }

    /// Tests other than patterns see the words of a command joined by blanks. Where a word cannot be determined, what is
    /// found in the others holds, and what is not found there may still be in it.
    fn holds_for_command(&self, command: &LineCommand) -> Truth {
        let any =
            |patterns: &[CommandPattern]| Truth::any(patterns.iter().map(|pattern| command.matches(pattern)));
        match self {
            Self::Pattern(pattern) => return command.matches(pattern),
            Self::AnyPattern(patterns) => return any(patterns),
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

/// Whether two plain values are the same. Nothing is converted, but `1` and `1.0` are one number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (left, right) => left == right,
    }
}
