//! Commands that need no shell, and what a program sees of the shell that was left out.
//!
//! A shell that only finds a program and replaces itself with it costs more than most hooks do. It may be
//! left out where no hook can notice: the command is made of plain words, the environment holds nothing that
//! bash would act on or rewrite, and the program gets the variables bash would have set. Whatever does not
//! fit goes to the shell, also when it turns out as late as in `exec`: a missing program, a script without
//! an interpreter line. So bash's own messages and exit codes appear without being imitated.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::environment::{EnvironmentVariable, get, set};
use crate::hook::PROJECT_DIR_VARIABLES;
use hookrail_shell::{self as shell, Quote, is_builtin, is_reserved_word, outline};

/// Variables that change what bash does, or that bash does not pass on as it got them. Besides these, all
/// whose names begin with `BASH` or `COMP_`.
const TOUCHED_BY_BASH: &[&str] = &[
    "DIRSTACK",
    "ENV",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "EXECIGNORE",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "IFS",
    "LINENO",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "PIPESTATUS",
    "POSIXLY_CORRECT",
    "POSIX_PEDANTIC",
    "PPID",
    "PS4",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
];

/// One word of a plain command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlainWord(Vec<PlainPiece>);

#[derive(Debug, PartialEq, Eq)]
enum PlainPiece {
    Text(String),
    /// One of the project-directory variables.
    Directory,
}

impl PlainWord {
    /// The word as a hook in this directory gets it.
    pub(crate) fn resolve(&self, directory: &Path) -> OsString {
        let mut word = OsString::new();
        for piece in &self.0 {
            match piece {
                PlainPiece::Text(text) => word.push(text),
                PlainPiece::Directory => word.push(directory),
            }
        }
        word
    }

    /// Adds text. What stands side by side becomes one piece, so that `ec"ho"` is seen as the builtin that it is.
    fn push(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(PlainPiece::Text(before)) => before.push_str(text),
            _ => self.0.push(PlainPiece::Text(text.to_owned())),
        }
    }

    /// Whether bash would look for a program of this name and do nothing else.
    fn names_a_program(&self) -> bool {
        let start = match self.0.first() {
            Some(PlainPiece::Text(start)) => start,
            Some(PlainPiece::Directory) => return true,
            None => return false,
        };
        !start.starts_with(['-', '+', '%'])
            && !self.0.iter().any(|piece| matches!(piece, PlainPiece::Text(text) if text.contains('=')))
            && (self.0.len() > 1 || !(is_builtin(start) || is_reserved_word(start)))
    }
}

/// The words of a command in which a shell would find nothing to do but to run it: letters, digits and
/// marks without meaning, project-directory variables, and double quotes around these.
pub(crate) fn plain_words(command: &str) -> Option<Vec<PlainWord>> {
    plain_words_at_home(command, None)
}

/// The same where words may also begin with `~/`, which stands for this directory.
pub(crate) fn plain_words_at_home(command: &str, home: Option<&str>) -> Option<Vec<PlainWord>> {
    // The reader joins lines as bash does. A command of several lines is nevertheless left to bash.
    if command.contains('\n') {
        return None;
    }
    let outline = outline(command);
    let beginning = outline.beginning();
    if !beginning.is_whole || !beginning.assignments.is_empty() {
        return None;
    }
    let words: Vec<PlainWord> =
        beginning.words.iter().map(|word| plain_word(word, home)).collect::<Option<_>>()?;
    words.first().is_some_and(PlainWord::names_a_program).then_some(words)
}

/// A word that is the same to every shell, whatever its options and its locale.
fn plain_word(word: &shell::Word, home: Option<&str>) -> Option<PlainWord> {
    let mut plain = PlainWord::default();
    for (index, piece) in word.pieces.iter().enumerate() {
        match piece {
            shell::Piece::Text { text, quote: Quote::None } => {
                let text = match text.strip_prefix('~') {
                    Some(rest) if index == 0 && rest.starts_with('/') => {
                        plain.push(home?);
                        rest
                    }
                    _ => text.as_str(),
                };
                plain.push(text.chars().all(means_itself).then_some(text)?);
            }
            shell::Piece::Text { text, quote: Quote::Double } => {
                plain.push(text.chars().all(|char| char == ' ' || means_itself(char)).then_some(text)?);
            }
            shell::Piece::Variable { name, is_plain: true }
                if PROJECT_DIR_VARIABLES.contains(&name.as_str()) =>
            {
                plain.0.push(PlainPiece::Directory);
            }
            _ => return None,
        }
    }
    Some(plain)
}

