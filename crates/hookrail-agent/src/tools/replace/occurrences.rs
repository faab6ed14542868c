//! Finding and replacing bytes in bytes.
//!
//! Files in old encodings can be edited as long as the passage itself is found: nothing is decoded.

/// Where the needle starts, without overlaps.
pub(super) fn occurrences(content: &[u8], needle: &[u8]) -> Vec<usize> {
    // Text has a linear search in the standard library; anything else is searched byte by byte, so that
    // a file in an old encoding can be edited without harm to its other bytes.
    if let (Ok(content), Ok(needle)) = (std::str::from_utf8(content), std::str::from_utf8(needle)) {
        return content.match_indices(needle).map(|(at, _)| at).collect();
    }
    let mut places = Vec::new();
    let mut next = 0;
    for (at, window) in content.windows(needle.len().max(1)).enumerate() {
        if at >= next && window == needle {
            places.push(at);
            next = at + needle.len();
        }
    }
    places
}

/// The content with `new` at each place in place of `length` bytes. It works on bytes: the rest of the file may be in
/// any encoding.
pub(super) fn splice(content: &[u8], places: &[usize], length: usize, new: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(content.len());
    let mut from = 0;
    for &at in places {
        changed.extend_from_slice(content.get(from..at).unwrap_or_default());
        changed.extend_from_slice(new);
        from = at + length;
    }
    changed.extend_from_slice(content.get(from..).unwrap_or_default());
    changed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn occurrences_do_not_overlap() {
        for (content, needle, expected) in [
            (&b"aaaa"[..], "aa", vec![0, 2]),
            (b"\xffaaaa", "aa", vec![1, 3]),
            (b"\xff\xfe", "x", vec![]),
            (b"", "x", vec![]),
            (b"a\r\nb", "a\nb", vec![]),
        ] {
            assert_eq!(occurrences(content, needle.as_bytes()), expected, "{needle} in {content:?}");
        }
    }

    proptest! {
        #[test]
        fn splicing_equals_replacing_text(content in "[ab\n]{0,40}", old in "[ab\n]{1,3}", new in "[abc]{0,3}") {
            let places = occurrences(content.as_bytes(), old.as_bytes());
            let changed = splice(content.as_bytes(), &places, old.len(), new.as_bytes());
            prop_assert_eq!(changed, content.replace(&old, &new).into_bytes());
        }
    }
}
