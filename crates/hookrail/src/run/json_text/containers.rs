//! Arrays and objects.

use std::io::Write;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::{Text, Written};

/// An array or object that is being written.
pub(super) struct Parts<'t, 'w, W> {
    text: &'t mut Text<'w, W>,
    is_not_empty: bool,
    end: &'static [u8],
}

impl<'t, 'w, W: Write> Parts<'t, 'w, W> {
    /// Writes the opening text of a container; `end` closes it.
    pub(super) fn begin(text: &'t mut Text<'w, W>, begin: &[u8], end: &'static [u8]) -> Result<Self, Error> {
        text.write_short(begin)?;
        Ok(Self { text, is_not_empty: false, end })
    }

    /// A variant with data is an object whose one key is the variant's name.
    pub(super) fn begin_variant(
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

    /// Writes the comma before every part but the first.
    fn separate(&mut self) -> Written {
        if std::mem::replace(&mut self.is_not_empty, true) { self.text.write_short(b",") } else { Ok(()) }
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

    /// Keys can be numbers, and many values cannot be keys: `serde_json` decides.
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
