//! What is known of the programs of other agents, and the settings for trying them.

use hookrail_texts::Texts;

/// Unpacked when the first of them is asked for.
pub(crate) static TEXTS: Texts = Texts::new(include_bytes!(concat!(env!("OUT_DIR"), "/texts.zst")));
