//! Launchers that add words of their own: `xargs`, `find` and `parallel`.

use super::options::{Spec, scan};
use super::shells::joined_code;
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Stdin, Walker};

/// `xargs`: the words that it reads come last, or in place of a sign.
///
/// Words that are read are arguments and never code, unless the command is a shell: then the word that cannot be determined
/// makes the line dynamic there. The command itself reads nothing, because `xargs` reads the standard input.
pub(super) fn xargs(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "0optrxh",
        values: "adEILnPsJRS",
        optional: "eil",
        long_flags: &[
            "null", "eof", "replace", "max-lines", "open-tty", "interactive", "no-run-if-empty", "exit",
            "show-limits", "verbose", "help", "version",
        ],
        long_values: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
    };
    let found = scan(args, &spec);
    if found.has(&["help", "version"]) {
        return;
    }
    if found.unclear {
        walker.dynamic(Cause::Variable);
    }
    let context = Context { stdin: Stdin::Nothing, ..context.clone() };
    let command = args.get(found.rest..).unwrap_or_default();
    let replaces = found.has(&["I", "i", "replace", "J"]);
    let sign = found.value(&["I", "i", "replace", "J"]).map_or(Some("{}"), Field::as_str);
    let mut whole: Vec<Field> =
        command.iter().map(|field| with_hole(field, sign.filter(|_| replaces))).collect();
    if replaces && sign.is_none() {
        walker.dynamic(Cause::Variable);
    }
    if whole.is_empty() {
        whole.push(Field::known("echo"));
    }
    if !replaces {
        whole.push(Field::unknown());
    }
    walker.start(&whole, &context);
}

/// A word in which something takes the place of `sign`. It stays one word whatever replaces it.
fn with_hole(field: &Field, sign: Option<&str>) -> Field {
    match (field.as_str(), sign) {
        (Some(text), Some(sign)) if !sign.is_empty() && text.contains(sign) => {
            Field { single: true, ..Field::unknown() }
        }
        _ => field.clone(),
    }
}

/// `find`: the commands behind `-exec` and similar options, which end with `;`, or with `+` directly behind `{}`. What `-execdir`
/// starts runs in the folder of each file, so relative paths in it cannot be determined.
pub(super) fn find(walker: &mut Walker, args: &[Field], context: &Context) {
    let mut rest = args;
    while let Some((action, behind)) = rest.split_first() {
        rest = behind;
        let is_action = |text: &str| matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir");
        let Some(action) = action.as_str().filter(|text| is_action(text)) else { continue };
        let end = behind.iter().enumerate().position(|(at, field)| {
            let is_after_braces =
                || at.checked_sub(1).and_then(|at| behind.get(at)).is_some_and(|field| field.is("{}"));
            field.is(";") || (field.is("+") && is_after_braces())
        });
        let command = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
        let whole: Vec<Field> = command.iter().map(|field| with_hole(field, Some("{}"))).collect();
        rest = behind.get(end.unwrap_or(behind.len())..).unwrap_or_default();
        walker.elsewhere(action.ends_with("dir"), |walker| walker.start(&whole, context));
    }
}

/// `parallel`: a command line with holes for each input, which a shell runs.
///
/// Without a command the inputs themselves are the commands. They are known only where they stand on the line behind
/// `:::`; read from a file or a pipe they can be anything.
pub(super) fn parallel(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "0kmXqutvxVh",
        values: "jPSaNnLIdsEC",
        optional: "il",
        long_flags: &[
            "null", "keep-order", "xargs", "quote", "ungroup", "dry-run", "verbose", "exit", "progress",
            "bar", "eta", "no-notice", "will-cite", "line-buffer", "lb", "group", "pipe", "no-run-if-empty",
            "version", "help", "tag", "citation", "files", "resume", "bg", "fg", "link", "silent",
        ],
        long_values: &[
            "jobs", "max-procs", "sshlogin", "sshloginfile", "arg-file", "max-args", "max-replace-args",
            "max-lines", "replace", "delimiter", "max-chars", "colsep", "halt", "joblog", "timeout",
            "delay", "retries", "results", "nice", "load", "memfree", "tmpdir", "env", "workdir", "wd",
            "block", "tagstring", "shuf",
        ],
    };
    let found = scan(args, &spec);
    if found.has(&["version", "help", "citation", "V", "h"]) {
        return;
    }
    if found.unclear {
        walker.dynamic(Cause::Variable);
    }
    let mut context = Context { stdin: Stdin::Unknown, ..context.clone() };
    context.foreign |= found.has(&["S", "sshlogin", "sshloginfile"]);
    let rest = args.get(found.rest..).unwrap_or_default();
    let is_source = |field: &Field| field.as_str().is_some_and(|text| text.starts_with(":::"));
    let sources = rest.iter().position(is_source).unwrap_or(rest.len());
    let template = rest.get(..sources).unwrap_or_default();
    let inputs = rest.get(sources..).unwrap_or_default();
    if template.is_empty() {
        // The inputs are the commands.
        let is_literal = inputs.iter().all(|field| field.text.is_some())
            && inputs.first().is_some_and(|field| field.is(":::"));
        if !is_literal {
            walker.dynamic(Cause::Stdin);
        }
        for input in inputs.iter().filter(|field| !is_source(field) && field.text.is_some()) {
            joined_code(walker, std::slice::from_ref(input), &context);
        }
        return;
    }
    // `{}`, `{.}`, `{1}` and the like are holes.
    let is_hole = |field: &Field| field.as_str().is_some_and(|text| text.contains('{') && text.contains('}'));
    let mut words: Vec<Field> =
        template.iter().map(|field| if is_hole(field) { Field::unknown() } else { field.clone() }).collect();
    if !template.iter().any(is_hole) {
        words.push(Field::unknown());
    }
    joined_code(walker, &words, &context);
}
