//! JSON as JavaScript's `JSON.parse` accepts it.
//!
//! Hook scripts were written for a JavaScript program. A reader that is stricter than `JSON.parse` would
//! turn some of their blocks into plain text, that is, into an allow; a looser one would give meaning to
//! text that never had any. Differences to `serde_json`, all of them `JSON.parse`'s:
//!
//! - numbers of any size: one beyond the range of an `f64` becomes the largest finite `f64` of its sign,
//!   because a [`Value`] cannot hold infinity;
//! - a `\u` escape that is half of a surrogate pair is read as U+FFFD;
//! - of repeated keys the last value counts, in the place of the first;
//! - a byte order mark and JavaScript's white space before, and white space and NULs after, are dropped.
//!
//! The reader keeps its own stack, so that nesting costs heap and never overflows the thread's stack. What it builds is
//! bounded too: a text of two bytes per number would otherwise become a tree of forty times its size.

use serde_json::{Number, Value};

use crate::formats::json_object::JsonObject;

/// How deep arrays and objects may nest. Values of this depth can be cloned, written and dropped (all of
/// which recurse) on the 2 MiB stack of a worker thread.
pub(crate) const MAX_DEPTH: usize = 1024;

/// How much a tree may hold, in slots of the size of a [`Value`]: 18 MiB, about the size of the largest output that is
/// kept of a hook with a small payload.
const MIN_SLOTS: usize = 1 << 18;
/// A longer text may hold one slot for so many of its bytes.
const BYTES_PER_SLOT: usize = 64;
/// What the first allocation of an array or object takes, beside the value itself.
const CONTAINER_SLOTS: usize = 4;

/// Why a text could not be read as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonProblem {
    /// It is not JSON.
    #[error("not JSON at byte {offset}")]
    NotJson {
        /// Where it stopped being JSON, in bytes from the start of the trimmed text.
        offset: usize,
    },
    /// It is beyond a bound. Whether the rest would have been JSON is not looked at: a text that opens so many brackets, or
    /// holds so many values, is not prose, and must not pass as such.
    #[error("{0}")]
    Beyond(AnswerBound),
}

/// A bound of the reader of hook outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerBound {
    /// On how deep arrays and objects nest.
    #[error("nested deeper than {MAX_DEPTH} levels")]
    Depth,
    /// On how many values an answer holds.
    #[error("more values than are read from an answer of this size")]
    Values,
}

impl JsonProblem {
    /// Whether the text may be plain text. What goes beyond a bound is not.
    pub(crate) const fn is_plain_text(self) -> bool {
        matches!(self, Self::NotJson { .. })
    }
}

/// Reads a JSON text, with whatever may surround it.
pub(crate) fn parse_json(text: &str) -> Result<Value, JsonProblem> {
    JsonReader::of(text).document()
}

/// Reads the JSON value at the start of a text, whatever follows it.
pub(crate) fn parse_json_prefix(text: &str) -> Result<Value, JsonProblem> {
    JsonReader::of(text).value()
}

/// A program's output without the white space around it: what JavaScript's `trim()` removes, which includes
/// the byte order mark, and NULs at the end.
pub(crate) fn trim_output(text: &str) -> &str {
    text.trim_start_matches(is_js_space).trim_end_matches(|c| c == '\0' || is_js_space(c))
}

/// JavaScript's white space and line ends. Rust's idea of white space has U+0085 and lacks U+FEFF.
fn is_js_space(c: char) -> bool {
    c == '\u{FEFF}' || (c != '\u{85}' && c.is_whitespace())
}

/// An array or object whose end is not yet read.
enum OpenContainer {
    Array(Vec<Value>),
    Object { entries: JsonObject, key: String },
}

/// What was read where a value is expected.
enum ValueStart {
    Complete(Value),
    Open(OpenContainer),
}

/// A position in a trimmed text. Every method leaves `at` behind what it read, or on what is not JSON.
struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    /// How much the rest of the tree may hold.
    slots: usize,
}

impl<'a> JsonReader<'a> {
    fn of(text: &'a str) -> Self {
        let text = trim_output(text);
        Self { text, at: 0, slots: MIN_SLOTS.max(text.len() / BYTES_PER_SLOT) }
    }

    /// One value and nothing behind it.
    fn document(mut self) -> Result<Value, JsonProblem> {
        let value = self.value()?;
        self.skip_space();
        if self.at == self.text.len() { Ok(value) } else { Err(self.not_json()) }
    }

    /// One value; what follows it is left alone.
    fn value(&mut self) -> Result<Value, JsonProblem> {
        let mut open = Vec::new();
        loop {
            let mut value = match self.begin_value(open.len())? {
                ValueStart::Complete(value) => value,
                ValueStart::Open(container) => {
                    open.push(container);
                    continue;
                }
            };
            // The value is complete: give it to what is open, and close whatever ends here.
            loop {
                match open.pop() {
                    None => return Ok(value),
                    Some(OpenContainer::Array(mut items)) => {
                        items.push(value);
                        if self.comma_or(b']')? {
                            open.push(OpenContainer::Array(items));
                            break;
                        }
                        value = Value::Array(items);
                    }
                    Some(OpenContainer::Object { mut entries, key }) => {
                        entries.insert(key, value);
                        if self.comma_or(b'}')? {
                            let key = self.key()?;
                            open.push(OpenContainer::Object { entries, key });
                            break;
                        }
                        value = Value::Object(entries);
                    }
                }
            }
        }
    }

