//! Names of programs: those that a shell does not look for on `PATH`, and those of one interpreter.

use super::book::Entry;

/// Whether Bash runs `name` itself.
pub fn is_builtin(name: &str) -> bool {
    Entry::among("shell/builtin", name).is_some()
}

/// Whether a program is some version of Python, by its name, with or without a path. Whoever starts an interpreter has to
/// be stricter: of `python3-config` this says yes.
pub fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("python") || name.starts_with("pypy")
}

/// Whether `name` is a reserved word of Bash. In quotes it is the name of a program like any other.
pub fn is_reserved_word(name: &str) -> bool {
    Entry::among("shell/reserved-word", name).is_some()
}
