//! The starter scripts: for each event one that does something useful, in three languages, with comments
//! that explain what the event gives and takes. The shell ones need no JSON tool.

mod agent;
mod model;
mod session;
mod tool;

use std::fmt::Write as _;

use hookrail::EventName;

use crate::cli::Language;

/// One event's starter: its scripts, and the text about the event.
pub(super) struct Starter {
    /// What the hook is called, after what it does.
    pub(super) name: &'static str,
    /// The matcher in the settings entry; `None` for every value.
    pub(super) matcher: Option<&'static str>,
    /// When the event fires and what its hooks can do.
    about: &'static str,
    /// The event's own fields.
    fields: &'static [(&'static str, &'static str)],
    /// JSON answers and what they mean.
    answers: &'static [(&'static str, &'static str)],
    /// What exit code 2 does.
    exit_two: &'static str,
    /// What this script does.
    does: &'static str,
    /// What follows the comment and the reading of stdin, in a file of its own for each language.
    sh: &'static str,
    python: &'static str,
    node: &'static str,
    /// Another way to fire it, and what that shows.
    pub(super) try_also: Option<(&'static str, &'static str)>,
    /// Whether the agent applies its answers only when the settings ask for it.
    pub(super) needs_apply: bool,
}

impl Starter {
    /// What the hook does, as half a sentence.
    pub(super) fn does(&self) -> &'static str {
        self.does.trim_end_matches('.')
    }

    pub(super) fn of(event: EventName) -> &'static Self {
        match event {
            EventName::BeforeTool => &tool::BEFORE_TOOL,
            EventName::AfterTool => &tool::AFTER_TOOL,
            EventName::BeforeToolSelection => &tool::BEFORE_TOOL_SELECTION,
            EventName::BeforeModel => &model::BEFORE_MODEL,
            EventName::AfterModel => &model::AFTER_MODEL,
            EventName::BeforeAgent => &agent::BEFORE_AGENT,
            EventName::AfterAgent => &agent::AFTER_AGENT,
            EventName::SessionStart => &session::SESSION_START,
            EventName::SessionEnd => &session::SESSION_END,
            EventName::PreCompress => &session::PRE_COMPRESS,
            EventName::Notification => &session::NOTIFICATION,
        }
    }

    /// The script with its comment at the head, in the given language.
    pub(super) fn script(&self, event: EventName, language: Language) -> String {
        let (first_line, mark, body) = match language {
            Language::Sh => ("#!/bin/sh", "#", self.sh),
            Language::Python => ("#!/usr/bin/env python3", "#", self.python),
            Language::Node => ("#!/usr/bin/env node", "//", self.node),
        };
        let mut script = format!("{first_line}\n");
        for line in self.explanation(event).lines() {
            let space = if line.is_empty() { "" } else { " " };
            let _ = writeln!(script, "{mark}{space}{line}");
        }
        let helper = match language {
            // Most of them pick texts out of the payload.
            Language::Sh if body.contains("$(field ") => SH_FIELD,
            _ => "",
        };
        let (before, after) = match language {
            Language::Sh => ("\ninput=$(cat)\n", ""),
            Language::Python => ("", ""),
            Language::Node => ("", NODE_MAIN),
        };
        script + before + helper + "\n" + body + after
    }

    /// The comment at the head of a script. It repeats the protocol for one event, so that a person who reads only the
    /// script can change it.
    fn explanation(&self, event: EventName) -> String {
        let mut text = format!("{event} hooks run {}\n\nThey get one JSON object on stdin:\n", self.about);
        let common = [
            ("session_id, cwd, timestamp", "as for every event"),
            ("transcript_path", "the session's log; may be empty"),
        ];
        let width = self.fields.iter().chain(&common).map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, meaning) in self.fields.iter().chain(&common) {
            let _ = writeln!(text, "  {name:width$}  {meaning}");
        }
        let _ = writeln!(text, "\nThey answer with their exit code:");
        let _ =
            writeln!(text, "  0  fine; stdout may hold a JSON object (below), plain text goes to the model");
        let _ = writeln!(text, "  2  {}", self.exit_two);
        let _ = writeln!(text, "  any other: a warning, with stderr as its text; everything goes on");
        let _ = writeln!(text, "\nJSON that counts here:");
        let stop = [("{\"continue\": false, \"stopReason\": \"…\"}", "stops the agent")];
        for (json, meaning) in self.answers.iter().chain(&stop) {
            let _ = writeln!(text, "  {json}\n      {meaning}");
        }
        let _ = write!(text, "\nThis one {}", self.does);
        text
    }
}

/// Only for the shell: `jq` may not be there.
const SH_FIELD: &str = r#"
# Prints a text of the payload, if it holds neither quotes nor backslashes. For more use jq, or Python.
field() {
  printf '%s' "$input" | sed -n 's/.*"'"$1"'":"\([^"\\]*\)".*/\1/p'
}
"#;

/// Reads all of stdin before `main` is called.
const NODE_MAIN: &str = r#"
let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (text += chunk));
process.stdin.on("end", () => main(JSON.parse(text)));
"#;
