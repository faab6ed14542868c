//! The texts that a call by another agent needs none of: the page of `report`, the kits of `init`, schemas.

use hookrail_texts::Texts;

/// Unpacked when the first of them is asked for.
pub(crate) static TEXTS: Texts = Texts::new(include_bytes!(concat!(env!("OUT_DIR"), "/texts.zst")));
