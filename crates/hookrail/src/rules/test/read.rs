//! Reading what is asked of a fact.

use hookrail_shell::Cause;
use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use serde_json::Value;

use super::{Test, TestPart};
use crate::diagnostic::DiagnosticCode;
use crate::matcher::Matcher;
use crate::rules::command::CommandPattern;
use crate::rules::fact::{Fact, ValueKind};
use crate::rules::glob::{Glob, GlobKind};
use crate::rules::problem::RuleProblem;
use crate::spelling::shortened;

/// The tests as they are written.
const TESTS: [&str; 11] = [
    "equals",
    "in",
    "glob",
    "regex",
    "flags",
    "contains",
    "startsWith",
    "exists",
    "outside",
    "pattern",
    "unless",
];

/// What is found while a rule is read.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    /// What keeps it from being read.
    pub(crate) problems: Vec<RuleProblem>,
    /// What is probably not meant.
    pub(crate) warnings: Vec<RuleProblem>,
}

/// Reads the tests of a fact, one of which must hold. What cannot be read is left out, with a problem.
pub(crate) fn read_tests(name: &str, fact: &Fact, value: &Ast<'_>, readings: &mut Readings) -> Vec<Test> {
    let mut reader = TestReader { name, kind: fact.kind(), readings };
    match value {
        Ast::Array(list) if list.elements.is_empty() => {
            let problem = RuleProblem::new(
                DiagnosticCode::EmptyTest,
                value,
                format!("`{name}` has an empty list: it can never hold"),
            );
            reader.readings.problems.push(problem.help("list what it may be"));
            Vec::new()
        }
        Ast::Array(list) => list.elements.iter().filter_map(|element| reader.test(element)).collect(),
        single => reader.test(single).into_iter().collect(),
    }
}

/// Reads the tests of one fact. `name` is the fact as written, for messages.
struct TestReader<'r> {
    name: &'r str,
    kind: ValueKind,
    readings: &'r mut Readings,
}

