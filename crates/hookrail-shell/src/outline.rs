//! The words of a text, wherever they stand, for those who ask about words and not about what would run.
//!
//! Facts follow a line as a shell would; that is the wrong tool for "which files does this command name" or "is this
//! command one program with plain arguments". These questions are asked of an outline: every simple command of the text
//! with its words decoded and their places kept, and every word that belongs to no simple command. Nothing is expanded,
//! so that each reader decides which variables it knows.

mod build;

use std::ops::Range;

use super::MAX_TEXT;
use super::parse::parse;
use super::syntax::Quote;

/// What a text is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The simple commands in the order in which they begin, those in substitutions and function bodies included.
    pub commands: Vec<SimpleCommand>,
    /// Words of compound commands, and texts inside of expansions.
    pub others: Vec<(Role, Word)>,
    /// Every variable that is expanded, ordered by place.
    pub variables: Vec<Variable>,
    /// The texts in single quotes, quotes included, ordered by place.
    pub single_quoted: Vec<Range<usize>>,
    /// Whether something was not understood. A shell would refuse most such texts.
    pub is_broken: bool,
    /// Whether a part was left unread, because it nests too deep or the text is too long.
    pub is_incomplete: bool,
}

/// Assignments and words, as in `A=b program operand <file`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The assignments before the program.
    pub assignments: Vec<Assignment>,
    /// The program and its operands.
    pub words: Vec<Word>,
    /// The files that it is redirected to, and its here-documents.
    pub redirections: Vec<(Role, Word)>,
}

/// `name=value` before a program, or instead of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Its value; the values of an array are among the other words.
    pub value: Word,
    /// The place of all of it.
    pub span: Range<usize>,
}

/// A word before its expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// What it is made of, without quotes and escapes. The empty word has none.
    pub pieces: Vec<Piece>,
    /// Its place, quotes included.
    pub span: Range<usize>,
    /// Whether braces make more than one word of it.
    pub has_braces: bool,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are described with their variants")]
pub enum Piece {
    /// Text as a program would get it, but for patterns, braces and `~` outside of quotes; and how it was quoted.
    Text { text: String, quote: Quote },
    /// The value of a variable, by its name, or of another parameter of a shell, by a number or a sign. It is plain if the
    /// value is taken as it is: `$x` or `${x}`.
    Variable { name: String, is_plain: bool },
    /// Anything else that is only known when it runs. The words inside it are reported where they belong.
    Expansion,
}

/// A place where a variable is expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether the value is taken as it is: `$x` or `${x}`.
    pub is_plain: bool,
    /// Whether its value stays one word: in double quotes, here-documents, subscripts and arithmetic.
    pub is_quoted: bool,
    /// Its place, from the dollar sign on.
    pub span: Range<usize>,
}

/// The role of a word that is not an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A file that is read (`<`, `<>`).
    Read,
    /// A file that is only written (`>`, `>>`, `&>`).
    Written,
    /// A here-document or here-string: the text itself.
    Document,
    /// An element of a list: of `for`, `select` or an array.
    Element,
    /// The subject or a pattern of `case`, or a word of `[[ … ]]`.
    Compared,
    /// A text inside of an expansion (`${x:-text}`), a subscript or an arithmetic expression.
    Inner,
    /// The name of a function or of a loop's variable.
    Name,
}

/// The simple command that a text begins with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beginning<'o> {
    /// The assignments before its first word.
    pub assignments: &'o [Assignment],
    /// Its words up to the first operator or redirection.
    pub words: &'o [Word],
    /// Whether the text is nothing but these.
    pub is_whole: bool,
}

impl Outline {
    /// The simple command that `text` begins with, of which this is the outline: as much of the first one as has nothing but
    /// blanks before and between its assignments and words. It is empty where a reserved word or an operator comes first.
    pub fn beginning(&self, text: &str) -> Beginning<'_> {
        let is_blank =
            |range: Range<usize>| text.get(range).is_some_and(|gap| gap.trim_matches([' ', '\t']).is_empty());
        let Some(first) = self.commands.first() else { return Beginning::default() };
        let mut end = 0;
        let mut follows = |span: &Range<usize>| {
            let follows = is_blank(end..span.start);
            end = if follows { span.end } else { end };
            follows
        };
        let assignments = first.assignments.iter().take_while(|assignment| follows(&assignment.span)).count();
        // Where an assignment is cut off, the words behind it are too: there is more than a blank before them.
        let words = first.words.iter().take_while(|word| follows(&word.span)).count();
        let are_all = assignments == first.assignments.len() && words == first.words.len();
        Beginning {
            assignments: first.assignments.get(..assignments).unwrap_or_default(),
            words: first.words.get(..words).unwrap_or_default(),
            is_whole: are_all && is_blank(end..text.len()) && !self.is_broken && !self.is_incomplete,
        }
    }

    /// Every word of the text, with its role where it is not an operand.
    pub fn words(&self) -> impl Iterator<Item = (Option<Role>, &Word)> {
        let others = self.others.iter().map(|(role, word)| (Some(*role), word));
        self.commands.iter().flat_map(SimpleCommand::all_words).chain(others)
    }
}

impl SimpleCommand {
    /// The values of its assignments, its own words and those of its redirections.
    fn all_words(&self) -> impl Iterator<Item = (Option<Role>, &Word)> {
        let values = self.assignments.iter().map(|assignment| (None, &assignment.value));
        let words = self.words.iter().map(|word| (None, word));
        let redirections = self.redirections.iter().map(|(role, word)| (Some(*role), word));
        values.chain(words).chain(redirections)
    }
}

impl Word {
    /// The word, if a program gets it as it is but for quoting: no expansion, no pattern, no braces.
    /// A `~` is left as it is.
    pub fn literal(&self) -> Option<String> {
        let mut word = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text { text, quote: Quote::None } if text.contains(['*', '?', '[', '{']) => {
                    return None;
                }
                Piece::Text { quote: Quote::Translated, .. } | Piece::Variable { .. } | Piece::Expansion => {
                    return None;
                }
                Piece::Text { text, .. } => word.push_str(text),
            }
        }
        Some(word)
    }

    /// Whether the shell looks for files whose names match it.
    pub fn is_pattern(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Text { text, quote: Quote::None } => {
                let has_set =
                    text.split('[').skip(1).any(|behind| behind.find(']').is_some_and(|end| end > 0));
                has_set || text.contains(['*', '?'])
            }
            _ => false,
        })
    }
}

/// The outline of a text.
pub fn outline(text: &str) -> Outline {
    if text.len() > MAX_TEXT {
        return Outline { is_broken: true, is_incomplete: true, ..Outline::default() };
    }
    let parsed = parse(text, 0);
    let mut outline = build::outline_of(&parsed.tree);
    outline.is_broken = parsed.broken;
    outline.is_incomplete = parsed.too_deep;
    outline
}
