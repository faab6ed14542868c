//! Why a hook was not started.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::IoError;
use crate::hook::{Level, UnreadableRule};

/// Why a hook was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailure {
    /// Its working directory cannot be entered.
    NoDirectory {
        /// The directory.
        directory: PathBuf,
        /// Why not.
        error: IoError,
    },
    /// Its working directory is something else.
    NotADirectory {
        /// What should be a directory.
        directory: PathBuf,
    },
    /// The system does not execute its program: there is none, it is open for writing, …
    Program {
        /// The program.
        program: PathBuf,
        /// The error of the system; its kind distinguishes the cases.
        error: IoError,
    },
    /// Descriptors, processes or memory had run out for as long as the hook may take.
    Scarce {
        /// The program.
        program: PathBuf,
        /// How long it was waited for.
        within: Duration,
        /// The error of the system; its kind shows what had run out.
        error: IoError,
    },
    /// The hook input has no JSON form.
    InputNotWritten {
        /// What went wrong.
        error: IoError,
    },
    /// All hooks of the event had to be done before this one could begin.
    NoTimeLeft,
    /// It is a hook of type `plugin`.
    Plugin,
    /// It is a rule, and was given to code that starts programs.
    Rule,
    /// It is a rule that cannot be read.
    UnreadableRule(UnreadableRule),
    /// It is not a hook of the project, and its relative command would run a file of the folder that it runs in.
    RunsProjectFile {
        /// Where the hook was configured.
        level: Level,
        /// The file.
        file: PathBuf,
    },
}

impl StartFailure {
    /// Whether its text says by itself that the hook was not started.
    pub(super) const fn is_sentence(&self) -> bool {
        match self {
            Self::UnreadableRule(_) | Self::RunsProjectFile { .. } => true,
            Self::NoDirectory { .. }
            | Self::NotADirectory { .. }
            | Self::Program { .. }
            | Self::Scarce { .. }
            | Self::InputNotWritten { .. }
            | Self::NoTimeLeft
            | Self::Plugin
            | Self::Rule => false,
        }
    }
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDirectory { directory, error } => {
                write!(f, "cannot enter the working directory `{}`: {error}", directory.display())
            }
            Self::NotADirectory { directory } => {
                write!(f, "the working directory `{}` is not a directory", directory.display())
            }
            Self::Program { program, error } => write!(f, "cannot start `{}`: {error}", program.display()),
            Self::Scarce { program, within, error } => {
                write!(f, "cannot start `{}` within {within:?}: {error}", program.display())
            }
            Self::InputNotWritten { error } => write!(f, "cannot write the hook input as JSON: {error}"),
            Self::NoTimeLeft => f.write_str("there was no time left to run it"),
            Self::Plugin => f.write_str("hooks of type `plugin` cannot be run yet"),
            Self::Rule => f.write_str("a rule is not a program"),
            Self::UnreadableRule(why) => write!(f, "{why}"),
            Self::RunsProjectFile { level, file } => write!(
                f,
                "a hook of the {level} settings must not run `{}`, a file of the folder that it runs in; write an \
                 absolute path",
                file.display()
            ),
        }
    }
}
