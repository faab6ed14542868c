//! What the settings of a machine say about its policy.

use minisign_verify::PublicKey;
use serde_json::{Map, Value};

/// The fields of `policy` in the system's settings.
const FIELDS: [&str; 5] = ["url", "keys", "audience", "onMissing", "onExpired"];

/// The `policy` of the system's settings.
#[derive(Debug, Clone)]
pub struct PolicyTerms {
    /// Where `hookrail policy pull` fetches the document, unless it is told otherwise.
    pub url: Option<String>,
    /// The keys whose signatures count; never empty.
    pub(crate) keys: Vec<PublicKey>,
    /// The places of keys that cannot be read. They count for nothing.
    pub unreadable_keys: Vec<usize>,
    /// For which machines the document must be made.
    pub audience: String,
    /// What happens without a usable document.
    pub on_missing: OnMissing,
    /// What happens with an expired one.
    pub on_expired: OnExpired,
}

/// What becomes of guarded events while there is no usable policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// They are refused.
    #[default]
    Block,
    /// A person decides about each tool call.
    Ask,
    /// They go on, with an error in every report.
    Allow,
}

/// What becomes of guarded events when the policy has expired.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnExpired {
    /// It still counts, with a warning.
    #[default]
    Warn,
    /// They are refused.
    Block,
}

/// Why `policy` cannot be used. The settings that contain it are then broken: which guards were meant is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TermsError {
    /// It has another type.
    #[error("`policy` must be an object")]
    NotAnObject,
    /// A field has another type or value.
    #[error("`policy.{field}` must be {expected}")]
    WrongField {
        /// The field.
        field: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// A field that does not exist. It may have been meant to be one that does.
    #[error("`policy.{0}` is not a field; the fields are url, keys, audience, onMissing and onExpired")]
    UnknownField(String),
    /// There is no key that can be read.
    #[error(
        "`policy.keys` has no minisign public key (the second line of `minisign.pub`), so no policy can be verified"
    )]
    NoKey,
}

impl PolicyTerms {
    /// Reads the `policy` of settings.
    pub fn read(value: &Value) -> Result<Self, TermsError> {
        let policy = value.as_object().ok_or(TermsError::NotAnObject)?;
        if let Some(unknown) = policy.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(TermsError::UnknownField(unknown.chars().take(40).collect()));
        }
        let audience = text(policy, "audience")?.filter(|audience| !audience.is_empty());
        let wrong = |field, expected| TermsError::WrongField { field, expected };
        let on_missing = match text(policy, "onMissing")?.as_deref() {
            None | Some("block") => OnMissing::Block,
            Some("ask") => OnMissing::Ask,
            Some("allow") => OnMissing::Allow,
            Some(_) => return Err(wrong("onMissing", "\"block\", \"ask\" or \"allow\"")),
        };
        let on_expired = match text(policy, "onExpired")?.as_deref() {
            None | Some("warn") => OnExpired::Warn,
            Some("block") => OnExpired::Block,
            Some(_) => return Err(wrong("onExpired", "\"warn\" or \"block\"")),
        };
        let keys = policy.get("keys").ok_or(TermsError::NoKey)?;
        let keys = keys.as_array().ok_or_else(|| wrong("keys", "an array of minisign public keys"))?;
        // What is not a text cannot be a key either.
        let keys: Vec<&str> = keys.iter().map(|key| key.as_str().unwrap_or_default()).collect();
        let (keys, unreadable_keys) = read_keys(&keys)?;
        Ok(Self {
            url: text(policy, "url")?,
            keys,
            unreadable_keys,
            audience: audience
                .ok_or_else(|| wrong("audience", "the name that policies for this machine have"))?,
            on_missing,
            on_expired,
        })
    }

    /// Terms for a document that is looked at by hand: these keys, and this audience.
    pub fn of_keys(keys: &[&str], audience: &str) -> Result<Self, TermsError> {
        let (keys, unreadable_keys) = read_keys(keys)?;
        Ok(Self {
            url: None,
            keys,
            unreadable_keys,
            audience: audience.to_owned(),
            on_missing: OnMissing::Block,
            on_expired: OnExpired::Warn,
        })
    }
}

/// The keys that can be read, and the places of the others.
fn read_keys(keys: &[&str]) -> Result<(Vec<PublicKey>, Vec<usize>), TermsError> {
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for (index, key) in keys.iter().map(|key| key.trim()).enumerate() {
        match PublicKey::from_base64(key).or_else(|_| PublicKey::decode(key)) {
            Ok(key) => read.push(key),
            Err(_) => unreadable.push(index),
        }
    }
    if read.is_empty() { Err(TermsError::NoKey) } else { Ok((read, unreadable)) }
}

/// An optional text; `null` counts as absent.
fn text(policy: &Map<String, Value>, field: &'static str) -> Result<Option<String>, TermsError> {
    match policy.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(TermsError::WrongField { field, expected: "a string" }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

    #[test]
    fn terms_are_read_whole_or_refused_with_the_field() {
        let ok = |value: Value| PolicyTerms::read(&value).unwrap();
        let plain = ok(json!({"keys": [KEY], "audience": "laptops"}));
        assert_eq!((plain.on_missing, plain.on_expired), (OnMissing::Block, OnExpired::Warn));
        assert_eq!(plain.url, None);
        let whole = ok(json!({"keys": [KEY, format!("untrusted comment: x\n{KEY}\n")], "audience": "a",
            "url": "https://p", "onMissing": "ask", "onExpired": "block"}));
        assert_eq!(
            (whole.keys.len(), whole.on_missing, whole.on_expired),
            (2, OnMissing::Ask, OnExpired::Block)
        );
        assert_eq!(ok(json!({"keys": ["x", KEY], "audience": "a"})).unreadable_keys, [0]);
        for (value, words) in [
            (json!([]), "must be an object"),
            (json!({"audience": "a"}), "`policy.keys` has no minisign"),
            (json!({"audience": "a", "keys": []}), "`policy.keys` has no minisign"),
            (json!({"audience": "a", "keys": "x"}), "`policy.keys` must be an array"),
            (json!({"audience": "a", "keys": [1, "x"]}), "`policy.keys` has no minisign"),
            (json!({"keys": [KEY]}), "`policy.audience` must be"),
            (json!({"keys": [KEY], "audience": ""}), "`policy.audience` must be"),
            (json!({"keys": [KEY], "audience": 1}), "`policy.audience` must be"),
            (json!({"keys": [KEY], "audience": "a", "onMissing": "warn"}), "`policy.onMissing`"),
            (json!({"keys": [KEY], "audience": "a", "onExpired": "allow"}), "`policy.onExpired`"),
            (
                json!({"keys": [KEY], "audience": "a", "onMising": "block"}),
                "`policy.onMising` is not a field",
            ),
        ] {
            let error = PolicyTerms::read(&value).unwrap_err().to_string();
            assert!(error.contains(words), "{value}: {error}");
        }
    }
}
