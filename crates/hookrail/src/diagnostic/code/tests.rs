use std::collections::BTreeSet;

use super::*;

/// The codes of the page that lists them: the first cell of each row of its tables.
fn documented() -> Vec<&'static str> {
    let page = include_str!("../../../../../docs/findings.md");
    page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

#[test]
fn codes_are_unique_kebab_case_and_documented_in_order() {
    let codes: Vec<&str> = DiagnosticCode::ALL.iter().map(|code| code.as_str()).collect();
    let unique: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(unique.len(), codes.len(), "a code is used twice");
    for code in &codes {
        let words = || code.split('-');
        assert!(words().count() > 1, "{code}");
        assert!(
            words().all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())),
            "{code}"
        );
    }
    assert_eq!(codes, documented());
}

#[test]
fn a_code_is_written_as_its_text() {
    let code = DiagnosticCode::FlagNotABoolean;
    assert_eq!(code.to_string(), "flag-not-a-boolean");
    assert_eq!(serde_json::to_value(code).unwrap(), "flag-not-a-boolean");
}
