//! Matchers made of plain words, which most are: `write_file`, `read|write`, `^(a|b)$`, `mcp__.*`.

/// Plain words, one of which must be in the name, at its start, at its end, or be the name.
#[derive(Debug)]
pub(super) struct Words {
    any_of: Vec<Box<str>>,
    at_start: bool,
    at_end: bool,
}

impl Words {
    /// Reads a pattern that says no more than this; `None` for all others.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        let (pattern, at_start) = pattern.strip_prefix('^').map_or((pattern, false), |rest| (rest, true));
        let (pattern, at_end) = pattern.strip_suffix('$').map_or((pattern, false), |rest| (rest, true));
        // Where nothing has to follow, `.*` may as well match nothing.
        let pattern = if at_end { pattern } else { pattern.strip_suffix(".*").unwrap_or(pattern) };
        let pattern = if at_start { pattern } else { pattern.strip_prefix(".*").unwrap_or(pattern) };
        let inner = pattern.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let words = inner.map_or(pattern, |inner| inner.strip_prefix("?:").unwrap_or(inner));
        if inner.is_none() && (at_start || at_end) && words.contains('|') {
            return None; // Each anchor belongs to one of the branches only.
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:/|".contains(&byte);
        words.bytes().all(is_plain).then(|| Self {
            any_of: words.split('|').map(Box::from).collect(),
            at_start,
            at_end,
        })
    }

    /// Names that are compared as a whole.
    pub(super) fn exactly<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { any_of: names.into_iter().map(Box::from).collect(), at_start: true, at_end: true }
    }

    /// What every name contains.
    pub(super) fn any() -> Self {
        Self { any_of: vec![Box::from("")], at_start: false, at_end: false }
    }

    /// The words.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(super) fn texts(&self) -> Vec<String> {
        self.any_of.iter().map(ToString::to_string).collect()
    }

    /// Words are compared as UTF-8, which gives the same answer as UTF-16 units because they are ASCII.
    pub(super) fn is_match(&self, name: &str) -> bool {
        self.any_of.iter().map(AsRef::as_ref).any(|word: &str| match (self.at_start, self.at_end) {
            (true, true) => name == word,
            (true, false) => name.starts_with(word),
            (false, true) => name.ends_with(word),
            (false, false) => name.contains(word),
        })
    }
}
