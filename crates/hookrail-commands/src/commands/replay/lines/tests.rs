use std::io::BufReader;

use super::*;

fn all(text: &[u8], buffer: usize) -> Vec<String> {
    let mut lines = TranscriptLines::new(BufReader::with_capacity(buffer, text), 5);
    let mut list = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        list.push(match line {
            TranscriptLine::Text(text) => String::from_utf8_lossy(text).into_owned(),
            TranscriptLine::TooLong => "(too long)".to_owned(),
        });
    }
    assert_eq!(lines.bytes, text.len() as u64);
    assert_eq!(lines.number, list.len() as u64);
    list
}

#[test]
fn lines_are_bounded_whatever_the_reader_gives() {
    for buffer in [1, 2, 3, 7, 64] {
        for (text, expected) in [
            ("", vec![]),
            ("\n", vec![""]),
            ("ab\ncd", vec!["ab", "cd"]),
            ("abcde\nabcdef\nab\n", vec!["abcde", "(too long)", "ab"]),
            ("abcdefghijklmnop", vec!["(too long)"]),
            ("abcdefghijklmnop\n\nx", vec!["(too long)", "", "x"]),
        ] {
            assert_eq!(all(text.as_bytes(), buffer), expected, "{text:?} {buffer}");
        }
    }
}
