//! Words of a command that start a program or are handed to an interpreter, and that lead wherever the command happens
//! to run.
//!
//! Hooks of the user, the system and extensions run in the project's folder and need no approval. One whose command
//! says `./guard.sh` would run whatever file of that name a project brings along, so it must not.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::hook::{Hook, HookKind, Level};
use crate::shell::{Role, SimpleCommand, outline};

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 17] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "pypy3", "node", "nodejs",
    "deno", "bun", "ruby", "perl", "php",
];

/// Programs and builtins behind which a command begins anew.
const PREFIXES: [&str; 6] = ["exec", "command", "env", "nohup", "time", "nice"];

/// The files that a hook from outside of the project must not find in the folder that it runs in, because it names them
/// by relative paths. Values that a host gave are the host's own business.
#[derive(Debug, Clone, Default)]
pub(crate) struct RelativeFiles(Box<[String]>);

impl RelativeFiles {
    /// Reads the command of a hook.
    pub(crate) fn of(hook: &Hook) -> Self {
        match &hook.kind {
            HookKind::Command(command)
                if hook.origin.level != Level::Project && !hook.origin.file.as_os_str().is_empty() =>
            {
                Self(relative_words(command).into_iter().map(|word| word.text).collect())
            }
            _ => Self::default(),
        }
    }

    /// The first of them that is in this folder. Looks at the disk, if there are any.
    pub(crate) fn found_in(&self, folder: &Path) -> Option<PathBuf> {
        self.0.iter().map(|text| folder.join(text)).find(|place| place.is_file())
    }
}

/// A plain word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelativeWord {
    /// Where it stands, quotes included.
    pub(crate) range: Range<usize>,
    /// What it says.
    pub(crate) text: String,
}

/// The relative paths that a command starts or hands to an interpreter, in the order of the text.
pub(crate) fn relative_words(command: &str) -> Vec<RelativeWord> {
    let mut found: Vec<RelativeWord> = outline(command).commands.iter().flat_map(relative_words_of).collect();
    found.sort_by_key(|word| word.range.start);
    found
}

/// The same of one simple command.
fn relative_words_of(command: &SimpleCommand) -> Vec<RelativeWord> {
    let mut found = Vec::new();
    let mut expects = Expects::Program;
    for word in &command.words {
        let Some(text) = word.literal() else {
            // Nobody can tell what it is, so neither what follows.
            if expects == Expects::Program {
                expects = Expects::Nothing;
            }
            continue;
        };
        let is_relative = !text.starts_with(['/', '~']);
        match expects {
            Expects::Program => {
                let name = text.rsplit('/').next().unwrap_or_default();
                let is_assignment = text.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
                if PREFIXES.contains(&text.as_str()) || is_assignment {
                    continue;
                }
                let reads_script = INTERPRETERS.contains(&name) || matches!(text.as_str(), "." | "source");
                expects = if reads_script { Expects::Script } else { Expects::Nothing };
                if text.contains('/') && is_relative {
                    found.push(RelativeWord { range: word.span.clone(), text });
                }
            }
            Expects::Script => match text.as_str() {
                "-c" | "-m" | "-e" | "-p" | "-r" | "--eval" | "--print" => expects = Expects::Nothing,
                "run" => {}
                option if option.starts_with('-') => {}
                _ => {
                    expects = Expects::Nothing;
                    if is_relative {
                        found.push(RelativeWord { range: word.span.clone(), text });
                    }
                }
            },
            Expects::Nothing => {}
        }
    }
    if expects == Expects::Script {
        // An interpreter without a script runs what it is fed.
        let fed = command.redirections.iter().filter(|(role, _)| *role == Role::Read);
        let fed = fed
            .filter_map(|(_, word)| Some(RelativeWord { range: word.span.clone(), text: word.literal()? }));
        found.extend(fed.filter(|word| !word.text.starts_with(['/', '~'])));
    }
    found
}

/// What the next word of a command is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Program,
    Script,
    Nothing,
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
            ("bash < guard.sh", "guard.sh"),
            ("bash x.sh < input", "x.sh"),
            ("> log ./x.sh", "./x.sh"),
            ("echo `./x.sh`", "./x.sh"),
            ("time ./x.sh && ! ./y.sh", "./x.sh ./y.sh"),
            ("case a in a) ./x.sh;; esac", "./x.sh"),
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
