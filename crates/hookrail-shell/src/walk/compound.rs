//! Lists, pipelines and compound commands: which commands run, and what is known after them.

use std::rc::Rc;

use super::{Context, MAX_ITERATIONS, MAX_ROUNDS, Walker};
use crate::facts::{Access, Cause};
use crate::field::{Field, Likely};
use crate::parse::is_identifier;
use crate::state::{Changes, StateKey, Value};
use crate::syntax::{
    AndOr, CommandKind, ParsedCommand, Pipeline, Redirect, RedirectKind, Script, UnexpandedWord,
};

impl Walker {
    /// Reads commands one after another. One in the background runs in a shell of its own, which leaves no trace here.
    pub(super) fn script(&mut self, script: &Script, context: &Context) {
        for item in &script.items {
            if self.stopped {
                return;
            }
            let mark = self.state.mark();
            self.and_or(item, context);
            if item.background {
                self.state.undo(mark);
            }
        }
    }

    /// Reads pipelines joined by `&&` and `||`. Along a chain of `&&` each sees what those before it did.
    fn and_or(&mut self, list: &AndOr, context: &Context) {
        self.pipeline(&list.first, context);
        let mut mark = self.state.mark();
        for (is_and, pipeline) in &list.rest {
            if *is_and {
                self.pipeline(pipeline, context);
                continue;
            }
            // What follows `||` runs after some of what precedes it.
            self.settle(mark);
            mark = self.state.mark();
            self.pipeline(pipeline, context);
            self.settle(mark);
            mark = self.state.mark();
        }
        self.settle(mark);
    }

    /// Joins the changes since `mark` with the chance that they were never made. Whether a command succeeds is not known,
    /// so everything behind `&&` and `||` is both done and left out.
    pub(super) fn settle(&mut self, mark: usize) {
        if self.state.mark() > mark {
            let changes = self.state.take_changes(mark);
            self.state.join(&[changes, Changes::new()]);
        }
    }

    /// Reads a pipeline. Commands joined by `|` run in shells of their own, and read what the one before them writes.
    fn pipeline(&mut self, pipeline: &Pipeline, context: &Context) {
        let mut context = context.clone();
        if let Some(options) = &pipeline.time {
            self.emit_time(options, pipeline, &context);
            context = context.behind("time");
        }
        if let [command] = pipeline.commands.as_slice() {
            self.command(command, &context);
            return;
        }
        for command in &pipeline.commands {
            let mark = self.state.mark();
            self.command(command, &context);
            self.state.undo(mark);
            context.stdin = std::mem::take(&mut self.output);
        }
    }

