//! Commands that need no shell, and what a program sees of the shell that was left out.
//!
//! A shell that only finds a program and replaces itself with it costs more than most hooks do. It may be
//! left out where no hook can notice: the command is made of plain words, the environment holds nothing that
//! bash would act on or rewrite, and the program gets the variables bash would have set. Whatever does not
//! fit goes to the shell, also when it turns out as late as in `exec`: a missing program, a script without
//! an interpreter line. So bash's own messages and exit codes appear without being imitated.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::environment::{EnvironmentVariable, get, set};
use crate::hook::PROJECT_DIR_VARIABLES;
use hookrail_shell::{self as shell, Quote, is_builtin, is_reserved_word, outline};

/// Variables that change what bash does, or that bash does not pass on as it got them. Besides these, all
/// whose names begin with `BASH` or `COMP_`.
#[rustfmt::skip] // A list is read as a block.
const TOUCHED_BY_BASH: &[&str] = &[
    "DIRSTACK", "ENV", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "EXECIGNORE", "FUNCNAME", "GROUPS", "HISTCMD",
    "IFS", "LINENO", "OPTARG", "OPTERR", "OPTIND", "PIPESTATUS", "POSIXLY_CORRECT", "POSIX_PEDANTIC", "PPID",
    "PS4", "RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM", "UID",
];

/// Takes the place of a project-directory variable in a word. No plain word contains it.
const DIRECTORY: char = '\0';

/// The words of a command in which a shell would find nothing to do but to run it: letters, digits and marks without
/// meaning, project-directory variables, which stand for `directory`, and double quotes around these. Where there is a
/// `home`, words may also begin with `~/`.
pub(crate) fn plain_words(command: &str, directory: &Path, home: Option<&str>) -> Option<Vec<OsString>> {
    // The reader joins lines as bash does. A command of several lines is nevertheless left to bash.
    if command.contains('\n') {
        return None;
    }
    let outline = outline(command);
    let beginning = outline.beginning(command);
    if !beginning.is_whole || !beginning.assignments.is_empty() {
        return None;
    }
    let words: Vec<String> =
        beginning.words.iter().map(|word| plain_word(word, home)).collect::<Option<_>>()?;
    let resolve = |word: &String| {
        let mut texts = word.split(DIRECTORY);
        let mut resolved = OsString::from(texts.next().unwrap_or_default());
        texts.for_each(|text| {
            resolved.push(directory);
            resolved.push(text);
        });
        resolved
    };
    words.first().is_some_and(|name| names_a_program(name)).then(|| words.iter().map(resolve).collect())
}

/// Whether bash would look for a program of this name and do nothing else.
fn names_a_program(name: &str) -> bool {
    let is_other = |name: &str| name.is_empty() || is_builtin(name) || is_reserved_word(name);
    name.starts_with(DIRECTORY)
        || !(name.starts_with(['-', '+', '%']) || name.contains('=') || is_other(name))
}

/// A word that is the same to every shell, whatever its options and its locale.
fn plain_word(word: &shell::Word, home: Option<&str>) -> Option<String> {
    let mut plain = String::new();
    for (index, piece) in word.pieces.iter().enumerate() {
        match piece {
            shell::Piece::Text { text, quote: Quote::None } => {
                let text = match text.strip_prefix('~') {
                    Some(rest) if index == 0 && rest.starts_with('/') => {
                        plain.push_str(home?);
                        rest
                    }
                    _ => text.as_str(),
                };
                plain.push_str(text.chars().all(means_itself).then_some(text)?);
            }
            shell::Piece::Text { text, quote: Quote::Double } => {
                plain.push_str(text.chars().all(|char| char == ' ' || means_itself(char)).then_some(text)?);
            }
            shell::Piece::Variable { name, is_plain: true }
                if PROJECT_DIR_VARIABLES.contains(&name.as_str()) =>
            {
                plain.push(DIRECTORY);
            }
            _ => return None,
        }
    }
    Some(plain)
}

/// Whether a character means nothing to any shell, in any place.
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
pub(crate) fn find_program(search: &OsStr, name: &OsStr, directory: &Path) -> Option<OsString> {
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
pub(crate) fn is_executable(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};

    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok() && !path.is_dir()
}

#[cfg(test)]
mod tests;
