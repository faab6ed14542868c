//! Shells, and programs that hand code to one.

use super::{Call, joined};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker, base_name};

/// Whether `name` is a shell whose language is read here.
pub(crate) fn is_shell(name: &str) -> bool {
    crate::book::Entry::of(name).is_some_and(|entry| entry.does() == Some("shell"))
}

/// Shells with a language of their own. Their code is read as if it were Bash's, and is certain only where it is plain words.
fn is_other_shell(name: &str) -> bool {
    matches!(name, "fish" | "csh" | "tcsh" | "nu" | "xonsh" | "elvish" | "ion" | "rc")
}

/// Reads the arguments of a shell: code, the name of a script, or nothing.
///
/// A script is a file, and the content of files is not known here; the shell itself is reported as a command with the script
/// among its words. A file that is a stream or a pipe to other commands is code that this line makes, so it is dynamic.
pub(super) fn shell(walker: &mut Walker, name: &str, args: &[Field], context: &Context) -> bool {
    let mut at = 0;
    let (mut has_code, mut from_stdin_asked, mut reads_start_file, mut only_checks) =
        (false, false, false, false);
    let (mut is_interactive, mut reads_home) = (false, name == "zsh");
    while let Some(arg) = args.get(at).filter(|arg| !arg.process) {
        let Some(text) = arg.as_str() else {
            if !has_code {
                // It may be `-c`.
                walker.dynamic(Cause::Eval);
                walker.dynamic(Cause::Source);
            }
            if !arg.single {
                walker.dynamic(Cause::Eval);
                return true;
            }
            break;
        };
        match text {
            "--" | "-" => {
                at += 1;
                break;
            }
            "--version" | "--help" | "--dump-strings" | "--dump-po-strings" => return true,
            "--rcfile" | "--init-file" => {
                reads_start_file = true;
                at += 2;
            }
            "--command" if is_other_shell(name) => {
                has_code = true;
                at += 1;
                break;
            }
            _ if text.starts_with("--") => {
                reads_start_file |= text.starts_with("--rcfile=") || text.starts_with("--init-file=");
                reads_home |= text == "--login";
                at += 1;
            }
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                let letters = text.get(1..).unwrap_or_default();
                has_code |= text.starts_with('-') && letters.contains('c');
                from_stdin_asked |= letters.contains('s');
                is_interactive |= letters.contains('i');
                reads_home |= letters.contains(['i', 'l']);
                only_checks |= text.starts_with('-') && letters.contains('n');
                let values = letters.matches(['o', 'O']).count();
                let is_unknown = |field: &Field| field.text.is_none();
                if args.get(at + 1..).unwrap_or_default().iter().take(values).any(is_unknown) {
                    walker.dynamic(Cause::Source);
                }
                at += 1 + values;
            }
            _ => break,
        }
    }
    if reads_start_file {
        walker.dynamic(Cause::Source);
    }
    walker.note_new_shell(is_interactive, reads_home);
    let operands = args.get(at..).unwrap_or_default();
    if only_checks {
        return true;
    }
    if has_code {
        let Some((text, rest)) = operands.split_first() else { return true };
        if is_other_shell(name) && !text.as_str().is_some_and(is_plain) {
            walker.dynamic(Cause::Syntax);
        }
        code(walker, text, Some(rest), context);
        return true;
    }
    match operands.first() {
        Some(script) if !from_stdin_asked => {
            if ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|path| script.is(path)) {
                from_stdin(walker, context);
            } else if script.process || is_stream(script) {
                walker.dynamic(Cause::Stdin);
            } else {
                walker.script_file(script, context);
            }
        }
        _ => from_stdin(walker, context),
    }
    true
}

/// Whether a script is the standard input, or another stream, by its name.
pub(crate) fn is_stream(script: &Field) -> bool {
    script.as_str().is_some_and(|path| {
        path.starts_with("/dev/") || path.starts_with("/proc/") || base_name(path) == "stdin"
    })
}

/// Whether a text is words and operators that mean the same to every shell.
fn is_plain(text: &str) -> bool {
    text.chars().all(is_plain_sign)
}

fn is_plain_sign(sign: char) -> bool {
    sign.is_alphanumeric() || " -_./,:=+@%;&|".contains(sign)
}

