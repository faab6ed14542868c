//! `sudo` and `env`: launchers that also take assignments.

use super::options::{Spec, scan};
use super::{note_unclear, shells};
use crate::facts::Cause;
use crate::field::Field;
use crate::parse::is_identifier;
use crate::walk::{Context, Walker};

/// `sudo`, with assignments before the command.
///
/// With `-s` or `-i` and no command it is a shell that reads its standard input. Options that only ask something or edit
/// a file run no command.
pub(super) fn sudo(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "ABbEeHiKklnPSsvV",
        values: "aCcDghpRrTtUu",
        long_flags: &[
            "askpass", "background", "bell", "preserve-env", "edit", "set-home", "help", "login",
            "remove-timestamp", "reset-timestamp", "list", "no-update", "non-interactive",
            "preserve-groups", "stdin", "shell", "validate", "version",
        ],
        long_values: &[
            "auth-type", "close-from", "login-class", "chdir", "group", "host", "prompt", "chroot", "role",
            "command-timeout", "type", "other-user", "user",
        ],
        ..Spec::default()
    };
    let found = scan(args, &spec);
    let is_query =
        ["e", "edit", "l", "list", "v", "validate", "K", "V", "version", "help", "remove-timestamp"];
    if name == "sudoedit" || found.has(&is_query) {
        return;
    }
    note_unclear(walker, &found);
    let mut context = context.clone();
    context.foreign |= found.has(&["R", "chroot"]);
    let moves = found.has(&["D", "chdir", "i", "login"]);
    let rest = args.get(found.rest..).unwrap_or_default();
    let is_assignment = |field: &&Field| is_assignment(field);
    let assignments: Vec<&Field> = rest.iter().take_while(is_assignment).collect();
    let command = rest.get(assignments.len()..).unwrap_or_default();
    with_variables(walker, &assignments, &context, |walker| {
        if !command.is_empty() {
            walker.elsewhere(moves, |walker| walker.start(command, &context));
        } else if found.has(&["s", "shell", "i", "login"]) {
            shells::from_stdin(walker, &context);
        }
    });
}

/// Whether a word before the command sets a variable. One whose value cannot be determined and stands outside of quotes may
/// end in other words, so it is none. Whether `sudo` lets a variable through is a matter of its own settings.
fn is_assignment(field: &Field) -> bool {
    let is_one_word = field.text.is_some() || field.single;
    is_one_word && field.assignment().is_some_and(|(name, _)| is_identifier(name))
}

/// Runs a command with the assignments before it, and reads what they make it run. They count for it alone.
fn with_variables(
    walker: &mut Walker,
    assignments: &[&Field],
    context: &Context,
    run: impl FnOnce(&mut Walker),
) {
    let before = walker.start_files();
    for (name, value) in assignments.iter().filter_map(|field| field.assignment()) {
        walker.note_variable(name, value, context);
    }
    run(walker);
    walker.set_start_files(before);
}

/// `env`, whose `-S` holds arguments of its own, among them perhaps another `-S`: the depth bounds that.
pub(super) fn env(walker: &mut Walker, args: &[Field], context: &Context, depth: usize) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "i0v",
        values: "uCSPa",
        long_flags: &[
            "ignore-environment", "null", "debug", "help", "version", "block-signal", "default-signal",
            "ignore-signal", "list-signal-handling",
        ],
        long_values: &["unset", "chdir", "split-string", "argv0"],
        ..Spec::default()
    };
    let mut found = scan(args, &spec);
    if found.has(&["help", "version"]) {
        return;
    }
    // A single dash means `-i`.
    while args.get(found.rest).is_some_and(|field| field.is("-")) {
        found.rest += 1;
    }
    if let Some(text) = found.value(&["S", "split-string"]) {
        // The words of the text stand where the option stood, and are read as arguments of `env` once more.
        let words = text.as_str().and_then(split_string);
        let Some(words) = words.filter(|_| depth < 4) else {
            walker.dynamic(if depth < 4 { Cause::Eval } else { Cause::Bound });
            return;
        };
        let rest = args.get(found.rest..).unwrap_or_default();
        let args: Vec<Field> = words.into_iter().chain(rest.iter().cloned()).collect();
        env(walker, &args, context, depth + 1);
        return;
    }
    note_unclear(walker, &found);
    let rest = args.get(found.rest..).unwrap_or_default();
    let is_assignment =
        |field: &&Field| (field.text.is_some() || field.single) && field.assignment().is_some();
    let assignments: Vec<&Field> = rest.iter().take_while(is_assignment).collect();
    let moves = found.has(&["C", "chdir"]);
    let command = rest.get(assignments.len()..).unwrap_or_default();
    with_variables(walker, &assignments, context, |walker| {
        walker.elsewhere(moves, |walker| walker.start(command, context));
    });
}

/// The words of `env -S`: its own quoting, with `${NAME}` for variables. `None` where it is not understood.
///
/// This is the one text with quotes that the parser does not read, because it is no shell text: there are no operators,
/// `\` in double quotes escapes more, and a `$` without braces is an error.
fn split_string(text: &str) -> Option<Vec<Field>> {
    let mut words = Vec::new();
    let (mut word, mut begun, mut known) = (String::new(), false, true);
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match (quote, next) {
            (Some(open), _) if next == open => quote = None,
            (None, '\'' | '"') => (quote, begun) = (Some(next), true),
            (None, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') => {
                if std::mem::take(&mut begun) {
                    let text = std::mem::take(&mut word);
                    words.push(if std::mem::replace(&mut known, true) {
                        Field::known(text)
                    } else {
                        Field::unknown()
                    });
                }
            }
            (None, '#') if !begun => break,
            (None | Some('"'), '$') => (begun, known) = (true, false),
            (_, '\\') => {
                begun = true;
                match (quote, chars.next()?) {
                    (_, escaped @ ('\\' | '\'' | '"' | '$' | '#')) => word.push(escaped),
                    (Some('\''), other) => word.extend(['\\', other]),
                    // `\_` is a blank and `\c` ends the text; ordinary commands do not use them.
                    _ => return None,
                }
            }
            _ => {
                begun = true;
                word.push(next);
            }
        }
    }
    if begun {
        words.push(if known { Field::known(word) } else { Field::unknown() });
    }
    quote.is_none().then_some(words)
}
