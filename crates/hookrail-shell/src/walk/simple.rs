//! Simple commands: functions, aliases, builtins, launchers and programs.

use std::rc::Rc;

use super::{Context, MAX_ALIASES, MAX_RECURSION, MAX_VALUE, Walker, base_name};
use crate::facts::{Cause, Extent};
use crate::field::{Field, Likely};
use crate::parse::parse;
use crate::state::{StateKey, Value};
use crate::syntax::{Assign, CommandKind, ParsedCommand, Redirect, Script, UnexpandedWord, WordPart};

/// Who runs a command, which decides what its name can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A shell: functions, then builtins, then programs.
    Shell,
    /// A shell that leaves functions out (`command`, `builtin`).
    WithoutFunctions,
    /// Another program, or `exec`: only programs.
    Program,
}

impl Walker {
    /// Reads a simple command.
    ///
    /// The words are expanded before the assignments are made, as in Bash: in `X=rm; X=ls $X` the program is `rm`.
    pub(super) fn simple(
        &mut self,
        assigns: &[Assign],
        words: &[UnexpandedWord],
        redirects: &[Redirect],
        context: &Context,
    ) {
        // The name is read both ways: whether aliases are on cannot be determined.
        if let Some(text) = self.alias(words) {
            let rest = words.get(1..).unwrap_or_default();
            if let Some(script) = self.script_of_alias(&text, rest) {
                let mark = self.state.mark();
                let (inner, _) = self.redirects(redirects, context);
                self.script(&script, &inner);
                self.settle(mark);
            } else {
                self.dynamic(Cause::Eval);
            }
            self.aliases_in_use.pop();
        }
        let mut fields = self.expand_words(words, context);
        if let Some(program) = fields.first().and_then(program_in_a_folder) {
            fields.splice(..1, [program]);
        }
        let bytes = fields.iter().map(|field| field.text.as_deref().map_or(1, str::len) + 1).sum();
        if !self.step(bytes) {
            return;
        }
        let (inner, target) = self.redirects(redirects, context);
        if assigns.is_empty() {
            self.run_with_arrays(&fields, words, &inner);
            self.note_output(&fields, target.as_ref(), &inner);
            return;
        }
        let mark = self.state.mark();
        let before = self.start_files();
        for assign in assigns {
            self.assign(assign, &inner);
        }
        if fields.is_empty() {
            self.output = None;
            return;
        }
        let during = self.start_files();
        // Functions, `eval` and the like see the assignments; afterwards the variables have their old values, or new
        // ones if the command set them.
        let keys: Vec<StateKey> =
            assigns.iter().map(|assign| StateKey::Variable(assign.name.clone())).collect();
        let is_seen = fields.first().and_then(Field::as_str).is_none_or(|name| {
            matches!(name, "eval" | "source" | "." | "command" | "builtin" | "cd" | "pushd")
                || self.state.get(&StateKey::Function(name.to_owned())).is_some()
        });
        if !is_seen {
            self.state.undo(mark);
        }
        self.set_start_files(during);
        self.run_with_arrays(&fields, words, &inner);
        let is_program = |name: &str| !is_seen && !crate::is_builtin(name);
        if fields.first().and_then(Field::as_str).is_some_and(is_program) {
            // What a builtin sets stays, and which of the two it was is not kept.
            self.set_start_files(before);
        }
        if is_seen {
            for key in keys {
                self.state.set(key, None);
            }
        }
        self.note_output(&fields, target.as_ref(), &inner);
        if assigns.iter().any(|assign| assign.name == "TMPDIR") {
            self.output = None;
        }
    }

    /// Runs a command; then the arrays among its operands have their values (`declare a=( … )`).
    fn run_with_arrays(&mut self, fields: &[Field], words: &[UnexpandedWord], context: &Context) {
        self.run(fields, How::Shell, context);
        for word in words {
            if let Some(array) = &word.array {
                // The word is the name with `=` behind it.
                let name = self.expand_quoted(&word.parts, context).unwrap_or_default();
                let is_append = name.ends_with("+=");
                let name = name.trim_end_matches('=').trim_end_matches('+');
                self.assign_array(name, array, is_append, context);
            }
        }
    }

    /// The text of the alias that the first of `words` is. The caller takes its name off `aliases_in_use`.
    fn alias(&mut self, words: &[UnexpandedWord]) -> Option<Rc<str>> {
        let name = alias_name(words.first()?)?;
        let text = self.state.get(&StateKey::Alias(name.to_owned()))?.text().cloned()?;
        if self.aliases_in_use.iter().any(|used| used == name) {
            return None;
        }
        self.aliases_in_use.push(name.to_owned());
        Some(text)
    }

    /// The commands that an alias makes with the words behind its name; `None` if its text cannot be read.
    fn script_of_alias(&mut self, text: &str, rest: &[UnexpandedWord]) -> Option<Script> {
        if self.aliases_in_use.len() > MAX_ALIASES {
            self.dynamic(Cause::Bound);
            return None;
        }
        // A blank at the end makes the next word an alias too.
        let next = rest.first().and_then(alias_name).filter(|_| text.ends_with([' ', '\t']));
        let next_is_alias = next.is_some_and(|next| self.state.is_set(&StateKey::Alias(next.to_owned())));
        // An alias is text: where it does not end in a word, what follows it means something else.
        let is_open = text.contains(['#', '<'])
            || text.trim_end().ends_with([';', '&', '|', '(', ')', '{', '}', '>', '\\', '`'])
            || text.ends_with('\n');
        let mut parsed = parse(text, self.depth);
        if parsed.too_deep {
            self.dynamic(Cause::Bound);
        }
        let last = parsed.tree.items.last_mut()?;
        let pipeline = last.rest.last_mut().map_or(&mut last.first, |(_, pipeline)| pipeline);
        match pipeline.commands.last_mut() {
            Some(ParsedCommand { kind: CommandKind::Simple { words, .. }, .. })
                if !parsed.broken && !next_is_alias && !is_open =>
            {
                words.extend(rest.iter().cloned());
                Some(parsed.tree)
            }
            _ => None,
        }
    }

