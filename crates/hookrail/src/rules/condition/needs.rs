//! What a call must contain for a condition to hold, told by its text alone: nothing has to be compiled for it.

use serde_json::Value;

use super::{Condition, NodeKind};
use crate::event::CallReading;
use crate::rules::command::CommandPattern;
use crate::rules::fact::Fact;
use crate::rules::facts::Facts;
use crate::rules::test::{Test, TestPart};

/// One way in which a condition may hold. A call that has not all of this cannot make it hold, nor leave it undecided.
/// An empty list asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Need<L> {
    /// One of these programs is started. A `*` at the end stands for any rest.
    pub(crate) programs: L,
    /// The words of a command, joined by blanks, contain one of these texts.
    pub(crate) words: L,
    /// A path of the call contains one of these texts.
    pub(crate) paths: L,
    /// An argument of the call contains one of these texts.
    pub(crate) arguments: L,
    /// The shell line hides what it runs.
    pub(crate) hidden: bool,
}

/// What a call must have for a shipped rule to hold.
pub(crate) type ShippedNeed = Need<&'static [&'static str]>;

impl ShippedNeed {
    /// Whether a call may have it. What a line hides may be anything.
    pub(crate) fn may_be_met(&self, facts: &Facts<'_>) -> bool {
        if self.hidden || !self.programs.is_empty() || !self.words.is_empty() {
            let Some(shell) = facts.shell() else { return false };
            let has_program = || self.programs.is_empty() || shell.may_start(self.programs.iter().copied());
            let has_words = || self.words.is_empty() || shell.may_contain(self.words);
            if !shell.is_dynamic() && (self.hidden || !has_program() || !has_words()) {
                return false;
            }
        }
        (self.arguments.is_empty() || self.has_argument(facts))
            && (self.paths.is_empty() || self.has_path(facts))
    }

    fn has_argument(&self, facts: &Facts<'_>) -> bool {
        let subject = facts.subject();
        let is_unreadable = matches!(subject.reading, Some(CallReading::Unreadable(_)));
        let has = |value: &Value| has_text(value, self.arguments);
        is_unreadable || subject.tool_input.is_some_and(|input| input.values().any(has))
    }

    fn has_path(&self, facts: &Facts<'_>) -> bool {
        let paths = facts.paths();
        let ((reads, more_reads), (writes, more_writes)) =
            (paths.of_fact(&Fact::Reads), paths.of_fact(&Fact::Writes));
        if more_reads || more_writes {
            return true;
        }
        let mut all = reads.chain(writes).peekable();
        let ignore_case = all.peek().is_some() && facts.places().ignores_case();
        all.any(|path| {
            path.beginning().is_some()
                || (ignore_case && !path.shown.is_ascii())
                || self.paths.iter().any(|part| contains(&path.shown, part, ignore_case))
        })
    }
}

