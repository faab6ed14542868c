//! Findings about settings, as data: `check` prints all of them at once, the engine logs them.

mod code;

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

pub use code::DiagnosticCode;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What it is about.
    pub code: DiagnosticCode,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding without a place and without advice.
    pub fn new(code: DiagnosticCode, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, place: None, message: message.into(), help: None }
    }

    /// A finding that keeps something from working.
    pub(crate) fn error(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// The same at a place.
    pub(crate) fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// The same with advice.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// Something does not take effect.
    Error,
}

/// Where a finding is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Bytes of the file that the finding is about.
    #[serde(skip)]
    pub span: std::ops::Range<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
