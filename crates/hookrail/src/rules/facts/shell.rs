//! The commands of a shell line, prepared for many patterns.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::rules::command::{CommandPattern, TestedCommand};
use crate::rules::truth::Truth;
use hookrail_shell::{Cause, CommandFact, CommandWords, PathUse, ShellFacts};

/// Stands for a word that cannot be determined in the joined words of a command. No test that people write looks for it.
pub(crate) const UNKNOWN_WORD: char = '\u{1}';

/// What a shell line would do.
#[derive(Debug)]
pub(crate) struct ShellLine {
    /// Its commands, in the order of the text.
    pub(crate) commands: Vec<LineCommand>,
    /// The names of the programs among them.
    pub(crate) programs: BTreeSet<String>,
    /// Why a program name, or code handed to a shell, cannot be determined from the text.
    pub(crate) causes: BTreeSet<Cause>,
    /// The paths that the line reads or writes, as they are written.
    pub(crate) paths: Vec<PathUse>,
}

/// One command of a shell line, with what is worked out of it when the first rule asks for it.
#[derive(Debug)]
pub(crate) struct LineCommand {
    /// The command as read.
    pub(crate) fact: CommandFact,
    words: OnceLock<CommandWords>,
    joined: OnceLock<String>,
}

impl ShellLine {
    /// Prepares nothing yet: most lines are asked about by no rule.
    pub(super) fn new(facts: ShellFacts) -> Self {
        let ShellFacts { commands, programs, causes, paths } = facts;
        let unprepared = |fact| LineCommand { fact, words: OnceLock::new(), joined: OnceLock::new() };
        Self { commands: commands.into_iter().map(unprepared).collect(), programs, causes, paths }
    }

    /// The programs of its commands as they are written, and those that it is known to start otherwise; `None` for one
    /// that cannot be determined.
    pub(crate) fn program_names(&self) -> impl Iterator<Item = Option<&str>> {
        let of_commands =
            self.commands.iter().map(|command| command.fact.argv.first().and_then(Option::as_deref));
        of_commands.chain(self.programs.iter().map(|name| Some(name.as_str())))
    }

    /// Whether a program name, or code handed to a shell, cannot be determined from the text.
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.causes.is_empty()
    }
}

/// The last name of a program's path.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name)
}

impl LineCommand {
    /// Whether a pattern holds. The words are read only if its program is this one.
    pub(crate) fn matches(&self, pattern: &CommandPattern) -> Truth {
        let program = self.fact.argv.first().and_then(Option::as_deref);
        // On such systems a program is found under its name in any case.
        let ignore_case = cfg!(any(target_os = "macos", windows)) && !self.fact.builtin;
        if !pattern.accepts_program(program, ignore_case) {
            return Truth::No;
        }
        let words = self.words.get_or_init(|| CommandWords::of(&self.fact));
        pattern.matches(&TestedCommand { program, words, ignore_case })
    }

    /// Its words, joined by blanks, with a mark for each that cannot be determined.
    pub(crate) fn joined(&self) -> &str {
        self.joined.get_or_init(|| {
            let words = self.fact.argv.iter().map(|word| word.as_deref().unwrap_or("\u{1}"));
            words.collect::<Vec<_>>().join(" ")
        })
    }

    /// The known start of its words: all of them, or those before the first that cannot be determined.
    pub(crate) fn known_start(&self) -> (&str, bool) {
        let joined = self.joined();
        match self.fact.argv.iter().any(Option::is_none).then(|| joined.find(UNKNOWN_WORD)).flatten() {
            Some(end) => (joined.get(..end).unwrap_or_default(), false),
            None => (joined, true),
        }
    }

    /// Its words for people.
    pub(crate) fn shown(&self) -> String {
        self.joined().replace(UNKNOWN_WORD, "?")
    }
}
