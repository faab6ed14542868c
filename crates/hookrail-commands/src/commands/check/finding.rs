//! One finding: its place in a file, its JSON form and its text with an excerpt.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
pub(super) use hookrail::Severity;
use hookrail::rules::order;
use hookrail::{Diagnostic, DiagnosticCode};
use serde::Serialize;

use super::indexed_text::IndexedText;
use crate::context::Context;
use crate::display::shown;
use crate::terminal::printer::escape_line;

/// A finding about the settings. The fields of its JSON form are a contract.
/// `line` and `column` count from 1, in characters; `span` is in bytes and only for the excerpt.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(super) code: DiagnosticCode,
    pub(super) severity: Severity,
    file: Option<PathBuf>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
    pub(super) help: Option<String>,
    #[serde(skip)]
    span: Option<Range<usize>>,
}

/// The texts of the files that findings point into, each read once.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    texts: HashMap<PathBuf, Option<IndexedText>>,
}

impl Sources {
    /// Only regular files: a settings file may be a pipe, and reading it again would wait for ever.
    fn load(&mut self, file: &Path) -> Option<&IndexedText> {
        let text = self.texts.entry(file.to_owned()).or_insert_with(|| {
            let is_regular = fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
            let bytes = if is_regular { fs::read(file).ok()? } else { return None };
            Some(IndexedText::new(String::from_utf8_lossy(&bytes).into_owned()))
        });
        text.as_ref()
    }

    /// A text that was loaded before; rendering does no I/O.
    fn get(&self, file: &Path) -> Option<&IndexedText> {
        self.texts.get(file)?.as_ref()
    }
}

impl Finding {
    /// A finding without a place.
    pub(super) fn new(
        severity: Severity,
        code: DiagnosticCode,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), Some(help.into()));
        Self { code, severity, file: None, line: None, column: None, message, help, span: None }
    }

    /// What does not work as it is written.
    pub(super) fn error(code: DiagnosticCode, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message, help)
    }

    /// What probably does something else than was meant.
    pub(super) fn warning(code: DiagnosticCode, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message, help)
    }

    /// What is worth knowing.
    pub(super) fn note(code: DiagnosticCode, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message, help)
    }

    /// File, line and column, where it has a place.
    pub(super) fn place(&self) -> Option<(&Path, usize, Option<usize>)> {
        Some((self.file.as_deref()?, self.line.unwrap_or(1), self.column))
    }

    /// What is wrong, and what to do about it.
    pub(super) fn texts(&self) -> (&str, Option<&str>) {
        (&self.message, self.help.as_deref())
    }

    /// Severity, what with its place in one line, and what to do about it.
    pub(super) fn short(&self, context: &Context) -> (Severity, String, String) {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{}:{line}: ", shown(file, context)),
            _ => String::new(),
        };
        let message = format!("{place}{}", escape_line(&self.message));
        (self.severity, message, self.help.as_deref().map(escape_line).unwrap_or_default())
    }

    /// A finding of the engine; the text of its file is loaded for the excerpt.
    pub(crate) fn from_engine(diagnostic: &Diagnostic, sources: &mut Sources) -> Self {
        let place = diagnostic.place.as_ref();
        if let Some(place) = place {
            sources.load(&place.file);
        }
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            file: place.map(|place| place.file.clone()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            span: place.map(|place| place.span.clone()),
        }
    }

    /// The same finding about a whole file.
    pub(super) fn in_file(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// The same finding about some bytes of a file; `line` is used where the file cannot be read again.
    pub(super) fn at(self, file: &Path, span: Range<usize>, line: usize, sources: &mut Sources) -> Self {
        let place = sources.load(file).and_then(|text| text.place(span.start));
        let (line, column) = place.map_or((line, None), |(line, column)| (line, Some(column)));
        Self { line: Some(line), column, span: Some(span), ..self.in_file(file) }
    }

    /// The finding for people: message, place, excerpt and hint.
    /// It may have colours; the printer removes them where they are not wanted.
    pub(crate) fn render(&self, sources: &Sources, context: &Context) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            // A note, or what a later version adds.
            _ => Level::NOTE,
        };
        let mut group =
            Group::with_title(level.primary_title(escape_line(&self.message)).id(self.code.as_str()));
        if let Some(file) = &self.file {
            let file_name = shown(file, context);
            let excerpt = self.span.clone().and_then(|span| Excerpt::of(sources.get(file)?, span));
            let mut origin = Origin::path(file_name);
            if let Some(line) = self.line {
                origin = origin.line(line);
                if let Some(column) = self.column {
                    origin = origin.char_column(column);
                }
            }
            group = group.element(origin);
            if let (Some(excerpt), Some(line)) = (excerpt, self.line) {
                let annotation = AnnotationKind::Primary.span(excerpt.marked);
                group = group.element(Snippet::source(excerpt.line).line_start(line).annotation(annotation));
            }
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(escape_line(help)));
        }
        // Colours are removed by the printer where they are not wanted.
        let rendered = Renderer::styled().render(&[group]);
        // The place is printed apart from the excerpt, because the excerpt of a long line is cut and would have
        // other columns; the renderer then puts a line with `:::` before the excerpt, which is left out here.
        let is_part_of_it = |line: &&str| anstream::adapter::strip_str(line).to_string().trim() != ":::";
        rendered.lines().filter(is_part_of_it).collect::<Vec<_>>().join("\n")
    }
}

