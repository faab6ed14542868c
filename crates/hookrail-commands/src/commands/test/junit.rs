//! The report that CI systems read: the XML of `JUnit`, in the form that all of them understand.
//!
//! One suite for each test file, one case for each test. Hooks that failed are part of a test's verdict, so `errors` is
//! always 0.

use std::fmt::Write as _;

use super::Judged;

/// Renders all tests as one suite for each file.
/// The first difference is the message, all of them are the text.
pub(super) fn render(tests: &[Judged]) -> String {
    let failed = tests.iter().filter(|test| !test.passed).count();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites name=\"hookrail\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" time=\"{}\">",
        tests.len(),
        seconds(tests.iter().map(|test| test.took_ms).sum()),
    );
    let mut files: Vec<&str> = tests.iter().map(|test| test.file.as_str()).collect();
    files.dedup();
    for file in files {
        let suite: Vec<&Judged> = tests.iter().filter(|test| test.file == file).collect();
        let failed = suite.iter().filter(|test| !test.passed).count();
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"0\" time=\"{}\">",
            escaped(file),
            suite.len(),
            seconds(suite.iter().map(|test| test.took_ms).sum()),
        );
        for test in suite {
            let _ = write!(
                xml,
                "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{}\"",
                escaped(&test.name),
                escaped(file),
                escaped(file),
                test.line,
                seconds(test.took_ms),
            );
            if test.passed {
                xml.push_str("/>\n");
                continue;
            }
            let first = test.why.first().map_or("failed", String::as_str);
            let _ = writeln!(
                xml,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                escaped(first),
                escaped(&test.why.join("\n"))
            );
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// Seconds with three decimals, without the rounding of floats.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

/// Text as XML takes it. Characters that XML 1.0 does not allow at all are written as JSON would.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push_str("&#10;"),
            '\t' => safe.push_str("&#9;"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(safe, "\\u{:04x}", u32::from(c));
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
