//! JSON text exactly as `serde_json` writes it, but faster for what large payloads consist of: long texts full of
//! line breaks and quotes. `serde_json` looks at such a text byte by byte and hands each piece between two escapes
//! to the writer; here eight bytes are looked at together and whole blocks are handed over.
//!
//! Numbers and keys that are not texts are left to `serde_json`.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

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

    fn hand_over(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

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

type Written = Result<(), Error>;

/// Values that `serde_json` writes.
macro_rules! as_serde_json_does {
    ($($method:ident($kind:ty);)*) => {
        $(fn $method(self, value: $kind) -> Written {
            self.write_short(&[])?;
            serde_json::to_writer(&mut self.block, &value)
        })*
    };
}

impl<'t, 'w, W: Write> Serializer for &'t mut Text<'w, W> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'t, 'w, W>;
    type SerializeTuple = Parts<'t, 'w, W>;
    type SerializeTupleStruct = Parts<'t, 'w, W>;
    type SerializeTupleVariant = Parts<'t, 'w, W>;
    type SerializeMap = Parts<'t, 'w, W>;
    type SerializeStruct = Parts<'t, 'w, W>;
    type SerializeStructVariant = Parts<'t, 'w, W>;

    as_serde_json_does! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
    }

    fn serialize_str(self, text: &str) -> Written {
        self.write_text(text).map_err(Error::io)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Written {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Written {
        self.write_short(b"null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.write_short(b"null")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        self.write_short(b"null")
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        let mut parts = Parts::begin(self, b"{", b"}")?;
        SerializeMap::serialize_entry(&mut parts, variant, value)?;
        SerializeMap::end(parts)
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin(self, b"[", b"]")
    }

    fn serialize_tuple(self, _length: usize) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin(self, b"[", b"]")
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin(self, b"[", b"]")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin_variant(self, variant, b"[", b"]}")
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin(self, b"{", b"}")
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin(self, b"{", b"}")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'t, 'w, W>, Error> {
        Parts::begin_variant(self, variant, b"{", b"}}")
    }
}

/// An array or object that is being written.
struct Parts<'t, 'w, W> {
    text: &'t mut Text<'w, W>,
    is_begun: bool,
    end: &'static [u8],
}

impl<'t, 'w, W: Write> Parts<'t, 'w, W> {
    fn begin(text: &'t mut Text<'w, W>, begin: &[u8], end: &'static [u8]) -> Result<Self, Error> {
        text.write_short(begin)?;
        Ok(Self { text, is_begun: false, end })
    }

    /// A variant with data is an object whose one key is the variant's name.
    fn begin_variant(
        text: &'t mut Text<'w, W>,
        variant: &str,
        begin: &[u8],
        end: &'static [u8],
    ) -> Result<Self, Error> {
        text.write_short(b"{")?;
        text.serialize_str(variant)?;
        text.write_short(b":")?;
        Self::begin(text, begin, end)
    }

    fn separate(&mut self) -> Written {
        if std::mem::replace(&mut self.is_begun, true) { self.text.write_short(b",") } else { Ok(()) }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.separate()?;
        value.serialize(&mut *self.text)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Written {
        self.separate()?;
        self.text.serialize_str(name)?;
        self.text.write_short(b":")?;
        value.serialize(&mut *self.text)
    }

    fn close(self) -> Written {
        self.text.write_short(self.end)
    }
}

impl<W: Write> SerializeMap for Parts<'_, '_, W> {
    type Ok = ();
    type Error = Error;

    /// Keys can be numbers, and much cannot be a key: `serde_json` knows.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.separate()?;
        let object = serde_json::to_vec(&OneKey(key))?;
        let key = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"null}"));
        self.text.write_short(key.unwrap_or_default())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.text)
    }

    fn end(self) -> Written {
        self.close()
    }
}

/// The object `{key: null}`.
struct OneKey<'k, T: ?Sized>(&'k T);

impl<T: Serialize + ?Sized> Serialize for OneKey<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}

/// The kinds of array and object that are written alike.
macro_rules! parts {
    ($($kind:ident: $method:ident($($name:ident)?) by $by:ident;)*) => {
        $(impl<W: Write> $kind for Parts<'_, '_, W> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: &'static str,)? value: &T) -> Written {
                self.$by($($name,)? value)
            }

            fn end(self) -> Written {
                self.close()
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element() by element;
    SerializeTuple: serialize_element() by element;
    SerializeTupleStruct: serialize_field() by element;
    SerializeTupleVariant: serialize_field() by element;
    SerializeStruct: serialize_field(name) by field;
    SerializeStructVariant: serialize_field(name) by field;
}

#[cfg(test)]
mod tests;
