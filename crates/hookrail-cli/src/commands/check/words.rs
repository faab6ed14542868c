//! The words that a command begins with, as far as they can be known without a shell.

use std::path::Path;

/// What a command begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beginning {
    /// The known words of the first simple command, variables set before it left out.
    pub(super) words: Vec<String>,
    /// Whether these words are the whole command: nothing in it needs a shell.
    pub(super) whole: bool,
}

const PROJECT_VARIABLES: [&str; 3] = ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// Words that begin something else than a program's call.
const RESERVED: [&str; 20] = [
    "!", "[[", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "select", "then", "time", "until", "while",
];

/// Reads the first simple command: blanks, quotes, `~` and the project's variables are understood, and
/// reading stops before the first word that holds anything else.
pub(super) fn beginning(command: &str, project: &Path, home: Option<&Path>) -> Beginning {
    let mut reader = Reader { rest: command, project, home };
    let mut words: Vec<String> = Vec::new();
    let mut whole = true;
    loop {
        reader.rest = reader.rest.trim_start_matches([' ', '\t']);
        if reader.rest.is_empty() {
            break;
        }
        match reader.word() {
            Word::Known { text, quoted } => {
                if words.is_empty() && !quoted {
                    if RESERVED.contains(&text.as_str()) {
                        whole = false;
                        break;
                    }
                    if is_assignment(&text) {
                        whole = false;
                        continue;
                    }
                }
                words.push(text);
            }
            Word::Unknown => {
                whole = false;
                break;
            }
        }
    }
    Beginning { words, whole }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

enum Word {
    Known { text: String, quoted: bool },
    Unknown,
}

struct Reader<'c> {
    rest: &'c str,
    project: &'c Path,
    home: Option<&'c Path>,
}

impl Reader<'_> {
    fn word(&mut self) -> Word {
        let mut text = String::new();
        let mut quoted = false;
        if let Some(rest) = self.rest.strip_prefix('~') {
            match self.home {
                Some(home) if rest.is_empty() || rest.starts_with(['/', ' ', '\t']) => {
                    text.push_str(&home.to_string_lossy());
                    self.rest = rest;
                }
                _ => return Word::Unknown,
            }
        }
        while let Some(c) = self.rest.chars().next() {
            match c {
                ' ' | '\t' => break,
                '\'' => {
                    let Some((inside, rest)) = self.rest.get(1..).and_then(|rest| rest.split_once('\''))
                    else {
                        return Word::Unknown;
                    };
                    text.push_str(inside);
                    self.rest = rest;
                    quoted = true;
                }
                '"' => {
                    self.step(c);
                    if !self.double_quoted(&mut text) {
                        return Word::Unknown;
                    }
                    quoted = true;
                }
                '$' => {
                    if !self.variable(&mut text) {
                        return Word::Unknown;
                    }
                }
                '\\' | '`' | '*' | '?' | '[' | '{' | '#' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '\n'
                | '\r' => return Word::Unknown,
                c => {
                    text.push(c);
                    self.step(c);
                }
            }
        }
        Word::Known { text, quoted }
    }

    fn step(&mut self, c: char) {
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
    }

    fn double_quoted(&mut self, text: &mut String) -> bool {
        while let Some(c) = self.rest.chars().next() {
            match c {
                '"' => {
                    self.step(c);
                    return true;
                }
                '$' => {
                    if !self.variable(text) {
                        return false;
                    }
                }
                '\\' | '`' => return false,
                c => {
                    text.push(c);
                    self.step(c);
                }
            }
        }
        false
    }

    /// Takes a variable that means the project's folder or the home directory.
    fn variable(&mut self, text: &mut String) -> bool {
        let Some(rest) = self.rest.strip_prefix('$') else { return false };
        let (name, rest) = if let Some(inside) = rest.strip_prefix('{') {
            let Some(parts) = inside.split_once('}') else { return false };
            parts
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            rest.split_at(end)
        };
        let value = match name {
            name if PROJECT_VARIABLES.contains(&name) || name == "PWD" => self.project,
            "HOME" => match self.home {
                Some(home) => home,
                None => return false,
            },
            _ => return false,
        };
        text.push_str(&value.to_string_lossy());
        self.rest = rest;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_far_as_they_are_plain() {
        for (command, words, whole) in [
            ("./a.sh", "./a.sh", true),
            (" python3  x.py --strict ", "python3|x.py|--strict", true),
            ("\"$LLXPRT_PROJECT_DIR\"/a.sh", "/p q/a.sh", true),
            ("${GEMINI_PROJECT_DIR}/a.sh 'b c'", "/p q/a.sh|b c", true),
            ("~/a.sh", "/home/u/a.sh", true),
            ("~other/a.sh", "", false),
            ("$HOOKS/a.sh", "", false),
            ("MODE=strict ./a.sh", "./a.sh", false),
            ("./a.sh | tee log", "./a.sh", false),
            ("cd sub && ./a.sh", "cd|sub", false),
            ("if true; then ./a.sh; fi", "", false),
            ("'if' x", "if|x", true),
            ("./a.sh > log", "./a.sh", false),
            ("echo \"unclosed", "echo", false),
            ("a\\ b", "", false),
        ] {
            let read = beginning(command, Path::new("/p q"), Some(Path::new("/home/u")));
            assert_eq!((read.words.join("|").as_str(), read.whole), (words, whole), "{command}");
        }
    }
}
