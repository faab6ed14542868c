//! From the tree of a text to its [`Outline`].
//!
//! Every word of the tree ends up in the outline exactly once, whatever construct it is in. Code that asks which
//! files a command names must not miss one because it is in a `case` inside of a substitution.

use super::{Assignment, Outline, Piece, Role, SimpleCommand, Variable, Word};
use crate::braces;
use crate::syntax::{
    self, Arithmetic, Assign, CommandKind, Operation, Parameter, ParsedCommand, Quote, Redirect,
    RedirectKind, Script, WordPart,
};

/// The outline of a tree, before it is known what of it the text begins with.
pub(super) fn outline_of(script: &Script) -> Outline {
    let mut outline = Outline::default();
    outline.script(script);
    outline.variables.sort_by_key(|variable| variable.span.start);
    outline.single_quoted.sort_by_key(|span| span.start);
    outline
}

impl Outline {
    fn script(&mut self, script: &Script) {
        for item in &script.items {
            let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
            for pipeline in std::iter::once(&item.first).chain(rest) {
                for command in &pipeline.commands {
                    self.command(command);
                }
            }
        }
    }

    fn command(&mut self, command: &ParsedCommand) {
        match &command.kind {
            CommandKind::Simple { assigns, words } => {
                self.simple(assigns, words, &command.redirects);
                return;
            }
            CommandKind::Group(script) | CommandKind::Subshell(script) => self.script(script),
            CommandKind::If { clauses, otherwise } => {
                for (condition, branch) in clauses {
                    self.script(condition);
                    self.script(branch);
                }
                if let Some(script) = otherwise {
                    self.script(script);
                }
            }
            CommandKind::Loop { head, body } => {
                self.script(head);
                self.script(body);
            }
            CommandKind::For { name, words, body } => {
                self.name(name);
                self.add_others(Role::Element, words.as_deref().unwrap_or_default());
                self.script(body);
            }
            CommandKind::Arithmetic { expression, body } => {
                self.arithmetic(expression);
                if let Some(script) = body {
                    self.script(script);
                }
            }
            CommandKind::Case { subject, arms } => {
                self.add_others(Role::Compared, std::slice::from_ref(subject));
                for (patterns, script) in arms {
                    self.add_others(Role::Compared, patterns);
                    self.script(script);
                }
            }
            CommandKind::Test(words) => self.add_others(Role::Compared, words),
            CommandKind::Function { name, body } => {
                self.name(name);
                self.command(body);
            }
            CommandKind::Coproc(body) => self.command(body),
        }
        let redirections = self.redirections(&command.redirects);
        self.others.extend(redirections);
    }

    /// Takes a simple command.
    fn simple(&mut self, assigns: &[Assign], words: &[syntax::UnexpandedWord], redirects: &[Redirect]) {
        // Its place is taken before the commands inside its words take theirs.
        let index = self.commands.len();
        self.commands.push(SimpleCommand::default());
        let command = SimpleCommand {
            assignments: assigns.iter().map(|assign| self.assignment(assign)).collect(),
            words: words.iter().map(|word| self.word(word)).collect(),
            redirections: self.redirections(redirects),
        };
        if let Some(place) = self.commands.get_mut(index) {
            *place = command;
        }
    }

    /// An assignment. The value of an array is several words, so that the assignment itself has one that cannot be determined.
    fn assignment(&mut self, assign: &Assign) -> Assignment {
        if let Some(subscript) = &assign.subscript {
            self.inner(subscript, true);
        }
        let value = if assign.value.array.is_some() {
            self.word(&assign.value);
            Word { pieces: vec![Piece::Expansion], ..Word::default() }
        } else {
            self.word(&assign.value)
        };
        Assignment { name: assign.name.clone(), value, span: assign.span.range() }
    }

    /// The words of redirections. `>&` with a number duplicates a descriptor, but is taken for a file: files
    /// with such names are rare.
    fn redirections(&mut self, redirects: &[Redirect]) -> Vec<(Role, Word)> {
        let found = redirects.iter().map(|redirect| {
            let role = match redirect.kind {
                RedirectKind::Read | RedirectKind::ReadWrite | RedirectKind::DuplicateInput => Role::Read,
                RedirectKind::Write | RedirectKind::Append | RedirectKind::DuplicateOutput => Role::Written,
                RedirectKind::String | RedirectKind::Document { .. } => Role::Document,
            };
            let word = match &redirect.body {
                None => self.word(&redirect.word),
                Some(body) => {
                    let mut word = Word::default();
                    self.pieces(body.get().map_or(&[], Vec::as_slice), Quoting::Document, &mut word.pieces);
                    word
                }
            };
            (role, word)
        });
        found.collect()
    }

