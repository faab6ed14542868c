//! The terminal behind stderr, for lines that are drawn and wiped again.

use std::io::{self, IsTerminal as _};

/// Back to the first column, and the line is empty.
pub(crate) const WIPE: &str = "\r\u{1b}[2K";

/// Whether stderr is a terminal that can wipe a line.
pub(crate) fn can_be_drawn_on() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !dumb && io::stderr().is_terminal()
}

/// How wide it is.
pub(crate) fn columns() -> usize {
    // A terminal that nobody gave a size says zero.
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
    size.map_or(80, |size| usize::from(size.ws_col))
}
