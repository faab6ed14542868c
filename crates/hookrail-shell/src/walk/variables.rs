//! Builtins that change variables and positional parameters.
//!
//! A value is followed only while it is certain. Whatever might have changed it makes it unknown, never keeps it: a
//! program name from a stale value would be a command that is not reported.

use super::{Context, Walker};
use crate::facts::Cause;
use crate::field::Field;
use crate::parse::is_identifier;
use crate::state::{StateKey, Value};

impl Walker {
    /// `set`: its operands are the new positional parameters.
    pub(super) fn set_builtin(&mut self, args: &[Field]) {
        let mut at = 0;
        while let Some(field) = args.get(at) {
            match field.as_str() {
                None => {
                    self.state.set(StateKey::Positional, None);
                    return;
                }
                Some("--" | "-") => {
                    at += 1;
                    break;
                }
                // Each `o` takes the name of an option.
                Some(text) if text.starts_with(['-', '+']) => at += 1 + usize::from(text.contains('o')),
                Some(_) => break,
            }
        }
        let has_operands = at < args.len() || args.iter().any(|field| field.is("--"));
        if has_operands {
            let values = self.known_values(args.get(at..).unwrap_or_default());
            self.state.set(StateKey::Positional, values.map(|values| Value::List(values.into())));
        }
    }

    /// `shift`: drops positional parameters. More than there are is an error that drops none; they are unknown then.
    pub(super) fn shift(&mut self, args: &[Field]) {
        let count = match args.first() {
            None => Some(1),
            Some(field) => field.as_str().and_then(|text| text.parse::<usize>().ok()),
        };
        let values = match (self.state.get(&StateKey::Positional), count) {
            (Some(Value::List(values)), Some(count)) => values.get(count..).map(<[String]>::to_vec),
            _ => None,
        };
        self.state.set(StateKey::Positional, values.map(|values| Value::List(values.into())));
    }

    /// `export`, `declare` and similar builtins.
    ///
    /// A variable with the attribute of a number, of another case or of a reference changes what is assigned to it
    /// later. From then on no variable is followed any more, which is simpler than following attributes and rarely
    /// matters.
    pub(super) fn declare(&mut self, args: &[Field], context: &Context) {
        let is_odd =
            |text: &str| text.starts_with(['-', '+']) && text.contains(['n', 'i', 'l', 'u', 'c', 'A']);
        if args.iter().any(|field| field.as_str().is_none_or(is_odd)) {
            self.has_arithmetic = true;
            self.set_flag(StateKey::OddVariables);
            self.forget_variables();
        }
        let is_reference =
            |field: &Field| field.as_str().is_some_and(|text| text.starts_with('-') && text.contains('n'));
        let has_reference = args.iter().any(is_reference);
        for arg in args {
            let Some(text) = arg.as_str() else {
                match &arg.variable {
                    Some(name) => self.note_variable(name, None, context),
                    // It may be any variable.
                    None => self.set_flag(StateKey::StartFile(0)),
                }
                continue;
            };
            if has_reference && let Some((_, target)) = text.split_once('=') {
                // From now on another name sets this one.
                self.note_variable(target, None, context);
            }
            self.expanded_as_subscript(text, context);
            if let Some(locals) = self.locals.last_mut() {
                locals.push(text.split(['=', '+', '[']).next().unwrap_or_default().to_owned());
            }
            let Some((name, value)) = text.split_once('=') else {
                self.note_export(text);
                // `local x` hides a value, `export x` does not.
                if is_identifier(text) && !self.active.is_empty() {
                    self.state.set(StateKey::Variable(text.to_owned()), None);
                }
                continue;
            };
            let is_list =
                matches!(self.state.get(&StateKey::Variable(name.to_owned())), Some(Value::List(_)));
            if is_identifier(name) && !(is_list && value.is_empty()) {
                let value = (!arg.glob && !arg.tilde && !value.starts_with('~')).then(|| value.to_owned());
                self.set_variable(name, value, context);
            } else {
                let name = name.split(['[', '+']).next().unwrap_or_default();
                self.state.set(StateKey::Variable(name.to_owned()), None);
            }
        }
    }

    /// Builtins that set variables to what is not known. Every operand that could be a name is taken for one, options
    /// included: to drop a value too many only makes the facts less exact.
    pub(super) fn change_variables(&mut self, name: &str, args: &[Field], context: &Context) {
        self.subscripts(args, context);
        if name == "let" {
            self.has_arithmetic = true;
            for arg in args {
                self.expanded_as_subscript(arg.as_str().unwrap_or_default(), context);
                self.forget_assigned(arg.as_str().unwrap_or("="));
            }
        }
        if matches!(name, "mapfile" | "readarray") {
            for (at, option) in args.iter().enumerate() {
                let code = match option.as_str().and_then(|text| text.strip_prefix("-C")) {
                    Some("") => args.get(at + 1).and_then(Field::as_str),
                    Some(attached) => Some(attached),
                    None => continue,
                };
                match code {
                    Some(code) => self.code(&format!("{code} \"$_\" \"$_\""), context),
                    None => self.dynamic(Cause::Eval),
                }
            }
        }
        let sets = name != "printf"
            || args.first().is_none_or(|field| field.as_str().is_none_or(|text| text.starts_with("-v")));
        if !sets {
            return;
        }
        // What is read may be any of the paths that come in.
        let is_read = matches!(name, "read" | "mapfile" | "readarray");
        let read = if is_read { crate::act::words_of(context.stdin.as_ref()) } else { Vec::new() };
        for implied in ["REPLY", "MAPFILE"] {
            self.state.set(StateKey::Variable(implied.to_owned()), None);
            self.set_likely(implied, read.clone());
        }
        let is_unset = name == "unset";
        for arg in args {
            match arg.as_str() {
                None => self.forget_variables(),
                Some(text) => {
                    if is_unset {
                        self.unset_function(text);
                    }
                    let attached = text.trim_start_matches(|c: char| c == '-' || c.is_ascii_lowercase());
                    for name in [text, text.strip_prefix("-v").unwrap_or(text), attached] {
                        let name = name.split('[').next().unwrap_or_default();
                        if is_identifier(name) {
                            // One that is unset cannot be run as code.
                            if is_unset && name != "IFS" {
                                self.state.set(StateKey::Variable(name.to_owned()), None);
                            } else {
                                self.set_variable(name, None, context);
                            }
                            self.set_likely(name, read.clone());
                        }
                    }
                }
            }
        }
    }

    /// A function that is unset may be the program of that name from now on.
    fn unset_function(&mut self, name: &str) {
        let key = StateKey::Function(name.to_owned());
        if let Some(Value::Function(bodies, _)) = self.state.get(&key).cloned() {
            self.state.set(key, Some(Value::Function(bodies, false)));
        }
    }

    /// Operands that Bash expands once more because they name an element of an array.
    pub(super) fn subscripts(&mut self, args: &[Field], context: &Context) {
        for arg in args {
            self.expanded_as_subscript(arg.as_str().unwrap_or_default(), context);
        }
    }
}
