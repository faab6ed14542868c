//! The known word that was probably meant, for messages.

/// Words longer than this are neither compared with known ones, which costs the square of their length, nor shown in
/// full.
const LONGEST_WORD: usize = 64;

/// The known word that `word` was probably meant to be: near in spelling, or the same but for its case.
pub(crate) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let (distance, near) = closest(word, known)?;
    (distance <= (near.len() / 3).max(1)).then_some(near)
}

/// The known name of which `word` is a misspelling: at most two letters away.
pub(crate) fn misspelling_of<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    closest(word, known).filter(|(distance, _)| *distance <= 2).map(|(_, near)| near)
}

/// A word for a message, cut to a length that fits there.
pub(crate) fn shortened(word: &str) -> String {
    cut(word, LONGEST_WORD)
}

/// At most so many characters of a text, with a mark if some are missing.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The known word that differs in the fewest letters, and in how many.
fn closest<'k>(word: &str, known: &[&'k str]) -> Option<(usize, &'k str)> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let word = word.to_lowercase();
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&word, &known.to_lowercase()), *known))
        .min_by_key(|(distance, _)| *distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_long_ones_are_not_compared() {
        let known = ["equals", "startsWith", "in"];
        for (word, expected) in [
            ("equal", Some("equals")),
            ("startswith", Some("startsWith")),
            ("im", Some("in")),
            ("matches", None),
        ] {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
        assert_eq!(misspelling_of("eqauls", &known), Some("equals"));
        assert_eq!(misspelling_of("equ", &known), None);
        assert_eq!(nearest(&"equals".repeat(1_000_000), &known), None);
        assert_eq!(shortened(&"é".repeat(1000)).chars().count(), LONGEST_WORD + 1);
    }
}
