//! JSON with comments: how strictly it is read, and what every edit of such a file needs.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstInputValue;
use serde_json::Value;

/// JSON with comments and trailing commas, nothing looser: how every file of settings, rules or tests is read.
pub const PARSE_OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The byte order mark of a text, or nothing, and the rest. The parser does not know the mark, and an edit keeps it.
pub fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
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