impl TestReader<'_> {
    fn problem(&mut self, problem: RuleProblem) {
        self.readings.problems.push(problem);
    }

    /// One test: a plain value or an object of parts.
    fn test(&mut self, value: &Ast<'_>) -> Option<Test> {
        let Ast::Object(object) = value else {
            let parts = vec![self.plain(value)?];
            return Some(Test { exists: None, parts, written: value.clone().into() });
        };
        if object.properties.is_empty() {
            let message = format!("`{}` has an empty test", self.name);
            self.problem(
                RuleProblem::new(DiagnosticCode::EmptyTest, value, message)
                    .help(format!("the tests are: {}", TESTS.join(", "))),
            );
            return None;
        }
        let mut test = Test { written: value.clone().into(), ..Test::default() };
        let mut is_readable = true;
        for (index, prop) in object.properties.iter().enumerate() {
            if object.properties.iter().take(index).any(|other| other.name.as_str() == prop.name.as_str()) {
                let message = format!("`{}` is given more than once", prop.name.as_str());
                self.problem(
                    RuleProblem::new(DiagnosticCode::RepeatedKey, &prop.name, message)
                        .help("join the two with `all`"),
                );
            }
            is_readable &= self.part(prop, object, &mut test).is_some();
        }
        is_readable.then_some(test)
    }

    /// A value without an operator: a pattern of a command, a glob of paths, else the value itself.
    fn plain(&mut self, value: &Ast<'_>) -> Option<TestPart> {
        match self.kind {
            ValueKind::Command => self.pattern(value).map(TestPart::Pattern),
            ValueKind::Path => self.glob(value, "a glob such as \"src/**\", an array or a test"),
            ValueKind::Text | ValueKind::Json | ValueKind::Flag => {
                Some(TestPart::OneOf(vec![self.scalar(value)?]))
            }
        }
    }

    fn pattern(&mut self, value: &Ast<'_>) -> Option<CommandPattern> {
        let text = self.text(value, "a command such as \"git push\", an array or a test")?;
        let never = |why: &str| {
            let message = format!("`{}` can never hold: {why}", self.name);
            let help = "ask for the facts of a line one by one, such as `program` and `dynamic`";
            RuleProblem::new(DiagnosticCode::NeverHolds, value, message).help(help)
        };
        // Most patterns have none of the signs that these two look for.
        let is_sign = |byte| matches!(byte, b'|' | b'&' | b';' | b'<' | b'>' | b'=' | b'"' | b'\'');
        let is_doubtful = text.bytes().any(is_sign);
        let contradiction = if is_doubtful { CommandPattern::contradiction(text) } else { None };
        if let Some(contradiction) = contradiction {
            let problem = never(&contradiction);
            self.problem(problem);
            return None;
        }
        if is_doubtful && let Some(doubt) = CommandPattern::doubt(text) {
            let warning = never(&doubt);
            self.readings.warnings.push(warning);
        }
        match CommandPattern::compile(text) {
            Ok(pattern) => Some(pattern),
            Err(problem) => {
                let message = format!("`{}` is not a command pattern: {problem}", self.name);
                let help = "begin with a program: \"git push --force\"";
                self.problem(RuleProblem::new(DiagnosticCode::InvalidPattern, value, message).help(help));
                None
            }
        }
    }

    /// One pattern or several, for `pattern` and `unless`.
    fn patterns(&mut self, operator: &str, value: &Ast<'_>) -> Option<Vec<CommandPattern>> {
        match value {
            Ast::Array(list) if list.elements.is_empty() => {
                let message = format!("`{operator}` lists no pattern");
                let problem = RuleProblem::new(DiagnosticCode::EmptyTest, value, message);
                self.problem(problem.help("list commands such as \"git push --dry-run\""));
                None
            }
            Ast::Array(list) => list.elements.iter().map(|element| self.pattern(element)).collect(),
            single => Some(vec![self.pattern(single)?]),
        }
    }

    /// One glob or several, for `unless`.
    fn globs(&mut self, value: &Ast<'_>) -> Option<Vec<Glob>> {
        let values: &[Ast<'_>] = match value {
            Ast::Array(list) => &list.elements,
            single => std::slice::from_ref(single),
        };
        let mut globs = Vec::new();
        for value in values {
            if let TestPart::Glob(glob) = self.glob(value, "a glob such as \"/tmp/**\", or several")? {
                globs.push(glob);
            }
        }
        Some(globs)
    }

    /// Reads one operator of a test object; `None`, with a problem, if it cannot be read or can never hold for this
    /// fact.
    fn part(&mut self, prop: &ObjectProp<'_>, all: &Object<'_>, test: &mut Test) -> Option<()> {
        let (operator, value) = (prop.name.as_str(), &prop.value);
        if !TESTS.contains(&operator) {
            let message = format!("`{}` is not a test", shortened(operator));
            self.problem(
                RuleProblem::new(DiagnosticCode::UnknownTest, &prop.name, message).suggest(operator, &TESTS),
            );
            return None;
        }
        let is_flag = self.kind == ValueKind::Flag && !matches!(operator, "equals" | "in" | "exists");
        let is_for_commands = matches!(operator, "pattern" | "unless");
        let other_kind = match operator {
            "outside" => self.kind != ValueKind::Path,
            "pattern" => self.kind != ValueKind::Command,
            "unless" => !matches!(self.kind, ValueKind::Command | ValueKind::Path),
            _ => false,
        };
        if is_flag || other_kind {
            let message = format!("`{operator}` can never hold for `{}`", self.name);
            let help = match self.kind {
                ValueKind::Flag => "it is `true`, `false` or a cause such as \"stdin\"",
                _ if is_for_commands => "it is for `command`",
                _ => "it is for paths: `writes` and `reads`",
            };
            self.problem(RuleProblem::new(DiagnosticCode::WrongType, &prop.name, message).help(help));
            return None;
        }
        match operator {
            "exists" => test.exists = Some(self.flag(operator, value)?),
            "outside" => test.parts.push(TestPart::Outside(self.flag(operator, value)?)),
            "equals" => test.parts.push(TestPart::OneOf(vec![self.scalar(value)?])),
            "in" => test.parts.push(TestPart::OneOf(self.list(value)?)),
            "glob" => test.parts.push(self.glob(value, "a string")?),
            "pattern" => test.parts.push(TestPart::AnyPattern(self.patterns(operator, value)?)),
            "unless" if self.kind == ValueKind::Path => {
                test.parts.push(TestPart::UnlessGlob(self.globs(value)?));
            }
            "unless" => test.parts.push(TestPart::Unless(self.patterns(operator, value)?)),
            "regex" => {
                let flags = all.properties.iter().find(|prop| prop.name.as_str() == "flags");
                let flags = match flags {
                    Some(prop) => self.regex_flags(&prop.value)?,
                    None => "",
                };
                test.parts.push(self.regex(value, flags)?);
            }
            // They are read with the expression that they belong to.
            "flags" if all.properties.iter().any(|prop| prop.name.as_str() == "regex") => {}
            "flags" => {
                let message = "`flags` has an effect only beside a `regex`";
                let problem = RuleProblem::new(DiagnosticCode::UnknownTest, &prop.name, message);
                self.problem(problem.help("write { \"regex\": \"…\", \"flags\": \"i\" }"));
                return None;
            }
            "contains" if self.kind == ValueKind::Json => {
                test.parts.push(TestPart::Contains(self.scalar(value)?));
            }
            "contains" => test.parts.push(TestPart::Contains(Value::from(self.some_text(operator, value)?))),
            _ => test.parts.push(TestPart::StartsWith(self.some_text(operator, value)?.to_owned())),
        }
        Some(())
    }

    /// A string, or a problem that says what was expected instead.
    fn text<'v>(&mut self, value: &'v Ast<'_>, expected: &str) -> Option<&'v str> {
        let text = value.as_string_lit().map(|literal| literal.value.as_ref());
        if text.is_none() {
            self.problem(RuleProblem::wrong_type(&format!("`{}`", self.name), expected, value));
        }
        text
    }

    /// A text that is looked for; an empty one is found everywhere.
    fn some_text<'v>(&mut self, operator: &str, value: &'v Ast<'_>) -> Option<&'v str> {
        let text = self.text(value, "tested with a string")?;
        if text.is_empty() {
            let message = format!("`{operator}` with an empty text always holds");
            let help = "say what it looks for, or ask { \"exists\": true }";
            self.readings
                .warnings
                .push(RuleProblem::new(DiagnosticCode::AlwaysHolds, value, message).help(help));
        }
        Some(text)
    }

    fn flag(&mut self, operator: &str, value: &Ast<'_>) -> Option<bool> {
        let flag = value.as_boolean_lit().map(|literal| literal.value);
        if flag.is_none() {
            self.problem(RuleProblem::wrong_type(&format!("`{operator}`"), "`true` or `false`", value));
        }
        flag
    }

    /// A value that the fact can be equal to.
    fn scalar(&mut self, value: &Ast<'_>) -> Option<Value> {
        let fits = match value {
            Ast::StringLit(text) if self.kind == ValueKind::Flag => {
                Cause::ALL.iter().any(|cause| cause.name() == text.value)
            }
            Ast::StringLit(_) => true,
            Ast::NumberLit(_) => self.kind == ValueKind::Json,
            Ast::BooleanLit(_) => matches!(self.kind, ValueKind::Json | ValueKind::Flag),
            Ast::Object(_) | Ast::Array(_) | Ast::NullKeyword(_) => false,
        };
        if fits {
            let slash = value.as_string_lit().is_some_and(|text| text.value.contains('/'));
            if self.name == "program" && slash {
                let message = "`program` can never hold: it is a name without its folder";
                let help = "write the last part of the path, such as \"rm\"";
                self.problem(RuleProblem::new(DiagnosticCode::NeverHolds, value, message).help(help));
                return None;
            }
            return Some(value.clone().into());
        }
        let expected = match self.kind {
            ValueKind::Flag => {
                "`true`, `false`, or causes: \"bound\", \"eval\", \"source\", \"stdin\", \"syntax\", \"variable\""
            }
            ValueKind::Json => "a string, a number, a boolean, an array of these or a test",
            ValueKind::Text | ValueKind::Command | ValueKind::Path => {
                "a string, an array of strings or a test"
            }
        };
        self.problem(RuleProblem::wrong_type(&format!("`{}`", self.name), expected, value));
        None
    }

    /// The values of `in`. An empty list is a problem: the test could never hold.
    fn list(&mut self, value: &Ast<'_>) -> Option<Vec<Value>> {
        let Ast::Array(list) = value else {
            self.problem(RuleProblem::wrong_type("`in`", "an array", value));
            return None;
        };
        if list.elements.is_empty() {
            let problem = RuleProblem::new(
                DiagnosticCode::EmptyTest,
                value,
                "`in` has nothing to compare with: it can never hold",
            );
            self.problem(problem.help("list what it may be"));
            return None;
        }
        list.elements.iter().map(|element| self.scalar(element)).collect()
    }

    /// A glob. For a path it is seen from the project; one that no resolved path can match is warned of.
    fn glob(&mut self, value: &Ast<'_>, expected: &str) -> Option<TestPart> {
        let text = self.text(value, expected)?;
        if text.is_empty() {
            let problem = RuleProblem::new(
                DiagnosticCode::EmptyTest,
                value,
                format!("the glob of `{}` is empty", self.name),
            );
            self.problem(problem.help("write the path as seen from the project, such as \"src/**\""));
            return None;
        }
        let kind = if self.kind == ValueKind::Command { GlobKind::Word } else { GlobKind::Path };
        // As with paths themselves, `./src/` is `src`. A home is not known here: `~` is for commands.
        let plain = match self.kind {
            ValueKind::Path => trimmed(text),
            _ => text,
        };
        if self.kind == ValueKind::Path
            && (text.starts_with("~/") || text.split('/').any(|name| name == ".."))
        {
            let message = format!("`{}` can never hold: paths are compared without `..` and `~`", self.name);
            let help = "write the path as seen from the project, or the absolute one";
            self.readings
                .warnings
                .push(RuleProblem::new(DiagnosticCode::NeverHolds, value, message).help(help));
        }
        match Glob::compile(plain, kind) {
            Ok(glob) => Some(TestPart::Glob(glob)),
            Err(problem) => {
                let message = format!("`{}` is not a glob: {problem}", shortened(text));
                let help = "`\\\\` before a sign takes it as it is";
                self.problem(RuleProblem::new(DiagnosticCode::InvalidGlob, value, message).help(help));
                None
            }
        }
    }

    /// A regular expression in the dialect of matchers, found anywhere in the text.
    fn regex(&mut self, value: &Ast<'_>, flags: &str) -> Option<TestPart> {
        let text = self.some_text("regex", value)?;
        let regex = Matcher::compile(text);
        // For a matcher `*` means all; as a regular expression it is none.
        let problem = if text == "*" { Some("nothing to repeat") } else { regex.problem() };
        let problem = problem.or_else(|| regex.is_too_large().then_some("it is too large"));
        if let Some(problem) = problem {
            let message = format!("`{}` is not a regular expression: {problem}", shortened(text));
            let help = "`\\\\` before a sign takes it as it is; `contains` looks for plain text";
            self.problem(RuleProblem::new(DiagnosticCode::InvalidRegex, value, message).help(help));
            return None;
        }
        if flags.is_empty() {
            return Some(TestPart::Regex(regex));
        }
        Some(TestPart::Regex(Matcher::compile(&format!("(?{flags}:{text})"))))
    }

    /// The flags of a regular expression: `i` ignores case, `m` and `s` mean what they mean in JavaScript.
    fn regex_flags<'v>(&mut self, value: &'v Ast<'_>) -> Option<&'v str> {
        let flags = self.text(value, "tested with flags such as \"i\"")?;
        let is_known = |(at, flag): (usize, char)| {
            "ims".contains(flag) && !flags.get(..at).unwrap_or_default().contains(flag)
        };
        if flags.char_indices().all(is_known) {
            return Some(flags);
        }
        let message = format!("`{}` are not flags of a regular expression", shortened(flags));
        let help = "`i` ignores case; `m` and `s` are allowed, too";
        self.problem(RuleProblem::new(DiagnosticCode::InvalidRegex, value, message).help(help));
        None
    }
}

/// A path glob without what says nothing.
fn trimmed(glob: &str) -> &str {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if glob.len() > 1 { glob.strip_suffix('/').unwrap_or(glob) } else { glob }
}
