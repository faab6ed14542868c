//! An error of the operating system as a value.

use std::{fmt, io};

/// What an [`io::Error`] says, in a form that can be copied and compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoError {
    kind: io::ErrorKind,
    code: Option<i32>,
    text: String,
}

impl IoError {
    /// What kind of error it is.
    pub const fn kind(&self) -> io::ErrorKind {
        self.kind
    }

    /// The number that the operating system gave it, if it comes from there.
    pub const fn code(&self) -> Option<i32> {
        self.code
    }
}

impl From<&io::Error> for IoError {
    fn from(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error(), text: error.to_string() }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for IoError {}
