//! What a hook listens to, compiled once and bounded in time.

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: Option<String>,
    problem: Option<String>,
}

impl Matcher {
    /// Matches everything.
    pub fn any() -> Self {
        Self { text: None, problem: None }
    }

    /// Compiles a pattern.
    pub fn compile(text: &str) -> Self {
        let problem = regress::Regex::new(text).err().filter(|_| text != "*").map(|error| error.to_string());
        Self { text: Some(text.to_owned()), problem }
    }

    /// Compares exactly.
    pub fn exact(text: &str) -> Self {
        Self { text: Some(text.to_owned()), problem: None }
    }

    /// Why the text is no valid regular expression.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The matcher as configured; `None` where the settings give none.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}
