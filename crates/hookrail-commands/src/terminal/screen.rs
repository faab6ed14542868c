//! Which of the program's streams are a terminal, and what can be done on it. Every decision about that is made here.

use std::io::{self, IsTerminal as _};

/// Back to the first column, and the line is empty.
pub(crate) const WIPE: &str = "\r\u{1b}[2K";

/// Whether a person can read a question and answer it.
/// Questions go to stderr, since stdout may be a file.
pub(crate) fn can_ask() -> bool {
    is_stdin_typed() && io::stderr().is_terminal()
}

/// Whether what comes on stdin is typed by a person.
pub(crate) fn is_stdin_typed() -> bool {
    io::stdin().is_terminal()
}

/// Whether what is printed on stdout appears on a terminal.
pub(crate) fn is_stdout_shown() -> bool {
    io::stdout().is_terminal()
}

/// Whether stderr is a terminal that can wipe a line.
pub(crate) fn can_be_drawn_on() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !dumb && io::stderr().is_terminal()
}

/// The width that lines on stdout are to fit into: that of the terminal, else `COLUMNS`; `None` for a file or a pipe.
pub(crate) fn stdout_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    size.or_else(variable).filter(|columns| *columns > 0)
}

/// The width of the terminal behind stderr.
pub(crate) fn columns() -> usize {
    // A terminal whose size was never set reports zero.
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
    size.map_or(80, |size| usize::from(size.ws_col))
}
