//! A source file, read for the modules at the top of its crate that it names. Test code is left out.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What a source file names.
#[derive(Default)]
pub(super) struct Source {
    uses: Vec<TopUse>,
    test_modules: Vec<String>,
}

/// A word behind `crate::`, or behind as many `super::` as there are.
pub(super) struct TopUse {
    pub(super) name: String,
    pub(super) from_crate: bool,
    pub(super) line: usize,
    supers: usize,
}

impl Source {
    /// Reads a source text.
    pub(super) fn new(text: &str) -> Self {
        let mut source = Self::default();
        source.read(text.parse().expect("Rust code"));
        source
    }

    /// The files that are modules of tests, by name.
    pub(super) fn test_modules(&self) -> &[String] {
        &self.test_modules
    }

    /// The words that name something at the top of the crate, for a file that is this deep in it.
    pub(super) fn uses_of_the_top(&self, depth: usize) -> impl Iterator<Item = &TopUse> {
        self.uses.iter().filter(move |found| found.from_crate || found.supers >= depth)
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        while let [first, after @ ..] = rest {
            rest = match (first, after) {
                (TokenTree::Punct(_), [attribute, item @ ..]) if is_for_tests(attribute) => {
                    self.skip_item(item)
                }
                (TokenTree::Group(group), _) => {
                    self.read(group.stream());
                    after
                }
                (TokenTree::Ident(word), _) if word == "crate" || word == "super" => self.read_path(rest),
                _ => after,
            };
        }
    }

    /// Reads a path and gives what follows its first words.
    fn read_path<'t>(&mut self, path: &'t [TokenTree]) -> &'t [TokenTree] {
        let (mut rest, mut from_crate, mut supers) = (path, false, 0);
        while let [TokenTree::Ident(word), TokenTree::Punct(colon), TokenTree::Punct(_), after @ ..] = rest
            && colon.as_char() == ':'
            && (word == "crate" || word == "super")
        {
            from_crate |= word == "crate";
            supers += usize::from(word == "super");
            rest = after;
        }
        let [first, after @ ..] = rest else { return &[] };
        let mut words = Vec::new();
        match first {
            _ if rest.len() == path.len() => {}
            TokenTree::Group(group) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
                words.extend(tokens.split(is_comma).filter_map(|part| part.first().cloned()));
            }
            word => words.push(word.clone()),
        }
        self.uses.extend(words.into_iter().map(|word| TopUse {
            name: word.to_string(),
            from_crate,
            line: word.span().start().line,
            supers,
        }));
        after
    }

    /// What follows an item, whose attributes may go on. A field ends with a comma, a `use` with a semicolon, other items
    /// with either that or braces.
    fn skip_item<'t>(&mut self, item: &'t [TokenTree]) -> &'t [TokenTree] {
        let is_sign = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(found) if found.as_char() == sign);
        if let [mark, TokenTree::Group(_), item @ ..] = item
            && is_sign(mark, '#')
        {
            return self.skip_item(item);
        }
        let is_field = match item {
            [TokenTree::Ident(_), TokenTree::Group(_), _, colon, ..] | [_, colon, ..] => {
                matches!(colon, TokenTree::Punct(sign) if sign.as_char() == ':' && sign.spacing() == Spacing::Alone)
            }
            _ => false,
        };
        let is_use =
            item.iter().take(3).any(|token| matches!(token, TokenTree::Ident(word) if word == "use"));
        let is_end = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_use,
            token => is_sign(token, ';') || (is_field && is_sign(token, ',')),
        };
        let end = item.iter().position(is_end).unwrap_or(item.len());
        let (item, after) = item.split_at(end);
        if let [.., TokenTree::Ident(word), TokenTree::Ident(name)] = item
            && word == "mod"
            && after.first().is_some_and(|end| is_sign(end, ';'))
        {
            self.test_modules.push(name.to_string());
        }
        after.get(1..).unwrap_or_default()
    }
}

/// Whether this is the rest of `#[cfg(test)]`, or of a condition that begins with it.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else { return false };
    let condition = group.stream().to_string().replace(' ', "");
    group.delimiter() == Delimiter::Bracket
        && ["cfg(test)", "cfg(all(test"].iter().any(|start| condition.starts_with(start))
}
