//! A word after its expansion.

use super::facts::Extent;
use super::state::Value;

/// A path that a word which cannot be determined probably is, or begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Likely {
    /// The path, or its beginning.
    pub(super) path: String,
    /// How much of it that is.
    pub(super) extent: Extent,
}

impl Likely {
    /// A path of which all is known.
    pub(super) fn whole(path: impl Into<String>) -> Self {
        Self { path: path.into(), extent: Extent::Whole }
    }

    /// What a path of which all is known begins with: without its quotes a `~` would look like a home directory.
    pub(super) fn unquoted(path: &str, tilde: bool) -> String {
        if path.starts_with('~') && !tilde { format!("./{path}") } else { path.to_owned() }
    }

    /// The same where a leading `~` means a home directory after all.
    pub(super) fn without_dot(self) -> Self {
        match self.path.strip_prefix("./~") {
            Some(rest) => Self { path: format!("~{rest}"), ..self },
            None => self,
        }
    }
}

/// One word that a command would be given, as far as it can be determined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a word")]
pub(super) struct Field {
    /// The word, or `None` where it cannot be determined. Then it can also be several words, or none.
    pub(super) text: Option<String>,
    /// What it would be if a variable that the text does not set is unset (`${X:-rm}`).
    pub(super) guess: Option<String>,
    /// What it is as code for a shell, with a variable in place of what another program puts there.
    pub(super) code: Option<String>,
    /// The paths that it probably is: it begins with text that is known (`/etc/$X`), or with a folder that the text
    /// does not name (`$HOME/x`).
    pub(super) likely: Vec<Likely>,
    /// Whether the shell would look for files with such names.
    pub(super) glob: bool,
    /// Whether it begins with a `~` that means a home directory.
    pub(super) tilde: bool,
    /// Whether it is one word even though it cannot be determined which.
    pub(super) single: bool,
    /// Whether it is the name of a pipe to other commands (`<(…)`).
    pub(super) process: bool,
    /// The variable that it would set as an assignment whose value cannot be determined (`NAME=$X`).
    pub(super) variable: Option<String>,
}

impl Field {
    /// A word that is known.
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// A word that cannot be determined.
    pub(super) fn unknown() -> Self {
        Self::default()
    }

    /// A word of which the paths are known that it may be.
    pub(super) fn likely(likely: Vec<Likely>) -> Self {
        Self { likely, single: true, ..Self::default() }
    }

    /// The word, if it is known.
    pub(super) fn as_str(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The path that it is, as far as that is known.
    pub(super) fn path(&self) -> Option<Likely> {
        match (&self.text, self.likely.as_slice()) {
            (Some(text), _) => Some(Likely::whole(Likely::unquoted(text, self.tilde))),
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }

    /// The path that it is, if all of that is known.
    pub(super) fn whole_path(&self) -> Option<String> {
        self.path().filter(|likely| likely.extent == Extent::Whole).map(|likely| likely.path)
    }

    /// The variable that it would set as an assignment, with the value if that is known.
    pub(super) fn assignment(&self) -> Option<(&str, Option<&str>)> {
        match (&self.text, &self.variable) {
            (Some(text), _) => text.split_once('=').map(|(name, value)| (name, Some(value))),
            (None, Some(name)) => Some((name, None)),
            (None, None) => None,
        }
    }

    /// The word as a value: its text, or the paths that it may be.
    pub(super) fn value(self) -> Option<Value> {
        match self.text {
            Some(text) => Some(Value::Text(text.into())),
            None if self.likely.is_empty() => None,
            None => Some(Value::Likely(self.likely.into())),
        }
    }

    /// Whether it is known to be `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.as_str() == Some(text)
    }
}

/// Collects the fields that one word becomes.
#[derive(Debug, Default)]
pub(super) struct FieldBuilder {
    fields: Vec<Field>,
    /// The present field. Its paths are empty while the word is known, or where nothing of it is.
    field: Field,
    /// What is known of its text.
    text: String,
    /// Whether there is a field at all: quotes make one even if it is empty.
    begun: bool,
    is_unknown: bool,
    may_split: bool,
}

impl FieldBuilder {
    /// Text in which patterns mean something, and at the beginning `~`.
    pub(super) fn literal(&mut self, text: &str) {
        self.field.tilde |= !self.begun && text.starts_with('~');
        self.begun = true;
        self.pattern(text);
    }

