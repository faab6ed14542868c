//! JSON text exactly as `serde_json` writes it, but faster for what large payloads consist of: long texts full of
//! line breaks and quotes. `serde_json` looks at such a text byte by byte and hands each piece between two escapes
//! to the writer; here eight bytes are looked at together and whole blocks are handed over.
//!
//! Numbers and keys that are not texts are left to `serde_json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Error;

mod containers;
mod values;

/// What is handed over at once, about.
const BLOCK: usize = 4 * 1024;

/// Writes a value as JSON.
pub(super) fn write<W: Write>(writer: &mut W, value: &impl Serialize) -> Result<(), Error> {
    let mut text = Text { writer, block: Vec::with_capacity(BLOCK + 64) };
    value.serialize(&mut text)?;
    text.hand_over().map_err(Error::io)
}

/// The text that was written so far.
struct Text<'w, W> {
    writer: &'w mut W,
    /// What is not handed over yet.
    block: Vec<u8>,
}

impl<W: Write> Text<'_, W> {
    /// Copies eight bytes at a time, and goes back to the first of them that has to be escaped.
    fn write_text(&mut self, text: &str) -> io::Result<()> {
        self.block.push(b'"');
        let mut rest = text.as_bytes();
        while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
            if self.block.len() >= BLOCK {
                self.hand_over()?;
            }
            self.block.extend_from_slice(eight);
            let marks = marks(u64::from_le_bytes(*eight));
            if marks == 0 {
                rest = behind;
                continue;
            }
            // The lowest mark is that of the first byte to be escaped; what is behind it is looked at again.
            let clean = (marks.trailing_zeros() / 8) as usize;
            self.block.truncate(self.block.len() - 8 + clean);
            let Some((byte, behind)) = rest.get(clean..).and_then(<[u8]>::split_first) else { break };
            self.escape(*byte);
            rest = behind;
        }
        for byte in rest {
            self.escape(*byte);
        }
        self.block.push(b'"');
        Ok(())
    }

    /// Writes a piece of syntax or a number.
    fn write_short(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.block.len() >= BLOCK {
            self.hand_over().map_err(Error::io)?;
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    /// Gives the block to the writer. Calls of a writer cost more than copying into a block, so they are few.
    fn hand_over(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes one byte. Bytes beyond ASCII are parts of characters, which JSON takes as they are.
    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0x08 => b'b',
            0x0c => b'f',
            0x00..0x20 => {
                let digit = |half: u8| if half < 10 { b'0' + half } else { b'a' + half - 10 };
                self.block.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
                return;
            }
            _ => {
                self.block.push(byte);
                return;
            }
        };
        self.block.extend_from_slice(&[b'\\', short]);
    }
}

/// Marks the highest bit of each byte that has to be escaped: quote, backslash, and everything below the space. A byte
/// above a marked one may be marked wrongly, because the subtraction borrows; the lowest mark is always right.
const fn marks(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let quote = eight ^ (ONES * b'"' as u64);
    let backslash = eight ^ (ONES * b'\\' as u64);
    (eight.wrapping_sub(ONES * 0x20) & !eight
        | quote.wrapping_sub(ONES) & !quote
        | backslash.wrapping_sub(ONES) & !backslash)
        & HIGH
}

/// Nothing is returned but whether it could be written.
type Written = Result<(), Error>;

#[cfg(test)]
mod tests;