/// Whether a character has no meaning to any shell, wherever it stands.
fn means_itself(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '/' | ':' | ',' | '@' | '%' | '+' | '-' | '=')
}

/// The environment in which bash would run a plain command, but for `_`; `None` where bash would do
/// something of its own.
pub(crate) fn environment_behind_bash(
    environment: &[EnvironmentVariable],
    directory: &Path,
) -> Option<Vec<EnvironmentVariable>> {
    let touched = environment.iter().any(|(name, _)| {
        let name = name.as_encoded_bytes();
        name.starts_with(b"BASH")
            || name.starts_with(b"COMP_")
            || TOUCHED_BY_BASH.iter().any(|touched| touched.as_bytes() == name)
    });
    if touched || !directory.is_absolute() || get(environment, "PWD").is_none() {
        return None;
    }
    // Bash prints a warning about a locale that is not installed, and only about this variable.
    let is_installed = |locale: &OsStr| {
        ["", "C", "POSIX", "C.UTF-8", "C.utf8"].iter().any(|known| locale == *known)
            || Path::new("/usr/lib/locale").join(locale).is_dir()
    };
    if !get(environment, "LC_ALL").is_none_or(is_installed) {
        return None;
    }
    // Bash increments the level when it starts and decrements it before it executes the program. What is not a level is
    // set to 0.
    let level = match get(environment, "SHLVL") {
        None => None,
        Some(level) => Some(parse_level(level)?),
    };
    // Where sshd started it, the outermost bash reads the user's start-up file.
    let from_ssh = ["SSH_CLIENT", "SSH2_CLIENT"].iter().any(|name| get(environment, name).is_some());
    if from_ssh && level.unwrap_or_default() == 0 {
        return None;
    }

    let mut behind = environment.to_vec();
    if level.is_none() {
        set(&mut behind, "SHLVL".into(), "0".into());
    }
    let previous_is_gone =
        get(environment, "OLDPWD").is_some_and(|previous| !is_directory(previous, directory));
    // A shell without a terminal has no prompts.
    behind.retain(|(name, _)| name != "PS1" && name != "PS2" && !(previous_is_gone && name == "OLDPWD"));
    Some(behind)
}

/// A shell level that bash would leave as it is. At 999 it starts over, with a warning.
fn parse_level(level: &OsStr) -> Option<u32> {
    let level = level.to_str()?;
    let number: u32 = level.parse().ok()?;
    (number < 999 && level == number.to_string()).then_some(number)
}

/// Whether an `OLDPWD` of this value leads to a directory; bash passes on no other.
pub(crate) fn is_directory(path: &OsStr, directory: &Path) -> bool {
    !path.is_empty() && directory.join(path).is_dir()
}

/// Finds a program as bash does: the first file in `PATH` that may be executed. The result is what bash
/// would execute, and may be relative to the directory.
#[cfg(unix)]
pub(crate) fn find_program(search: &OsStr, name: &OsStr, directory: &Path) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt as _;

    // In a search path bash takes a tilde for a home directory.
    if search.is_empty() || search.as_bytes().contains(&b'~') {
        return None;
    }
    search.as_bytes().split(|byte| *byte == b':').find_map(|entry| {
        let entry = if entry.is_empty() { b"." } else { entry };
        let mut candidate = OsStr::from_bytes(entry).to_owned();
        if !entry.ends_with(b"/") {
            candidate.push("/");
        }
        candidate.push(name);
        is_executable(&directory.join(&candidate)).then_some(candidate)
    })
}

/// Whether this process may execute a file. Directories do not count.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};

    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok() && !path.is_dir()
}

#[cfg(test)]
mod tests;
