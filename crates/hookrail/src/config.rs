//! Settings: where they are, how they are read, how levels merge.

/// How much hooks may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many hooks run at once; the rest queue.
    pub max_concurrent: usize,
    /// How much of each output stream is kept; `None` means 16 MiB or twice the payload, whichever is more.
    pub max_output_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_concurrent: 64, max_output_bytes: None }
    }
}

/// Which variables of the environment hooks do not see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Whether variables are removed at all.
    pub enabled: bool,
    /// Names that stay although they look like credentials.
    pub allowed: Vec<String>,
    /// Names that go although they do not.
    pub blocked: Vec<String>,
}
