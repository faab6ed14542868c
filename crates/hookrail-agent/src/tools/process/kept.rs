//! The output of a command, within bounds.
//!
//! The beginning shows what a command did and the end how it ended, so the middle of a long output is left out.

use super::super::text;

/// The first and the last bytes of a stream.
#[derive(Debug, Default)]
pub(in crate::tools) struct KeptOutput {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

impl KeptOutput {
    /// Bytes kept of each end.
    const END: usize = 15_000;

    /// Takes the next bytes. At most three times [`KeptOutput::END`] is held afterwards.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = Self::END.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let last = rest.len().saturating_sub(Self::END);
        self.tail.extend_from_slice(rest.get(last..).unwrap_or_default());
        // Trimmed only when it has doubled, so that a flood is not moved around byte by byte.
        if self.tail.len() > 2 * Self::END {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let surplus = self.tail.len().saturating_sub(Self::END);
        self.tail.drain(..surplus);
    }

    /// How many bytes the stream had.
    pub(in crate::tools) fn total(&self) -> u64 {
        self.total
    }

    /// The text, with a note in the place of what was left out.
    pub(in crate::tools) fn to_text(&self) -> String {
        let surplus = self.tail.len().saturating_sub(Self::END);
        let tail = self.tail.get(surplus..).unwrap_or_default();
        if self.total == (self.head.len() + tail.len()) as u64 {
            return String::from_utf8_lossy(&[&self.head, tail].concat()).into_owned();
        }
        let head = text::whole_chars_before(&self.head);
        let tail = text::whole_chars_after(tail);
        let left_out = self.total - (head.len() + tail.len()) as u64;
        format!(
            "{}\n[… {left_out} bytes left out …]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_stream_are_kept() {
        for (chunks, size) in [(1, 10), (1, 30_000), (3000, 10), (1, 100_000), (1000, 100), (7, 29_999)] {
            let mut kept = KeptOutput::default();
            let mut all = Vec::new();
            for chunk in 0..chunks {
                let bytes: Vec<u8> =
                    (0..size).map(|at| b'a' + u8::try_from((at + chunk) % 26).unwrap()).collect();
                kept.add(&bytes);
                all.extend(bytes);
            }
            let all = String::from_utf8(all).unwrap();
            let text = kept.to_text();
            assert_eq!(kept.total(), all.len() as u64);
            if all.len() <= 30_000 {
                assert_eq!(text, all, "{chunks} × {size}");
            } else {
                let note = format!("\n[… {} bytes left out …]\n", all.len() - 30_000);
                assert_eq!(
                    text,
                    format!("{}{note}{}", &all[..15_000], &all[all.len() - 15_000..]),
                    "{chunks} × {size}"
                );
                assert!(kept.tail.len() <= 30_000, "memory stays bounded");
            }
        }
    }
}
