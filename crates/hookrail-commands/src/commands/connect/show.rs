//! The difference that an edit makes, for a person to read.

use std::borrow::Cow;
use std::path::Path;

use crate::context::Context;
use crate::display::shown;
use crate::terminal::difference::Difference;
use crate::terminal::printer::{Printer, escape_line};

/// The result of an edit: the text before and after, and what changed.
pub(crate) struct Changed {
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) differs: bool,
    pub(crate) summary: Vec<String>,
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
        let mut lines = self.summary.iter().map(|line| escape_line(line));
        let line = lines.next().unwrap_or_default();
        let verb = match (self.differs, dry_run, self.after.is_some()) {
            (false, _, _) => "",
            (true, false, true) => "wrote ",
            (true, true, true) => "would write ",
            (true, false, false) => "removed ",
            (true, true, false) => "would remove ",
        };
        printer.data(format_args!("{verb}{name}: {line}"))?;
        if self.differs && with_difference {
            self.show_difference(&name, is_toml, printer)?;
        }
        for line in lines {
            printer.message(line);
        }
        Ok(())
    }

    fn show_difference(&self, name: &str, is_toml: bool, printer: &mut Printer) -> anyhow::Result<()> {
        let (before, after) = (self.before.as_deref().unwrap_or(""), self.after.as_deref().unwrap_or(""));
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
    let is_crowded = |line: &str| broken_up(line).trim().lines().count() > 1;
    let is_shared = Difference::of(before, after).added().any(is_crowded);
    if is_toml || !is_shared {
        return (before.into(), after.into());
    }
    (broken_up(before).into(), broken_up(after).into())
}

/// A JSON text with a line for each value. Texts and comments in it stay whole; brackets that hold nothing stay together.
fn broken_up(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = token_length(rest);
        let (token, behind) = rest.split_at(length);
        rest = behind;
        match sign {
            '{' | '[' => {
                lines.push(sign);
                depth += 1;
                if !behind.trim_start().starts_with(['}', ']']) {
                    new_line(&mut lines, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !lines.trim_end().ends_with(['{', '[']) {
                    new_line(&mut lines, depth);
                }
                lines.push(sign);
            }
            ',' => {
                lines.push(sign);
                new_line(&mut lines, depth);
            }
            ':' => lines.push_str(": "),
            '\n' => new_line(&mut lines, depth),
            _ if sign.is_whitespace() => {}
            '/' => {
                lines.push(' ');
                lines.push_str(token);
                lines.push(' ');
            }
            _ => lines.push_str(token),
        }
    }
    lines.truncate(lines.trim_end().len());
    lines.push('\n');
    lines
}

/// How long the text, comment or sign is with which this begins.
fn token_length(rest: &str) -> usize {
    let end_of = |mark: &str| rest.get(2..).and_then(|inside| inside.find(mark)).map(|at| at + 2);
    if rest.starts_with('"') {
        let mut is_escaped = false;
        for (at, sign) in rest.char_indices().skip(1) {
            match sign {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => return at + 1,
                _ => {}
            }
        }
        return rest.len();
    }
    if rest.starts_with("//") {
        return end_of("\n").unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return end_of("*/").map_or(rest.len(), |at| at + 2);
    }
    rest.chars().next().map_or(0, char::len_utf8)
}

/// Begins a line, unless one has just begun.
fn new_line(lines: &mut String, depth: usize) {
    lines.truncate(lines.trim_end_matches([' ', '\n']).len());
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_on_a_line_of_its_own() {
        for (text, expected) in [
            (r#"{"a":1}"#, "{\n  \"a\": 1\n}\n"),
            ("{ \"a\" : [ ] , \"b\":{} }\n", "{\n  \"a\": [],\n  \"b\": {}\n}\n"),
            (
                "{\"a\":\"x,{\\\"y\", // no, {comma}\n\"b\":/* , */2}",
                "{\n  \"a\": \"x,{\\\"y\",\n   // no, {comma}\n  \"b\":  /* , */ 2\n}\n",
            ),
            ("", "\n"),
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
    fn lines_of_their_own_are_shown_as_they_are() {
        let (before, after) = ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
        assert_eq!(readable(before, after, false), (before.into(), after.into()));
        assert!(matches!(readable(before, after, false).1, Cow::Borrowed(_)));
        assert!(matches!(readable("{\"a\":1}", "{\"a\":1,\"b\":[2]}", false).1, Cow::Owned(_)));
    }
}
