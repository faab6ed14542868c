//! Globs for paths and for the words of a command.
//!
//! `?` is one character, `[a-z]` one of a set, `{a,b}` one of several texts, `\` takes the next character as it is.
//! In paths `*` stops at `/` and `**` does not, and `**/x` also matches `x`; in the words of a command both go on.
//! Matching takes time proportional to glob times text, whatever they are: no glob makes it try again.

pub(super) mod braces;

use super::truth::Truth;

/// Longer globs are refused.
pub(super) const MAX_GLOB_BYTES: usize = 4 * 1024;

/// What a glob is matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobKind {
    /// Paths, and all other values: `*` stops at `/`.
    Path,
    /// Words of a command: `*` matches `/` too.
    Word,
}

/// The first letters of some names, in either case. Most names are told apart by them, and many at once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Initials(u32);

impl Initials {
    /// That of a name; any letter where it begins with something else.
    pub(crate) fn of(name: &str) -> Self {
        Self::first(name.chars().next())
    }

    fn first(first: Option<char>) -> Self {
        Self(first.filter(char::is_ascii_alphanumeric).map_or(!0, |first| 1 << (u32::from(first) % 32)))
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a name of these may be one of the others.
    pub(crate) const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A compiled glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// One for each combination of its braces.
    branches: Vec<Vec<Token>>,
}

/// One piece of a glob without braces.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// This character.
    Char(char),
    /// `?`; the flag says whether it may be a slash.
    One(bool),
    /// `[…]`: one character in these ranges, or in none of them. A slash is never in a set.
    Set { negated: bool, ranges: Vec<(char, char)> },
    /// Any number of characters; the flag says whether slashes are among them.
    Run(bool),
    /// `**/`: any number of folders, also none.
    Folders,
}

impl Glob {
    /// Compiles a glob; the error says what is wrong with it.
    pub(crate) fn compile(text: &str, kind: GlobKind) -> Result<Self, String> {
        if text.len() > MAX_GLOB_BYTES {
            return Err(format!("it is longer than {MAX_GLOB_BYTES} bytes"));
        }
        let branches = braces::expand(text)?;
        Ok(Self { branches: branches.iter().map(|branch| tokens(branch, kind)).collect::<Result<_, _>>()? })
    }

    /// A glob that matches this text and nothing else.
    pub(crate) fn literal(text: &str) -> Self {
        Self { branches: vec![text.chars().map(Token::Char).collect()] }
    }

    /// Whether it matches the whole text.
    pub(crate) fn is_match(&self, text: &str, ignore_case: bool) -> bool {
        self.branches.iter().any(|branch| branch_matches(branch, text, ignore_case))
    }

    /// What the texts that it matches may begin with.
    pub(crate) fn initials(&self) -> Initials {
        let first = |branch: &Vec<Token>| match branch.first() {
            Some(Token::Char(first)) => Initials::first(Some(*first)),
            _ => Initials::first(None),
        };
        self.branches.iter().map(first).fold(Initials::default(), Initials::or)
    }

    /// For each of its branches the longest text that whatever it matches contains; `None` if a branch has none.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(crate) fn plain_parts(&self) -> Option<Vec<String>> {
        let longest = |branch: &Vec<Token>| {
            let runs = branch.split(|token| !matches!(token, Token::Char(_)));
            let run = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())?;
            let chars =
                run.iter().filter_map(|token| if let Token::Char(char) = token { Some(char) } else { None });
            Some(chars.collect::<String>())
        };
        self.branches.iter().map(longest).collect()
    }

    /// Whether it matches every text that begins so, some of them, or none.
    pub(crate) fn matches_beginning(&self, text: &str, ignore_case: bool) -> Truth {
        Truth::any(self.branches.iter().map(|branch| branch_goes_on(branch, text, ignore_case)))
    }
}

/// Reads one branch without braces.
fn tokens(text: &str, kind: GlobKind) -> Result<Vec<Token>, String> {
    let crosses = kind == GlobKind::Word;
    let mut tokens = Vec::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut at_segment_start = true;
    while let Some(next) = rest.next() {
        let starts_segment = std::mem::replace(&mut at_segment_start, next == '/');
        tokens.push(match next {
            '\\' => Token::Char(rest.next().ok_or("nothing follows its last `\\`")?),
            '?' => Token::One(crosses),
            '[' => set(&mut rest)?,
            '*' => {
                let mut stars = 1;
                while rest.next_if_eq(&'*').is_some() {
                    stars += 1;
                }
                if stars > 1 && !crosses && starts_segment && rest.next_if_eq(&'/').is_some() {
                    at_segment_start = true;
                    Token::Folders
                } else {
                    Token::Run(crosses || stars > 1)
                }
            }
            other => Token::Char(other),
        });
    }
    Ok(tokens)
}

