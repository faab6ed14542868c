//! What a hook listens to, compiled once and bounded in time.

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: Option<String>,
}

impl Matcher {
    /// Matches everything.
    pub fn any() -> Self {
        Self { text: None }
    }

    /// The matcher as configured; `None` where the settings give none.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}
