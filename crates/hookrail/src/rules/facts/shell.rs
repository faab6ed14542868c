//! The commands of a shell line, prepared for many patterns.

use std::cell::OnceCell;

use crate::rules::command::{Command, CommandPattern};
use crate::rules::truth::Truth;
use crate::rules::words::CommandWords;
use crate::shell::{CommandFact, ShellFacts};

/// Stands for a word that cannot be told in the joined words of a command. No test that people write looks for it.
pub(crate) const UNKNOWN_WORD: char = '\u{1}';

/// What a shell line would do.
#[derive(Debug)]
pub(crate) struct ShellLine {
    /// The facts as read.
    pub(crate) facts: ShellFacts,
    prepared: Vec<Prepared>,
}

/// What is worked out of one command when the first rule asks for it.
#[derive(Debug, Default)]
struct Prepared {
    words: OnceCell<CommandWords>,
    joined: OnceCell<String>,
}

/// One command of a shell line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandFacts<'f> {
    fact: &'f CommandFact,
    prepared: &'f Prepared,
}

impl ShellLine {
    /// Prepares nothing yet: most lines are asked about by no rule.
    pub(super) fn new(facts: ShellFacts) -> Self {
        let prepared = facts.commands.iter().map(|_| Prepared::default()).collect();
        Self { facts, prepared }
    }

    /// The commands, in the order of the text.
    pub(crate) fn commands(&self) -> impl Iterator<Item = CommandFacts<'_>> + Clone {
        self.facts.commands.iter().zip(&self.prepared).map(|(fact, prepared)| CommandFacts { fact, prepared })
    }
}

impl<'f> CommandFacts<'f> {
    /// Whether a pattern holds. The words are read only if its program is this one.
    pub(crate) fn matches(self, pattern: &CommandPattern) -> Truth {
        let program = self.fact.argv.first().and_then(Option::as_deref);
        // On such systems a program is found under its name in any case.
        let ignore_case = cfg!(any(target_os = "macos", windows)) && !self.fact.builtin;
        if !pattern.accepts_program(program, ignore_case) {
            return Truth::No;
        }
        let words = self.prepared.words.get_or_init(|| CommandWords::read(&self.fact.argv));
        pattern.matches(&Command { program, words, ignore_case })
    }

    /// Its words, joined by blanks, with a mark for each that cannot be told.
    pub(crate) fn joined(self) -> &'f str {
        self.prepared.joined.get_or_init(|| {
            let words = self.fact.argv.iter().map(|word| word.as_deref().unwrap_or("\u{1}"));
            words.collect::<Vec<_>>().join(" ")
        })
    }

    /// The known start of its words: all of them, or those before the first that cannot be told.
    pub(crate) fn known_start(self) -> (&'f str, bool) {
        let joined = self.joined();
        match self.fact.argv.iter().any(Option::is_none).then(|| joined.find(UNKNOWN_WORD)).flatten() {
            Some(end) => (joined.get(..end).unwrap_or_default(), false),
            None => (joined, true),
        }
    }

    /// Its words for people.
    pub(crate) fn shown(self) -> String {
        self.joined().replace(UNKNOWN_WORD, "?")
    }
}
