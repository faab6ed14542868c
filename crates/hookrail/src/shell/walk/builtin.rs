//! Builtins: those that run code, and those that change what is known.

use super::simple::known_values;
use super::{Context, How, MAX_DIRECTORIES, Walker};
use crate::shell::facts::Access;
use crate::shell::field::Field;
use crate::shell::launch::joined;
use crate::shell::parse::is_identifier;
use crate::shell::state::{Key, Value};

/// What Bash runs itself.
const BUILTINS: [&str; 61] = [
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
    "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
    "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
    "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
    "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

/// Whether Bash runs `name` itself.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

impl Walker {
    /// Reads what the builtin `name` does with `args`.
    pub(super) fn builtin(&mut self, name: &str, args: &[Field], context: &Context) {
        match name {
            "eval" => {
                if args.iter().any(|field| field.text.is_none()) {
                    self.dynamic();
                    self.forget_variables();
                }
                let args = if args.first().is_some_and(|field| field.is("--")) { args.get(1..) } else { Some(args) };
                self.code(&joined(args.unwrap_or_default()), context);
            }
            "source" | "." => {
                self.dynamic();
                self.forget_variables();
                let operand = args.iter().find(|field| !field.is("--"));
                if let Some(file) = operand {
                    self.use_path(Access::Read, file, context);
                }
            }
            "command" | "builtin" | "exec" => self.prefixed(name, args, context),
            "trap" => self.trap(args, context),
            "alias" => self.define_aliases(args),
            "cd" | "pushd" | "popd" => self.change_directory(name, args),
            "set" => self.set_builtin(args),
            "shift" => self.shift(args),
            "export" | "readonly" | "declare" | "typeset" | "local" => self.declare(args, context),
            "unset" | "read" | "mapfile" | "readarray" | "getopts" | "printf" | "wait" | "let" => {
                self.change_variables(name, args, context);
            }
            "test" | "[" => self.subscripts(args, context),
            "shopt" if args.iter().any(|field| field.is("lastpipe") || field.text.is_none()) => {
                self.state.set(Key::OddVariables, Some(Value::Set));
                self.forget_variables();
            }
            "hash" | "enable" => {
                // `hash -p /bin/rm ls` lets one name run another program.
                let is_plain = |field: &Field| field.as_str().is_some_and(|text| !text.starts_with('-') || text == "-r");
                if !args.iter().all(is_plain) {
                    self.dynamic();
                }
            }
            "fc" if args.iter().any(|field| !field.is("-l")) => self.dynamic(),
            "jobs" if args.first().is_some_and(|field| field.is("-x")) => {
                self.run(args.get(1..).unwrap_or_default(), How::WithoutFunctions, &context.behind(name));
            }
            "compgen" | "complete" | "bind" => self.completion(args, context),
            _ => {}
        }
    }

    /// `command`, `builtin` and `exec`.
    fn prefixed(&mut self, name: &str, args: &[Field], context: &Context) {
        let mut at = 0;
        while let Some(option) = args.get(at) {
            let Some(text) = option.as_str() else {
                self.dynamic();
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
        let rest = args.get(at..).unwrap_or_default();
        let rest = if rest.first().is_some_and(|field| field.is("--")) { rest.get(1..).unwrap_or_default() } else { rest };
        let how = if name == "exec" { How::Program } else { How::WithoutFunctions };
        self.run(rest, how, &context.behind(name));
    }

    fn trap(&mut self, args: &[Field], context: &Context) {
        let args = if args.first().is_some_and(|field| field.is("--")) { args.get(1..) } else { Some(args) };
        let Some((code, signals)) = args.and_then(<[Field]>::split_first) else { return };
        match code.as_str() {
            None => self.dynamic(),
            Some("-" | "" | "-l" | "-p" | "-lp") => {}
            // A signal alone resets it.
            Some(_) if signals.is_empty() => {}
            Some(code) => self.run_later(code, context),
        }
    }

    fn define_aliases(&mut self, args: &[Field]) {
        for arg in args {
            let Some(text) = arg.as_str() else {
                self.dynamic();
                continue;
            };
            if let Some((name, value)) = text.split_once('=') {
                self.state.set(Key::Alias(name.to_owned()), Some(Value::Text(value.into())));
            }
        }
    }

    fn change_directory(&mut self, name: &str, args: &[Field]) {
        let mut operands =
            args.iter().filter(|field| !field.as_str().is_some_and(|text| text.len() > 1 && text.starts_with('-')));
        let (operand, extra) = (operands.next(), operands.next());
        let operand = match (name, operand, extra) {
            ("cd", None, _) => Some("~".to_owned()),
            ("cd" | "pushd", Some(field), None) if !field.glob => field.text.clone().map(|text| {
                if text.starts_with('~') && !field.tilde { format!("./{text}") } else { text }
            }),
            _ => None,
        };
        let operand = operand.filter(|operand| {
            let is_stack = operand == "-" || (name == "pushd" && operand.starts_with(['+', '-'])) || operand.starts_with("~-") || operand.starts_with("~+");
            !is_stack && !operand.is_empty() && !self.state.is_set(&Key::Variable("CDPATH".to_owned()))
        });
        let before = match self.state.get(&Key::Directory) {
            None => Some(Vec::new()),
            Some(Value::Directory(Some(operands))) => Some(operands.to_vec()),
            Some(_) => None,
        };
        let after = match (before, operand) {
            // An absolute path does not depend on where one was.
            (_, Some(operand)) if operand.starts_with(['/', '~']) => Some(vec![operand]),
            (Some(mut operands), Some(operand)) if operands.len() < MAX_DIRECTORIES => {
                operands.push(operand);
                Some(operands)
            }
            _ => None,
        };
        self.state.set(Key::Directory, Some(Value::Directory(after.map(Into::into))));
    }

    /// `set`: its operands are the new positional parameters.
    fn set_builtin(&mut self, args: &[Field]) {
        let mut at = 0;
        while let Some(field) = args.get(at) {
            match field.as_str() {
                None => {
                    self.state.set(Key::Positional, None);
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
            let values = known_values(args.get(at..).unwrap_or_default());
            self.state.set(Key::Positional, values.map(|values| Value::List(values.into())));
        }
    }

    fn shift(&mut self, args: &[Field]) {
        let count = match args.first() {
            None => Some(1),
            Some(field) => field.as_str().and_then(|text| text.parse::<usize>().ok()),
        };
        let values = match (self.state.get(&Key::Positional), count) {
            (Some(Value::List(values)), Some(count)) => values.get(count..).map(<[String]>::to_vec),
            _ => None,
        };
        self.state.set(Key::Positional, values.map(|values| Value::List(values.into())));
    }

    /// `export`, `declare` and their kin.
    fn declare(&mut self, args: &[Field], context: &Context) {
        let is_odd = |text: &str| text.starts_with(['-', '+']) && text.contains(['n', 'i', 'l', 'u', 'c', 'A']);
        if args.iter().any(|field| field.text.is_none() || field.as_str().is_some_and(is_odd)) {
            self.state.set(Key::OddVariables, Some(Value::Set));
            self.forget_variables();
        }
        for arg in args {
            let Some(text) = arg.as_str() else { continue };
            self.expanded_as_subscript(text, context);
            if let Some(locals) = self.locals.last_mut() {
                locals.push(text.split(['=', '+', '[']).next().unwrap_or_default().to_owned());
            }
            let Some((name, value)) = text.split_once('=') else {
                // `local x` hides a value, `export x` does not.
                if is_identifier(text) && !self.active.is_empty() {
                    self.state.set(Key::Variable(text.to_owned()), None);
                }
                continue;
            };
            let is_list = matches!(self.state.get(&Key::Variable(name.to_owned())), Some(Value::List(_)));
            if is_identifier(name) && !(is_list && value.is_empty()) {
                let value = (!arg.glob && !arg.tilde && !value.starts_with('~')).then(|| value.to_owned());
                self.set_variable(name, value, context);
            } else {
                let name = name.split(['[', '+']).next().unwrap_or_default();
                self.state.set(Key::Variable(name.to_owned()), None);
            }
        }
    }

    /// Builtins that set variables to what is not known.
    fn change_variables(&mut self, name: &str, args: &[Field], context: &Context) {
        self.subscripts(args, context);
        if name == "let" {
            for arg in args {
                self.expanded_as_subscript(arg.as_str().unwrap_or_default(), context);
                self.forget_assigned(arg.as_str().unwrap_or("="));
            }
        }
        if matches!(name, "mapfile" | "readarray") {
            let mut options = args.iter();
            while let Some(option) = options.next() {
                if option.as_str().is_some_and(|text| text.starts_with("-C")) {
                    let attached = option.as_str().and_then(|text| text.strip_prefix("-C")).unwrap_or_default();
                    let code = if attached.is_empty() { options.next().and_then(Field::as_str) } else { Some(attached) };
                    match code {
                        Some(code) => self.code(&format!("{code} \"$_\" \"$_\""), context),
                        None => self.dynamic(),
                    }
                }
            }
        }
        let sets = name != "printf" || args.first().is_none_or(|field| field.as_str().is_none_or(|text| text.starts_with("-v")));
        if !sets {
            return;
        }
        for implied in ["REPLY", "MAPFILE"] {
            self.state.set(Key::Variable(implied.to_owned()), None);
        }
        for arg in args {
            match arg.as_str() {
                None => self.forget_variables(),
                Some(text) => {
                    if name == "unset" {
                        self.unset_function(text);
                    }
                    let attached = text.trim_start_matches(|c: char| c == '-' || c.is_ascii_lowercase());
                    for name in [text, text.strip_prefix("-v").unwrap_or(text), attached] {
                        let name = name.split('[').next().unwrap_or_default();
                        if is_identifier(name) {
                            self.set_variable(name, None, context);
                        }
                    }
                }
            }
        }
    }

    /// A function that is unset may be the program of that name from now on.
    fn unset_function(&mut self, name: &str) {
        let key = Key::Function(name.to_owned());
        if let Some(Value::Function(bodies, _)) = self.state.get(&key).cloned() {
            self.state.set(key, Some(Value::Function(bodies, false)));
        }
    }

    /// Operands that Bash expands once more because they name an element of an array.
    fn subscripts(&mut self, args: &[Field], context: &Context) {
        for arg in args {
            self.expanded_as_subscript(arg.as_str().unwrap_or_default(), context);
        }
    }

    /// `compgen -C code`, `complete -W words`: code and text that is expanded later.
    fn completion(&mut self, args: &[Field], context: &Context) {
        for (at, arg) in args.iter().enumerate() {
            let value = args.get(at + 1).and_then(Field::as_str);
            match (arg.as_str(), value) {
                (Some("-C" | "-F" | "-x"), Some(code)) => self.run_later(code, context),
                (Some("-W"), Some(text)) => self.expanded_later(text, context),
                (None, _) | (Some("-C" | "-F" | "-W" | "-x"), None) => self.dynamic(),
                _ => {}
            }
        }
    }
}