    /// `time` is a reserved word, and a command to the author of a rule about it.
    fn emit_time(&mut self, options: &[&'static str], pipeline: &Pipeline, context: &Context) {
        let mut argv: Vec<Field> =
            std::iter::once("time").chain(options.iter().copied()).map(Field::known).collect();
        if let Some(ParsedCommand { kind: CommandKind::Simple { words, .. }, .. }) = pipeline.commands.first()
        {
            self.silent += 1;
            argv.extend(self.expand_words(words, context));
            self.silent -= 1;
        }
        self.emit(&argv, !context.posix, context);
    }

    /// Reads one command.
    pub(super) fn command(&mut self, command: &ParsedCommand, context: &Context) {
        if !self.step(0) {
            return;
        }
        self.deeper(|walker| {
            if let CommandKind::Simple { assigns, words } = &command.kind {
                walker.simple(assigns, words, &command.redirects, context);
                return;
            }
            let (context, target) = walker.redirects(&command.redirects, context);
            walker.compound(&command.kind, &context);
            walker.note_output(&[], target.as_ref(), &context);
        });
    }

    /// Reads a command that holds others.
    ///
    /// A function is read where it is called, with the arguments that it gets there. Those that are never called are
    /// read at the end.
    fn compound(&mut self, kind: &CommandKind, context: &Context) {
        match kind {
            // `command` has seen to these.
            CommandKind::Simple { .. } => {}
            CommandKind::Group(script) => self.script(script, context),
            CommandKind::Subshell(script) => self.subshell(script, context),
            CommandKind::If { clauses, otherwise } => self.branches(clauses, otherwise.as_ref(), context),
            CommandKind::Loop { head, body } => self.repeated(|walker| {
                walker.script(head, context);
                walker.script(body, context);
            }),
            CommandKind::For { name, words, body } => self.iteration(name, words.as_deref(), body, context),
            CommandKind::Arithmetic { expression, body: None } => self.arithmetic(expression, context),
            CommandKind::Arithmetic { expression, body: Some(body) } => self.repeated(|walker| {
                walker.arithmetic(expression, context);
                walker.script(body, context);
            }),
            CommandKind::Case { subject, arms } => {
                self.expand_for_commands(&subject.parts, context);
                let mut ends = vec![Changes::new()];
                let start = self.state.mark();
                for (patterns, script) in arms {
                    for pattern in patterns {
                        self.expand_for_commands(&pattern.parts, context);
                    }
                    let mark = self.state.mark();
                    self.script(script, context);
                    // `;&` goes on with the next arm: what an arm changed may or may not hold there.
                    self.settle(mark);
                }
                ends.push(self.state.take_changes(start));
                self.state.join(&ends);
            }
            CommandKind::Test(words) => {
                self.has_arithmetic = true;
                for word in words {
                    let text = self.expand_quoted(&word.parts, context);
                    self.expanded_as_subscript(text.as_deref().unwrap_or_default(), context);
                }
            }
            CommandKind::Function { name, body } => {
                let value = Value::Function(Rc::from([Rc::clone(body)]), true);
                self.state.set(StateKey::Function(name.clone()), Some(value));
                if self.interrupting.contains(name) {
                    self.note_interruption(name, context);
                }
                if self.silent == 0 {
                    self.functions.push((Rc::clone(body), context.clone()));
                }
            }
            CommandKind::Coproc(command) => {
                let mark = self.state.mark();
                self.command(command, &Context { stdin: None, ..context.clone() });
                self.state.undo(mark);
            }
        }
    }

    /// Reads `if`: each branch from the same state, and then what they agree about. Without `else` there is a branch that
    /// does nothing.
    fn branches(&mut self, clauses: &[(Script, Script)], otherwise: Option<&Script>, context: &Context) {
        let start = self.state.mark();
        let mut ends = Vec::new();
        for (at, (condition, branch)) in clauses.iter().enumerate() {
            self.script(condition, context);
            if at > 0 {
                // A later condition is reached only sometimes.
                self.settle(start);
            }
            let mark = self.state.mark();
            self.script(branch, context);
            ends.push(self.state.take_changes(mark));
        }
        let mark = self.state.mark();
        if let Some(script) = otherwise {
            self.script(script, context);
        }
        ends.push(self.state.take_changes(mark));
        self.state.join(&ends);
    }

    /// Reads what may run any number of times. Whatever it changes is not known when it begins, because it may
    /// have run before; a first silent reading finds out what that is. Where something changes only after something else
    /// has, it is read again, and at last with nothing known.
    fn repeated(&mut self, mut body: impl FnMut(&mut Self)) {
        let mark = self.state.mark();
        self.silent += 1;
        body(self);
        self.silent -= 1;
        let mut changed = self.state.take_changes(mark);
        self.state.join(&[Changes::new(), changed.clone()]);
        if self.silent > 0 {
            return;
        }
        let (commands, paths) = (self.facts.commands.len(), self.facts.paths.len());
        for round in 0..=MAX_ROUNDS {
            self.facts.commands.truncate(commands);
            self.facts.paths.truncate(paths);
            let mark = self.state.mark();
            body(self);
            let again = self.state.take_changes(mark);
            let is_settled = again.keys().all(|key| changed.contains_key(key)) || round == MAX_ROUNDS;
            self.state.join(&[Changes::new(), again.clone()]);
            if is_settled || self.stopped {
                return;
            }
            changed.extend(again);
            if round + 1 == MAX_ROUNDS {
                self.forget_variables();
                self.state.forget_directory();
            }
        }
    }

    /// Reads `for` and `select`: once for each word if they are known and not too many.
    fn iteration(&mut self, name: &str, words: Option<&[UnexpandedWord]>, body: &Script, context: &Context) {
        let mut values = match (words, self.state.get(&StateKey::Positional)) {
            (Some(words), _) => self.expand_words(words, context),
            (None, Some(Value::List(values))) => values.iter().map(Field::known).collect(),
            (None, _) => vec![Field::unknown()],
        };
        if !is_identifier(name) {
            self.dynamic(Cause::Syntax);
        }
        let is_known = |field: &Field| field.text.is_some() && !field.glob && !field.tilde;
        if values.len() > MAX_ITERATIONS {
            // Numbers and plain names hide nothing; what looks like a path or an option must not be lost.
            let is_odd =
                |field: &Field| field.as_str().is_none_or(|text| text.contains(['/', '~', '-', ' ']));
            if values.iter().any(is_odd) {
                self.dynamic(Cause::Bound);
            }
            values = vec![Field::unknown()];
        }
        if values.is_empty() {
            values.push(Field::unknown());
        }
        self.repeated(|walker| {
            for value in &values {
                let mark = walker.state.mark();
                walker.set_variable(name, value.text.clone().filter(|_| is_known(value)), context);
                if !is_known(value) {
                    let likely =
                        value.text.clone().map(Likely::whole).into_iter().chain(value.likely.clone());
                    walker.set_likely(name, likely.collect());
                }
                walker.set_variable("REPLY", None, context);
                walker.script(body, context);
                if values.len() > 1 {
                    walker.settle(mark);
                }
            }
        });
    }

    /// Notes the paths of redirections, and returns the context with the standard input that they lead to, and the file
    /// that takes the standard output, with whether it keeps what it holds. A text that is fed to a command is kept, because
    /// the command may be a shell.
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect],
        context: &Context,
    ) -> (Context, Option<(Field, bool)>) {
        let mut inner = context.clone();
        let mut output = None;
        for redirect in redirects {
            let kind = redirect.kind;
            let stdin = match (kind, &redirect.body) {
                (_, Some(body)) => {
                    let text = body.get().and_then(|parts| self.expand_quoted(parts, context));
                    Some(text.map(|text| Value::Text(text.into())))
                }
                (RedirectKind::String, None) => {
                    let given = self.expand_assigned(&redirect.word, context);
                    Some(given.value())
                }
                (_, None) => {
                    self.output = None;
                    let mut fields = self.expand_word(&redirect.word, context);
                    let target = fields.pop().filter(|_| fields.is_empty()).unwrap_or_default();
                    let descriptor = target.as_str().map(|text| text.strip_suffix('-').unwrap_or(text));
                    let is_file =
                        descriptor.is_none_or(|text| !text.bytes().all(|byte| byte.is_ascii_digit()));
                    if matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite) {
                        self.use_path(Access::Read, &target, context);
                    }
                    let is_written = match kind {
                        RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
                        RedirectKind::DuplicateOutput => is_file,
                        _ => false,
                    };
                    if is_written {
                        self.use_path(Access::Write, &target, context);
                    }
                    let stdin = match target.as_str() {
                        _ if kind != RedirectKind::Read => None,
                        _ if target.process => std::mem::take(&mut self.output),
                        Some("/dev/null") => Some(Value::Text("".into())),
                        _ => None,
                    };
                    let is_output = kind == RedirectKind::DuplicateOutput
                        || (is_written && kind != RedirectKind::ReadWrite);
                    if is_written && redirect.descriptor.map_or(is_output, |number| number == 1) {
                        output = Some((target, kind == RedirectKind::Append));
                    }
                    (!is_output).then_some(stdin)
                }
            };
            if let (Some(stdin), None | Some(0)) = (stdin, redirect.descriptor) {
                inner.stdin = stdin;
            }
        }
        (inner, output)
    }
}
