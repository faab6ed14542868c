//! The members of an object, read one by one.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::Result;
use crate::formats::field::FieldPath;
use crate::formats::json_object::JsonObject;

/// An object whose members are moved out of it if it is owned, and borrowed from it if it is not.
pub(crate) struct Members<'v>(Cow<'v, JsonObject>);

impl<'v> From<&'v JsonObject> for Members<'v> {
    fn from(object: &'v JsonObject) -> Self {
        Self(Cow::Borrowed(object))
    }
}

impl From<JsonObject> for Members<'_> {
    fn from(object: JsonObject) -> Self {
        Self(Cow::Owned(object))
    }
}

impl<'v> Members<'v> {
    /// The members of a value that has to be an object.
    pub(super) fn of(value: Cow<'v, Value>, at: &FieldPath<'_>) -> Result<Self> {
        match value {
            Cow::Owned(Value::Object(object)) => Ok(Self::from(object)),
            Cow::Borrowed(Value::Object(object)) => Ok(Self::from(object)),
            other => Err(at.mismatch("an object", Some(&other))),
        }
    }

    /// Takes a member that was given. `null` counts as not given: scripts that build their answer from variables
    /// write it for what they leave alone.
    pub(super) fn take(&mut self, key: &str) -> Option<Cow<'v, Value>> {
        let value = match &mut self.0 {
            Cow::Owned(object) => object.shift_remove(key).map(Cow::Owned),
            Cow::Borrowed(object) => object.get(key).map(Cow::Borrowed),
        };
        value.filter(|value| !value.is_null())
    }

    /// Takes the first of several spellings of a member that was given, and says which one it is.
    pub(super) fn take_spelled(
        &mut self,
        spellings: &[&'static str],
    ) -> Option<(&'static str, Cow<'v, Value>)> {
        spellings.iter().find_map(|key| Some((*key, self.take(key)?)))
    }

    /// Takes an object; `None` where there is none.
    pub(super) fn object(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<Self>> {
        self.take(key).map(|value| Self::of(value, &at.key(key))).transpose()
    }

    /// Takes a text; `None` where there is none.
    pub(super) fn text(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<Cow<'v, str>>> {
        self.take(key).map(|value| text(value, &at.key(key))).transpose()
    }

    /// A number as it was written.
    pub(super) fn number(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<Number>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let number = value.as_number().cloned();
        number.map(Some).ok_or_else(|| at.key(key).mismatch("a number", Some(&value)))
    }

    /// Takes a whole number; `None` where there is none.
    pub(super) fn count(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<u64>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| at.key(key).mismatch("a whole number", Some(&value)))
    }

    /// A list, each entry of which is read by `read`.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        at: &FieldPath<'_>,
        read: impl Fn(Cow<'v, Value>, &FieldPath<'_>) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        self.take(key).map(|value| list(value, &at.key(key), read)).transpose()
    }

    /// A list of texts and nothing else.
    pub(super) fn names(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<Vec<String>>> {
        self.list(key, at, |entry, at| text(entry, at).map(Cow::into_owned))
    }

    /// What was not taken. An object that is only borrowed keeps it.
    pub(super) fn left(self) -> JsonObject {
        match self.0 {
            Cow::Owned(object) => object,
            Cow::Borrowed(_) => JsonObject::new(),
        }
    }

    /// The members that were not taken; `None` if all were.
    pub(super) fn left_if_any(self) -> Option<Cow<'v, JsonObject>> {
        Some(self.left()).filter(|left| !left.is_empty()).map(Cow::Owned)
    }
}

/// Reads a value as a text.
pub(super) fn text<'v>(value: Cow<'v, Value>, at: &FieldPath<'_>) -> Result<Cow<'v, str>> {
    match value {
        Cow::Owned(Value::String(text)) => Ok(Cow::Owned(text)),
        Cow::Borrowed(Value::String(text)) => Ok(Cow::Borrowed(text)),
        other => Err(at.mismatch("a text", Some(&other))),
    }
}

/// Reads a value as a list, item by item.
pub(super) fn list<'v, T>(
    value: Cow<'v, Value>,
    at: &FieldPath<'_>,
    read: impl Fn(Cow<'v, Value>, &FieldPath<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    match value {
        Cow::Owned(Value::Array(entries)) => each(entries.into_iter().map(Cow::Owned), at, read),
        Cow::Borrowed(Value::Array(entries)) => each(entries.iter().map(Cow::Borrowed), at, read),
        other => Err(at.mismatch("a list", Some(&other))),
    }
}

fn each<'v, T>(
    entries: impl ExactSizeIterator<Item = Cow<'v, Value>>,
    at: &FieldPath<'_>,
    read: impl Fn(Cow<'v, Value>, &FieldPath<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut list = Vec::with_capacity(entries.len());
    for (place, entry) in entries.enumerate() {
        list.push(read(entry, &at.entry(place))?);
    }
    Ok(list)
}
