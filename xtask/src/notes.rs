//! The notes of a release: its section of the changelog.
//! They are copied from there and not written a second time, so that the release page and the file are the same.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The section of this version, or of the version that the workspace has.
/// A missing or an empty section is an error, because a release without notes was probably not prepared.
pub(crate) fn notes(root: &Path, version: Option<&str>) -> Result<String> {
    let version = version.unwrap_or(env!("CARGO_PKG_VERSION"));
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).context("cannot read CHANGELOG.md")?;
    let section =
        section(&changelog, version).with_context(|| format!("CHANGELOG.md has no section for {version}"))?;
    ensure!(!section.is_empty(), "the section for {version} in CHANGELOG.md is empty");
    Ok(format!("{section}\n"))
}

/// What is between the heading of a version and the next one. The heading may have a date behind the version.
/// `None` if no heading begins with exactly this version: `0.2` does not find `0.2.0`.
fn section<'c>(changelog: &'c str, version: &str) -> Option<&'c str> {
    let sections = changelog.split("\n## ").skip(1);
    let (_, text) = sections
        .filter_map(|section| section.split_once('\n'))
        .find(|(heading, _)| heading.split_whitespace().next() == Some(version))?;
    Some(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_one_begins() {
        let changelog = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- Two.\n\n## 0.1.0\n\n### Added\n\n- One.\n";
        assert_eq!(section(changelog, "0.2.0"), Some("### Added\n\n- Two."));
        assert_eq!(section(changelog, "0.1.0"), Some("### Added\n\n- One."));
        assert_eq!(section(changelog, "0.2"), None);
        assert_eq!(section("# Changelog\n", "0.1.0"), None);
    }

    #[test]
    fn the_present_version_has_notes() {
        let notes = |version| notes(&crate::root(), version);
        let changelog = std::fs::read_to_string(crate::root().join("CHANGELOG.md")).unwrap();
        assert!(changelog.contains(notes(None).unwrap().trim()));
        assert!(notes(Some("9.9.9")).is_err());
    }
}
