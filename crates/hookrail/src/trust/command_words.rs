//! Every word of a command that could name a file. Pure: no file is looked at here.
//!
//! Too many words are taken rather than too few: a word that names nothing costs one look at the disk, while a word
//! that was missed would leave a script unguarded. So a word that is itself a text (`bash -c '…'`, a here-document) is
//! read again, in whatever language it is.
//! One kind of word is left out on purpose: the target of an output redirection. A hook that appends to
//! its own log (`… >> audit.log`) would otherwise revoke its own approval each time it runs.

use std::collections::BTreeSet;

use super::named_files::FilesError;
use crate::hook::PROJECT_DIR_VARIABLES;
use hookrail_shell::{Piece, Quote, Role, Word, outline};

/// Stands for the project's folder in a [`words`] result. No path contains it, so a folder with
/// quotes, blanks or dollar signs in its name is never mistaken for shell syntax.
pub(super) const PROJECT: char = '\0';

/// Variables whose files are run by an interpreter before, or together with, what the command names, and the one
/// that makes a bare word mean a program in some folder.
#[rustfmt::skip] // A list is read as a block.
const RUN_BY_INTERPRETERS: [&str; 9] = [
    "BASH_ENV", "ENV", "LD_PRELOAD", "NODE_OPTIONS", "PATH", "PERL5OPT", "PYTHONSTARTUP", "RUBYOPT", "JAVA_TOOL_OPTIONS",
];

/// Nested quoting deeper than this is not read by any person who reviews it either.
const MAX_DEPTH: usize = 16;

/// Bytes read for one hook, nested texts and expanded variables included. A command line cannot be
/// longer than 128 KiB on Linux, so only a text that is made to take long gets here.
const MAX_BYTES: usize = 1 << 20;

/// The words of `command` that could name a file, with `env` and the project's variables expanded.
pub(super) fn words(command: &str, env: &[(String, String)]) -> Result<BTreeSet<String>, FilesError> {
    let mut finder = Finder { env, words: BTreeSet::new(), texts: BTreeSet::new(), bytes: 0 };
    finder.read(&without_marker(command), 0)?;
    for (name, value) in env {
        if RUN_BY_INTERPRETERS.contains(&name.as_str()) {
            finder.read(&without_marker(value), 1)?;
        }
    }
    Ok(finder.words)
}

/// Whether a variable means the project's folder: a hook runs in it.
pub(super) fn is_project_variable(name: &str) -> bool {
    PROJECT_DIR_VARIABLES.contains(&name) || name == "PWD"
}

/// The first word of a command, if it is plain: no expansion but that of the project's folder, no assignment. Quotes
/// around it are taken off.
pub(super) fn first_word(command: &str) -> Option<String> {
    let command = command.trim_start();
    let outline = outline(command);
    let beginning = outline.beginning(command);
    if outline.is_broken || !beginning.assignments.is_empty() {
        return None;
    }
    let mut word = String::new();
    for piece in &beginning.words.first()?.pieces {
        match piece {
            Piece::Text { text, quote } => {
                const MEANS_MORE: [char; 12] =
                    ['*', '?', '[', ']', '{', '}', '~', '!', '#', '=', PROJECT, '\\'];
                let is_plain = match quote {
                    Quote::None => !text.contains(MEANS_MORE),
                    Quote::Single | Quote::Double => !text.contains(PROJECT),
                    Quote::AnsiC | Quote::Translated | Quote::Escape => false,
                };
                word.push_str(is_plain.then_some(text)?);
            }
            Piece::Variable { name, is_plain: true } if word.is_empty() && is_project_variable(name) => {
                word.push(PROJECT);
            }
            Piece::Variable { .. } | Piece::Expansion => return None,
        }
    }
    (!word.is_empty()).then_some(word)
}

/// A NUL ends the command for the operating system; here it only must not pass for [`PROJECT`].
fn without_marker(text: &str) -> String {
    text.replace(PROJECT, " ")
}

struct Finder<'a> {
    env: &'a [(String, String)],
    words: BTreeSet<String>,
    /// What was read. A text inside of a text is reached in several ways, and would be read again for each.
    texts: BTreeSet<String>,
    bytes: usize,
}

