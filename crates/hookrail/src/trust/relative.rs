//! Words of a command that start a program or are handed to an interpreter, and that are relative to the
//! folder in which the command runs.
//!
//! Hooks of the user, the system and extensions run in the project's folder and need no approval. One whose command
//! is `./guard.sh` would run any file of that name in the project, so it is not started.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::hook::{Hook, HookKind, Level};
use crate::order;
use hookrail_shell::{Role, SimpleCommand, Word, outline};

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 17] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "pypy3", "node", "nodejs",
    "deno", "bun", "ruby", "perl", "php",
];

/// Options with which an interpreter runs something else than a script.
const DO_NOT_READ_SCRIPT: [&str; 7] = ["-c", "-m", "-e", "-p", "-r", "--eval", "--print"];

/// Programs and builtins behind which a command begins anew.
const PREFIXES: [&str; 6] = ["exec", "command", "env", "nohup", "time", "nice"];

/// The files that a hook from outside of the project must not find in the folder that it runs in, because it names them
/// by relative paths. Values that a host gave are not checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct RelativeFiles(Box<[String]>);

impl RelativeFiles {
    /// Reads the command of a hook.
    pub(crate) fn of(hook: &Hook) -> Self {
        match &hook.kind {
            HookKind::Command(command)
                if hook.origin.level != Level::Project && !hook.origin.file.as_os_str().is_empty() =>
            {
                Self(relative_words(command).into_iter().map(|word| word.text).collect())
            }
            _ => Self::default(),
        }
    }

    /// The first of them that is in this folder. Looks at the disk, if there are any.
    pub(crate) fn found_in(&self, folder: &Path) -> Option<PathBuf> {
        self.0.iter().map(|text| folder.join(text)).find(|place| place.is_file())
    }
}

/// A plain word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelativeWord {
    /// Its place, quotes included.
    pub(crate) range: Range<usize>,
    /// What it says.
    pub(crate) text: String,
}

/// The relative paths that a command starts or hands to an interpreter, in the order of the text.
pub(crate) fn relative_words(command: &str) -> Vec<RelativeWord> {
    let mut found: Vec<RelativeWord> = outline(command).commands.iter().flat_map(relative_words_of).collect();
    order::sort_by_key(&mut found, |word| word.range.start);
    found
}

/// The same of one simple command.
fn relative_words_of(command: &SimpleCommand) -> Vec<RelativeWord> {
    let is_before_program = |text: &str| {
        let is_assignment = text.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        PREFIXES.contains(&text) || is_assignment
    };
    let mut found = Vec::new();
    let mut take = |word: &Word, text: String| {
        if !text.starts_with(['/', '~']) {
            found.push(RelativeWord { range: word.span.clone(), text });
        }
    };
    let words = command.words.iter().map(|word| (word, word.literal()));
    let mut words = words.skip_while(|(_, text)| text.as_deref().is_some_and(is_before_program));
    // What cannot be determined may be any program, and so what follows it any word.
    let Some((word, Some(program))) = words.next() else { return found };
    let name = program.rsplit('/').next().unwrap_or_default();
    let reads_script = INTERPRETERS.contains(&name) || matches!(program.as_str(), "." | "source");
    if program.contains('/') {
        take(word, program);
    }
    if !reads_script {
        return found;
    }
    for (word, text) in words {
        match text {
            Some(text) if DO_NOT_READ_SCRIPT.contains(&text.as_str()) => return found,
            Some(text) if text != "run" && !text.starts_with('-') => {
                take(word, text);
                return found;
            }
            _ => {}
        }
    }
    // An interpreter without a script runs what it is fed.
    for (_, word) in command.redirections.iter().filter(|(role, _)| *role == Role::Read) {
        if let Some(text) = word.literal() {
            take(word, text);
        }
    }
    found
}

#[cfg(test)]
mod tests;
