//! The signed document: verified first, then read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::{SignedDuration, Timestamp};
use minisign_verify::Signature;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::terms::PolicyTerms;

/// Larger documents are refused: they are read at each start of a program.
pub(crate) const LARGEST_DOCUMENT: usize = 4 << 20;
/// A minisign signature has four short lines.
pub(crate) const LARGEST_SIGNATURE: usize = 4 << 10;
/// How far ahead of the clock a document may have been issued: clocks differ, and a day is more than they should.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_hours(24);

/// A document whose signature, audience and files were verified.
#[derive(Debug, Clone)]
pub struct Document {
    /// Grows with each document.
    pub version: u64,
    /// When it was made.
    pub issued: Timestamp,
    /// Until when it is meant to count.
    pub expires: Timestamp,
    /// Its settings, as they are written in the document.
    pub settings: String,
    /// The files that its hooks run, by name.
    pub files: BTreeMap<String, PolicyFile>,
    /// The bytes that were signed.
    pub(crate) bytes: Vec<u8>,
    /// The signature, as it was given.
    pub(crate) signature: String,
}

/// A file of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFile {
    /// Its permissions: never more than 0755.
    pub mode: u32,
    /// What is in it.
    pub content: Vec<u8>,
}

/// Why a document is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say it")]
pub enum PolicyError {
    #[error("the document is larger than {} MiB", LARGEST_DOCUMENT >> 20)]
    TooLarge,
    #[error("the signature cannot be read: it must be the `.minisig` file that `minisign -S` wrote")]
    UnreadableSignature,
    #[error(
        "the signature is wrong: the document was not signed with a key of `policy.keys`, or was changed since"
    )]
    WrongSignature,
    #[error("the document is signed and cannot be read: {0}")]
    Unreadable(String),
    #[error("the document is for `{found}`, and this machine is `{wanted}`")]
    OtherAudience { found: String, wanted: String },
    #[error(
        "the document says that it was issued at {0}, which is more than a day ahead of this machine's clock"
    )]
    IssuedAhead(Timestamp),
    #[error("`files.{name}` {why}")]
    BadFile { name: String, why: &'static str },
}

/// Whether a document still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// It does.
    Current,
    /// It was meant to count until then.
    ExpiredAt(Timestamp),
}

#[derive(Deserialize)]
struct Wire<'a> {
    audience: String,
    version: u64,
    issued: String,
    expires: String,
    #[serde(borrow)]
    settings: &'a RawValue,
    #[serde(default)]
    files: BTreeMap<String, FileWire>,
}

#[derive(Serialize, Deserialize)]
struct FileWire {
    sha256: String,
    mode: Mode,
    content: String,
}

/// Permissions: octal digits as a text, or the number itself.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Mode {
    Octal(String),
    Number(u32),
}

impl Document {
    /// Verifies a document, and reads it only then.
    pub fn verify(bytes: Vec<u8>, signature: &str, terms: &PolicyTerms) -> Result<Self, PolicyError> {
        if bytes.len() > LARGEST_DOCUMENT {
            return Err(PolicyError::TooLarge);
        }
        if signature.len() > LARGEST_SIGNATURE {
            return Err(PolicyError::UnreadableSignature);
        }
        let decoded = Signature::decode(signature).map_err(|_| PolicyError::UnreadableSignature)?;
        // Both kinds that `minisign -S` has written by default over the years.
        if !terms.keys.iter().any(|key| key.verify(&bytes, &decoded, true).is_ok()) {
            return Err(PolicyError::WrongSignature);
        }
        let wire: Wire<'_> =
            serde_json::from_slice(&bytes).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
        if wire.audience != terms.audience {
            let found = wire.audience.chars().take(100).collect();
            return Err(PolicyError::OtherAudience { found, wanted: terms.audience.clone() });
        }
        let moment = |field: &str, text: &str| {
            parse_moment(text).ok_or_else(|| {
                PolicyError::Unreadable(format!("`{field}` must be a time such as 2026-12-31T08:00:00Z"))
            })
        };
        let settings = wire.settings.get().to_owned();
        if !settings.starts_with('{') {
            return Err(PolicyError::Unreadable("`settings` must be an object".to_owned()));
        }
        let files = wire.files.into_iter().map(|(name, file)| {
            let read = file.read().and_then(|read| is_component(&name).map(|()| read));
            read.map(|file| (name.clone(), file)).map_err(|why| PolicyError::BadFile { name, why })
        });
        Ok(Self {
            version: wire.version,
            issued: moment("issued", &wire.issued)?,
            expires: moment("expires", &wire.expires)?,
            settings,
            files: files.collect::<Result<_, _>>()?,
            signature: signature.to_owned(),
            bytes,
        })
    }

