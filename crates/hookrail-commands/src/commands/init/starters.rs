//! The starter scripts: for each event one that does something useful, in three languages, with comments
//! that explain what the event gives and takes. The shell ones need no JSON tool.
//!
//! The text about an event, and what follows it in each language, are files in `starters/`. The three versions of a script
//! decide alike; each reads all of stdin even where it needs none of it, because a hook that ends early can break the pipe
//! that its payload is written to.

use std::fmt::Write as _;

use hookrail::EventName;

use crate::cli::Language;

/// One event's starter: its scripts, and the text about the event.
pub(super) struct Starter {
    event: EventName,
    /// What the hook is called, after what it does.
    pub(super) name: &'static str,
    /// Paragraphs: when the event fires and what its hooks can do, its fields, what exit code 2 does, JSON answers and what
    /// they mean, and what this script does.
    about: &'static str,
    /// What follows the comment and the reading of stdin.
    sh: &'static str,
    python: &'static str,
    node: &'static str,
}

macro_rules! starter {
    ($event:ident, $name:literal, $file:literal) => {
        Starter {
            event: EventName::$event,
            name: $name,
            about: include_str!(concat!("starters/", $file, ".txt")),
            sh: include_str!(concat!("starters/", $file, ".sh")),
            python: include_str!(concat!("starters/", $file, ".py")),
            node: include_str!(concat!("starters/", $file, ".js")),
        }
    };
}

impl Starter {
    pub(super) fn of(event: EventName) -> Self {
        match event {
            EventName::BeforeTool => starter!(BeforeTool, "protect-env-files", "before_tool"),
            EventName::AfterTool => starter!(AfterTool, "remind-of-tests", "after_tool"),
            EventName::BeforeToolSelection => {
                starter!(BeforeToolSelection, "read-only-mode", "before_tool_selection")
            }
            EventName::BeforeModel => starter!(BeforeModel, "keep-private-keys", "before_model"),
            EventName::AfterModel => starter!(AfterModel, "ask-for-short-answers", "after_model"),
            EventName::BeforeAgent => starter!(BeforeAgent, "tell-the-date", "before_agent"),
            EventName::AfterAgent => starter!(AfterAgent, "no-open-todos", "after_agent"),
            EventName::SessionStart => starter!(SessionStart, "tell-git-branch", "session_start"),
            EventName::SessionEnd => starter!(SessionEnd, "list-sessions", "session_end"),
            EventName::PreCompress => starter!(PreCompress, "keep-transcript", "pre_compress"),
            EventName::Notification => starter!(Notification, "desktop-notification", "notification"),
        }
    }

    /// The matcher in the settings entry; `None` for every value. The command line can change files, too, which a rule sees
    /// and a look at `file_path` does not.
    pub(super) fn matcher(&self) -> Option<&'static str> {
        self.event.has_tool().then_some("write_file|replace")
    }

    /// What the hook does, as half a sentence.
    pub(super) fn does(&self) -> &'static str {
        self.about.trim_end().rsplit('\n').next().unwrap_or_default().trim_end_matches('.')
    }

    /// The script with its comment at the head, in the given language.
    pub(super) fn script(&self, language: Language) -> String {
        let (first_line, mark, body) = match language {
            Language::Sh => ("#!/bin/sh", "#", self.sh),
            Language::Python => ("#!/usr/bin/env python3", "#", self.python),
            Language::Node => ("#!/usr/bin/env node", "//", self.node),
        };
        let mut script = format!("{first_line}\n");
        for line in self.explanation().lines() {
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
    fn explanation(&self) -> String {
        let mut paragraphs = self.about.trim_end().split("\n\n");
        let mut next = || paragraphs.next().unwrap_or_default();
        let (about, fields, exit_two, answers, does) = (next(), next(), next(), next(), next());
        format!(
            "{} hooks run {about}\n\nThey get one JSON object on stdin:\n{fields}\n\n\
             They answer with their exit code:\n  \
             0  fine; stdout may hold a JSON object (below), plain text goes to the model\n  \
             2  {exit_two}\n  \
             any other: a warning, with stderr as its text; everything goes on\n\n\
             JSON that counts here:\n{answers}\n  \
             {{\"continue\": false, \"stopReason\": \"…\"}}\n      stops the agent\n\nThis one {does}",
            self.event
        )
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
