//! Builtins: those that run code, and those that change what is known.

use super::{Context, How, MAX_DIRECTORIES, Walker};
use crate::act::joined;
use crate::book::Entry;
use crate::facts::{Access, Cause, Extent};
use crate::field::{Field, Likely};
use crate::state::{StateKey, Value};

/// Whether `name` is a builtin of Bash but a program, if anything, to a plain shell: code for `sh` can run a file of that
/// name.
pub(super) fn is_only_in_bash(name: &str) -> bool {
    Entry::among("shell/builtin", name).is_some_and(|entry| entry.is("only-bash"))
}

/// The words without a double dash before them.
fn behind_dashes(args: &[Field]) -> &[Field] {
    match args {
        [first, rest @ ..] if first.is("--") => rest,
        _ => args,
    }
}

impl Walker {
    /// Reads what the builtin `name` does with `args`.
    ///
    /// Builtins that neither run code nor change what is known (`echo`, `test` without subscripts, `jobs`) need no look.
    /// `source` reads a file, so that everything can be different afterwards.
    pub(super) fn builtin(&mut self, name: &str, args: &[Field], context: &Context) {
        match name {
            "eval" => {
                if args.iter().any(|field| field.text.is_none()) {
                    self.dynamic(Cause::Eval);
                    self.forget_variables();
                }
                let text = joined(behind_dashes(args));
                self.with_holes(|walker| walker.code(&text, context));
            }
            "source" | "." => {
                self.dynamic(Cause::Source);
                self.forget_variables();
                let operand = args.iter().find(|field| !field.is("--"));
                if let Some(file) = operand {
                    if crate::act::is_stream(file) {
                        crate::act::source_stdin(self, context);
                    }
                    if let (true, Some(Value::Text(text))) = (file.process, self.output.take()) {
                        self.code(&text, context);
                    }
                    self.use_path(Access::Read, file, context);
                    self.script_file(file, context);
                }
            }
            "command" | "builtin" | "exec" => self.prefixed(name, args, context),
            "trap" => self.trap(args, context),
            "alias" => self.define_aliases(args),
            "cd" | "pushd" | "popd" => self.change_directory(name, args),
            "set" => self.set_builtin(args),
            "shift" => self.shift(args),
            // Outside of a function it is an error and sets nothing; whether this is outside cannot always be determined.
            "local" if self.active.is_empty() => {
                self.declare(args, context);
                self.forget_variables();
            }
            "export" | "readonly" | "declare" | "typeset" | "local" => self.declare(args, context),
            "unset" | "read" | "mapfile" | "readarray" | "getopts" | "printf" | "wait" | "let" => {
                self.change_variables(name, args, context);
            }
            "test" | "[" => self.subscripts(args, context),
            "shopt" if args.iter().any(|field| field.is("lastpipe") || field.text.is_none()) => {
                self.set_flag(StateKey::OddVariables);
                self.forget_variables();
            }
            "hash" | "enable" => {
                // `hash -p /bin/rm ls` lets one name run another program.
                let is_plain =
                    |field: &Field| field.as_str().is_some_and(|text| !text.starts_with('-') || text == "-r");
                if !args.iter().all(is_plain) {
                    self.dynamic(if name == "hash" { Cause::Variable } else { Cause::Source });
                }
            }
            "fc" if args.iter().any(|field| !field.is("-l")) => self.dynamic(Cause::Eval),
            "jobs" if args.first().is_some_and(|field| field.is("-x")) => {
                self.run(args.get(1..).unwrap_or_default(), How::WithoutFunctions, &context.behind(name));
            }
            "compgen" | "complete" | "bind" => self.completion(args, context),
            _ => {}
        }
    }

    /// `command`, `builtin` and `exec`: the words behind them are a command that functions do not hide. `command -v` only
    /// asks where it is.
    fn prefixed(&mut self, name: &str, args: &[Field], context: &Context) {
        let mut at = 0;
        while let Some(option) = args.get(at) {
            let Some(text) = option.as_str() else {
                self.dynamic(Cause::Variable);
                break;
            };
            if name == "builtin" || !text.starts_with('-') || text == "-" {
                break;
            }
            at += 1;
            if text == "--" {
                break;
            }
            if name == "command" && text.contains(['v', 'V']) {
                return;
            }
            if name == "exec" && text.contains('a') && text.ends_with('a') {
                at += 1;
            }
        }
        let rest = behind_dashes(args.get(at..).unwrap_or_default());
        let how = if name == "exec" { How::Program } else { How::WithoutFunctions };
        self.run(rest, how, &context.behind(name));
    }