impl Finder<'_> {
    fn read(&mut self, text: &str, depth: usize) -> Result<(), FilesError> {
        if !self.texts.insert(text.to_owned()) {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(text.len());
        if depth > MAX_DEPTH || self.bytes > MAX_BYTES {
            return Err(FilesError::TooComplex);
        }
        let outline = outline(text);
        if outline.is_incomplete {
            return Err(FilesError::TooComplex);
        }
        for (role, word) in outline.words() {
            // A text inside of the command may be no shell code, so that its `>` may be no redirection.
            if role != Some(Role::Written) || depth > 0 {
                self.word(word, depth)?;
            }
        }
        if outline.is_broken {
            self.pieces(text);
        }
        Ok(())
    }

    /// Takes a word. A variable that is not known ends it: what follows it is looked for on its own.
    fn word(&mut self, word: &Word, depth: usize) -> Result<(), FilesError> {
        let mut known = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text, .. } => known.push_str(text),
                Piece::Variable { name, .. } if is_project_variable(name) => known.push(PROJECT),
                Piece::Variable { name, .. } => {
                    let Some((_, value)) = self.env.iter().rev().find(|(given, _)| given == name) else {
                        self.end(&std::mem::take(&mut known), depth)?;
                        continue;
                    };
                    // A shell does not expand the value of a variable again, except for what is handed to
                    // another shell; the project's folder is what such a value would name.
                    let value = expand_project(&without_marker(value));
                    self.bytes = self.bytes.saturating_add(value.len());
                    if self.bytes > MAX_BYTES {
                        return Err(FilesError::TooComplex);
                    }
                    known.push_str(&value);
                }
                Piece::Expansion => self.end(&std::mem::take(&mut known), depth)?,
            }
        }
        self.end(&known, depth)
    }

    /// Takes a finished word, the pieces of it that could be a path, and the words inside of it.
    fn end(&mut self, word: &str, depth: usize) -> Result<(), FilesError> {
        for (at, _) in word.match_indices(PROJECT) {
            self.take(word.get(at..).unwrap_or_default());
        }
        if let Some((_, value)) = word.split_once('=') {
            self.take(value);
        }
        self.pieces(word);
        self.take(word);
        let is_text = word.contains(|char: char| ";|&()<>`'\"\\$".contains(char) || char.is_whitespace());
        if is_text { self.read(word, depth + 1) } else { Ok(()) }
    }

    fn pieces(&mut self, text: &str) {
        let is_border = |char: char| "=,:;{}[]()<>|&@%#!^\"'`$".contains(char) || char.is_whitespace();
        text.split(is_border).for_each(|piece| self.take(piece));
    }

    fn take(&mut self, word: &str) {
        // What follows the project's folder belongs to it; what precedes it does not.
        if !word.is_empty() && !word.chars().skip(1).any(|char| char == PROJECT) {
            self.words.insert(word.to_owned());
        }
    }
}

/// Replaces the project's variables and takes the dollar sign from all others.
fn expand_project(value: &str) -> String {
    let mut expanded = String::with_capacity(value.len());
    let mut rest = 0;
    for variable in outline(value).variables {
        let Some(before) = value.get(rest..variable.span.start) else { continue };
        expanded.push_str(before);
        // The inside of another expansion is a text that may name a file, so it stays.
        let is_project = variable.is_plain && is_project_variable(&variable.name);
        expanded.push(if is_project { PROJECT } else { ' ' });
        rest = if is_project { variable.span.end } else { variable.span.start + 1 };
    }
    expanded.push_str(value.get(rest..).unwrap_or_default());
    expanded
}

/// What the names of data files end with. Interpreters run none of them by accident.
const EXTENSIONS: [&str; 13] =
    ["json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "md", "lock", "xml"];

/// Options whose value is run all the same.
const RUN: [&str; 8] =
    ["--rcfile", "--init-file", "--require", "--import", "--loader", "--file", "--script", "--eval"];

/// The files that a command hands to a program as data, `--config package.json`, and names nowhere else. An approval is not
/// bound to them, because they change for other reasons than the hook; the review says so.
pub(super) fn data_files(command: &str) -> BTreeSet<String> {
    let outline = outline(command);
    let mut data = BTreeSet::new();
    let mut others = BTreeSet::new();
    for command in &outline.commands {
        let mut before = String::new();
        for word in &command.words {
            let Some(text) = word.literal() else {
                others.extend(names_in(&all_text(word)));
                before.clear();
                continue;
            };
            let glued = text.split_once('=').filter(|(option, _)| option.starts_with("--"));
            let (option, value) = glued.unwrap_or((before.as_str(), text.as_str()));
            if option.starts_with("--") && !option.contains('=') && is_data(option, value) {
                data.insert(value.to_owned());
            } else {
                others.extend(names_in(value));
            }
            before = text;
        }
        let values = command.assignments.iter().map(|assignment| &assignment.value);
        let redirected = command.redirections.iter().map(|(_, word)| word);
        others.extend(values.chain(redirected).flat_map(|word| names_in(&all_text(word))));
    }
    others.extend(outline.others.iter().flat_map(|(_, word)| names_in(&all_text(word))));
    data.difference(&others).cloned().collect()
}

/// The text of a word without what is expanded in it.
fn all_text(word: &Word) -> String {
    let texts = word.pieces.iter().map(|piece| match piece {
        Piece::Text { text, .. } => text.as_str(),
        Piece::Variable { .. } | Piece::Expansion => " ",
    });
    texts.collect()
}

/// A text, and the names in it if it is code and so not data.
fn names_in(text: &str) -> Vec<String> {
    let inside = text.split(|char: char| char.is_whitespace() || ";|&()<>".contains(char));
    let inside = inside.map(|name| name.trim_matches(['"', '\'']).to_owned());
    inside.chain([text.to_owned()]).filter(|name| !name.is_empty()).collect()
}

fn is_data(option: &str, value: &str) -> bool {
    let extension = value.rsplit_once('.').map_or("", |(_, extension)| extension);
    !RUN.contains(&option) && EXTENSIONS.contains(&extension.to_lowercase().as_str())
}

#[cfg(test)]
mod tests;