/// Reads a set behind its `[`.
fn set(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Token, String> {
    let unclosed = || "a `[` has no `]`; for the character itself write `\\[`".to_owned();
    let negated = rest.next_if(|next| matches!(next, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let mut first = rest.next().ok_or_else(unclosed)?;
        if first == ']' && !ranges.is_empty() {
            return Ok(Token::Set { negated, ranges });
        }
        if first == '\\' {
            first = rest.next().ok_or_else(unclosed)?;
        }
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                *rest = ahead;
                last
            }
            _ => first,
        };
        if last < first {
            return Err(format!("the range `{first}-{last}` is empty"));
        }
        ranges.push((first, last));
    }
}

/// Whether a branch matches the whole text.
fn branch_matches(tokens: &[Token], text: &str, ignore_case: bool) -> bool {
    // Most globs of files end in plain characters, too.
    if let Some(Token::Char(expected)) = tokens.last()
        && !text.chars().next_back().is_some_and(|last| same(*expected, last, ignore_case))
    {
        return false;
    }
    follow(tokens, text, ignore_case).is_some_and(|(_, places)| places.last() == Some(&true))
}

/// Whether a branch matches every text that begins so, some of them, or none.
fn branch_goes_on(tokens: &[Token], text: &str, ignore_case: bool) -> Truth {
    let Some((rest, places)) = follow(tokens, text, ignore_case) else { return Truth::No };
    match (rest.split_last(), places.split_last()) {
        (Some((Token::Run(true), before)), _) if places.get(before.len()) == Some(&true) => Truth::Yes,
        (_, Some((_, open))) if open.contains(&true) => Truth::Unknown,
        _ => Truth::No,
    }
}

/// Follows all ways through the tokens at once, in time proportional to the tokens times the text: the tokens behind the
/// plain characters at the beginning, and for each of them, and for the end, whether a match may be there. `None` if nothing
/// matches.
fn follow<'t>(tokens: &'t [Token], text: &str, ignore_case: bool) -> Option<(&'t [Token], Vec<bool>)> {
    // Most globs begin with plain characters and most texts differ in them: no need to set anything up.
    let mut rest = text.chars();
    let mut from = 0;
    while let Some(Token::Char(expected)) = tokens.get(from) {
        match rest.next() {
            Some(found) if same(*expected, found, ignore_case) => from += 1,
            Some(_) => return None,
            None => break,
        }
    }
    let tokens = tokens.get(from..)?;
    let mut now = vec![false; tokens.len() + 1];
    let mut then = now.clone();
    enter(&mut now, tokens, 0);
    for char in rest {
        then.fill(false);
        for (index, token) in tokens.iter().enumerate().filter(|(index, _)| now.get(*index) == Some(&true)) {
            match token {
                // Inside of a folder's name nothing else may begin.
                Token::Folders if char != '/' => then.get_mut(index).into_iter().for_each(|at| *at = true),
                Token::Folders => enter(&mut then, tokens, index),
                Token::Run(crosses) if *crosses || char != '/' => enter(&mut then, tokens, index),
                token if token.takes(char, ignore_case) => enter(&mut then, tokens, index + 1),
                _ => {}
            }
        }
        std::mem::swap(&mut now, &mut then);
        if !now.contains(&true) {
            return None;
        }
    }
    Some((tokens, now))
}

/// Puts a match at a token, and behind it as well where the token may match nothing.
fn enter(places: &mut [bool], tokens: &[Token], index: usize) {
    for (at, place) in places.iter_mut().enumerate().skip(index) {
        *place = true;
        if !matches!(tokens.get(at), Some(Token::Run(_) | Token::Folders)) {
            break;
        }
    }
}

impl Token {
    /// Whether it is one character, and may be this one.
    fn takes(&self, char: char, ignore_case: bool) -> bool {
        match self {
            Self::Char(expected) => same(*expected, char, ignore_case),
            Self::One(crosses) => *crosses || char != '/',
            Self::Set { negated, ranges } => {
                let within = |char: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&char));
                let found = within(char) || (ignore_case && (within(lower(char)) || within(upper(char))));
                char != '/' && found != *negated
            }
            Self::Run(_) | Self::Folders => false,
        }
    }
}

/// Ignoring case, the first characters of the lower-case forms are compared; a form of several characters is cut.
fn same(left: char, right: char, ignore_case: bool) -> bool {
    left == right || (ignore_case && lower(left) == lower(right))
}

fn lower(char: char) -> char {
    char.to_lowercase().next().unwrap_or(char)
}

fn upper(char: char) -> char {
    char.to_uppercase().next().unwrap_or(char)
}

#[cfg(test)]
mod tests;
