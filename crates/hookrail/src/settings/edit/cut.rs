//! Taking a value out of JSON with comments, as a person would.

use std::ops::Range;

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

/// Cuts a range out, and with it its line if nothing else stands there, else the blanks after it.
pub fn cut_out(text: &mut String, range: Range<usize>) {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let line_start = before.trim_end_matches([' ', '\t']).len();
    let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
    let rest = after.get(blanks..).unwrap_or_default();
    let newline = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    let is_whole_line = newline > 0 && before.get(..line_start).is_some_and(|before| before.ends_with('\n'));
    let wider = if is_whole_line {
        line_start..range.end + blanks + newline
    } else if newline > 0 || rest.starts_with('/') || rest.starts_with(['}', ']']) {
        range
    } else {
        range.start..range.end + blanks
    };
    text.replace_range(wider, "");
}
