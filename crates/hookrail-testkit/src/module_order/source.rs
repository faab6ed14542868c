//! One source file as code alone: comments, strings and test items are blank, and every line keeps its number.

/// A file's code and the test modules it declares.
pub(super) struct Source {
    /// As long as the text of the file, with blanks in place of everything that is not code.
    code: String,
    /// Their names, as in `mod name;`.
    test_modules: Vec<String>,
}

/// The first word of a path that starts at the crate's top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TopWord<'a> {
    /// A module's name, or that of an item of the crate's root.
    pub(super) name: &'a str,
    /// The path begins with `crate::` and not with `super::`.
    pub(super) from_crate: bool,
}

impl Source {
    /// Takes comments, strings and test items out of a text.
    /// Only a test item itself is removed: code after it is read again.
    pub(super) fn new(text: &str) -> Self {
        let mut code = without_comments_and_strings(text);
        let mut test_modules = Vec::new();
        while let Some(start) =
            ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| code.find(mark)).min()
        {
            let end = item_end(&code, start);
            let item = code.get(start..end).unwrap_or_default();
            test_modules.extend(declared_module(item).map(str::to_owned));
            code = blank(&code, start, end);
        }
        Self { code, test_modules }
    }

    /// The modules in files of their own that are declared for tests only.
    pub(super) fn test_modules(&self) -> &[String] {
        &self.test_modules
    }

    /// The paths that start at the crate's top, with their lines. `depth` is the file's own: 1 for a module's file.
    pub(super) fn uses_of_the_top(&self, depth: usize) -> Vec<(TopWord<'_>, usize)> {
        let mut uses = Vec::new();
        let mut add = |at: usize, from_crate: bool| {
            for (offset, name) in first_words(self.code.get(at..).unwrap_or_default()) {
                let line = self.code.get(..at + offset).unwrap_or_default().matches('\n').count() + 1;
                uses.push((TopWord { name, from_crate }, line));
            }
        };
        for (at, start) in self.code.match_indices("crate::") {
            if self.code.get(..at).is_some_and(|before| !before.ends_with(is_word)) {
                add(at + start.len(), true);
            }
        }
        for (at, start) in self.code.match_indices("super::") {
            // Only the beginning of a chain: `super::super::` is read as a whole.
            let is_first = self.code.get(..at).is_some_and(|before| !before.ends_with("super::"));
            let chain = self.code.get(at..).unwrap_or_default();
            let length = chain.len() - chain.trim_start_matches(start).len();
            if is_first && length / start.len() >= depth {
                add(at + length, false);
            }
        }
        uses.sort_by_key(|(_, line)| *line);
        uses
    }
}

/// Whether a character can be part of an identifier.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first word of a path, or of each path in a group (`{a::b, c::{d, e}}`), with its offset.
fn first_words(rest: &str) -> Vec<(usize, &str)> {
    let word_at = |at: usize| {
        let rest = rest.get(at..).unwrap_or_default();
        rest.get(..rest.find(|c| !is_word(c)).unwrap_or(rest.len())).unwrap_or_default()
    };
    if !rest.starts_with('{') {
        return vec![(0, word_at(0))];
    }
    let mut words = Vec::new();
    let (mut depth, mut expected) = (0, false);
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(c, '{' | ',') {
            expected = true;
        } else if expected && is_word(c) {
            expected = false;
            words.push((at, word_at(at)));
        }
    }
    words
}

/// The end of the item whose attribute starts at `start`: its `;`, its block, or the `,` behind a field.
fn item_end(code: &str, start: usize) -> usize {
    let rest = code.get(start..).unwrap_or_default();
    let (mut depth, mut head, mut in_attribute) = (0_usize, String::new(), false);
    for (at, c) in rest.char_indices() {
        let end = start + at + c.len_utf8();
        let keyword = head.split_whitespace().find(|word| !word.starts_with("pub")).unwrap_or_default();
        match c {
            '#' if depth == 0 => in_attribute = true,
            '(' | '[' | '{' => depth += 1,
            // The block or the list around the item ends: the item was the last in it.
            ')' | ']' | '}' if depth == 0 => return start + at,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 && c == '}' && keyword != "use" {
                    return end;
                }
                if depth == 0 && c == ']' && in_attribute {
                    (in_attribute, head) = (false, String::new());
                    continue;
                }
            }
            ';' if depth == 0 => return end,
            ',' if depth == 0 && keyword.ends_with(':') => return end,
            _ => {}
        }
        if !in_attribute {
            head.push(c);
        }
    }
    code.len()
}

/// The name in `mod name;`.
fn declared_module(item: &str) -> Option<&str> {
    let declaration = item.strip_suffix(';')?;
    let (_, name) = declaration.rsplit_once("mod ")?;
    name.chars().all(is_word).then_some(name)
}

/// The text with a part of it blank; line ends stay.
fn blank(text: &str, start: usize, end: usize) -> String {
    let part = text.get(start..end).unwrap_or_default();
    let spaces: String = part.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    [text.get(..start).unwrap_or_default(), &spaces, text.get(end..).unwrap_or_default()].concat()
}

/// The text with comments, strings and character literals blank.
fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = literal_or_comment(rest, code.ends_with(is_word)).unwrap_or(0);
        if length == 0 {
            code.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        } else {
            let part = rest.get(..length).unwrap_or(rest);
            code.extend(part.chars().map(|c| if c == '\n' { c } else { ' ' }));
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    code
}

/// The length of the comment, string or character that `rest` begins with, if it begins with one.
fn literal_or_comment(rest: &str, after_word: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted(rest, '"'));
    }
    let raw = ["r", "br", "cr"].iter().find_map(|prefix| Some((prefix.len(), rest.strip_prefix(prefix)?)));
    if let Some((prefix, raw)) = raw.filter(|_| !after_word) {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let text = raw.get(hashes..).and_then(|raw| raw.strip_prefix('"'))?;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(text.find(&end).map_or(rest.len(), |at| prefix + hashes + 1 + at + end.len()));
    }
    // `'a'` and `'\n'` are characters, `'a` alone is a lifetime.
    let inside = rest.strip_prefix('\'')?;
    let is_character = inside.starts_with('\\') || inside.chars().nth(1) == Some('\'');
    is_character.then(|| quoted(rest, '\''))
}

/// The length of a text between two equal quotes, with escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    rest.len()
}

/// The length of a block comment; they nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(next) = rest.get(at..).filter(|next| !next.is_empty()) {
        let (change, length) = match next {
            _ if next.starts_with("/*") => (1, 2),
            _ if next.starts_with("*/") => (-1, 2),
            _ => (0, next.chars().next().map_or(1, char::len_utf8)),
        };
        depth = depth.saturating_add_signed(change);
        at += length;
        if depth == 0 {
            break;
        }
    }
    at
}
