//! The parts that a shell text is made of, as [`parse`](super::parse) finds them.
//!
//! The tree keeps what decides which commands run and with which words, and nothing else: there is no layout, no
//! comment, and an arithmetic expression is only the expansions inside it.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// The place of something in the text that was read, in bytes.
///
/// It is a place of the outermost text also for what is in backticks or in a here-document, which are read from a
/// copy. Such a span covers the backslashes and tabs that the copy leaves out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// The first byte.
    pub(super) start: u32,
    /// The byte behind the last one.
    pub(super) end: u32,
}

impl Span {
    /// The same as a range, for slicing.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Commands one after another.
#[derive(Debug, Clone, Default)]
pub(super) struct Script {
    /// What is between `;`, `&` and line ends.
    pub(super) items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub(super) struct AndOr {
    /// The pipeline that runs in any case.
    pub(super) first: Pipeline,
    /// Those that run only if an earlier one succeeded (true, `&&`) or failed (false, `||`).
    pub(super) rest: Vec<(bool, Pipeline)>,
    /// Whether it ends in `&` and so cannot change the shell that it is in.
    pub(super) background: bool,
}

/// Commands joined by `|`.
#[derive(Debug, Clone)]
pub(super) struct Pipeline {
    /// The options of the reserved word `time`, if that precedes it.
    pub(super) time: Option<Vec<&'static str>>,
    /// The commands; more than one means a shell of its own for each.
    pub(super) commands: Vec<ParsedCommand>,
}

/// One command with its redirections.
#[derive(Debug, Clone)]
pub(super) struct ParsedCommand {
    /// What it is.
    pub(super) kind: CommandKind,
    /// Its redirections, those before and between the words included.
    pub(super) redirects: Vec<Redirect>,
}

impl ParsedCommand {
    /// A command that does nothing, where one is missing.
    pub(super) fn nothing() -> Self {
        Self { kind: CommandKind::Test(Vec::new()), redirects: Vec::new() }
    }
}

#[derive(Debug, Clone)]
pub(super) enum CommandKind {
    /// Assignments and words.
    Simple { assigns: Vec<Assign>, words: Vec<UnexpandedWord> },
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if`, with every condition and its branch, then what follows `else`.
    If { clauses: Vec<(Script, Script)>, otherwise: Option<Script> },
    /// `while` and `until`.
    Loop { head: Script, body: Script },
    /// `for` and `select`; without words it goes over the positional parameters.
    For { name: String, words: Option<Vec<UnexpandedWord>>, body: Script },
    /// `(( … ))`, and with a body `for (( … ))`.
    Arithmetic { expression: Arithmetic, body: Option<Script> },
    /// `case`, with the patterns and commands of its arms.
    Case { subject: UnexpandedWord, arms: Vec<(Vec<UnexpandedWord>, Script)> },
    /// `[[ … ]]`: the words between the operators.
    Test(Vec<UnexpandedWord>),
    /// The definition of a function.
    Function { name: String, body: Rc<ParsedCommand> },
    /// `coproc`.
    Coproc(Box<ParsedCommand>),
}

/// An arithmetic expression: its text, and the expansions inside it.
#[derive(Debug, Clone, Default)]
pub(super) struct Arithmetic {
    /// The text, in which assignments to variables can be seen.
    pub(super) text: String,
    /// The expansions.
    pub(super) parts: Vec<WordPart>,
}

/// An assignment before a command, or instead of one.
#[derive(Debug, Clone)]
pub(super) struct Assign {
    /// The variable.
    pub(super) name: String,
    /// What is in `[…]` after the name.
    pub(super) subscript: Option<Vec<WordPart>>,
    /// Whether it is `+=`.
    pub(super) append: bool,
    /// The value; that of an array is its elements.
    pub(super) value: UnexpandedWord,
    /// The place of all of it, the name included.
    pub(super) span: Span,
}

#[derive(Debug, Clone)]
pub(super) struct Redirect {
    /// The file descriptor in front of it, if it is a number.
    pub(super) descriptor: Option<u32>,
    /// What is done.
    pub(super) kind: RedirectKind,
    /// Its operand.
    pub(super) word: UnexpandedWord,
    /// The body of a here-document. It follows the next line end and is filled in when that is reached.
    pub(super) body: Option<Rc<OnceCell<Vec<WordPart>>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `<<`, and with tabs left out `<<-`.
    Document { strips_tabs: bool },
    /// `<<<`
    String,
}

/// A word before its expansion.
#[derive(Debug, Clone, Default)]
pub(super) struct UnexpandedWord {
    /// What it is made of.
    pub(super) parts: Vec<WordPart>,
    /// What is in the parentheses of an assignment such as `a=(b c)`.
    pub(super) array: Option<Vec<UnexpandedWord>>,
    /// Its place, quotes included.
    pub(super) span: Span,
}

#[derive(Debug, Clone)]
pub(super) enum WordPart {
    /// Text without quotes: patterns, braces and `~` mean something in it.
    Literal(String),
    /// Text that means itself. It is kept how it was quoted, because some readers trust plain quoting only.
    Quoted { text: String, quote: Quote, span: Span },
    /// What stood in double quotes.
    Double(Vec<WordPart>),
    /// What stood in `$"…"`: it can be replaced by a translation.
    Translated(Vec<WordPart>),
    /// `$x` or `${x…}`
    Parameter(Box<Parameter>),
    /// `$(…)` or a text in backticks.
    Command(Rc<Script>),
    /// `<(…)` or `>(…)`
    Process(Rc<Script>),
    /// `$((…))` or `$[…]`
    Arithmetic(Rc<Arithmetic>),
    /// Text that has no form in UTF-8, and what Bash itself refuses.
    Opaque,
}

/// What takes the meaning from a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    /// Nothing does: patterns, braces and `~` mean something in it.
    None,
    /// `'…'`
    Single,
    /// `"…"`, or a here-document.
    Double,
    /// `$'…'`
    AnsiC,
    /// `$"…"`
    Translated,
    /// A backslash.
    Escape,
}

/// The expansion of a parameter.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameter {
    /// Its name, number or sign; empty where it could not be read.
    pub(super) name: String,
    /// What is in `[…]` after the name: `@`, `*` or a number as text, and any expansions.
    pub(super) subscript: Option<(String, Vec<WordPart>)>,
    /// What is done with the value.
    pub(super) operation: Operation,
    /// Whether an empty value counts as unset (`:-`).
    pub(super) colon: bool,
    /// The word behind the operator, or the expansions in what is not followed.
    pub(super) word: UnexpandedWord,
    /// Its place, from the dollar sign to the name or the closing brace.
    pub(super) span: Span,
}

/// What is done with the value of a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Operation {
    /// Nothing.
    #[default]
    Plain,
    /// `-`
    Default,
    /// `=`
    Assign,
    /// `+`
    Alternative,
    /// `?`
    Required,
    /// `@P`: the value is expanded like a prompt, which runs the substitutions inside it.
    Prompt,
    /// Anything else.
    Other,
}
