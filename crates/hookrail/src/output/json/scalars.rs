//! Strings and numbers.

use serde_json::Number;

use super::{JsonProblem, JsonReader};

impl JsonReader<'_> {
    /// A string. Control characters must be escaped, as `JSON.parse` demands.
    pub(super) fn string(&mut self) -> Result<String, JsonProblem> {
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
    pub(super) fn number(&mut self) -> Result<Number, JsonProblem> {
        let rest = self.rest();
        let negative = self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        let mut integral = true;
        if self.take(b'.') {
            integral = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            integral = false;
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let written = rest.get(..rest.len() - self.rest().len()).unwrap_or_default();
        if integral && written != "-0" {
            let whole = if negative {
                written.parse::<i64>().map(Number::from)
            } else {
                written.parse::<u64>().map(Number::from)
            };
            if let Ok(whole) = whole {
                return Ok(whole);
            }
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
}
