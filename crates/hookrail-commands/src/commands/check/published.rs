//! Findings and failed tests in the forms that code hosting services show beside the code: annotations of GitHub's
//! workflows, and SARIF 2.1.0.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::finding::{Finding, Severity};
use crate::context::Context;
use crate::terminal::printer::escape_line;

/// What has no place of its own is shown at the file in which the project's settings are expected: a service leaves out
/// what has no place, or refuses the whole report.
const WITHOUT_PLACE: &str = ".hookrail/settings.json";

/// One annotation, a line that GitHub's runner reads.
pub(crate) struct Annotation<'a> {
    pub(crate) severity: Severity,
    pub(crate) file: &'a Path,
    pub(crate) line: usize,
    pub(crate) column: Option<usize>,
    pub(crate) title: &'a str,
    pub(crate) message: &'a str,
}

impl Annotation<'_> {
    pub(crate) fn render(&self, context: &Context) -> String {
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            _ => "notice",
        };
        let file = property(&inside_repository(self.file, context).display().to_string());
        let column = self.column.map(|column| format!(",col={column}")).unwrap_or_default();
        let (title, message) = (property(self.title), data(self.message));
        format!("::{kind} file={file},line={}{column},title={title}::{message}", self.line)
    }
}

pub(super) fn annotation(finding: &Finding, context: &Context) -> String {
    let message = message(finding);
    let place = finding.place();
    Annotation {
        severity: finding.severity,
        file: place.map_or(Path::new(WITHOUT_PLACE), |(file, ..)| file),
        line: place.map_or(1, |(_, line, _)| line),
        column: place.and_then(|(.., column)| column),
        title: finding.code.as_str(),
        message: &message,
    }
    .render(context)
}

/// All findings as one SARIF log.
pub(super) fn sarif(findings: &[Finding], context: &Context) -> Value {
    let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let help = "https://github.com/hookrail/hookrail/blob/main/docs/findings.md";
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code, "helpUri": help })).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, context)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hookrail",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": "https://github.com/hookrail/hookrail",
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Finding, context: &Context) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "note",
    };
    let (file, line, column) = finding.place().unwrap_or((Path::new(WITHOUT_PLACE), 1, None));
    let file = inside_repository(file, context);
    let artifact = if file.is_absolute() {
        json!({ "uri": format!("file://{}", uri_path(&file)) })
    } else {
        json!({ "uri": uri_path(&file), "uriBaseId": "%SRCROOT%" })
    };
    let region = match column {
        Some(column) => json!({ "startLine": line, "startColumn": column }),
        None => json!({ "startLine": line }),
    };
    json!({
        "ruleId": finding.code.as_str(),
        "level": level,
        "message": { "text": message(finding) },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact, "region": region } }],
    })
}

/// Message and hint, without characters that a terminal or a page would act on.
fn message(finding: &Finding) -> String {
    let (message, help) = finding.texts();
    match help {
        Some(help) => format!("{}\nhelp: {}", escape_line(message), escape_line(help)),
        None => escape_line(message),
    }
}

/// A path as the service knows it: relative to the checkout, which may be a folder above the project.
fn inside_repository(path: &Path, context: &Context) -> PathBuf {
    let project = context.project();
    let path = project.join(path);
    let checkout = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    let checkout =
        checkout.and_then(|folder| folder.canonicalize().ok()).filter(|it| project.starts_with(it));
    path.strip_prefix(checkout.as_deref().unwrap_or(project)).map(Path::to_owned).unwrap_or(path)
}

/// The text behind `::`. A line feed in it would begin a line of its own, and such a line can be a command to the runner.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value before `::`, where a comma and a colon end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A path as part of a URI.
fn uri_path(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;

    let mut uri = String::new();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_annotation_begins_a_command() {
        assert_eq!(data("100%\r\n::set-output::x"), "100%25%0D%0A::set-output::x");
        assert_eq!(property("a,b:c%"), "a%2Cb%3Ac%25");
    }

    #[test]
    fn a_path_in_a_uri_is_encoded() {
        assert_eq!(uri_path(Path::new("a b/ü#?.json")), "a%20b/%C3%BC%23%3F.json");
    }
}