    /// Refuses a document that claims to be made in the future: its version would keep all true ones out.
    pub fn check_issued(&self, now: Timestamp) -> Result<(), PolicyError> {
        let is_ahead = self.issued.duration_since(now) > CLOCKS_DIFFER;
        if is_ahead { Err(PolicyError::IssuedAhead(self.issued)) } else { Ok(()) }
    }

    /// Whether it still counts. `seen` is a moment that has certainly passed: a clock that was set back does not make an old
    /// document new.
    pub fn expiry(&self, now: Timestamp, seen: Option<Timestamp>) -> Expiry {
        let now = now.max(self.issued).max(seen.unwrap_or(Timestamp::MIN));
        if now > self.expires { Expiry::ExpiredAt(self.expires) } else { Expiry::Current }
    }

    /// The digest of the bytes, in hexadecimal digits.
    pub fn digest(&self) -> String {
        hex(&self.bytes)
    }
}

/// A time such as `2026-12-31T08:00:00Z`, or a day, which counts to its end in UTC.
pub fn parse_moment(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let end = text.parse::<jiff::civil::Date>().ok()?.at(23, 59, 59, 999_999_999);
    jiff::tz::TimeZone::UTC.to_timestamp(end).ok()
}

impl FileWire {
    fn read(&self) -> Result<PolicyFile, &'static str> {
        let content =
            BASE64_STANDARD.decode(&self.content).map_err(|_| "has a `content` that is not base64")?;
        if !hex(&content).eq_ignore_ascii_case(&self.sha256) {
            return Err("has a `content` that differs from its `sha256`");
        }
        let mode = match &self.mode {
            Mode::Octal(digits) => u32::from_str_radix(digits, 8)
                .map_err(|_| "has a `mode` that is not octal, such as \"0755\"")?,
            Mode::Number(mode) => *mode,
        };
        if mode & !0o755 != 0 {
            return Err("has a `mode` beyond 0755");
        }
        Ok(PolicyFile { mode, content })
    }
}

/// A name that stays in its folder.
fn is_component(name: &str) -> Result<(), &'static str> {
    let is_plain = !name.is_empty()
        && name.len() <= 200
        && name != "."
        && name != ".."
        && !name.contains(|letter: char| letter == '/' || letter.is_control());
    if is_plain { Ok(()) } else { Err("has a name that is not one path component") }
}

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A document that is not signed yet.
#[derive(Debug)]
pub struct Draft {
    /// For which machines it is made.
    pub audience: String,
    /// Above the last one's.
    pub version: u64,
    /// When it is made.
    pub issued: Timestamp,
    /// Until when it is meant to count.
    pub expires: Timestamp,
    /// Its settings, as strict JSON text.
    pub settings: String,
    /// The files that its hooks run.
    pub files: BTreeMap<String, PolicyFile>,
}

/// Why no document can be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say it")]
pub enum DraftError {
    #[error("the settings cannot be read")]
    Settings(#[from] serde_json::Error),
    #[error("`{name}` {why}")]
    File { name: String, why: &'static str },
    #[error("the document would be larger than {} MiB", LARGEST_DOCUMENT >> 20)]
    TooLarge,
}

impl Draft {
    /// The document, to be signed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DraftError> {
        #[derive(Serialize)]
        struct Written<'a> {
            audience: &'a str,
            version: u64,
            issued: String,
            expires: String,
            settings: &'a RawValue,
            files: BTreeMap<&'a str, FileWire>,
        }
        let mut files = BTreeMap::new();
        for (name, file) in &self.files {
            is_component(name).map_err(|why| DraftError::File { name: name.clone(), why })?;
            let wire = FileWire {
                sha256: hex(&file.content),
                mode: Mode::Octal(format!("{:04o}", file.mode)),
                content: BASE64_STANDARD.encode(&file.content),
            };
            files.insert(name.as_str(), wire);
        }
        let settings: Box<RawValue> = serde_json::from_str(&self.settings)?;
        let written = Written {
            audience: &self.audience,
            version: self.version,
            issued: self.issued.to_string(),
            expires: self.expires.to_string(),
            settings: &settings,
            files,
        };
        let mut bytes = serde_json::to_vec_pretty(&written)?;
        bytes.push(b'\n');
        if bytes.len() > LARGEST_DOCUMENT { Err(DraftError::TooLarge) } else { Ok(bytes) }
    }
}
