//! Credentials in texts that are logged: those that can be told by their form, as the shipped rule
//! `no-secrets-in-files` knows them. A test compares the two lists.

use std::borrow::Cow;

/// What is written in place of a credential.
pub(super) const MASK: &str = "[secret]";

/// What a credential looks like: a beginning, and at least so many characters of one kind behind it.
struct Form {
    /// The same in the rule.
    #[cfg_attr(not(test), expect(dead_code, reason = "compared with the rule by a test"))]
    pattern: &'static str,
    beginnings: &'static [&'static str],
    is_part: fn(char) -> bool,
    at_least: usize,
}

const FORMS: [Form; 12] = [
    form("AKIA[0-9A-Z]{16}", &["AKIA"], is_upper, 16),
    form("ASIA[0-9A-Z]{16}", &["ASIA"], is_upper, 16),
    form("gh[pousr]_[A-Za-z0-9]{36}", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], is_plain, 36),
    form("github_pat_[A-Za-z0-9_]{22}", &["github_pat_"], is_wide, 22),
    form("glpat-[A-Za-z0-9_-]{20}", &["glpat-"], is_wide, 20),
    form(
        "xox[abeoprs]-[0-9A-Za-z-]{10}",
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
        is_wide,
        10,
    ),
    form("sk-ant-[A-Za-z0-9_-]{20}", &["sk-ant-"], is_wide, 20),
    form("sk-proj-[A-Za-z0-9_-]{20}", &["sk-proj-"], is_wide, 20),
    form("AIza[0-9A-Za-z_-]{35}", &["AIza"], is_wide, 35),
    form("npm_[A-Za-z0-9]{36}", &["npm_"], is_plain, 36),
    form("pypi-[A-Za-z0-9_-]{50}", &["pypi-"], is_wide, 50),
    form("[sr]k_live_[0-9A-Za-z]{16}", &["sk_live_", "rk_live_"], is_plain, 16),
];

/// With which letters they begin, a private key included.
const FIRST_LETTERS: [char; 8] = ['A', 'g', 'x', 's', 'r', 'n', 'p', '-'];

/// A private key goes from here to its end, or to the end of the text.
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_NAME: &str = "PRIVATE KEY";
const KEY_ENDS: &str = "-----END ";

const fn form(
    pattern: &'static str,
    beginnings: &'static [&'static str],
    is_part: fn(char) -> bool,
    at_least: usize,
) -> Form {
    Form { pattern, beginnings, is_part, at_least }
}

fn is_upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn is_wide(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The text without its credentials.
pub(super) fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut kept_from = 0;
    let mut at = 0;
    // Every summary and reason comes through here: nearly no letter begins a credential.
    while let Some(skipped) = text.get(at..).and_then(|rest| rest.find(FIRST_LETTERS)) {
        at += skipped;
        if let Some(length) = text.get(at..).and_then(secret_at) {
            masked.push_str(text.get(kept_from..at).unwrap_or_default());
            masked.push_str(MASK);
            at += length;
            kept_from = at;
        } else {
            at += 1;
        }
    }
    if kept_from == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(kept_from..).unwrap_or_default());
    Cow::Owned(masked)
}

/// How long the credential at the beginning of a text is, if there is one.
fn secret_at(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix(KEY_BEGINS) {
        let name_end = rest.find(|c: char| !c.is_ascii_uppercase() && c != ' ').unwrap_or(rest.len());
        if rest.get(..name_end).is_some_and(|name| name.ends_with(KEY_NAME)) {
            let end = rest.find(KEY_ENDS).and_then(|end| {
                let line = rest.get(end + KEY_ENDS.len()..)?;
                Some(end + KEY_ENDS.len() + line.find('\n').unwrap_or(line.len()))
            });
            return Some(KEY_BEGINS.len() + end.unwrap_or(rest.len()));
        }
        return None;
    }
    FORMS.iter().find_map(|form| {
        let beginning = form.beginnings.iter().find(|beginning| text.starts_with(**beginning))?;
        let rest = text.get(beginning.len()..)?;
        let count = rest.chars().take_while(|c| (form.is_part)(*c)).count();
        if count < form.at_least {
            return None;
        }
        // The whole token goes, also what is behind its known part.
        let token = rest.find(|c: char| !is_wide(c)).unwrap_or(rest.len());
        Some(beginning.len() + token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail::rules::library;

    #[test]
    fn credentials_are_masked_and_nothing_else() {
        for (text, expected) in [
            ("echo AKIAABCDEFGHIJKLMNOP > a", "echo [secret] > a"),
            (
                "curl -H 'Authorization: Bearer ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' u",
                "curl -H 'Authorization: Bearer [secret]' u",
            ),
            ("sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa-and-more, sk-ant-short", "[secret], sk-ant-short"),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\nafter",
                "[secret]\nafter",
            ),
            ("-----BEGIN PRIVATE KEY-----\nabc", "[secret]"),
            ("-----BEGIN PUBLIC KEY-----\nabc", "-----BEGIN PUBLIC KEY-----\nabc"),
            ("grüße AKIA", "grüße AKIA"),
            ("", ""),
        ] {
            assert_eq!(mask(text), expected);
        }
    }

    #[test]
    fn the_first_letters_are_those_of_all_forms() {
        let beginnings = FORMS.iter().flat_map(|form| form.beginnings).chain([&KEY_BEGINS]);
        let first: std::collections::BTreeSet<char> =
            beginnings.filter_map(|text| text.chars().next()).collect();
        assert_eq!(first, std::collections::BTreeSet::from(FIRST_LETTERS));
    }

    #[test]
    fn the_forms_are_those_of_the_shipped_rule() {
        let rule = library::find("no-secrets-in-files").unwrap();
        let pattern = rule.text.split("\"input.content\": { \"regex\": \"").nth(1).unwrap();
        let pattern = pattern.split('"').next().unwrap();
        let mut known: Vec<&str> = FORMS.iter().map(|form| form.pattern).collect();
        known.push("-----BEGIN [A-Z ]*PRIVATE KEY");
        assert_eq!(pattern.split('|').collect::<Vec<_>>(), known);
    }
}