    /// `trap`: literal code is read when everything else has been, because it can call what is defined later.
    fn trap(&mut self, args: &[Field], context: &Context) {
        let Some((code, signals)) = behind_dashes(args).split_first() else { return };
        match code.as_str() {
            None => self.dynamic(Cause::Eval),
            Some("-" | "" | "-l" | "-p" | "-lp") => {}
            // A signal alone resets it.
            Some(_) if signals.is_empty() => {}
            Some(code) => {
                let is_exit = |field: &Field| matches!(field.as_str(), Some("EXIT" | "0"));
                if !signals.iter().all(is_exit) {
                    let words = code.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c));
                    self.interrupting.extend(words.map(str::to_owned));
                    self.note_interruption(code, context);
                }
                self.run_later(code, context);
            }
        }
    }

    /// Marks the line if code that runs between any two commands changes what is known: nothing is certain then.
    pub(super) fn note_interruption(&mut self, code: &str, context: &Context) {
        let mark = self.state.mark();
        self.silent += 1;
        self.code(code, context);
        self.silent -= 1;
        let changes = self.state.take_changes(mark);
        if self.state.differs_from(&changes) {
            self.dynamic(Cause::Eval);
        }
    }

    /// `alias`: keeps the texts of the definitions. They count for the lines behind this one if `expand_aliases` is on,
    /// which cannot be determined, so a name is read with and without its alias.
    fn define_aliases(&mut self, args: &[Field]) {
        for arg in args {
            let Some(text) = arg.as_str() else {
                self.dynamic(Cause::Eval);
                continue;
            };
            if let Some((name, value)) = text.split_once('=') {
                self.state.set(StateKey::Alias(name.to_owned()), Some(Value::Text(value.into())));
            }
        }
    }

    /// `cd`, `pushd` and `popd`: keeps the operands one after another, or that the directory cannot be determined. They are not
    /// joined here, because a link among them has to be followed on the disk, where this reader never looks.
    pub(super) fn change_directory(&mut self, name: &str, args: &[Field]) {
        let mut operands = args
            .iter()
            .filter(|field| !field.as_str().is_some_and(|text| text.len() > 1 && text.starts_with('-')));
        let (operand, extra) = (operands.next(), operands.next());
        let operand = match (name, operand, extra) {
            ("cd", None, _) if self.own_home().is_none() && self.state.is_set(&StateKey::OddFolders) => None,
            ("cd", None, _) => Some(Likely::whole(self.own_home().unwrap_or_else(|| "~".to_owned()))),
            ("cd" | "pushd", Some(field), None) => match &field.text {
                // What comes before the first sign of a pattern is known.
                Some(text) if field.glob => {
                    let path = text.split(['*', '?', '[']).next().unwrap_or_default().to_owned();
                    Some(Likely { path, extent: Extent::Beginning })
                }
                None if field.guess.is_some() => None,
                _ => field.path(),
            },
            _ => None,
        };
        let operand = operand.map(|likely| (likely.path, likely.extent)).filter(|(operand, _)| {
            let is_stack = operand == "-"
                || (name == "pushd" && operand.starts_with(['+', '-']))
                || operand.starts_with("~-")
                || operand.starts_with("~+");
            let is_fixed = operand.starts_with(['/', '.', '~']) || !self.state.is_set(&StateKey::OddFolders);
            !is_stack && !operand.is_empty() && is_fixed
        });
        let is_absolute = operand.as_ref().is_some_and(|(operand, _)| operand.starts_with(['/', '~']));
        // An absolute path does not depend on where one was.
        let before = if is_absolute { Some((Vec::new(), Extent::Whole)) } else { self.state.directory() };
        if before.as_ref().is_some_and(|(operands, _)| operands.len() >= MAX_DIRECTORIES) {
            self.dynamic(Cause::Bound);
        }
        let after = match (before, operand) {
            (Some((mut operands, Extent::Whole)), Some((operand, extent)))
                if operands.len() < MAX_DIRECTORIES =>
            {
                operands.push(operand);
                Some((operands, extent))
            }
            // One more folder below a beginning is still below it.
            (Some((operands, _)), Some((operand, _))) if operand.split('/').all(|name| name != "..") => {
                Some((operands, Extent::Beginning))
            }
            _ => None,
        };
        let after = Value::Directory(after.map(|(operands, extent)| (operands.into(), extent)));
        self.state.set(StateKey::Directory, Some(after));
    }

    /// `compgen -C code`, `complete -W words`: code and text that is expanded later.
    fn completion(&mut self, args: &[Field], context: &Context) {
        for (at, arg) in args.iter().enumerate() {
            let value = args.get(at + 1).and_then(Field::as_str);
            match (arg.as_str(), value) {
                // The command is given words of its own.
                (Some("-C" | "-F" | "-x"), Some(code)) => self.run_later(&format!("{code} $_"), context),
                (Some("-W"), Some(text)) => self.expanded_later(text, context),
                (None, _) | (Some("-C" | "-F" | "-W" | "-x"), None) => self.dynamic(Cause::Eval),
                _ => {}
            }
        }
    }
}
