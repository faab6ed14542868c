//! The commands of a shell line, prepared for many patterns.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::rules::command::CommandPattern;
use crate::rules::glob::Initials;
use crate::rules::truth::Truth;
use hookrail_shell::{Cause, CommandFact, CommandWords, PathUse, ShellFacts, base_name};

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
    /// The names that its programs may be meant by; `None` if one of them cannot be determined.
    names: OnceLock<Option<Vec<String>>>,
    /// What the names of its commands and programs begin with.
    pub(crate) initials: Initials,
    /// All words of all commands, and whether none of them is missing.
    text: OnceLock<(String, bool)>,
}

/// One command of a shell line, with what is worked out of it when the first rule asks for it.
#[derive(Debug)]
pub(crate) struct LineCommand {
    /// The command as read.
    pub(crate) fact: CommandFact,
    /// What its program begins with, with and without its folders.
    initials: Initials,
    words: OnceLock<CommandWords>,
    joined: OnceLock<String>,
}

impl ShellLine {
    /// Prepares nothing yet: most lines are asked about by no rule.
    pub(super) fn new(facts: ShellFacts) -> Self {
        let ShellFacts { commands, programs, causes, paths } = facts;
        let commands: Vec<LineCommand> = commands.into_iter().map(LineCommand::new).collect();
        let of_commands = commands.iter().map(|command| command.initials);
        let initials = programs.iter().map(|name| Initials::of(name)).chain(of_commands);
        let initials = initials.fold(Initials::default(), Initials::or);
        Self { commands, programs, causes, paths, names: OnceLock::new(), initials, text: OnceLock::new() }
    }

    /// The names that its programs may be meant by, in lower case: as they are written, and without their folders; and
    /// those of the programs that it is known to start otherwise. `None` if one of them cannot be determined.
    pub(crate) fn names(&self) -> Option<&[String]> {
        let prepare = || {
            if self.is_dynamic() {
                return None;
            }
            let mut names: Vec<String> = self.programs.iter().map(|name| name.to_ascii_lowercase()).collect();
            for command in &self.commands {
                let name = command.fact.argv.first()?.as_deref()?.to_ascii_lowercase();
                let base = base_name(&name);
                if base.len() < name.len() {
                    names.push(base.to_owned());
                }
                names.push(name);
            }
            names.sort_unstable();
            names.dedup();
            Some(names)
        };
        self.names.get_or_init(prepare).as_deref()
    }

    /// Whether one of these programs may be started. A `*` at the end of one stands for any rest. On some systems case does
    /// not matter; it is enough to compare exactly what is left.
    pub(crate) fn may_start<'p>(&self, programs: impl Iterator<Item = &'p str>) -> bool {
        let Some(names) = self.names() else { return true };
        let mut programs = programs.filter(|program| self.initials.meet(Initials::of(program)));
        programs.any(|program| match program.strip_suffix('*') {
            Some(start) => names
                .iter()
                .any(|name| name.get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start))),
            None => names.iter().any(|name| name.eq_ignore_ascii_case(program)),
        })
    }

    /// Whether its words, or the names of its programs, may contain one of these texts. A word that cannot be determined
    /// may.
    pub(crate) fn may_contain(&self, parts: &[&str]) -> bool {
        let (text, is_complete) = self.text.get_or_init(|| {
            let mut text = String::new();
            let names = self.programs.iter().map(String::as_str);
            for part in self.commands.iter().map(LineCommand::joined).chain(names) {
                text.push_str(part);
                text.push('\n');
            }
            (text, self.commands.iter().all(|command| command.known_start().1))
        });
        !is_complete || parts.iter().any(|part| text.contains(part))
    }

    /// Whether a program name, or code handed to a shell, cannot be determined from the text.
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.causes.is_empty()
    }
}

impl LineCommand {
    fn new(fact: CommandFact) -> Self {
        let program = fact.argv.first().and_then(Option::as_deref).unwrap_or_default();
        let initials = Initials::of(program).or(Initials::of(base_name(program)));
        Self { fact, initials, words: OnceLock::new(), joined: OnceLock::new() }
    }

    /// Whether a pattern holds. The words are read only if its program is this one.
    pub(crate) fn matches(&self, pattern: &CommandPattern) -> Truth {
        if !self.initials.meet(pattern.initials) {
            return Truth::No;
        }
        self.matches_with(pattern, || self.words())
    }

    fn matches_with<'w>(&self, pattern: &CommandPattern, words: impl FnOnce() -> &'w CommandWords) -> Truth {
        let program = self.fact.argv.first().and_then(Option::as_deref);
        let ignore_case = cfg!(any(target_os = "macos", windows)) && !self.fact.builtin;
        pattern.matches(program, ignore_case, words)
    }

    /// Whether a pattern of what is let through holds. A word that may be the value of a flag that nobody knows proves
    /// nothing: in `gh repo delete x --hostname --help` the last word may be a host. Nor does a flag that another one takes
    /// back: `--dry-run=client --dry-run=none`.
    pub(crate) fn is_excused_by(&self, pattern: &CommandPattern) -> bool {
        self.matches(pattern) == Truth::Yes
            && !pattern.is_taken_back(self.words())
            && self
                .words()
                .without_possible_values()
                .is_none_or(|words| self.matches_with(pattern, || &words) == Truth::Yes)
    }

    fn words(&self) -> &CommandWords {
        self.words.get_or_init(|| CommandWords::of(&self.fact))
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