/// Whether a text that Bash reads in one way means something else to a plain shell: `[[ a && rm ]]` runs `rm`, as do
/// `((rm))` and `a &>b rm`.
fn means_else_in_posix(text: &str) -> bool {
    ["[[", "((", "&>", "$'", "|&", "function ", "coproc ", "select ", "<(", ">(", "$\"", "$["]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Reads the code that a shell would find on its standard input.
pub(crate) fn from_stdin(walker: &mut Walker, context: &Context) {
    let Some(text) = context.text() else {
        walker.dynamic(Cause::Stdin);
        return;
    };
    if context.posix && means_else_in_posix(&text) {
        walker.dynamic(Cause::Syntax);
    }
    walker.new_shell(&text, None, &Context { stdin: None, ..context.clone() });
}

/// Reads a word as code for a new shell.
pub(super) fn code(walker: &mut Walker, text: &Field, args: Option<&[Field]>, context: &Context) {
    match text.as_str() {
        Some(code) if !text.glob => {
            walker.note_new_shell(false, false);
            if context.posix && means_else_in_posix(code) {
                walker.dynamic(Cause::Syntax);
            }
            walker.new_shell(code, args, context);
        }
        _ => {
            walker.dynamic(Cause::Eval);
            if let Some(likely) = text.code.as_ref().or(text.guess.as_ref()) {
                walker.with_holes(|walker| walker.new_shell(likely, args, context));
            }
        }
    }
}

/// Reads words that are joined by blanks and then handed to a shell. They have lost their quotes, and are read as the new
/// shell will read them.
pub(super) fn joined_code(walker: &mut Walker, words: &[Field], context: &Context) {
    let is_unknown = |field: &Field| field.text.is_none();
    let has_syntax =
        |field: &Field| field.as_str().is_some_and(|text| text.contains(['\'', '"', '\\', '`', '$', '#']));
    // A word that cannot be determined may close a quote that another one opens.
    if words.iter().any(is_unknown) && words.iter().any(has_syntax) {
        walker.dynamic(Cause::Eval);
    }
    if !context.foreign {
        walker.note_new_shell(false, false);
    }
    walker.with_holes(|walker| walker.new_shell(&joined(words), None, context));
}

/// `su`: with `-c` code, otherwise a shell with the arguments behind the user's name. `runuser -u user command` starts a
/// command.
pub(super) fn su(walker: &mut Walker, call: &Call<'_>) -> bool {
    let context = &call.inner;
    if call.has("--help|--version|-h|-V") {
        return true;
    }
    call.note_unclear(walker, usize::MAX);
    let slots = call.slots();
    if let Some(word) = call.value("-c|--session-command|-C") {
        code(walker, &word, None, context);
        return true;
    }
    if call.has("-u|--user") {
        if let Some(first) = slots.first() {
            walker.start(call.words_at(first.at), context);
        }
        return true;
    }
    let operands: Vec<Field> = call.operand_fields().filter(|field| !field.is("-")).collect();
    if let Some(rest) = operands.get(1..).filter(|rest| !rest.is_empty()) {
        return shell(walker, "sh", rest, context);
    }
    from_stdin(walker, context);
    true
}

/// `capsh … -- -c code`: what follows the dashes are words for a shell.
pub(super) fn behind_dashes(walker: &mut Walker, call: &Call<'_>) -> bool {
    let context = &call.inner;
    let dashes = call.args.iter().position(|field| field.is("--") || field.is("=="));
    dashes.is_some_and(|at| shell(walker, "bash", call.words_at(at + 1), context))
}

/// `pwsh -Command …`: the words behind the flag are code. Its language is read where plain words mean the same to every shell;
/// nothing is concluded from other code. Flags may be cut short and are the same in upper and lower case.
pub(super) fn powershell(walker: &mut Walker, call: &Call<'_>) -> bool {
    let context = &call.inner;
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        let Some(text) = arg.as_str() else {
            walker.dynamic(Cause::Eval);
            return true;
        };
        let flag = text.to_ascii_lowercase();
        let Some(flag) = flag.strip_prefix(['-', '/']) else { break };
        let is = |name: &str| !flag.is_empty() && name.starts_with(flag);
        at += 1;
        if is("command") {
            let words = call.words_at(at);
            if matches!(words, [only] if only.is("-")) {
                walker.dynamic(Cause::Stdin);
            } else if words.iter().any(|word| word.text.is_none()) {
                walker.dynamic(Cause::Eval);
            } else if joined(words).chars().all(|sign| is_plain_sign(sign) || matches!(sign, '\'' | '"')) {
                walker.new_shell(&joined(words), None, context);
            }
            return true;
        }
        if flag == "e" || flag == "ec" || is("encodedcommand") {
            walker.dynamic(Cause::Eval);
            return true;
        }
        if is("file") {
            break;
        }
        let takes_value =
            ["executionpolicy", "workingdirectory", "outputformat", "inputformat", "windowstyle"];
        if flag == "ep"
            || flag == "wd"
            || takes_value.iter().any(|name| flag.len() > 1 && name.starts_with(flag))
        {
            at += 1;
        }
    }
    match call.args.get(at) {
        Some(file) => walker.script_file(file, context),
        None if at == 0 => from_stdin(walker, context),
        None => {}
    }
    true
}