    /// Reads the command with the words `whole`.
    ///
    /// It is reported before its arguments are read, so that commands are in the order of the text. A name that is a pattern,
    /// or that cannot be determined, makes the line dynamic.
    pub(crate) fn run(&mut self, whole: &[Field], how: How, context: &Context) {
        let Some((program, args)) = whole.split_first() else { return };
        if !self.step(whole.len()) {
            return;
        }
        let name = match &program.text {
            Some(name) if !program.glob && !program.process => name.as_str(),
            _ => {
                self.dynamic(Cause::Variable);
                self.emit(whole, false, context);
                if let Some(guess) = program.guess.clone() {
                    self.run_guess(&guess, args, how, context);
                }
                return;
            }
        };
        if how == How::Shell
            && let Some(Value::Function(bodies, is_sure)) =
                self.state.get(&StateKey::Function(name.to_owned())).cloned()
        {
            self.emit(whole, is_sure, context);
            if let ([body], true) = (&*bodies, is_sure) {
                self.call(body, args, context);
                return;
            }
            for body in bodies.iter() {
                let mark = self.state.mark();
                self.call(body, args, context);
                self.settle(mark);
            }
            if is_sure {
                return;
            }
        }
        // Other programs find it on some systems, and there it does the same.
        let is_builtin = (how != How::Program || name == "command") && crate::is_builtin(name);
        let is_program = context.posix && super::builtin::is_only_in_bash(name);
        self.emit(whole, is_builtin && !is_program, context);
        self.deeper(|walker| {
            if is_builtin {
                walker.builtin(name, args, context);
            } else {
                walker.note_script(name, context);
                crate::act::act(walker, base_name(name), args, context);
            }
        });
    }

    /// Reads what a command would be if an unset variable is what it seems to be: `${EDITOR:-rm} x` is dynamic and a `rm`
    /// at once.
    fn run_guess(&mut self, guess: &str, args: &[Field], how: How, context: &Context) {
        let words = guess.split_whitespace().map(Field::known);
        let whole: Vec<Field> = words.chain(args.iter().cloned()).collect();
        self.deeper(|walker| walker.run(&whole, how, context));
    }

    /// Reads the body of a function that is called with `args`. A function that calls itself ends in ways that depend on
    /// values. After a few rounds it is read with no value known, which stands for all rounds that follow.
    fn call(&mut self, body: &Rc<ParsedCommand>, args: &[Field], context: &Context) {
        let pointer = Rc::as_ptr(body);
        self.called.insert(pointer);
        let rounds = self.active.iter().filter(|active| **active == pointer).count();
        if rounds > MAX_RECURSION {
            return;
        }
        let mut positional = self.known_values(args).map(|values| Value::List(values.into()));
        if rounds == MAX_RECURSION {
            positional = None;
            self.forget_variables();
            self.state.forget_directory();
        }
        let before = self.state.get(&StateKey::Positional).cloned();
        self.state.set(StateKey::Positional, positional);
        self.active.push(pointer);
        self.locals.push(Vec::new());
        self.command(body, context);
        self.active.pop();
        for name in self.locals.pop().unwrap_or_default() {
            // It has its old value again, which was not kept.
            self.state.set(StateKey::Variable(name), None);
        }
        self.state.set(StateKey::Positional, before);
    }

    /// Reads `argv` as a program that something other than a shell starts.
    pub(crate) fn start(&mut self, argv: &[Field], context: &Context) {
        self.run(argv, How::Program, context);
    }
}

impl Walker {
    /// The values of `fields`, if every one of them is known and is one word, and they are not too many to be followed.
    pub(crate) fn known_values(&mut self, fields: &[Field]) -> Option<Vec<String>> {
        let bytes: usize = fields.iter().map(|field| field.as_str().map_or(0, str::len) + 1).sum();
        if bytes > MAX_VALUE {
            self.dynamic(Cause::Bound);
            return None;
        }
        fields.iter().map(|field| field.text.clone().filter(|_| !field.glob && !field.tilde)).collect()
    }
}

/// The name that a word may have as an alias.
fn alias_name(word: &UnexpandedWord) -> Option<&str> {
    match word.parts.as_slice() {
        [WordPart::Literal(name)] => Some(name),
        _ => None,
    }
}

/// The program of a folder that the text does not name (`$HOME/bin/x`): what it is called is known all the same.
fn program_in_a_folder(field: &Field) -> Option<Field> {
    let [Likely { path, extent: Extent::Whole }] = field.likely.as_slice() else { return None };
    let is_it = field.text.is_none() && field.single && path.contains('/') && !base_name(path).is_empty();
    is_it.then(|| Field { tilde: path.starts_with('~'), ..Field::known(path.clone()) })
}
