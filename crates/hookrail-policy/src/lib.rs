//! Signed policies: one set of hooks for many machines.
//!
//! [`PolicyTerms`] is what the settings of a machine say about its policy. A [`Document`] is made of bytes and a signature, and
//! there is no other way to get one: whatever is in it was signed by a key that the terms name. [`PolicyFolder`] keeps the last
//! good one. Nothing here fetches anything.

mod document;
mod folder;
mod terms;

pub use document::{Document, Draft, DraftError, Expiry, PolicyError, PolicyFile, parse_moment};
pub use folder::{CurrentPolicy, FolderError, Installed, LastPull, PolicyFolder};
pub use terms::{OnExpired, OnMissing, PolicyTerms, TermsError};
