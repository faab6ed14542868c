//! Text written as a word of a shell line: the counterpart of reading one.

use super::names::is_reserved_word;

/// A text as one word of a POSIX shell line, in quotes only where it needs them.
/// A word that begins with a dash stays one: whether it is an option is up to the program.
pub fn quote(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) && !is_reserved_word(text) {
        text.to_owned()
    } else {
        single_quoted(text)
    }
}

/// A text as one word in single quotes.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", within_single_quotes(text))
}

/// A text as it is written between single quotes that are there already.
pub fn within_single_quotes(text: &str) -> String {
    text.replace('\'', "'\\''")
}
