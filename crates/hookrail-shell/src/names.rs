//! Names of programs: those that a shell does not look for on `PATH`, and those of one interpreter.

/// What Bash runs itself.
#[rustfmt::skip] // A list is read as a block.
const BUILTINS: [&str; 61] = [
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
    "complete", "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec",
    "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let",
    "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
    "return", "set", "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

/// What belongs to the grammar where a command begins.
#[rustfmt::skip]
const RESERVED_WORDS: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Whether Bash runs `name` itself.
pub fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Whether a program is some version of Python, by its name, with or without a path. Whoever starts an interpreter has to
/// be stricter: of `python3-config` this says yes.
pub fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("python") || name.starts_with("pypy")
}

/// Whether `name` is a reserved word of Bash. In quotes it is the name of a program like any other.
pub fn is_reserved_word(name: &str) -> bool {
    RESERVED_WORDS.contains(&name)
}
