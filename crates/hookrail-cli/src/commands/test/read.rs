//! Reads test files. Nothing is taken on trust: an unknown key, a mistyped one or a payload that does not fit its
//! event makes the file no test file, because a test that is passed over looks like one that passes.
//!
//! All problems of a file are collected with their places, so that a person mends a file in one go.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use hookrail::components::{TypedInput, parse_input};
use hookrail::{Diagnostic, EventName, JsonObject};
use hookrail_bridge::Agent;
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged as _;
use serde_json::Value;

use super::case::{Expect, TestCase, Word};
use super::source::Source;
use crate::display::near_words;
use crate::event_input::sample_fields;

/// The keys of a test.
/// The schema of `hookrail schema test` has the same, which a test compares.
pub(crate) const TEST_KEYS: [&str; 10] =
    ["name", "event", "tool", "input", "payload", "agent", "stdin", "files", "home", "expect"];

/// The keys of `expect`.
/// In the order in which differences are reported.
pub(crate) const EXPECT_KEYS: [&str; 8] =
    ["decision", "reason", "ran", "notRan", "input", "output", "errors", "maxMs"];

/// The tests of a file, or everything that is wrong with it.
/// One mistake refuses the whole file: half of its tests would say nothing about the other half.
pub(crate) fn parse(file: &Path, content: &str) -> Result<Vec<TestCase>, Vec<Diagnostic>> {
    let mut reader = Reader { source: Source::new(file, content) };
    let tests = match reader.source.parse() {
        Some(Ast::Array(array)) => {
            let tests = array.elements.into_iter().enumerate();
            tests.filter_map(|(index, test)| reader.test(index, test)).collect()
        }
        Some(other) => reader.mistyped("a test file", "an array of tests", &other).unwrap_or_default(),
        None => Vec::new(),
    };
    let problems = reader.source.problems;
    if problems.is_empty() { Ok(tests) } else { Err(problems) }
}

/// The file, and the problems so far.
struct Reader<'a> {
    source: Source<'a>,
}

/// An object whose keys are taken one by one.
/// The place of each key is kept, so that a problem points at the key and not at the test.
struct Keys<'a> {
    range: Range<usize>,
    props: Vec<(String, Range<usize>, Ast<'a>)>,
}

impl<'a> Keys<'a> {
    /// Takes a key away. What is left at the end was not read, and [`Reader::keys`] has refused what is unknown.
    fn take(&mut self, key: &str) -> Option<Ast<'a>> {
        let at = self.props.iter().position(|(name, ..)| name == key)?;
        Some(self.props.remove(at).2)
    }
}

impl<'a> Reader<'a> {
    /// One test. It is `None` as soon as anything in it is wrong, after as many problems as possible were noted.
    fn test(&mut self, index: usize, test: Ast<'a>) -> Option<TestCase> {
        let before = self.source.problems.len();
        let mut keys = self.keys("a test", test, &TEST_KEYS)?;
        let place = keys.range.start..keys.range.start + 1;
        let name = self.text(&mut keys, "name");
        if name.as_ref().is_none_or(|name| name.trim().is_empty()) && self.source.problems.len() == before {
            self.source.problem(place.clone(), "this test has no `name`".to_owned(), None);
        }
        let files = keys.take("files").and_then(|files| self.files(files));
        let scratch_home = match keys.take("home") {
            None => false,
            Some(Ast::StringLit(word)) if word.value == "scratch" => true,
            Some(other) => self.mistyped("`home`", "\"scratch\"", &other).unwrap_or_default(),
        };
        let expect = keys.take("expect");
        let input = if keys.props.iter().any(|(key, ..)| key == "agent" || key == "stdin") {
            self.agents_event(&mut keys)
        } else {
            self.event(&mut keys)
        };
        let event = input.as_ref().map(|input| input.event().name());
        let expect = expect.and_then(|expect| self.expect(expect, event));
        let line = self.source.line(keys.range.start);
        let case = TestCase { name: name?, line, index, input: input?, files, scratch_home, expect };
        (self.source.problems.len() == before).then_some(case)
    }

