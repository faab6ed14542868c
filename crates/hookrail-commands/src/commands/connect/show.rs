//! The difference that an edit makes, for a person to read.

use std::borrow::Cow;
use std::path::Path;

use hookrail::settings::jsonc::PARSE_OPTIONS;
use hookrail_bridge::SettingsEdit;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::Value;

use crate::context::Context;
use crate::display::shown;
use crate::terminal::difference::Difference;
use crate::terminal::printer::{Printer, escape_line};

/// An edit, and the text before it.
pub(crate) struct Changed {
    pub(crate) before: Option<String>,
    pub(crate) edit: SettingsEdit,
}

impl Changed {
    /// Prints a line about the file, the difference if it is asked for, and notes about it.
    pub(crate) fn show(
        &self,
        file: &Path,
        is_toml: bool,
        dry_run: bool,
        with_difference: bool,
        context: &Context,
        printer: &mut Printer,
    ) -> anyhow::Result<()> {
        let name = shown(file, context);
        let mut lines = self.edit.summary.iter().map(|line| escape_line(line));
        let line = lines.next().unwrap_or_default();
        let verb = match (self.edit.is_changed, dry_run, self.edit.new_text.is_some()) {
            (false, _, _) => "",
            (true, false, true) => "wrote ",
            (true, true, true) => "would write ",
            (true, false, false) => "removed ",
            (true, true, false) => "would remove ",
        };
        printer.data(format_args!("{verb}{name}: {line}"))?;
        if self.edit.is_changed && with_difference {
            self.show_difference(&name, is_toml, printer)?;
        }
        for line in lines {
            printer.message(line);
        }
        Ok(())
    }

    fn show_difference(&self, name: &str, is_toml: bool, printer: &mut Printer) -> anyhow::Result<()> {
        let (before, after) =
            (self.before.as_deref().unwrap_or(""), self.edit.new_text.as_deref().unwrap_or(""));
        let (before, after) = readable(before, after, is_toml);
        printer.data(format_args!("--- {name}\n+++ {name}"))?;
        for hunk in Difference::of(&before, &after).hunks(1) {
            for line in hunk.lines() {
                printer.data(escape_line(line))?;
            }
        }
        if matches!(after, Cow::Owned(_)) {
            printer.message("the lines are broken up here for reading; in the file they stay as they are");
        }
        Ok(())
    }
}

/// Both texts as they are, or, where an entry went into a line that holds other values too, with each value on a line of
/// its own: a difference of such lines shows everything as removed and everything as added.
fn readable<'a>(before: &'a str, after: &'a str, is_toml: bool) -> (Cow<'a, str>, Cow<'a, str>) {
    let is_shared = Difference::of(before, after).added().any(is_crowded);
    if is_toml || !is_shared {
        return (before.into(), after.into());
    }
    (broken_up(before).into(), broken_up(after).into())
}

/// Whether a line holds more than one value, or the brackets of one besides: by the signs outside of its texts.
fn is_crowded(line: &str) -> bool {
    let unescaped = line.replace("\\\\", "").replace("\\\"", "");
    let outside: String = unescaped.split('"').step_by(2).collect();
    let outside = outside.replace(char::is_whitespace, "").replace("{}", "").replace("[]", "");
    let outside = outside.trim_end_matches(',');
    let is_alone = outside.starts_with(['}', ']']) || outside.ends_with(['{', '[']);
    outside.matches(['{', '[', ',', ']', '}']).count() > usize::from(is_alone)
}

/// A JSON text with a line for each value, without its comments. What is not JSON stays as it is.
fn broken_up(text: &str) -> String {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok();
    let value = parsed.and_then(|parsed| parsed.value).map(Value::from);
    value.map_or_else(|| text.to_owned(), |value| format!("{value:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_on_a_line_of_its_own() {
        for (text, expected) in [
            (r#"{"a":1}"#, "{\n  \"a\": 1\n}\n"),
            ("{ \"a\" : [ ] , \"b\":{} }\n", "{\n  \"a\": [],\n  \"b\": {}\n}\n"),
            ("{\"a\":\"x,{\\\"y\", // no\n\"b\":2}", "{\n  \"a\": \"x,{\\\"y\",\n  \"b\": 2\n}\n"),
            ("", ""),
        ] {
            assert_eq!(broken_up(text), expected, "{text}");
        }
    }

    #[test]
    fn breaking_up_twice_changes_nothing_and_keeps_the_value() {
        let text = r#"{ "hooks": { "Stop": [ { "x": "a b" }, /* c */ ], "e": [[],[1,2]] }, "n": -1.5e3 }"#;
        let once = broken_up(text);
        assert_eq!(broken_up(&once), once);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        let text = r#"{"hooks":{"Stop":[{"x":"a b"}],"e":[[],[1,2]]},"n":-1.5e3}"#;
        assert_eq!(value(&broken_up(text)).ok(), value(text).ok());
    }

    #[test]
    fn a_line_is_crowded_by_what_is_outside_of_its_texts() {
        for line in ["{\"a\":1}", "\"a\": 1, \"b\": 2", "\"y\": 1 }", "}, {", "\"x\": [1]"] {
            assert!(is_crowded(line), "{line}");
        }
        for line in ["\"a\": 1,", "\"x\": {", "},", "]", "\"a\": [],", "\"c\": \"a, {b}; \\\"[c\\\\\"", ""] {
            assert!(!is_crowded(line), "{line}");
        }
    }

    #[test]
    fn lines_of_their_own_are_shown_as_they_are() {
        let (before, after) = ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
        assert_eq!(readable(before, after, false), (before.into(), after.into()));
        assert!(matches!(readable(before, after, false).1, Cow::Borrowed(_)));
        assert!(matches!(readable("{\"a\":1}", "{\"a\":1,\"b\":[2]}", false).1, Cow::Owned(_)));
    }
}
