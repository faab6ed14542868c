//! Text in the width of a terminal: lines end between words, and what does not fit is cut with an ellipsis.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `1 hook`, `2 hooks`.
pub(crate) fn counted(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// A text of one line, cut to a width; between words where that costs little.
pub(crate) fn fit(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken > most {
            break;
        }
        kept.push(c);
    }
    let word_end =
        kept.rfind(' ').filter(|end| kept.get(..*end).is_some_and(|head| head.width() * 3 >= most * 2));
    if let Some(end) = word_end {
        kept.truncate(end);
    }
    kept.push('…');
    kept
}

/// A text padded to a width; a longer one is cut.
pub(crate) fn cell(text: &str, width: usize) -> String {
    let cut = fit(text, width);
    let padding = width.saturating_sub(cut.width());
    format!("{cut}{}", " ".repeat(padding))
}

/// Rows as lines, with columns as wide as their widest cell. Counted in characters: wide ones move a column, which does no
/// harm.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A text as lines of at most this width, ended between words. A word that is longer has a line of its own.
pub(crate) fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        for (text, most, expected) in [
            ("short", 10, "short"),
            ("git push --force origin", 12, "git push…"),
            ("a-word-that-is-long", 10, "a-word-th…"),
            ("日本語の文字", 7, "日本語…"),
            ("x", 0, "…"),
        ] {
            assert_eq!(fit(text, most), expected);
        }
        assert_eq!(cell("ab", 4), "ab  ");
        assert_eq!(wrap("one two  three\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("averylongword x", 4), ["averylongword", "x"]);
        assert_eq!(wrap("", 4), Vec::<String>::new());
    }
}
