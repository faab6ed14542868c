//! Names for files, calls and lines that say nothing about their content: digests as hexadecimal digits.

use sha2::{Digest as _, Sha256};

/// The first bytes of the digest of a text.
pub(crate) fn of(text: impl AsRef<[u8]>, bytes: usize) -> String {
    digits(Sha256::new_with_prefix(text), bytes)
}

/// The first bytes of the digest of a list of parts. No two lists are taken for the same text.
pub(crate) fn of_parts(parts: impl IntoIterator<Item: AsRef<[u8]>>, bytes: usize) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.as_ref().len() as u64).to_le_bytes());
        digest.update(part);
    }
    digits(digest, bytes)
}

fn digits(digest: Sha256, bytes: usize) -> String {
    digest.finalize().iter().take(bytes).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
