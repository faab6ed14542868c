//! Reading what is asked of a fact.

use hookrail_shell::Cause;
use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use serde_json::Value;

use super::{Test, TestPart};
use crate::diagnostic::DiagnosticCode;
use crate::matcher::Matcher;
use crate::rules::command::CommandPattern;
use crate::rules::fact::{Fact, ValueKind};
use crate::rules::glob::{Glob, GlobKind};
use crate::rules::problem::{RuleFindings, suggestion};
use crate::spelling::shortened;

/// The tests as they are written.
#[rustfmt::skip] // A list is read as a block.
const TESTS: [&str; 11] = [
    "equals", "in", "glob", "regex", "flags", "contains", "startsWith", "exists", "outside", "pattern", "unless",
];

/// Reads the tests of a fact, one of which must hold. What cannot be read is left out, with a problem.
pub(crate) fn read_tests(name: &str, fact: &Fact, value: &Ast<'_>, findings: &mut RuleFindings) -> Vec<Test> {
    let tests = elements(value);
    if tests.is_empty() {
        let message = format!("`{name}` has an empty list: it can never hold");
        findings.error(DiagnosticCode::EmptyTest, value, &message, "list what it may be");
    }
    let mut reader = TestReader { name, kind: fact.kind(), findings };
    tests.iter().filter_map(|element| reader.test(element)).collect()
}

/// The elements of a list, or a single value.
fn elements<'v, 'a>(value: &'v Ast<'a>) -> &'v [Ast<'a>] {
    match value {
        Ast::Array(list) => &list.elements,
        single => std::slice::from_ref(single),
    }
}

/// Reads the tests of one fact. `name` is the fact as written, for messages.
struct TestReader<'r> {
    name: &'r str,
    kind: ValueKind,
    findings: &'r mut RuleFindings,
}

