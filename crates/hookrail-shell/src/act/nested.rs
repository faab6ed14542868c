//! Code and commands in unusual places: `env -S`, `docker run --entrypoint`, lines of `crontab`, options of `ssh`.

use super::{Call, act, shells};
use crate::command_words::Item;
use crate::facts::{Access, Cause};
use crate::field::Field;
use crate::walk::{Context, Walker, base_name};

/// Reads a command to which the program adds a word. To `ssh` a host and a command are added, which the line itself names.
pub(super) fn code_with_word(walker: &mut Walker, value: &Field, context: &Context) {
    let Some(text) = value.as_str() else {
        walker.dynamic(Cause::Eval);
        return;
    };
    let is_ssh = text.split_whitespace().next().is_some_and(|name| base_name(name) == "ssh");
    let text = if is_ssh { text.to_owned() } else { format!("{text} \"$_\"") };
    shells::code(walker, &Field::known(text), None, context);
}

/// `-o ProxyCommand=…` of `ssh`: code that runs on this side.
pub(super) fn ssh_option(walker: &mut Walker, option: &Field, context: &Context) {
    let Some(text) = option.as_str() else {
        walker.dynamic(Cause::Eval);
        return;
    };
    let (name, value) = text.split_once(['=', ' ']).unwrap_or((text, ""));
    let name = name.trim().to_ascii_lowercase();
    if matches!(name.as_str(), "proxycommand" | "localcommand" | "knownhostscommand")
        && value.trim() != "none"
    {
        let local = Context { foreign: false, ..context.clone() };
        shells::code(walker, &Field::known(value), None, &local);
    }
}

/// A folder of this machine inside of a container: `-v /etc:/x:ro`, `--mount type=bind,source=/etc,target=/x`.
pub(super) fn mount(walker: &mut Walker, value: &Field, context: &Context) {
    let (Some(text), tilde) = super::shown(value) else {
        walker.use_path(Access::Write, &Field::unknown(), context);
        return;
    };
    let named =
        text.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
    let path = named.or_else(|| text.split_once(':').map(|(path, _)| path)).unwrap_or_default();
    // A name without a slash is a volume.
    if !path.starts_with(['/', '.', '~']) {
        return;
    }
    let field = Field { tilde, ..Field::known(path) };
    walker.use_path(Access::Read, &field, context);
    let mut options = text.split([':', ',']);
    if !options.any(|option| matches!(option, "ro" | "readonly" | "readonly=true")) {
        walker.use_path(Access::Write, &field, context);
    }
}

/// `docker run [options] image command…`: with `--entrypoint` the words behind the image are its arguments. An image may
/// have an entry point of its own, which gets the command as arguments; then a command is reported that is not run.
pub(super) fn docker_run(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    let Some(entry) = call.value("--entrypoint").filter(|entry| !entry.is("")) else { return false };
    let Some(image) = call.slots().first().copied() else { return false };
    let rest = call.words_at(image.at + 1);
    let whole: Vec<Field> = std::iter::once(entry).chain(rest.iter().cloned()).collect();
    walker.start(&whole, inner);
    // What the flags say is read as for any command; the words behind the image are not a command.
    let args = call.args.get(..=image.at).unwrap_or_default();
    let words = super::read(call.words.path.first().copied(), args);
    let context = &Context { foreign: false, ..inner.clone() };
    Call { name: call.name, args, words, inner: inner.clone(), context, doubts_before: call.doubts_before }
        .act(walker);
    true
}

/// `crontab -`, which reads lines that have five fields, or one with `@`, before the command.
pub(super) fn crontab(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    if call.has("-l|-e|-r|-V") {
        return true;
    }
    if let Some(file) = call.operand_fields().find(|field| !field.is("-")) {
        walker.use_path(Access::Read, &file, &Context { foreign: false, ..inner.clone() });
        return true;
    }
    let Some(text) = inner.text() else {
        shells::from_stdin(walker, inner);
        return true;
    };
    for line in text.lines() {
        let line = line.trim_start();
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.trim_start().split_once([' ', '\t']).map_or("", |(_, rest)| rest);
        }
        if !line.starts_with('#') && !rest.is_empty() {
            // What follows an unescaped `%` is the standard input.
            shells::code(walker, &Field::known(rest.split('%').next().unwrap_or_default()), None, inner);
        }
    }
    true
}

/// `socat EXEC:command`, `SYSTEM:code`.
pub(super) fn socat(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    for field in call.operand_fields() {
        let Some((kind, value)) = field.as_str().and_then(|text| text.split_once(':')) else { continue };
        let value = value.split(',').next().unwrap_or(value);
        match kind.to_ascii_lowercase().as_str() {
            "exec" | "system" | "shell" => shells::code(walker, &Field::known(value), None, inner),
            "create" | "creat" => walker.use_path(Access::Write, &Field::known(value), inner),
            "open" | "file" | "gopen" => {
                walker.use_path(Access::Read, &Field::known(value), inner);
                walker.use_path(Access::Write, &Field::known(value), inner);
            }
            _ => {}
        }
    }
    true
}

/// `env -S`: the words of the text take the place of the option, and are read as arguments of `env` once more.
pub(super) fn split_env(walker: &mut Walker, call: &Call<'_>) -> bool {
    let split = call.words.items.iter().find_map(|item| match item {
        Item::Flag(flag) if super::is_named(flag, "-S") => Some(flag),
        _ => None,
    });
    let Some(flag) = split else { return false };
    let rest = call.args.get(flag.value_at.unwrap_or(flag.at) + 1..).unwrap_or_default();
    let words = call.value_of(flag).and_then(|text| split_string(text.as_str()?));
    let Some(words) = words else {
        walker.dynamic(Cause::Eval);
        return true;
    };
    let args: Vec<Field> = words.into_iter().chain(rest.iter().cloned()).collect();
    walker.deeper(|walker| act(walker, call.name, &args, call.context));
    true
}

/// The words of `env -S`: its own quoting, with `${NAME}` for variables. `None` where it is not understood.
///
/// This is the one text with quotes that the parser does not read, because it is not shell text: there are no operators,
/// `\` in double quotes escapes more, and a `$` without braces is an error.
fn split_string(text: &str) -> Option<Vec<Field>> {
    let mut words = Vec::new();
    let (mut word, mut begun, mut known) = (String::new(), false, true);
    let mut quote = None;
    let mut chars = text.chars();
    let mut push = |word: String, known: bool| {
        let variable = word.split_once('=').map(|(name, _)| name.to_owned());
        words.push(if known {
            Field::known(word)
        } else {
            Field { single: true, variable, ..Field::unknown() }
        });
    };
    while let Some(next) = chars.next() {
        match (quote, next) {
            (Some(open), _) if next == open => quote = None,
            (None, '\'' | '"') => (quote, begun) = (Some(next), true),
            (None, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') => {
                if std::mem::take(&mut begun) {
                    push(std::mem::take(&mut word), std::mem::replace(&mut known, true));
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
        push(word, known);
    }
    quote.is_none().then_some(words)
}

/// `start-stop-daemon -S -x program -- arguments`.
pub(super) fn start_daemon(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    if call.has("-K|-T|--help") {
        return true;
    }
    let Some(program) = call.value("-a").or_else(|| call.value("-x")) else { return false };
    let dashes = call.args.iter().position(|field| field.is("--"));
    let rest = dashes.map_or(&[][..], |at| call.words_at(at + 1));
    let whole: Vec<Field> = std::iter::once(program).chain(rest.iter().cloned()).collect();
    walker.start(&whole, inner);
    true
}
