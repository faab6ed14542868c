//! Single values. All but texts are left to `serde_json`.

use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Error;

use super::containers::Parts;
use super::{Text, Written};

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
