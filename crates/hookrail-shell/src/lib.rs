//! The one reader of shell text: which commands a line would run, and which paths they would read and write.
//!
//! `parse` makes a tree of the text, `walk` goes through it as a shell would and follows what the text itself
//! says about variables, functions, aliases and the working directory, and `act` finds the files and the commands among
//! the words of programs that the `book` describes. All of it is pure: no file, no environment and no process is looked at.
//!
//! The facts may say too much, never too little: what cannot be determined is `None`, or makes the line `dynamic`. They
//! describe the text for a guard rail. A program that is started can start others, and no text shows those.
//!
//! Rules ask for facts. Other code that has to know what is in a shell text asks for its [`outline()`]: the
//! same tree, as a list of decoded words with their places. [`quote`] writes a text as a word. No other part of the engine or of the program reads or writes quotes.

mod act;
mod book;
mod braces;
mod command_words;
mod facts;
mod field;
mod names;
mod outline;
mod parse;
mod quoting;
mod shebang;
mod state;
mod syntax;
mod walk;

#[cfg(test)]
mod tests;

#[cfg(any(test, feature = "shipped-index"))]
pub use book::further_names;
pub use book::{Entry, KnownFlag, Spelling, Takes};
pub use command_words::{CommandWords, Flag, FlagName, FlagValue, Item, Operand, UnknownWord, base_name};
pub use facts::{Access, Cause, CommandFact, Extent, PathBase, PathUse, ShellFacts};
pub use names::{is_builtin, is_python, is_reserved_word};
pub use outline::{Assignment, Beginning, Outline, Piece, Role, SimpleCommand, Variable, Word, outline};
pub use quoting::{quote, single_quoted, within_single_quotes};
pub use shebang::{SHEBANG_BYTES, shebang_line};
pub use syntax::Quote;

use self::field::Field;
use self::walk::{Context, Walker};

/// A longer text is not read: no command line of an operating system is longer.
const MAX_TEXT: usize = 1 << 20;

/// What the shell line `text` would do.
pub fn facts_of_line(text: &str) -> ShellFacts {
    if text.len() > MAX_TEXT {
        return ShellFacts::unreadable(Cause::Bound);
    }
    let mut walker = Walker::default();
    if text.contains('\0') {
        // No shell can be handed such a text as a whole; which part of it one would see cannot be determined.
        walker.dynamic(Cause::Syntax);
        walker.code(&text.replace('\0', ""), &Context::default());
    } else {
        walker.code(text, &Context::default());
    }
    walker.finish()
}

/// What the program `argv` would do when it is started without a shell.
pub fn facts_of_argv(argv: &[String]) -> ShellFacts {
    if argv.iter().map(|word| word.len() + 1).sum::<usize>() > MAX_TEXT {
        return ShellFacts::unreadable(Cause::Bound);
    }
    let mut walker = Walker::default();
    let fields: Vec<Field> = argv.iter().map(Field::known).collect();
    walker.start(&fields, &Context::default());
    walker.finish()
}