    fn add_others(&mut self, role: Role, words: &[syntax::UnexpandedWord]) {
        for word in words {
            let word = self.word(word);
            self.others.push((role, word));
        }
    }

    /// A name as it was written: a shell takes no path there, but a text that is not shell code may have one.
    fn name(&mut self, name: &str) {
        let text = Piece::Text { text: name.to_owned(), quote: Quote::None };
        self.others.push((Role::Name, Word { pieces: vec![text], ..Word::default() }));
    }

    /// A word with its quotes taken off.
    fn word(&mut self, word: &syntax::UnexpandedWord) -> Word {
        if let Some(array) = &word.array {
            self.add_others(Role::Element, array);
        }
        let mut pieces = Vec::with_capacity(word.parts.len());
        self.pieces(&word.parts, Quoting::None, &mut pieces);
        let has_braces = braces::has_brace(word) && braces::expand(word).is_none_or(|words| words.len() != 1);
        Word { pieces, span: word.span.range(), has_braces }
    }

    /// The text inside of an expansion, which is a word of its own.
    fn inner(&mut self, parts: &[WordPart], is_quoted: bool) {
        let mut pieces = Vec::new();
        self.pieces(parts, if is_quoted { Quoting::Double } else { Quoting::None }, &mut pieces);
        if !pieces.is_empty() {
            self.others.push((Role::Inner, Word { pieces, ..Word::default() }));
        }
    }

    /// An expression: the expansions in it, and its whole text as one word.
    fn arithmetic(&mut self, expression: &Arithmetic) {
        self.inner(&expression.parts, true);
        // The parts are the expansions; what is between them is only in the text.
        let text = Piece::Text { text: expression.text.clone(), quote: Quote::Double };
        self.others.push((Role::Inner, Word { pieces: vec![text], ..Word::default() }));
    }

    /// The pieces that parts are, with the words and commands inside of them put where they belong.
    fn pieces(&mut self, parts: &[WordPart], quoting: Quoting, pieces: &mut Vec<Piece>) {
        for part in parts {
            match part {
                WordPart::Literal(text) => {
                    let quote = if quoting == Quoting::None { Quote::None } else { Quote::Double };
                    pieces.push(Piece::Text { text: text.clone(), quote });
                }
                WordPart::Quoted { text, quote, span } => {
                    if *quote == Quote::Single {
                        self.single_quoted.push(span.range());
                    }
                    let quote = if quoting == Quoting::Translated { Quote::Translated } else { *quote };
                    pieces.push(Piece::Text { text: text.clone(), quote });
                }
                WordPart::Double(parts) => self.pieces(parts, quoting.max(Quoting::Double), pieces),
                WordPart::Translated(parts) => {
                    // Also the empty text: its translation is not known.
                    pieces.push(Piece::Text { text: String::new(), quote: Quote::Translated });
                    self.pieces(parts, Quoting::Translated, pieces);
                }
                WordPart::Parameter(parameter) => {
                    pieces.push(self.parameter(parameter, quoting != Quoting::None));
                }
                WordPart::Command(script) | WordPart::Process(script) => {
                    self.script(script);
                    pieces.push(Piece::Expansion);
                }
                WordPart::Arithmetic(expression) => {
                    self.arithmetic(expression);
                    pieces.push(Piece::Expansion);
                }
                WordPart::Opaque => pieces.push(Piece::Expansion),
            }
        }
    }

    /// The value of a parameter. Its operand is a word of its own: `${GUARD:-./default.sh}` names a file.
    fn parameter(&mut self, parameter: &Parameter, is_quoted: bool) -> Piece {
        if let Some((_, parts)) = &parameter.subscript {
            self.inner(parts, true);
        }
        self.inner(&parameter.word.parts, is_quoted);
        let is_plain = parameter.operation == Operation::Plain && parameter.subscript.is_none();
        let name = parameter.name.clone();
        let span = parameter.span.range();
        self.variables.push(Variable { name: name.clone(), is_plain, is_quoted, span });
        Piece::Variable { name, is_plain }
    }
}

/// The quotes that parts are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quoting {
    /// No quotes.
    None,
    /// Double quotes.
    Double,
    /// A here-document.
    Document,
    /// `$"…"`
    Translated,
}