impl TestReader<'_> {
    fn refuse<T>(&mut self, code: DiagnosticCode, at: &impl Ranged, message: &str, help: &str) -> Option<T> {
        self.findings.refuse(code, at, message, help)
    }

    /// A single value, or each of a list; an empty one could never hold.
    fn each<T>(
        &mut self,
        value: &Ast<'_>,
        empty: &str,
        help: &str,
        mut read: impl FnMut(&mut Self, &Ast<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let elements = elements(value);
        if elements.is_empty() {
            return self.refuse(DiagnosticCode::EmptyTest, value, empty, help);
        }
        elements.iter().map(|element| read(self, element)).collect()
    }

    /// One test: a plain value or an object of parts.
    fn test(&mut self, value: &Ast<'_>) -> Option<Test> {
        let written = value.clone().into();
        let Ast::Object(object) = value else {
            return Some(Test { exists: None, parts: vec![self.plain(value)?], written });
        };
        if object.properties.is_empty() {
            let message = format!("`{}` has an empty test", self.name);
            let help = format!("the tests are: {}", TESTS.join(", "));
            return self.refuse(DiagnosticCode::EmptyTest, value, &message, &help);
        }
        let mut test = Test { written, ..Test::default() };
        self.findings.repeated_keys(object, |_| "join the two with `all`".to_owned());
        let mut is_readable = true;
        for prop in &object.properties {
            is_readable &= self.part(prop, object, &mut test).is_some();
        }
        is_readable.then_some(test)
    }

    /// A value without an operator: a pattern of a command, a glob of paths, else the value itself.
    fn plain(&mut self, value: &Ast<'_>) -> Option<TestPart> {
        Some(match self.kind {
            ValueKind::Command => TestPart::Patterns(vec![self.pattern(value)?]),
            ValueKind::Path => {
                TestPart::Glob(self.glob(value, "a glob such as \"src/**\", an array or a test")?)
            }
            ValueKind::Text | ValueKind::Json | ValueKind::Flag => TestPart::OneOf(vec![self.scalar(value)?]),
        })
    }

    /// Reads one operator of a test object; `None`, with a problem, if it cannot be read or can never hold for this
    /// fact.
    fn part(&mut self, prop: &ObjectProp<'_>, all: &Object<'_>, test: &mut Test) -> Option<()> {
        let (operator, value) = (prop.name.as_str(), &prop.value);
        if !TESTS.contains(&operator) {
            let message = format!("`{}` is not a test", shortened(operator));
            let help = suggestion(operator, &TESTS);
            return self.refuse(DiagnosticCode::UnknownTest, &prop.name, &message, &help);
        }
        let fits = match operator {
            "equals" | "in" | "exists" => true,
            _ if self.kind == ValueKind::Flag => false,
            "outside" => self.kind == ValueKind::Path,
            "pattern" => self.kind == ValueKind::Command,
            "unless" => matches!(self.kind, ValueKind::Command | ValueKind::Path),
            _ => true,
        };
        if !fits {
            let message = format!("`{operator}` can never hold for `{}`", self.name);
            let help = match operator {
                _ if self.kind == ValueKind::Flag => "it is `true`, `false` or a cause such as \"stdin\"",
                "pattern" | "unless" => "it is for `command`",
                _ => "it is for paths: `writes` and `reads`",
            };
            return self.refuse(DiagnosticCode::WrongType, &prop.name, &message, help);
        }
        let other = |name: &str| all.properties.iter().find(|prop| prop.name.as_str() == name);
        test.parts.push(match operator {
            "exists" => {
                test.exists = Some(self.flag(operator, value)?);
                return Some(());
            }
            // They are read with the expression that they belong to.
            "flags" if other("regex").is_some() => return Some(()),
            "flags" => {
                let message = "`flags` has an effect only beside a `regex`";
                let help = "write { \"regex\": \"…\", \"flags\": \"i\" }";
                return self.refuse(DiagnosticCode::UnknownTest, &prop.name, message, help);
            }
            "regex" => {
                let flags = other("flags").map_or(Some(""), |prop| self.regex_flags(&prop.value))?;
                TestPart::Regex(self.regex(value, flags)?)
            }
            "outside" => TestPart::Outside(self.flag(operator, value)?),
            "equals" => TestPart::OneOf(vec![self.scalar(value)?]),
            "in" if value.as_array().is_none() => return self.findings.wrong_type("`in`", "an array", value),
            "in" => {
                let empty = "`in` has nothing to compare with: it can never hold";
                TestPart::OneOf(self.each(value, empty, "list what it may be", Self::scalar)?)
            }
            "glob" => TestPart::Glob(self.glob(value, "a string")?),
            "unless" if self.kind == ValueKind::Path => {
                let expected = "a glob such as \"/tmp/**\", or several";
                let globs = elements(value).iter().map(|value| self.glob(value, expected));
                TestPart::UnlessGlob(globs.collect::<Option<_>>()?)
            }
            "pattern" | "unless" => {
                let (empty, help) = (
                    format!("`{operator}` lists no pattern"),
                    "list commands such as \"git push --dry-run\"",
                );
                let patterns = self.each(value, &empty, help, Self::pattern)?;
                if operator == "pattern" { TestPart::Patterns(patterns) } else { TestPart::Unless(patterns) }
            }
            "contains" if self.kind == ValueKind::Json => TestPart::Contains(self.scalar(value)?),
            "contains" => TestPart::Contains(Value::from(self.some_text(operator, value)?)),
            _ => TestPart::StartsWith(self.some_text(operator, value)?.to_owned()),
        });
        Some(())
    }

    fn pattern(&mut self, value: &Ast<'_>) -> Option<CommandPattern> {
        let text = self.text(value, "a command such as \"git push\", an array or a test")?;
        // Most patterns have none of the signs that these two look for.
        let is_sign = |byte| b"|&;<>=\"'".contains(&byte);
        let doubtful = text.bytes().any(is_sign).then_some(text);
        let name = self.name;
        let never = |why: String| format!("`{name}` can never hold: {why}");
        let help = "ask for the facts of a line one by one, such as `program` and `dynamic`";
        if let Some(message) = doubtful.and_then(CommandPattern::contradiction).map(never) {
            return self.refuse(DiagnosticCode::NeverHolds, value, &message, help);
        }
        if let Some(message) = doubtful.and_then(CommandPattern::doubt).map(never) {
            self.findings.warn(DiagnosticCode::NeverHolds, value, &message, help);
        }
        match CommandPattern::compile(text) {
            Ok(pattern) => Some(pattern),
            Err(problem) => {
                let message = format!("`{}` is not a command pattern: {problem}", self.name);
                let help = "begin with a program: \"git push --force\"";
                self.refuse(DiagnosticCode::InvalidPattern, value, &message, help)
            }
        }
    }

    /// A string, or a problem that says what was expected instead.
    fn text<'v>(&mut self, value: &'v Ast<'_>, expected: &str) -> Option<&'v str> {
        match value {
            Ast::StringLit(literal) => Some(&literal.value),
            other => self.findings.wrong_type(&format!("`{}`", self.name), expected, other),
        }
    }

    /// A text that is looked for; an empty one is found everywhere.
    fn some_text<'v>(&mut self, operator: &str, value: &'v Ast<'_>) -> Option<&'v str> {
        let text = self.text(value, "tested with a string")?;
        if text.is_empty() {
            let message = format!("`{operator}` with an empty text always holds");
            let help = "say what it looks for, or ask { \"exists\": true }";
            self.findings.warn(DiagnosticCode::AlwaysHolds, value, &message, help);
        }
        Some(text)
    }

    fn flag(&mut self, operator: &str, value: &Ast<'_>) -> Option<bool> {
        match value {
            Ast::BooleanLit(flag) => Some(flag.value),
            other => self.findings.wrong_type(&format!("`{operator}`"), "`true` or `false`", other),
        }
    }

    /// A value that the fact can be equal to.
    fn scalar(&mut self, value: &Ast<'_>) -> Option<Value> {
        match (value, self.kind) {
            (Ast::StringLit(text), _) if self.name == "program" && text.value.contains('/') => {
                let message = "`program` can never hold: it is a name without its folder";
                let help = "write the last part of the path, such as \"rm\"";
                return self.refuse(DiagnosticCode::NeverHolds, value, message, help);
            }
            (Ast::StringLit(text), ValueKind::Flag)
                if !Cause::ALL.iter().any(|cause| cause.name() == text.value) => {}
            (Ast::StringLit(_), _)
            | (Ast::NumberLit(_), ValueKind::Json)
            | (Ast::BooleanLit(_), ValueKind::Json | ValueKind::Flag) => return Some(value.clone().into()),
            _ => {}
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
        self.findings.wrong_type(&format!("`{}`", self.name), expected, value)
    }

    /// A glob. For a path it is seen from the project; one that no resolved path can match is warned of.
    fn glob(&mut self, value: &Ast<'_>, expected: &str) -> Option<Glob> {
        let text = self.text(value, expected)?;
        if text.is_empty() {
            let message = format!("the glob of `{}` is empty", self.name);
            let help = "write the path as seen from the project, such as \"src/**\"";
            return self.refuse(DiagnosticCode::EmptyTest, value, &message, help);
        }
        let is_path = self.kind == ValueKind::Path;
        if is_path && (text.starts_with("~/") || text.split('/').any(|name| name == "..")) {
            let message = format!("`{}` can never hold: paths are compared without `..` and `~`", self.name);
            let help = "write the path as seen from the project, or the absolute one";
            self.findings.warn(DiagnosticCode::NeverHolds, value, &message, help);
        }
        let kind = if self.kind == ValueKind::Command { GlobKind::Word } else { GlobKind::Path };
        // As with paths themselves, `./src/` is `src`. A home is not known here: `~` is for commands.
        let compiled = Glob::compile(if is_path { trimmed(text) } else { text }, kind);
        compiled.map_or_else(
            |problem| {
                let message = format!("`{}` is not a glob: {problem}", shortened(text));
                let help = "`\\\\` before a sign takes it as it is";
                self.refuse(DiagnosticCode::InvalidGlob, value, &message, help)
            },
            Some,
        )
    }

    /// A regular expression in the dialect of matchers, found anywhere in the text.
    fn regex(&mut self, value: &Ast<'_>, flags: &str) -> Option<Matcher> {
        let text = self.some_text("regex", value)?;
        let regex = Matcher::compile(text);
        // For a matcher `*` means all; as a regular expression it is none.
        let problem = if text == "*" { Some("nothing to repeat") } else { regex.problem() };
        let problem = problem.or_else(|| regex.is_too_large().then_some("it is too large"));
        if let Some(problem) = problem {
            let message = format!("`{}` is not a regular expression: {problem}", shortened(text));
            let help = "`\\\\` before a sign takes it as it is; `contains` looks for plain text";
            return self.refuse(DiagnosticCode::InvalidRegex, value, &message, help);
        }
        Some(if flags.is_empty() { regex } else { Matcher::compile(&format!("(?{flags}:{text})")) })
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
        self.refuse(DiagnosticCode::InvalidRegex, value, &message, help)
    }
}

/// A path glob without what says nothing.
fn trimmed(glob: &str) -> &str {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if glob.len() > 1 { glob.strip_suffix('/').unwrap_or(glob) } else { glob }
}