/// The order of the files as they were read, then places; what has no place comes last.
pub(super) fn sort(findings: &mut [Finding]) {
    let mut files: Vec<PathBuf> = Vec::new();
    for finding in findings.iter() {
        if let Some(file) = finding.file.as_ref().filter(|file| !files.contains(file)) {
            files.push(file.clone());
        }
    }
    order::sort_by_key(findings, |finding| {
        let file = finding.file.as_ref().and_then(|file| files.iter().position(|known| known == file));
        (file.unwrap_or(usize::MAX), finding.line, finding.column)
    });
}

/// One line of a file around a place, made safe to show.
/// A settings file may be one line of megabytes, so at most a part of the line is in it.
struct Excerpt {
    line: String,
    marked: Range<usize>,
}

/// How much of a long line is shown before the place, and of the place itself, and after it.
const BEFORE: usize = 48;
/// A place may be a whole object.
const WITHIN: usize = 80;
/// Enough to recognise the line.
const AFTER: usize = 24;

impl Excerpt {
    /// `None` if the file has changed since and the place is no longer in it.
    fn of(text: &IndexedText, span: Range<usize>) -> Option<Self> {
        let Range { start, end } = text.line_around(span.start)?;
        let text = &text.text;
        let before = text.get(start..span.start)?.trim_start_matches('\u{feff}');
        let marked = text.get(span.start..span.end.min(end).max(span.start))?;
        let after = text.get(span.start + marked.len()..end)?.trim_end_matches('\r');

        // A line may be the whole file, so that only its end is looked at.
        let shown = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(place, _)| place);
        let mut line = if shown > 0 { "…".to_owned() } else { String::new() };
        line.extend(before.get(shown..)?.chars().map(safe));
        let from = line.len();
        line.push_str(&clipped(marked, WITHIN));
        let to = line.len();
        line.push_str(&clipped(after, AFTER));
        if to == from && line.get(from..).unwrap_or_default().is_empty() {
            line.push(' '); // Something must be there to point at.
        }
        let to = to.max(from + line.get(from..)?.chars().next().map_or(0, char::len_utf8));
        Some(Self { line, marked: from..to })
    }
}

/// Counted in characters of the file, before they are escaped.
fn clipped(text: &str, most: usize) -> String {
    let mut clipped: String = text.chars().take(most).map(safe).collect();
    if text.chars().nth(most).is_some() {
        clipped.push('…');
    }
    clipped
}

/// One character as it may be shown.
fn safe(c: char) -> String {
    if c == '\t' { " ".to_owned() } else { escape_line(c.encode_utf8(&mut [0; 4])) }
}
