//! Brace expansion: `{a,b}` and `{1..3}`, which Bash does before everything else.
//!
//! It works on the parts of a word before any of them is expanded, so that `{rm,$x}` becomes two words of which one is
//! known. Quoted characters and expansions take part as a whole and are never looked into.

use super::syntax::{UnexpandedWord, WordPart};

/// A word may become at most this many. No person writes more by hand, and thirty pairs would be a thousand million words.
pub(super) const MAX_WORDS: usize = 512;

/// More braces than this in one word are not looked at: every one can double the words.
const MAX_BRACES: usize = 64;

/// One element of a word: a character that is not quoted, or anything else as a whole.
#[derive(Debug, Clone)]
enum Atom<'w> {
    Char(char),
    Part(&'w WordPart),
}

/// Whether `word` can have braces to expand.
pub(super) fn has_brace(word: &UnexpandedWord) -> bool {
    word.parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains('{')))
}

/// The words that braces make of `word`; `None` if there are too many.
pub(super) fn expand(word: &UnexpandedWord) -> Option<Vec<UnexpandedWord>> {
    let mut atoms = Vec::new();
    for part in &word.parts {
        match part {
            WordPart::Literal(text) => atoms.extend(text.chars().map(Atom::Char)),
            other => atoms.push(Atom::Part(other)),
        }
    }
    if atoms.iter().filter(|atom| matches!(atom, Atom::Char('{'))).count() > MAX_BRACES {
        return None;
    }
    let expanded = expand_atoms(&atoms)?;
    let words = expanded.into_iter().map(|atoms| UnexpandedWord {
        parts: parts_of(&atoms),
        array: word.array.clone(),
        span: word.span,
    });
    // An element that is nothing at all, as in `{,a}` with nothing around it, is not a word.
    Some(words.filter(|word| !word.parts.is_empty()).collect())
}

/// What `atoms` expand to. Every element is expanded by itself, so the call nests as the braces do.
fn expand_atoms<'w>(atoms: &[Atom<'w>]) -> Option<Vec<Vec<Atom<'w>>>> {
    let mut results: Vec<Vec<Atom<'w>>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(atom) = atoms.get(at) {
        if matches!(atom, Atom::Char('{'))
            && let Some((close, commas)) = matching(atoms, at)
        {
            let inner = atoms.get(at + 1..close).unwrap_or_default();
            let choices =
                if commas.is_empty() { sequence(inner) } else { Some(elements(atoms, at, close, &commas)?) };
            if let Some(choices) = choices {
                if results.len().saturating_mul(choices.len()) > MAX_WORDS {
                    return None;
                }
                results = results
                    .iter()
                    .flat_map(|before| choices.iter().map(move |choice| [before.as_slice(), choice].concat()))
                    .collect();
                at = close + 1;
                continue;
            }
        }
        for result in &mut results {
            result.push(atom.clone());
        }
        at += 1;
    }
    Some(results)
}

/// The elements between the commas of a brace, each expanded.
fn elements<'w>(
    atoms: &[Atom<'w>],
    open: usize,
    close: usize,
    commas: &[usize],
) -> Option<Vec<Vec<Atom<'w>>>> {
    let mut choices = Vec::new();
    let starts = std::iter::once(open).chain(commas.iter().copied());
    let ends = commas.iter().copied().chain(std::iter::once(close));
    for (start, end) in starts.zip(ends) {
        choices.extend(expand_atoms(atoms.get(start + 1..end).unwrap_or_default())?);
        if choices.len() > MAX_WORDS {
            return None;
        }
    }
    Some(choices)
}

/// The brace that closes the one at `open`, and the commas directly inside it. An opening brace without a closing one is
/// text, as in Bash.
fn matching(atoms: &[Atom<'_>], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    for (at, atom) in atoms.iter().enumerate().skip(open) {
        match atom {
            Atom::Char('{') => depth += 1,
            Atom::Char('}') => {
                depth -= 1;
                if depth == 0 {
                    return Some((at, commas));
                }
            }
            Atom::Char(',') if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

/// The values of `a..b` or `a..b..step`; `None` if it is not a sequence. One that is too long is a part that is not known:
/// nothing but numbers or letters can come of it.
fn sequence<'w>(inner: &[Atom<'w>]) -> Option<Vec<Vec<Atom<'w>>>> {
    let mut text = String::new();
    for atom in inner {
        match atom {
            Atom::Char(character) => text.push(*character),
            Atom::Part(_) => return None,
        }
    }
    let mut pieces = text.split("..");
    let (first, last) = (pieces.next()?, pieces.next()?);
    let step = pieces.next().map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    if pieces.next().is_some() {
        return None;
    }
    let numbers = first.parse::<i64>().ok().zip(last.parse::<i64>().ok());
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let (from, to) = numbers.or_else(|| letter(first).zip(letter(last)))?;
    let is_padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    let count = (from.abs_diff(to) / step).saturating_add(1);
    if count > MAX_WORDS as u64 {
        // Numbers or letters, of which it is known that nothing else can come of them.
        return Some(vec![vec![Atom::Part(&WordPart::Opaque)]]);
    }
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let mut value = from;
    let mut values = Vec::new();
    for _ in 0..count {
        let text = match numbers {
            Some(_) => format!("{value:0width$}"),
            None => char::from(u8::try_from(value).ok()?).to_string(),
        };
        values.push(text.chars().map(Atom::Char).collect());
        value = if to >= from { value.saturating_add(step) } else { value.saturating_sub(step) };
    }
    Some(values)
}

/// The parts that a list of atoms is written as, with neighbouring characters in one literal.
fn parts_of(atoms: &[Atom<'_>]) -> Vec<WordPart> {
    let mut parts = Vec::new();
    for atom in atoms {
        match (atom, parts.last_mut()) {
            (Atom::Char(character), Some(WordPart::Literal(text))) => text.push(*character),
            (Atom::Char(character), _) => parts.push(WordPart::Literal(character.to_string())),
            (Atom::Part(part), _) => parts.push((*part).clone()),
        }
    }
    parts
}
