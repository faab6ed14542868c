//! What a test expects, and the files of its temporary project.

use std::path::{Component, PathBuf};

use hookrail::EventName;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged as _;

use super::super::case::{DecisionWord, Expect};
use super::{EXPECT_KEYS, TestFileReader, span};

impl<'a> TestFileReader<'a> {
    /// What is expected. A key that can never be fulfilled for the event is refused here and not left to fail later.
    pub(super) fn expect(&mut self, expect: Ast<'a>, event: Option<EventName>) -> Option<Expect> {
        let mut keys = self.keys("`expect`", expect, &EXPECT_KEYS)?;
        let decision = keys.take("decision").and_then(|word| {
            let known = word.as_string_lit().and_then(|text| DecisionWord::parse(&text.value));
            known.or_else(|| self.mistyped("`decision`", "\"allow\", \"block\", \"ask\" or \"stop\"", &word))
        });
        let reason = self.text(&mut keys, "reason");
        let ran = self.names(&mut keys, "ran");
        let not_ran = self.names(&mut keys, "notRan");
        let input = keys.take("input").and_then(|input| {
            if event.is_some_and(|event| !event.has_tool()) {
                let message = "`input` is expected of tool events only";
                return self.source.problem(span(&input), message, None);
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
    pub(super) fn files(&mut self, files: Ast<'a>) -> Option<Vec<(PathBuf, String)>> {
        let Ast::Object(object) = files else {
            return self.mistyped("`files`", "an object of paths and texts", &files);
        };
        let mut list = Vec::new();
        for prop in object.properties {
            let name = prop.name.range();
            let path = PathBuf::from(prop.name.as_str());
            let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
            if !is_inside || path.as_os_str().is_empty() || prop.name.as_str().contains('\0') {
                let message = "a path of `files` is relative and stays inside of the project";
                self.source.problem::<()>(name.start..name.end, message, None);
                continue;
            }
            match prop.value {
                Ast::StringLit(text) => list.push((path, text.value.into_owned())),
                other => return self.mistyped("a file", "its content as a text", &other),
            }
        }
        Some(list)
    }
}
