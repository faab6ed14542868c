//! Words of a command that start a program or are handed to an interpreter, and that lead wherever the command happens
//! to run.
//!
//! Hooks of the user, the system and extensions run in the project's folder and need no approval. One whose command
//! says `./guard.sh` would run whatever file of that name a project brings along, so it must not.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::hook::{Hook, HookKind, Level};

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 17] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "pypy3", "node", "nodejs",
    "deno", "bun", "ruby", "perl", "php",
];

/// Words behind which a command begins anew.
const PREFIXES: [&str; 14] = [
    "exec", "command", "env", "nohup", "time", "nice", "if", "then", "else", "elif", "do", "while", "until",
    "!",
];

/// The file of `directory` that a hook from outside of the project would run there, if it is named by a relative path.
/// Looks at the disk. Values that a host gave are the host's own business.
pub(crate) fn file_run_by_accident(hook: &Hook, directory: &Path) -> Option<PathBuf> {
    let HookKind::Command(command) = &hook.kind else { return None };
    if hook.origin.level == Level::Project || hook.origin.file.as_os_str().is_empty() {
        return None;
    }
    let places = relative_words(command).into_iter().map(|word| directory.join(word.text));
    places.into_iter().find(|place| place.is_file())
}

/// A plain word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelativeWord {
    /// Where it stands, quotes included.
    pub(crate) range: Range<usize>,
    /// What it says.
    pub(crate) text: String,
}

/// The relative paths that a command starts or hands to an interpreter.
pub(crate) fn relative_words(command: &str) -> Vec<RelativeWord> {
    let mut found = Vec::new();
    let mut expects = Expects::Program;
    for token in tokens(command) {
        let Token::Word(word) = token else {
            expects = Expects::Program;
            continue;
        };
        let Some(text) = &word.text else {
            // Nobody can tell what it is, so neither what follows.
            if expects == Expects::Program {
                expects = Expects::Nothing;
            }
            continue;
        };
        match expects {
            Expects::Program => {
                let name = text.rsplit('/').next().unwrap_or_default();
                let is_assignment = text.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
                if PREFIXES.contains(&text.as_str()) || is_assignment {
                    continue;
                }
                if text.contains('/') && !text.starts_with(['/', '~']) {
                    found.push(RelativeWord { range: word.range, text: text.clone() });
                }
                let reads_script = INTERPRETERS.contains(&name) || matches!(text.as_str(), "." | "source");
                expects = if reads_script { Expects::Script } else { Expects::Nothing };
            }
            Expects::Script => match text.as_str() {
                "-c" | "-m" | "-e" | "-p" | "-r" | "--eval" | "--print" => expects = Expects::Nothing,
                "run" => {}
                option if option.starts_with('-') => {}
                script => {
                    if !script.starts_with(['/', '~']) {
                        found.push(RelativeWord { range: word.range, text: text.clone() });
                    }
                    expects = Expects::Nothing;
                }
            },
            Expects::Nothing => {}
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Program,
    Script,
    Nothing,
}

enum Token {
    /// `text` is `None` where it is not plain: an expansion, a pattern, an escape.
    Word(Word),
    /// Another command begins.
    Separator,
}

struct Word {
    range: Range<usize>,
    text: Option<String>,
}

fn tokens(command: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = command.char_indices().peekable();
    while let Some((start, char)) = rest.next() {
        if matches!(char, ';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}') {
            tokens.push(Token::Separator);
            continue;
        }
        if char.is_whitespace() || matches!(char, '<' | '>') {
            continue;
        }
        let (mut text, mut plain, mut quote, mut end) = (String::new(), true, None, start);
        let mut next = Some((start, char));
        while let Some((at, char)) = next {
            let ends = quote.is_none() && (char.is_whitespace() || ";|&()<>".contains(char));
            if ends {
                break;
            }
            end = at + char.len_utf8();
            match (char, quote) {
                ('\'' | '"', None) => quote = Some(char),
                (_, Some(open)) if char == open => quote = None,
                ('\\' | '$' | '`', None | Some('"')) | ('*' | '?' | '[' | '{', None) => plain = false,
                _ => text.push(char),
            }
            if at != start {
                rest.next();
            }
            next = rest.peek().copied();
        }
        tokens
            .push(Token::Word(Word { range: start..end, text: (plain && quote.is_none()).then_some(text) }));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_programs_and_scripts_are_found() {
        for (command, expected) in [
            ("./guard.sh --strict", "./guard.sh"),
            ("hooks/guard.sh", "hooks/guard.sh"),
            ("bash guard.sh", "guard.sh"),
            ("bash -eu ./guard.sh arg.txt", "./guard.sh"),
            ("/usr/bin/python3 -I hooks/x.py", "hooks/x.py"),
            ("python3 -c 'import x' y.py", ""),
            ("python3 -m x y.py", ""),
            ("\"./a b.sh\" c", "./a b.sh"),
            ("cd /tmp && ./x.sh", "./x.sh"),
            ("true; exec ./x.sh | bin/y", "./x.sh bin/y"),
            ("A=1 B='c d' ./x.sh", "./x.sh"),
            ("if ./x.sh; then true; fi", "./x.sh"),
            (". lib.sh; source other.sh", "lib.sh other.sh"),
            ("$(./x.sh)", "./x.sh"),
            ("$LLXPRT_PROJECT_DIR/x.sh", ""),
            ("\"$HOME/guard.sh\"", ""),
            ("~/guard.sh", ""),
            ("/opt/guard.sh ./input", ""),
            ("guard ./input", ""),
            ("jq -f rules.jq", ""),
            ("echo './x.sh'", ""),
            ("node --require x.js main.js", "x.js"),
            ("", ""),
        ] {
            let words = relative_words(command);
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(texts.join(" "), expected, "{command:?}");
            for word in words {
                assert!(command[word.range].contains(&word.text), "{command:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_command_is_too_odd(command in "[ -~\\n\u{e9}]{0,60}") {
            for word in relative_words(&command) {
                proptest::prop_assert!(command.get(word.range).is_some());
            }
        }
    }
}
