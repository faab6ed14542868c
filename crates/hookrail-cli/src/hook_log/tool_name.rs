//! The tool that a payload is about, without reading the payload to its end.

use std::fmt;

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};

/// A name that is longer than this names no tool.
const LONGEST: usize = 256;

/// The `tool_name` of a payload. It stands before the arguments, so that of a large payload little is read.
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
mod tests {
    use super::*;

    #[test]
    fn the_name_is_found_wherever_it_stands() {
        for (payload, expected) in [
            (r#"{"cwd":"/","tool_name":"write_file","tool_input":{"tool_name":"x"}}"#, Some("write_file")),
            (r#"{"tool_input":{"tool_name":"x"},"tool_name":"a\"b"}"#, Some("a\"b")),
            (r#"{"tool_name":5}"#, None),
            (r#"{"other":1}"#, None),
            ("[]", None),
            ("{", None),
        ] {
            assert_eq!(in_payload(payload.as_bytes()).as_deref(), expected, "{payload}");
        }
        assert_eq!(in_payload(format!("{{\"tool_name\":\"{}\"}}", "x".repeat(300)).as_bytes()), None);
    }
}