    /// An event in our own terms.
    /// Without `payload`, a sample is completed with `tool` and `input`: a test names only what it is about.
    fn event(&mut self, keys: &mut Keys<'a>) -> Option<TypedInput> {
        let place = keys.range.start..keys.range.start + 1;
        let Some(word) = keys.take("event") else {
            self.source.problem(place, "this test has no `event`".to_owned(), None);
            return None;
        };
        let range = span(&word);
        let event = match &word {
            Ast::StringLit(literal) => match literal.value.parse::<EventName>() {
                Ok(event) => event,
                Err(error) => {
                    self.source.problem(range, error.to_string(), None);
                    return None;
                }
            },
            other => return self.mistyped("`event`", "the name of an event", other),
        };
        let tool = self.text(keys, "tool");
        let input = keys.take("input").and_then(|input| self.object("`input`", input));
        let payload = keys.take("payload");
        let is_tool_event = matches!(event, EventName::BeforeTool | EventName::AfterTool);
        let fields = match payload {
            Some(payload) if tool.is_some() || input.is_some() => {
                let message = "`payload` beside `tool` and `input`: only one of them can count".to_owned();
                self.source.problem(span(&payload), message, None);
                return None;
            }
            Some(payload) => {
                let at = span(&payload);
                let fields = self.object("`payload`", payload)?;
                return self.typed(event, fields, at);
            }
            None if (tool.is_some() || input.is_some()) && !is_tool_event => {
                let message = format!("`tool` and `input` are for tool events, not for {event}");
                let help = Some("`payload` takes the event's own fields".to_owned());
                self.source.problem(range, message, help);
                return None;
            }
            None => sample_fields(event, tool.as_deref(), input),
        };
        self.typed(event, fields, range)
    }

    /// Another agent's payload, read as the bridge reads it.
    /// Such a test shows what a real payload of that agent leads to, tool names and all.
    fn agents_event(&mut self, keys: &mut Keys<'a>) -> Option<TypedInput> {
        let place = keys.range.start..keys.range.start + 1;
        for key in ["tool", "input", "payload"] {
            if let Some(extra) = keys.take(key) {
                let message = format!("`{key}` beside `agent`: `stdin` has everything");
                self.source.problem(span(&extra), message, None);
                return None;
            }
        }
        let event = self.text(keys, "event");
        let (Some(agent), Some(stdin)) = (keys.take("agent"), keys.take("stdin")) else {
            let message = "`agent` and `stdin` belong together, and one of them is missing".to_owned();
            self.source.problem(place, message, None);
            return None;
        };
        let agent: Agent = match &agent {
            Ast::StringLit(word) => match word.value.parse() {
                Ok(agent) => agent,
                Err(error) => {
                    self.source.problem(span(&agent), format!("{error}"), None);
                    return None;
                }
            },
            other => return self.mistyped("`agent`", "the name of an agent", other),
        };
        let at = span(&stdin);
        let bytes = match stdin {
            Ast::StringLit(text) => text.value.into_owned().into_bytes(),
            Ast::Object(_) => Value::from(stdin).to_string().into_bytes(),
            other => return self.mistyped("`stdin`", "the agent's payload, an object or its text", &other),
        };
        // Our own name of the event says nothing to the agent's table, and is compared below.
        let ours = event.as_deref().and_then(|event| event.parse::<EventName>().ok());
        let mut read = match hookrail_bridge::read(agent, event.as_deref(), &bytes) {
            Ok(read) => read,
            Err(error) => {
                self.source.problem(at, format!("`stdin` says nothing to {}: {error}", agent.title()), None);
                return None;
            }
        };
        let Some(mapped) = read.event else {
            let message =
                format!("{}'s event `{}` has no counterpart here", agent.title(), read.native_event);
            self.source.problem(at, message, None);
            return None;
        };
        if ours.is_some_and(|ours| ours != mapped) {
            let message = format!("`stdin` is a payload of {mapped}, not of the `event` above");
            self.source.problem(at, message, None);
            return None;
        }
        // The folder of the machine where the payload was taken is not the project that is tested.
        read.payload.shift_remove("cwd");
        let mut input = self.typed(mapped, read.payload, at)?;
        input.base.also_matches = read.also_matches;
        Some(input)
    }

    /// Reads fields as the event's payload. The help names the schema, because the engine's error names one field only.
    fn typed(&mut self, event: EventName, fields: JsonObject, at: Range<usize>) -> Option<TypedInput> {
        match parse_input(event, Value::Object(fields)) {
            Ok(input) => Some(input),
            Err(error) => {
                let help = Some(format!("`hookrail schema input {event}` prints what belongs in it"));
                self.source.problem(at, format!("the payload does not fit {event}: {error}"), help);
                None
            }
        }
    }

    /// What is expected. A key that can never be fulfilled for the event is refused here and not left to fail later.
    fn expect(&mut self, expect: Ast<'a>, event: Option<EventName>) -> Option<Expect> {
        let mut keys = self.keys("`expect`", expect, &EXPECT_KEYS)?;
        let decision = keys.take("decision").and_then(|word| {
            let known = word.as_string_lit().and_then(|text| Word::parse(&text.value));
            known.or_else(|| self.mistyped("`decision`", "\"allow\", \"block\", \"ask\" or \"stop\"", &word))
        });
        let reason = self.text(&mut keys, "reason");
        let ran = self.names(&mut keys, "ran");
        let not_ran = self.names(&mut keys, "notRan");
        let input = keys.take("input").and_then(|input| {
            if !matches!(event, None | Some(EventName::BeforeTool | EventName::AfterTool)) {
                let message = "`input` is expected of tool events only".to_owned();
                self.source.problem(span(&input), message, None);
                return None;
            }
            self.object("`input`", input)
        });
        let output = keys.take("output").and_then(|output| self.object("`output`", output));
        let errors = keys.take("errors").and_then(|flag| {
            let word = flag.as_boolean_lit().map(|flag| flag.value);
            word.or_else(|| self.mistyped("`errors`", "true or false", &flag))
        });
        let max_ms = keys.take("maxMs").and_then(|number| {
            let read = number.as_number_lit().and_then(|number| number.value.parse::<u64>().ok());
            read.filter(|most| *most > 0)
                .or_else(|| self.mistyped("`maxMs`", "a whole number of milliseconds above zero", &number))
        });
        Some(Expect { decision, reason, ran, not_ran, input, output, errors, max_ms })
    }

