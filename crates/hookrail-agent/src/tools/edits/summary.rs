//! What changed in a text, shown to people.

use super::super::text;

/// Lines of each side that a change shows to people.
const SHOWN_LINES: usize = 12;

/// The lines that differ, between the first and the last difference, in the manner of a diff.
pub(in crate::tools) fn summary(old: &str, new: &str) -> String {
    summary_of(old, new, SHOWN_LINES)
}

/// The same with at most this many lines of each side.
/// It is not a real diff: one run of lines between the first and the last difference is exact, cheap and enough to decide
/// by.
pub(in crate::tools) fn summary_of(old: &str, new: &str, shown_lines: usize) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.iter().skip(same_start), new.iter().skip(same_start));
    let same_end = old_rest.clone().rev().zip(new_rest.clone().rev()).take_while(|(a, b)| a == b).count();
    let removed: Vec<&&str> = old_rest.take(old.len() - same_start - same_end).collect();
    let added: Vec<&&str> = new_rest.take(new.len() - same_start - same_end).collect();
    if removed.is_empty() && added.is_empty() {
        return "(no line differs)".to_owned();
    }
    let line = same_start + 1;
    let mut lines = vec![format!("@@ -{line},{} +{line},{} @@", removed.len(), added.len())];
    for (sign, side) in [('-', removed), ('+', added)] {
        lines.extend(side.iter().take(shown_lines).map(|line| format!("{sign}{}", text::one_line(line))));
        if side.len() > shown_lines {
            lines.push(format!("{sign}… ({} more lines)", side.len() - shown_lines));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_shows_the_lines_between_the_first_and_the_last_difference() {
        for (old, new, expected) in [
            ("a\nb\nc\n", "a\nB\nc\n", "@@ -2,1 +2,1 @@\n-b\n+B"),
            ("", "a\nb\n", "@@ -1,0 +1,2 @@\n+a\n+b"),
            ("a\nb\n", "", "@@ -1,2 +1,0 @@\n-a\n-b"),
            ("a\na\n", "a\na\na\n", "@@ -3,0 +3,1 @@\n+a"),
            ("a\n", "a", "(no line differs)"),
            ("x\x1b[2J", "y", "@@ -1,1 +1,1 @@\n-x\\u{1b}[2J\n+y"),
        ] {
            assert_eq!(summary(old, new), expected, "{old:?} → {new:?}");
        }
        let long = (0..20).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
        assert!(summary("", &long).ends_with("+11\n+… (8 more lines)"));
    }
}
