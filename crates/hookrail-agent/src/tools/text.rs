//! Text from outside made safe to show, and bytes cut where characters end.

/// Longer titles are cut in their middle. Both ends are shown whole and what is left out is counted, so that no
/// person takes the beginning of a command for all of it, or allows an end that was not shown.
const SHOWN_END: usize = 4000;
/// The same for a line of output, of which people see the beginning.
const SHOWN_CHARS: usize = 300;

/// The text on one line: control characters and those that turn the reading direction are written out,
/// since a person decides by this line and a terminal would act on them.
pub(super) fn one_line(text: &str) -> String {
    let length = text.chars().count();
    if length <= 2 * SHOWN_END {
        return written_out(text, char::is_control);
    }
    let head: String = text.chars().take(SHOWN_END).collect();
    let tail: String = text.chars().skip(length - SHOWN_END).collect();
    let (head, tail) = (written_out(&head, char::is_control), written_out(&tail, char::is_control));
    format!("{head} … ({} characters hidden) … {tail}", length - 2 * SHOWN_END)
}

/// Writes out what a terminal would act on, and characters that turn the reading direction.
fn written_out(text: &str, unwanted: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if unwanted(c) || turns || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// The beginning of a line of output.
fn beginning(text: &str) -> String {
    let kept: String = text.chars().take(SHOWN_CHARS).collect();
    let line = written_out(&kept, |c| c != '\t' && c.is_control());
    match text.chars().count().saturating_sub(SHOWN_CHARS) {
        0 => line,
        more => format!("{line}… ({more} more characters)"),
    }
}

/// The first lines of a text, with everything a terminal would act on written out and a note on what is
/// left out.
pub(super) fn first_lines(text: &str, lines: usize) -> String {
    let mut all = text.lines();
    let mut shown: Vec<String> = all.by_ref().take(lines).map(beginning).collect();
    let more = all.count();
    if more > 0 {
        shown.push(format!("… ({more} more lines)"));
    }
    shown.join("\n")
}

/// The longest beginning that does not end inside of a character.
pub(super) fn whole_chars_before(bytes: &[u8]) -> &[u8] {
    // A character has at most four bytes, so an unfinished one starts among the last three.
    for back in 1..=bytes.len().min(3) {
        let (before, tail) = bytes.split_at(bytes.len() - back);
        if let Err(error) = std::str::from_utf8(tail)
            && error.error_len().is_none()
            && error.valid_up_to() == 0
        {
            return before;
        }
    }
    bytes
}

/// The longest end that does not begin inside of a character.
pub(super) fn whole_chars_after(bytes: &[u8]) -> &[u8] {
    let inside = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    bytes.get(inside..).unwrap_or_default()
}

/// A number with the noun that fits it: `1 file`, `2 files`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_would_act_on_is_left() {
        for (given, line, lines) in [
            ("cargo test", "cargo test", "cargo test"),
            ("a\nb\tc", "a\\nb\\tc", "a\nb\tc"),
            ("\x1b[2Jx\x07", "\\u{1b}[2Jx\\u{7}", "\\u{1b}[2Jx\\u{7}"),
            ("safe\u{202e}txt.exe", "safe\\u{202e}txt.exe", "safe\\u{202e}txt.exe"),
            ("größe 文", "größe 文", "größe 文"),
            ("a\r\nb", "a\\r\\nb", "a\nb"),
        ] {
            assert_eq!(one_line(given), line);
            assert_eq!(first_lines(given, 9), lines);
        }
        assert_eq!(one_line(&"x".repeat(2 * SHOWN_END)).len(), 2 * SHOWN_END, "shown whole");
        let long = one_line(&format!("echo {}; rm -rf ~", "x".repeat(2 * SHOWN_END)));
        assert!(long.starts_with("echo x") && long.ends_with("x; rm -rf ~"), "both ends are shown: {long}");
        assert!(long.contains("… (15 characters hidden) …"), "what is left out is counted: {long}");
        let long = first_lines(&"x\n".repeat(5), 2);
        assert_eq!(long, "x\nx\n… (3 more lines)");
    }

    #[test]
    fn cuts_fall_between_characters() {
        let text = "aé文🦀".as_bytes();
        for at in 0..=text.len() {
            let (head, tail) = text.split_at(at);
            assert!(std::str::from_utf8(whole_chars_before(head)).is_ok(), "head cut at {at}");
            assert!(std::str::from_utf8(whole_chars_after(tail)).is_ok(), "tail cut at {at}");
        }
        assert_eq!(whole_chars_before(b"ab\xff"), b"ab\xff", "invalid bytes are no unfinished character");
    }
}
