//! What every edit of a file of JSON with comments needs.

use std::ops::Range;

use jsonc_parser::cst::CstInputValue;
use serde_json::Value;

/// The byte order mark of a text, or nothing, and the rest. The parser does not know the mark, and an edit keeps it.
pub fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// The comma after a value that ends at `end`, past white space and comments.
pub(crate) fn comma_after(text: &str, end: usize) -> Option<usize> {
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

/// The text without an entry of a list or an object, and without the comma that it leaves over: the one after it, or else
/// the one after the entry before it, which ends at `before`.
pub fn cut_entry(text: &str, entry: Range<usize>, before: Option<usize>) -> String {
    let comma = comma_after(text, entry.end).or_else(|| comma_after(text, before?));
    let is_blank = |between: &str| between.trim_matches([' ', '\t']).is_empty();
    let (entry, comma) = match comma {
        Some(comma) if text.get(comma + 1..entry.start).is_some_and(is_blank) => (comma..entry.end, None),
        _ => (entry, comma.map(|comma| comma..comma + 1)),
    };
    let mut cuts = [Some(entry), comma];
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.as_ref().map(|cut| cut.start)));
    let mut text = text.to_owned();
    for cut in cuts.into_iter().flatten() {
        cut_out(&mut text, cut);
    }
    text
}

/// Cuts a range out, and with it its line if nothing else is there. Blanks before a closing bracket stay, as they were
/// written there.
fn cut_out(text: &mut String, range: Range<usize>) {
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

/// A value as an edit writes it.
pub fn cst_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(boolean) => CstInputValue::Bool(*boolean),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(cst_value).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(name, value)| (name.clone(), cst_value(value))).collect(),
        ),
    }
}