    /// Adds text in which the signs of patterns count.
    fn pattern(&mut self, text: &str) {
        let bracket = text.find('[').is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains(']')));
        self.field.glob |= bracket || text.contains(['*', '?']);
        self.push(text);
    }

    /// Text that means itself.
    pub(super) fn quoted(&mut self, text: &str) {
        self.begun = true;
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if let Some(guess) = &mut self.field.guess {
            guess.push_str(text);
        }
        for likely in self.field.likely.iter_mut().filter(|likely| likely.extent == Extent::Whole) {
            likely.path.push_str(text);
        }
    }

    /// A value outside of quotes, which is split into words.
    pub(super) fn split(&mut self, value: &str) {
        let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n');
        if value.starts_with(is_blank) {
            self.finish_field();
        }
        let mut pieces = value.split(is_blank).filter(|piece| !piece.is_empty()).peekable();
        while let Some(piece) = pieces.next() {
            self.begun = true;
            self.pattern(piece);
            if pieces.peek().is_some() || value.ends_with(is_blank) {
                self.finish_field();
            }
        }
    }

    /// Values that are words of their own; the first and the last may have something before and behind them.
    pub(super) fn list(&mut self, values: &[String], quoted: bool) {
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.finish_field();
            }
            if quoted {
                self.quoted(value);
            } else {
                self.split(value);
            }
        }
    }

    /// Something that cannot be determined; without quotes it may be several words.
    pub(super) fn unknown(&mut self, quoted: bool) {
        self.begun = true;
        self.may_split |= !quoted;
        if !self.is_unknown && !self.text.is_empty() {
            let path = Likely::unquoted(&self.text, self.field.tilde);
            self.field.likely = vec![Likely { path, extent: Extent::Beginning }];
        }
        for likely in &mut self.field.likely {
            likely.extent = likely.extent.max(Extent::Beginning);
        }
        self.end_known_part();
        self.field.guess = None;
    }

    /// A value that cannot be determined from the text, but is probably one of these paths.
    pub(super) fn likely(&mut self, paths: &[Likely], quoted: bool) {
        let before = (!self.is_unknown).then(|| self.text.clone());
        self.unknown(quoted);
        // `if=$HOME/x` and `f=@$HOME/x`: what names the path is kept.
        if let Some(before) = before.filter(|text| text.is_empty() || text.ends_with(['=', '@'])) {
            let behind =
                |likely: &Likely| Likely { path: format!("{before}{}", likely.path), extent: likely.extent };
            self.field.likely = paths.iter().map(behind).collect();
        }
    }

    /// Something that cannot be determined, but probably is `guess`.
    pub(super) fn guess(&mut self, guess: &str) {
        self.begun = true;
        self.may_split = true;
        if !self.is_unknown {
            let guess = format!("{}{guess}", self.text);
            self.field.likely = vec![Likely::whole(guess.clone())];
            self.field.guess = Some(guess);
        }
        self.end_known_part();
    }

    /// From here on the word cannot be determined. What precedes it may still show that it is an assignment.
    fn end_known_part(&mut self) {
        if !self.is_unknown && self.text.contains('=') {
            self.field.variable = self.text.split('=').next().map(str::to_owned);
        }
        self.is_unknown = true;
    }

    /// The name of a pipe.
    pub(super) fn process(&mut self) {
        self.unknown(true);
        self.field.process = true;
    }

    /// Makes sure that there is a field, even if it is empty.
    pub(super) fn begin(&mut self) {
        self.begun = true;
    }

    /// Ends the present field, if one was begun, so that the next text begins another.
    fn finish_field(&mut self) {
        let mut field = std::mem::take(&mut self.field);
        let text = std::mem::take(&mut self.text);
        let is_unknown = std::mem::take(&mut self.is_unknown);
        field.single = is_unknown && !std::mem::take(&mut self.may_split);
        field.text = (!is_unknown).then_some(text);
        if std::mem::take(&mut self.begun) {
            self.fields.push(field);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Field> {
        self.finish_field();
        self.fields
    }
}
