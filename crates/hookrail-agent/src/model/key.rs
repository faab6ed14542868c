//! The API key, kept from every log, error and debug output.

use std::fmt;

use reqwest::header::HeaderValue;

/// An API key. It leaves this type only as the header of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads a key as people paste it, with spaces or a line end around it; `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key as a header that debug output hides, or `None` if no header can hold it.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&self.0).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// `text` with every occurrence of the key replaced: servers and proxies may echo what they got.
    pub fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "[API key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stays_secret() {
        let key = ApiKey::new(" s3cret\n").unwrap();
        assert_eq!(format!("{key:?} {:?}", key.header()), "ApiKey(hidden) Some(Sensitive)");
        assert_eq!(key.scrub("key s3cret, s3cret"), "key [API key], [API key]");
        assert_eq!(key.header().unwrap().to_str().unwrap(), "s3cret");
    }

    #[test]
    fn what_is_no_key() {
        assert_eq!(ApiKey::new(" \n"), None);
        assert_eq!(ApiKey::new("a\nb").unwrap().header(), None);
    }
}
