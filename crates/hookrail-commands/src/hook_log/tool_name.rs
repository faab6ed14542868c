//! The tool that a payload is about, without reading the payload to its end.

use std::fmt;

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};

/// A name that is longer than this names no tool.
const LONGEST: usize = 256;

/// The `tool_name` of a payload. It is before the arguments, so that of a large payload little is read.
pub(super) fn in_payload(payload: &[u8]) -> Option<String> {
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_slice(payload);
    // Reading is given up once the name is known, which the reader takes for a mistake.
    let _ = reader.deserialize_map(Search { found: &mut found });
    found.filter(|name| name.len() <= LONGEST)
}

/// Stops the parser by an error as soon as the name is read.
struct Search<'a> {
    found: &'a mut Option<String>,
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the payload of a hook")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<std::borrow::Cow<'de, str>>()? {
            if key == "tool_name" {
                *self.found = Some(fields.next_value()?);
                return Err(A::Error::custom("the name is found"));
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
