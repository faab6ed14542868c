//! The JSON text that hooks read from stdin: serialised once, shared by all hooks of an event.

use std::sync::Arc;

use serde::Serialize;

/// The one JSON object that each hook of an event receives. Clones share the text.
#[derive(Debug, Clone)]
pub struct Payload {
    text: Arc<Vec<u8>>,
}

/// Why there is no payload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The input has no JSON form.
    #[error("cannot write the hook input as JSON")]
    Serialize(#[from] serde_json::Error),
}

impl Payload {
    /// Serialises the input.
    pub fn new(input: &impl Serialize) -> Result<Self, PayloadError> {
        #[cfg(test)]
        injected::failure()?;
        Ok(Self { text: Arc::new(serde_json::to_vec(input)?) })
    }

    /// A payload that another process wrote: one JSON object without a line feed, or `None`.
    pub fn from_line(text: Vec<u8>) -> Option<Self> {
        let is_object = text.first() == Some(&b'{') && !text.contains(&b'\n');
        (is_object && serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok())
            .then(|| Self { text: Arc::new(text) })
    }

    /// The length of the text in bytes.
    #[expect(clippy::len_without_is_empty, reason = "JSON text is never empty")]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// The text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

/// Payloads that cannot be written, for tests of what comes of that.
#[cfg(test)]
pub(crate) mod injected {
    use std::cell::Cell;

    use serde::ser::Error as _;

    thread_local! {
        static FAILS: Cell<bool> = const { Cell::new(false) };
    }

    /// From now on, payloads fail on this thread.
    pub(crate) fn fail_from_now_on() {
        FAILS.set(true);
    }

    pub(super) fn failure() -> serde_json::Result<()> {
        if FAILS.get() { Err(serde_json::Error::custom("injected")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_json_form_is_refused() {
        let map = std::collections::HashMap::from([(vec![1, 2], 3)]);
        assert!(matches!(Payload::new(&map), Err(PayloadError::Serialize(_))));
    }
}
