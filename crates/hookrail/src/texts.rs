//! The texts that an event needs none of: schemas, the loader of Python hooks.

use hookrail_texts::Texts;

/// Unpacked when the first of them is asked for.
pub(crate) static TEXTS: Texts = Texts::new(include_bytes!(concat!(env!("OUT_DIR"), "/texts.zst")));
