//! The words that a command begins with, as far as they can be known without a shell.
//!
//! A word that depends on anything else than the project and the home directory is unknown, and so is everything behind
//! it.

use std::path::Path;

use hookrail::settings::PROJECT_DIR_VARIABLES;
use hookrail_shell::{Piece, Quote, Word, outline};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandBeginning {
    /// The known words of the first simple command, variables set before it left out.
    pub(super) words: Vec<String>,
    /// Whether these words are the whole command: nothing in it needs a shell.
    pub(super) whole: bool,
}

/// Asks the engine's shell reader for the first simple command, and replaces quotes, `~` and the project's variables by
/// what they stand for. Words count up to the first one that holds anything else.
pub(super) fn beginning(command: &str, project: &Path, home: Option<&Path>) -> CommandBeginning {
    let outline = outline(command);
    // A text that breaks off may break off in the middle of its last word.
    let is_half = |word: &Word| outline.is_broken && word.span.end >= command.trim_end().len();
    let known = |word: &Word| if is_half(word) { None } else { known_word(word, project, home) };
    let beginning = outline.beginning(command);
    // What a variable of unknown value changes for the program, such as its `PATH`, is not known either.
    if beginning.assignments.iter().any(|assignment| known(&assignment.value).is_none()) {
        return CommandBeginning { words: Vec::new(), whole: false };
    }
    let words: Vec<String> = beginning.words.iter().map_while(known).collect();
    let whole =
        beginning.is_whole && beginning.assignments.is_empty() && words.len() == beginning.words.len();
    CommandBeginning { words, whole }
}

/// A word of which everything is known, as the program gets it. An escape is left to the shell, as is whatever is rare.
/// `None` as soon as a piece of it is unknown.
fn known_word(word: &Word, project: &Path, home: Option<&Path>) -> Option<String> {
    let mut known = String::new();
    for (index, piece) in word.pieces.iter().enumerate() {
        match piece {
            Piece::Text { text, quote: Quote::None } => {
                let text = match text.strip_prefix('~') {
                    Some(rest) if index == 0 => {
                        let is_home = rest.starts_with('/') || (rest.is_empty() && word.pieces.len() == 1);
                        known.push_str(&home.filter(|_| is_home)?.to_string_lossy());
                        rest
                    }
                    _ => text.as_str(),
                };
                known.push_str((!text.contains(['*', '?', '[', '{', '\r'])).then_some(text)?);
            }
            Piece::Text { text, quote: Quote::Single | Quote::Double } => known.push_str(text),
            Piece::Variable { name, is_plain: true } => {
                let value = match name.as_str() {
                    "HOME" => home?,
                    name if PROJECT_DIR_VARIABLES.contains(&name) || name == "PWD" => project,
                    _ => return None,
                };
                known.push_str(&value.to_string_lossy());
            }
            _ => return None,
        }
    }
    Some(known)
}

#[cfg(test)]
mod tests;
