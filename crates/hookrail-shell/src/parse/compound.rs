//! Compound commands: those that hold other commands.
//!
//! A keyword that is missing marks the text as broken, and reading goes on as if it were there: in `if a; then rm x` the
//! `rm` is still worth reporting, because Bash may get the rest of the text from somewhere else.

use super::word::Ends;
use super::{ShellParser, Until};
use crate::syntax::{CommandKind, ParsedCommand, Script, UnexpandedWord};

impl ShellParser<'_> {
    /// Reads `( … )` or `(( … ))`.
    pub(super) fn parenthesized(&mut self) -> ParsedCommand {
        self.cursor.skip();
        if self.cursor.peek() == Some(b'(')
            && let Some(expression) = self.expression()
        {
            return self.with_redirects(CommandKind::Arithmetic { expression, body: None });
        }
        let script = self.list(Until::Paren);
        self.expect(")");
        self.with_redirects(CommandKind::Subshell(script))
    }

    /// Reads the command that the reserved word `word` begins, which ends at `end`; `None`, and nothing is read, if
    /// it is not such a word.
    pub(super) fn compound(&mut self, word: &str, end: usize) -> Option<ParsedCommand> {
        let read: fn(&mut Self) -> CommandKind = match word {
            "{" => Self::group,
            "if" => Self::conditional,
            "while" | "until" => Self::repetition,
            "for" | "select" => Self::iteration,
            "case" => Self::case,
            "[[" => Self::test,
            "function" => return self.function(end),
            "coproc" => return Some(self.coprocess(end)),
            _ => return None,
        };
        self.cursor.go(end);
        let kind = read(self);
        Some(self.with_redirects(kind))
    }

    /// Reads the redirections behind a compound command.
    fn with_redirects(&mut self, kind: CommandKind) -> ParsedCommand {
        let redirects = self.redirects();
        self.skip_blanks();
        ParsedCommand { kind, redirects }
    }

    /// Reads a group up to its closing brace.
    fn group(&mut self) -> CommandKind {
        let script = self.list(Until::Words(&["}"]));
        self.expect_word("}");
        CommandKind::Group(script)
    }

    /// Reads `if` up to its `fi`.
    fn conditional(&mut self) -> CommandKind {
        let mut clauses = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list(Until::Words(&["then"]));
            self.expect_word("then");
            let branch = self.list(Until::Words(&["elif", "else", "fi"]));
            clauses.push((condition, branch));
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                otherwise = Some(self.list(Until::Words(&["fi"])));
            }
            self.expect_word("fi");
            return CommandKind::If { clauses, otherwise };
        }
    }

    /// Reads `while` or `until` up to its `done`.
    fn repetition(&mut self) -> CommandKind {
        let head = self.list(Until::Words(&["do"]));
        CommandKind::Loop { head, body: self.body() }
    }

    /// Reads `do … done`, or the braces that Bash takes instead.
    fn body(&mut self) -> Script {
        self.skip_lines();
        if self.take_word("{") {
            let script = self.list(Until::Words(&["}"]));
            self.expect_word("}");
            return script;
        }
        self.expect_word("do");
        let script = self.list(Until::Words(&["done"]));
        self.expect_word("done");
        script
    }

    /// Reads `for` or `select` up to its `done`, also in the form with an expression.
    fn iteration(&mut self) -> CommandKind {
        self.skip_blanks();
        if self.cursor.peek() == Some(b'(') && self.cursor.peek_second() == Some(b'(') {
            self.cursor.skip();
            let expression = self.expression();
            self.broken |= expression.is_none();
            self.skip_blanks();
            self.cursor.take(";");
            let body = Some(self.body());
            return CommandKind::Arithmetic { expression: expression.unwrap_or_default(), body };
        }
        let start = self.cursor.at();
        self.expect_any_word();
        let name = self.cursor.slice(start, self.cursor.at()).to_owned();
        self.skip_lines();
        let mut words = None;
        if self.take_word("in") {
            words = Some(self.words());
            self.skip_blanks();
        }
        self.cursor.take(";");
        CommandKind::For { name, words, body: self.body() }
    }

    /// Reads `case` up to its `esac`.
    fn case(&mut self) -> CommandKind {
        let subject = self.expect_any_word();
        self.expect_word("in");
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.cursor.peek().is_none() {
                self.broken = true;
                break;
            }
            if self.take_word("esac") {
                break;
            }
            let start = self.cursor.at();
            arms.push(self.case_arm());
            if self.cursor.at() == start {
                self.broken = true;
                self.cursor.take_raw();
            }
        }
        CommandKind::Case { subject, arms }
    }

    /// Reads one arm: its patterns, its commands and what ends it. The parenthesis before the patterns is optional, which
    /// is why `case` has to be known inside `$(…)`: the `)` behind a pattern does not end the substitution.
    fn case_arm(&mut self) -> (Vec<UnexpandedWord>, Script) {
        self.cursor.take("(");
        let mut patterns = Vec::new();
        loop {
            patterns.push(self.expect_any_word());
            self.skip_blanks();
            if !self.cursor.take("|") {
                break;
            }
        }
        self.expect(")");
        let script = self.list(Until::CaseArm);
        // The longest of the three first.
        let _ = self.cursor.take(";;&") || self.cursor.take(";;") || self.cursor.take(";&");
        (patterns, script)
    }

    /// Reads the words of `[[ … ]]`. How its operators join them does not matter: it has no commands except in
    /// expansions.
    fn test(&mut self) -> CommandKind {
        let mut words = Vec::new();
        let mut is_pattern = false;
        loop {
            self.skip_lines();
            let Some(next) = self.cursor.peek() else {
                self.broken = true;
                break;
            };
            if self.take_word("]]") {
                break;
            }
            match next {
                b'(' | b')' | b'!' | b'<' | b'>' | b'|' | b'&' if !is_pattern => {
                    let is_process = matches!(next, b'<' | b'>') && self.cursor.peek_second() == Some(b'(');
                    if !is_process
                        && (next != b'!' || matches!(self.cursor.peek_second(), Some(b' ' | b'\t' | b'(')))
                    {
                        self.cursor.skip();
                        continue;
                    }
                }
                b';' => {
                    // Bash refuses it; commands behind it are still to be found.
                    self.broken = true;
                    break;
                }
                _ => {}
            }
            let ends = if is_pattern { Ends::Pattern } else { Ends::Meta };
            let operator = self.plain_word().map(|(word, _)| word);
            let was_pattern = is_pattern;
            is_pattern = !is_pattern && matches!(operator, Some("=~" | "==" | "=" | "!="));
            let start = self.cursor.at();
            let parts = self.parts(ends);
            if parts.is_empty() {
                self.broken |= was_pattern;
                self.cursor.take_raw();
            } else {
                words.push(UnexpandedWord { parts, array: None, span: self.span(start) });
            }
        }
        CommandKind::Test(words)
    }

    /// Reads the definition that `function` begins; `None`, and nothing is read, if no name follows.
    fn function(&mut self, end: usize) -> Option<ParsedCommand> {
        let start = self.cursor.at();
        self.cursor.go(end);
        self.skip_blanks();
        let name_start = self.cursor.at();
        if self.word().is_none() {
            self.cursor.go(start);
            return None;
        }
        let name = self.cursor.slice(name_start, self.cursor.at()).to_owned();
        self.skip_blanks();
        if self.cursor.peek() == Some(b'(') {
            let before = self.cursor.at();
            self.cursor.skip();
            self.cursor.skip_blanks();
            if !self.cursor.take(")") {
                // `function f (commands)`: the parenthesis is the body.
                self.cursor.go(before);
            }
        }
        Some(self.function_body(name))
    }

    /// Reads the command behind `coproc`, with or without a name before it. Only a compound command can be named: in
    /// `coproc rm x` the program is `rm`.
    fn coprocess(&mut self, end: usize) -> ParsedCommand {
        self.cursor.go(end);
        self.skip_blanks();
        let start = self.cursor.at();
        let is_compound = |parser: &mut Self| {
            parser.skip_blanks();
            parser.cursor.peek() == Some(b'(')
                || parser.plain_word().is_some_and(|(word, _)| {
                    matches!(word, "{" | "if" | "while" | "until" | "for" | "select" | "case" | "[[")
                })
        };
        if !is_compound(self) {
            // A name may precede a compound command, but not before a simple one.
            let is_named = self.name().is_some() && is_compound(self);
            if !is_named {
                self.cursor.go(start);
            }
        }
        let body = self.deeper(Self::command);
        self.broken |= body.is_none();
        let body = Box::new(body.unwrap_or_else(ParsedCommand::nothing));
        ParsedCommand { kind: CommandKind::Coproc(body), redirects: Vec::new() }
    }
}
