use super::*;

/// What one would count by hand.
fn counted(text: &str, byte: usize) -> Option<(usize, usize)> {
    let before = text.get(..byte)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let in_line = before[start..].strip_prefix('\u{feff}').unwrap_or(&before[start..]);
    Some((before.matches('\n').count() + 1, in_line.chars().count() + 1))
}

#[test]
fn places_are_what_one_would_count() {
    let long = "grüße, 日本! ".repeat(700);
    for text in ["", "a", "\n", "a\nb\n\nc", "\u{feff}{\n é: 1 }", &long, &format!("x\n{long}\ny{long}")] {
        let indexed = IndexedText::new(text.to_owned());
        for byte in (0..text.len() + 2).step_by(if text.len() > 100 { 7 } else { 1 }).chain([text.len()]) {
            assert_eq!(indexed.place(byte), counted(text, byte), "byte {byte} of {} bytes", text.len());
            let Some(line) = indexed.line_around(byte) else { continue };
            assert!(line.start <= byte && byte <= line.end && !text[line].contains('\n'));
        }
    }
}