    /// Reads a whole value, or the opening of a container up to its first value. Depth and size are checked before
    /// anything is allocated.
    fn begin_value(&mut self, depth: usize) -> Result<ValueStart, JsonProblem> {
        self.skip_space();
        let first = self.peek().ok_or_else(|| self.not_json())?;
        if matches!(first, b'[' | b'{') && depth >= MAX_DEPTH {
            return Err(JsonProblem::Beyond(AnswerBound::Depth));
        }
        self.use_slots(1)?;
        Ok(match first {
            b'[' => {
                self.at += 1;
                if self.take_after_space(b']') {
                    ValueStart::Complete(Value::Array(Vec::new()))
                } else {
                    self.use_slots(CONTAINER_SLOTS)?;
                    ValueStart::Open(OpenContainer::Array(Vec::new()))
                }
            }
            b'{' => {
                self.at += 1;
                if self.take_after_space(b'}') {
                    ValueStart::Complete(Value::Object(JsonObject::new()))
                } else {
                    self.use_slots(CONTAINER_SLOTS)?;
                    ValueStart::Open(OpenContainer::Object { entries: JsonObject::new(), key: self.key()? })
                }
            }
            b'"' => ValueStart::Complete(Value::String(self.string()?)),
            b't' => ValueStart::Complete(self.word("true", Value::Bool(true))?),
            b'f' => ValueStart::Complete(self.word("false", Value::Bool(false))?),
            b'n' => ValueStart::Complete(self.word("null", Value::Null)?),
            _ => ValueStart::Complete(Value::Number(self.number()?)),
        })
    }

    /// After an element: whether another one follows, or the container ends.
    fn comma_or(&mut self, end: u8) -> Result<bool, JsonProblem> {
        if self.take_after_space(b',') {
            Ok(true)
        } else if self.take_after_space(end) {
            Ok(false)
        } else {
            Err(self.not_json())
        }
    }

    /// Counts what the tree takes, before it is taken.
    fn use_slots(&mut self, count: usize) -> Result<(), JsonProblem> {
        self.slots = self.slots.checked_sub(count).ok_or(JsonProblem::Beyond(AnswerBound::Values))?;
        Ok(())
    }

    /// A key and its colon. Keys count as slots too, because each is an allocation.
    fn key(&mut self) -> Result<String, JsonProblem> {
        self.use_slots(1)?;
        self.skip_space();
        let key = self.string()?;
        if self.take_after_space(b':') { Ok(key) } else { Err(self.not_json()) }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonProblem> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.not_json())
        }
    }

    /// A string. Control characters must be escaped, as `JSON.parse` demands.
    fn string(&mut self) -> Result<String, JsonProblem> {
        if !self.take(b'"') {
            return Err(self.not_json());
        }
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))
                .ok_or_else(|| self.not_json())?;
            // The bytes looked for are ASCII, so that this always cuts between characters.
            text.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.take(b'"') {
                return Ok(text);
            }
            if !self.take(b'\\') {
                return Err(self.not_json());
            }
            text.push(self.escaped()?);
        }
    }

    /// The character that an escape stands for; the backslash is already read.
    fn escaped(&mut self) -> Result<char, JsonProblem> {
        let letter = self.peek().ok_or_else(|| self.not_json())?;
        let character = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.code_unit().ok_or_else(|| self.not_json())?;
                return Ok(self.character_from(unit));
            }
            _ => return Err(self.not_json()),
        };
        self.at += 1;
        Ok(character)
    }

    /// The character of a UTF-16 code unit, together with the following escape where both form a pair.
    fn character_from(&mut self, unit: u16) -> char {
        let before_second = self.at;
        if (0xD800..0xDC00).contains(&unit) && self.take(b'\\') {
            let pair = self.code_unit().and_then(|second| char::decode_utf16([unit, second]).next()?.ok());
            if let Some(character) = pair {
                return character;
            }
            self.at = before_second;
        }
        char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Reads `u` and four hexadecimal digits; moves only if they are there.
    fn code_unit(&mut self) -> Option<u16> {
        let digits = self.rest().strip_prefix('u')?.get(..4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 5;
        u16::from_str_radix(digits, 16).ok()
    }

    /// A number. Integers that fit stay integers, so that ids of 64 bits survive; all others become an `f64`, as does
    /// `-0`.
    fn number(&mut self) -> Result<Number, JsonProblem> {
        let rest = self.rest();
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let written = rest.get(..rest.len() - self.rest().len()).unwrap_or_default();
        let whole =
            written.parse::<u64>().map(Number::from).or_else(|_| written.parse::<i64>().map(Number::from));
        if let Ok(whole) = whole
            && written != "-0"
        {
            return Ok(whole);
        }
        let float = written.parse::<f64>().map_err(|_| self.not_json())?;
        Number::from_f64(float.clamp(f64::MIN, f64::MAX)).ok_or_else(|| self.not_json())
    }

    /// Moves past at least one digit.
    fn digits(&mut self) -> Result<(), JsonProblem> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        if count == 0 { Err(self.not_json()) } else { Ok(()) }
    }

    /// Moves past the white space that JSON allows between its tokens, which is less than `trim()` removes.
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take_after_space(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.take(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn not_json(&self) -> JsonProblem {
        JsonProblem::NotJson { offset: self.at }
    }
}

#[cfg(test)]
mod tests;