    /// The files of a temporary project. A path that leads out of it is refused.
    fn files(&mut self, files: Ast<'a>) -> Option<Vec<(PathBuf, String)>> {
        let Ast::Object(object) = files else {
            return self.mistyped("`files`", "an object of paths and texts", &files);
        };
        let mut list = Vec::new();
        for prop in object.properties {
            let name = prop.name.range();
            let path = PathBuf::from(prop.name.as_str());
            let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
            if !is_inside || path.as_os_str().is_empty() || prop.name.as_str().contains('\0') {
                let message = "a path of `files` is relative and stays inside of the project".to_owned();
                self.source.problem(name.start..name.end, message, None);
                continue;
            }
            match prop.value {
                Ast::StringLit(text) => list.push((path, text.value.into_owned())),
                other => return self.mistyped("a file", "its content as a text", &other),
            }
        }
        Some(list)
    }

    /// An object with known keys only.
    /// A key that is unknown is a problem: a typo in `expect` would otherwise expect nothing, and pass.
    fn keys(&mut self, what: &str, value: Ast<'a>, known: &[&str]) -> Option<Keys<'a>> {
        let Ast::Object(Object { range, properties }) = value else {
            return self.mistyped(what, "an object", &value);
        };
        let mut keys = Keys { range: range.start..range.end, props: Vec::new() };
        for prop in properties {
            let name = prop.name.as_str().to_owned();
            let place = prop.name.range();
            if !known.contains(&name.as_str()) {
                let near = near_words(&name, known.iter().copied())
                    .first()
                    .map(|near| format!("did you mean `{near}`?"));
                let help = near.or_else(|| Some(format!("known keys: {}", known.join(", "))));
                let message = format!("{what} has no key `{name}`");
                self.source.problem(place.start..place.end, message, help);
                continue;
            }
            keys.props.push((name, place.start..place.end, prop.value));
        }
        Some(keys)
    }

    /// The text of a key; `None` if the key is missing, or after a problem.
    fn text(&mut self, keys: &mut Keys<'a>, key: &str) -> Option<String> {
        match keys.take(key)? {
            Ast::StringLit(text) => Some(text.value.into_owned()),
            other => self.mistyped(&format!("`{key}`"), "a text", &other),
        }
    }

    /// A list of hook names. After a problem it is empty, which does no harm because the file is refused.
    fn names(&mut self, keys: &mut Keys<'a>, key: &str) -> Vec<String> {
        let Some(list) = keys.take(key) else { return Vec::new() };
        let what = format!("`{key}`");
        let Ast::Array(array) = list else {
            return self.mistyped(&what, "an array of hook names", &list).unwrap_or_default();
        };
        let mut names = Vec::new();
        for element in array.elements {
            match element {
                Ast::StringLit(text) => names.push(text.value.into_owned()),
                other => return self.mistyped(&what, "an array of hook names", &other).unwrap_or_default(),
            }
        }
        names
    }

    /// An object as JSON, comments left out.
    fn object(&mut self, what: &str, value: Ast<'a>) -> Option<JsonObject> {
        if !matches!(value, Ast::Object(_)) {
            return self.mistyped(what, "an object", &value);
        }
        match Value::from(value) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Notes a value of a wrong type; there is nothing to go on with.
    fn mistyped<T>(&mut self, what: &str, expected: &str, found: &Ast<'_>) -> Option<T> {
        let found_word = match found {
            Ast::StringLit(text) => format!("\"{}\"", text.value.chars().take(40).collect::<String>()),
            Ast::NumberLit(number) => number.value.chars().take(40).collect(),
            Ast::BooleanLit(flag) => flag.value.to_string(),
            Ast::Object(_) => "an object".to_owned(),
            Ast::Array(_) => "an array".to_owned(),
            Ast::NullKeyword(_) => "null".to_owned(),
        };
        self.source.problem(span(found), format!("{what}: expected {expected}, found {found_word}"), None);
        None
    }
}

/// Where a value stands, in bytes.
fn span(value: &Ast<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

#[cfg(test)]
mod tests;
