//! What every edit of a file of JSON with comments needs.

/// The byte order mark of a text, or nothing, and the rest. The parser does not know the mark, and an edit keeps it.
pub fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// The comma after a value that ends at `end`, past white space and comments.
pub fn comma_after(text: &str, end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with("//") {
            at += rest.find(['\n', '\r'])?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            at += rest.chars().next().filter(|next| next.is_whitespace())?.len_utf8();
        }
    }
}