/// Whether a text in a value contains one of these.
fn has_text(value: &Value, parts: &[&str]) -> bool {
    match value {
        Value::String(text) => parts.iter().any(|part| text.contains(part)),
        Value::Array(list) => list.iter().any(|value| has_text(value, parts)),
        Value::Object(object) => object.values().any(|value| has_text(value, parts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn contains(text: &str, part: &str, ignore_case: bool) -> bool {
    if !ignore_case {
        return text.contains(part);
    }
    text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

impl Condition {
    /// The programs of which a line must start one for it to hold or to be undecided; `None` if that may be any.
    pub(crate) fn programs(&self) -> Option<Vec<String>> {
        match &self.kind {
            NodeKind::All(parts) => parts.iter().find_map(Self::programs),
            NodeKind::Any(parts) => {
                Some(parts.iter().map(Self::programs).collect::<Option<Vec<_>>>()?.concat())
            }
            NodeKind::Fact { fact, tests, .. } => {
                let of_test = |test: &Test| {
                    let parts = test.parts.iter().filter(|_| test.exists != Some(false));
                    parts
                        .filter_map(|part| programs_of(fact, part))
                        .find(|names| !names.iter().any(|name| is_glob(name)))
                };
                Some(tests.iter().map(of_test).collect::<Option<Vec<_>>>()?.concat())
            }
            NodeKind::Not(_) => None,
        }
    }
}

/// The programs of which a part of a test asks for one, those of a glob with `*` at the end.
fn programs_of(fact: &Fact, part: &TestPart) -> Option<Vec<String>> {
    match (fact, part) {
        (Fact::Command, TestPart::Patterns(patterns)) => {
            Some(patterns.iter().map(CommandPattern::programs).collect::<Option<Vec<_>>>()?.concat())
        }
        (Fact::Program, TestPart::OneOf(values)) => {
            let names = values.iter().map(|value| value.as_str().map(str::to_owned));
            names.collect::<Option<Vec<_>>>().filter(|names| !names.iter().any(|name| is_glob(name)))
        }
        _ => None,
    }
}

fn is_glob(name: &str) -> bool {
    name.ends_with('*')
}

/// How the needs of a condition are worked out, with the words of its patterns. That takes too long for a call: it is done
/// once for the shipped rules, before the engine is built.
#[cfg(any(test, feature = "shipped-index"))]
pub(crate) mod making {
    use serde_json::Value;

    use super::{CommandPattern, Condition, Fact, Need, NodeKind, Test, TestPart, programs_of};

    /// More alternatives than this are not kept apart: then the condition needs nothing.
    const MAX_ALTERNATIVES: usize = 64;

    /// A need that was worked out from a condition.
    type OwnNeed = Need<Vec<String>>;

    /// The ways in which a condition may hold; one of them must be met. None at all means that it never holds.
    pub(crate) fn needs(node: &Condition) -> Vec<Need<Vec<String>>> {
        match &node.kind {
            NodeKind::All(nodes) => {
                nodes.iter().fold(vec![OwnNeed::default()], |all, node| both(all, needs(node)))
            }
            NodeKind::Any(nodes) => either(nodes.iter().flat_map(needs)),
            NodeKind::Not(_) => vec![OwnNeed::default()],
            NodeKind::Fact { fact: Fact::Command, tests, .. } => {
                either(tests.iter().flat_map(needs_of_command))
            }
            NodeKind::Fact { fact, tests, .. } => either(tests.iter().map(|test| need_of(fact, test))),
        }
    }

    /// Both must be met. Of two lists of the same kind one is enough: each is necessary.
    fn both(left: Vec<OwnNeed>, right: Vec<OwnNeed>) -> Vec<OwnNeed> {
        if left.len() * right.len() > MAX_ALTERNATIVES {
            return if left.contains(&OwnNeed::default()) { right } else { left };
        }
        let first = |one: &Vec<String>, other: &Vec<String>| if one.is_empty() { other } else { one }.clone();
        let pairs = left.iter().flat_map(|one| {
            right.iter().map(move |other| OwnNeed {
                programs: first(&one.programs, &other.programs),
                words: first(&one.words, &other.words),
                paths: first(&one.paths, &other.paths),
                arguments: first(&one.arguments, &other.arguments),
                hidden: one.hidden || other.hidden,
            })
        });
        either(pairs)
    }

    /// One of these must be met. Those that differ in one list become one.
    fn either(needs: impl Iterator<Item = OwnNeed>) -> Vec<OwnNeed> {
        let mut all: Vec<OwnNeed> = Vec::new();
        for mut need in needs {
            let union = all.iter_mut().any(|known| known.unite(&mut need));
            if !union {
                all.push(need);
            }
        }
        if all.len() > MAX_ALTERNATIVES || all.contains(&OwnNeed::default()) {
            return vec![OwnNeed::default()];
        }
        all
    }

    impl OwnNeed {
        fn lists(&mut self) -> [&mut Vec<String>; 4] {
            [&mut self.programs, &mut self.words, &mut self.paths, &mut self.arguments]
        }

        /// Becomes either of the two, if that can be said by one; else both stay as they are.
        fn unite(&mut self, other: &mut Self) -> bool {
            if self.hidden != other.hidden {
                return false;
            }
            let mut differing = None;
            for (own, other) in self.lists().into_iter().zip(other.lists()) {
                let has_both = !own.is_empty() && !other.is_empty();
                match &differing {
                    _ if own == other => {}
                    None if has_both => differing = Some((own, other)),
                    _ => return false,
                }
            }
            if let Some((own, other)) = differing {
                own.append(other);
                own.sort_unstable();
                own.dedup();
            }
            true
        }
    }

    /// What a test of a fact needs. Its parts must all hold, so that the first one that says something will do.
    fn need_of(fact: &Fact, test: &Test) -> OwnNeed {
        let nothing = OwnNeed::default();
        if test.exists == Some(false) {
            return nothing;
        }
        let parts = &test.parts;
        match fact {
            Fact::Command => {
                OwnNeed { words: parts.iter().find_map(texts_of).unwrap_or_default(), ..nothing }
            }
            Fact::Program => match parts.iter().find_map(|part| programs_of(fact, part)) {
                Some(programs) => OwnNeed { programs, ..nothing },
                None => OwnNeed { words: parts.iter().find_map(texts_of).unwrap_or_default(), ..nothing },
            },
            Fact::Dynamic => OwnNeed { hidden: parts.iter().any(asks_for_hidden), ..nothing },
            Fact::Writes | Fact::Reads | Fact::Shows => {
                OwnNeed { paths: parts.iter().find_map(texts_of).unwrap_or_default(), ..nothing }
            }
            Fact::Input(_) => {
                OwnNeed { arguments: parts.iter().find_map(texts_of).unwrap_or_default(), ..nothing }
            }
            Fact::Tool | Fact::Prompt | Fact::Model | Fact::Text | Fact::Agent => nothing,
        }
    }

    /// What the patterns of a test need, each with its own words.
    fn needs_of_command(test: &Test) -> Vec<OwnNeed> {
        let whole = need_of(&Fact::Command, test);
        let patterns = test.parts.iter().find_map(|part| match part {
            TestPart::Patterns(patterns) if test.exists != Some(false) => Some(patterns),
            _ => None,
        });
        let Some(patterns) = patterns else { return vec![whole] };
        let texts = |pattern: &CommandPattern| pattern.required_texts().filter(|texts| are_plain(texts));
        let need = |pattern: &CommandPattern| OwnNeed {
            programs: pattern.programs().unwrap_or_default(),
            words: texts(pattern).unwrap_or_else(|| whole.words.clone()),
            ..OwnNeed::default()
        };
        patterns.iter().map(need).collect()
    }

    /// Whether only a line that hides something passes.
    fn asks_for_hidden(part: &TestPart) -> bool {
        matches!(part, TestPart::OneOf(values) if !values.contains(&Value::Bool(false)))
    }

    /// Texts of which a value must contain one; `None` where that cannot be told.
    fn texts_of(part: &TestPart) -> Option<Vec<String>> {
        let texts = match part {
            TestPart::OneOf(values) => {
                values.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?
            }
            TestPart::StartsWith(text) | TestPart::Contains(Value::String(text)) => vec![text.clone()],
            TestPart::Glob(glob) => glob.plain_parts()?,
            TestPart::Regex(regex) => regex.required_texts()?,
            _ => return None,
        };
        are_plain(&texts).then_some(texts)
    }

    /// Whether texts can be looked for as they are.
    fn are_plain(texts: &[String]) -> bool {
        texts.iter().all(|text| !text.is_empty() && text.is_ascii())
    }
}
