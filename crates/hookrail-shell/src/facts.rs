//! What a shell line would do, as far as its text shows.

use std::collections::BTreeSet;

/// The facts of one shell line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellFacts {
    /// Every command that would run, in any part of the text, launchers included, in the order of the text.
    pub commands: Vec<CommandFact>,
    /// The names (last path component) of the programs among them; builtins are commands, not programs.
    pub programs: BTreeSet<String>,
    /// Why a program name, or code handed to a shell, cannot be determined from the text; empty if all of it can.
    pub causes: BTreeSet<Cause>,
    /// The paths that the line reads or writes, as they are written.
    pub paths: Vec<PathUse>,
}

impl ShellFacts {
    /// The facts of a text that is not read at all.
    pub fn unreadable(cause: Cause) -> Self {
        Self { causes: BTreeSet::from([cause]), ..Self::default() }
    }

    /// Whether a program name, or code handed to a shell, cannot be determined from the text.
    pub fn is_dynamic(&self) -> bool {
        !self.causes.is_empty()
    }
}

/// Why it cannot be determined what a line runs. In the order of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A limit of this reader was reached, and a part of the text was not read.
    Bound,
    /// Text that is not known is handed to `eval`, `trap`, `-c`, an alias or the like.
    Eval,
    /// A shell reads a file whose content the line does not show.
    Source,
    /// A shell reads code from a pipe or from its standard input.
    Stdin,
    /// The text does not parse, or means something else to another shell.
    Syntax,
    /// The name of a program comes from a variable, a substitution or a pattern.
    Variable,
}

impl Cause {
    /// All causes, in the order of their names.
    pub const ALL: [Self; 6] =
        [Self::Bound, Self::Eval, Self::Source, Self::Stdin, Self::Syntax, Self::Variable];

    /// The name in rules and in the output of programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Eval => "eval",
            Self::Source => "source",
            Self::Stdin => "stdin",
            Self::Syntax => "syntax",
            Self::Variable => "variable",
        }
    }
}

/// One command that a shell line would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFact {
    /// The words after quoting, braces and literal variables; `None` for a word that cannot be determined.
    pub argv: Vec<Option<String>>,
    /// The places of words that cannot be determined and are known not to be flags: their beginning is.
    pub operands: Vec<usize>,
    /// The names of the launchers that start it, the outermost first.
    pub via: Vec<String>,
    /// Whether the shell runs it itself instead of starting a program.
    pub builtin: bool,
}

/// One path that a shell line reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// What happens to it.
    pub access: Access,
    /// The path as written, after quoting, or its known beginning; `None` where nothing of it can be determined.
    pub path: Option<String>,
    /// How much of it `path` is.
    pub extent: Extent,
    /// What a relative path is relative to.
    pub base: PathBase,
    /// Whether it counts only where the folder above it exists: `cp a b` writes `b/a` if `b` is a folder.
    pub only_in_folder: bool,
}

/// How much of a path is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// Its beginning: the rest cannot be determined (`/etc/$X`).
    Beginning,
    /// Its beginning, and it stands for everything that begins so (`{}` of `find /etc -exec`).
    Everything,
}

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Its content is read.
    Read,
    /// Its content is used by a program that shows nothing of it: a key, the environment of a container.
    Use,
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
