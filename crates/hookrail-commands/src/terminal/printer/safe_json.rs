//! JSON that is safe to show, written piece by piece.
//!
//! Making the whole text first and escaping it afterwards would hold a large result twice. A test shows that both ways
//! give the same.

use std::io::{self, Write};

use super::escape_json;

/// Writes JSON with deceptive characters as JSON's own escapes. The serializer hands it whole pieces of text.
pub(super) struct SafeJson<W>(pub(super) W);

impl<W: Write> Write for SafeJson<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(piece).map_err(io::Error::other)?;
        self.0.write_all(escape_json(text).as_bytes())?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests;
