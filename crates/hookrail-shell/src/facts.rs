//! What a shell line would do, as far as its text shows.

use std::collections::BTreeSet;

/// The facts of one shell line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellFacts {
    /// Every command that would run, wherever it stands, launchers included, in the order of the text.
    pub commands: Vec<CommandFact>,
    /// The names (last path component) of the programs among them; builtins are commands, not programs.
    pub programs: BTreeSet<String>,
    /// Whether a program name, or code handed to a shell, cannot be determined from the text.
    pub dynamic: bool,
    /// The paths that the line reads or writes, as they are written.
    pub paths: Vec<PathUse>,
}

/// One command that a shell line would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFact {
    /// The words after quoting, braces and literal variables; `None` for a word that cannot be determined.
    pub argv: Vec<Option<String>>,
    /// The names of the launchers that it stands behind, the outermost first.
    pub via: Vec<String>,
    /// Whether the shell runs it itself instead of starting a program.
    pub builtin: bool,
}

/// One path that a shell line reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// What happens to it.
    pub access: Access,
    /// The path as written, after quoting; `None` where it cannot be determined.
    pub path: Option<String>,
    /// What a relative path is relative to.
    pub base: PathBase,
    /// Whether it counts only where the folder above it exists: `cp a b` writes `b/a` if `b` is a folder.
    pub only_in_folder: bool,
}

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Its content is read.
    Read,
    /// It is created, changed, moved or removed.
    Write,
}

/// What a relative path of a shell line is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathBase {
    /// The directory in which the line is run, then these literal `cd` operands one after another.
    CallDirectory(Vec<String>),
    /// A directory that cannot be determined from the text.
    Unknown,
}
