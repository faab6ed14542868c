use super::*;

#[test]
fn answers_cannot_control_terminals() {
    assert_eq!(escape_controls("a\u{1b}[2Jb\n\tc"), "a\\u{1b}[2Jb\n\tc");
    assert_eq!(escape_controls("❤️ 👩‍💻"), "❤️ 👩‍💻");
    assert_eq!(escape_controls("a\u{9b}31m\u{202e}b\u{2066}"), "a\\u{9b}31m\\u{202e}b\\u{2066}");
    assert_eq!(escape_controls("a\r\nb\rc"), "a\r\nb\\u{d}c");
}
