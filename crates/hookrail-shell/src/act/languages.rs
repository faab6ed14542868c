//! Code of other languages on the command line: what `sed` scripts, commands of `vim` and quoted texts in code show.
//!
//! None of these languages is read as such. What looks like the name of a file is one that may be read, and nothing is
//! concluded from what is not found.

use super::{Call, shells};
use crate::facts::{Access, Cause};
use crate::field::Field;
use crate::walk::{Context, Walker};

/// Texts in quotes that look like names of files: `open(".env")`.
pub(super) fn quoted_names(walker: &mut Walker, code: &str, context: &Context) {
    let mut rest = code;
    while let Some((_, behind)) = rest.split_once(['"', '\'', '`']) {
        let quote = rest.as_bytes().get(rest.len() - behind.len() - 1).map_or('"', |byte| char::from(*byte));
        let Some((text, after)) = behind.split_once(quote) else { return };
        let is_name = |c: char| c.is_alphanumeric() || "._-/~@+".contains(c);
        if text.contains(['.', '/']) && text.contains(char::is_alphanumeric) && text.chars().all(is_name) {
            walker.use_path(Access::Read, &Field { tilde: true, ..Field::known(text) }, context);
        }
        rest = after;
    }
}

/// The code for a shell in the command of another program.
pub(super) fn code_in<'t>(role: &str, text: &'t str) -> Option<&'t str> {
    match role {
        // A command of `vim`: what follows an exclamation mark, unless nothing does (`wq!`).
        "ex" => text.split_once('!').map(|(_, code)| code).filter(|code| !code.trim().is_empty()),
        // A command of a debugger or of a client of a database: `shell x`, `.shell x`, `\\! x`.
        "client" => {
            let starts = ["shell ", "!", ".shell ", ".system ", "system ", "platform shell ", "pipe "];
            let begun = starts.iter().find_map(|start| text.trim_start().strip_prefix(start));
            begun.or_else(|| text.split_once("\\!").map(|(_, code)| code)).map(str::trim)
        }
        // What a key is bound to: `enter:execute(code)`.
        _ => text.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map(|(code, _)| code),
    }
}

/// The scripts of `sed`: `w` and `r` name files, `e` runs a command.
pub(super) fn sed(walker: &mut Walker, call: &Call<'_>) -> bool {
    let (inner, context) = (&call.inner, call.context);
    let given = call.flags(usize::MAX).filter(|flag| super::is_named(flag, "-e"));
    let mut scripts: Vec<Field> = given.filter_map(|flag| call.value_of(flag)).collect();
    if !call.has("-e|-f") {
        scripts.extend(call.slots().first().map(|slot| call.field(slot.at)));
    }
    for script in scripts.iter().filter_map(Field::as_str).filter(|_| !call.has("--sandbox")) {
        sed_script(walker, script, inner, context);
    }
    false
}

fn sed_script(walker: &mut Walker, script: &str, inner: &Context, context: &Context) {
    let mut rest = script;
    loop {
        rest = behind_address(rest);
        let mut chars = rest.chars();
        let Some(command) = chars.next() else { return };
        rest = chars.as_str();
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        let file = |access: Access, walker: &mut Walker, name: &str| {
            walker.use_path(access, &Field::known(name.trim()), context);
        };
        match command {
            'w' | 'W' => file(Access::Write, walker, line),
            'r' | 'R' => file(Access::Read, walker, line),
            'e' if line.trim().is_empty() => walker.dynamic(Cause::Eval),
            'e' => shells::code(walker, &Field::known(line), None, inner),
            'a' | 'i' | 'c' | '#' | ':' => {}
            's' | 'y' => {
                let mut chars = rest.chars();
                let Some(mark) = chars.next() else { return };
                let Some(flags) = behind(chars.as_str(), mark).and_then(|rest| behind(rest, mark)) else {
                    return;
                };
                let end = flags.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(flags.len());
                let (flags, mut tail) = flags.split_at(end);
                if command == 's' && flags.contains('e') {
                    walker.dynamic(Cause::Eval);
                }
                if command == 's' && flags.ends_with('w') {
                    file(Access::Write, walker, tail.lines().next().unwrap_or_default());
                    tail = tail.split_once('\n').map_or("", |(_, next)| next);
                }
                rest = tail;
                continue;
            }
            _ => continue,
        }
        rest = next;
    }
}

/// What follows the address of a command of `sed`, and blanks, braces and semicolons before it.
fn behind_address(script: &str) -> &str {
    let mut rest = script;
    loop {
        rest = rest
            .trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "{};$,!+~".contains(c));
        let mut chars = rest.chars();
        let mark = match chars.next() {
            Some('/') => Some('/'),
            Some('\\') => chars.next(),
            _ => return rest,
        };
        let Some(after) = mark.and_then(|mark| behind(chars.as_str(), mark)) else { return "" };
        rest = after.trim_start_matches(['I', 'M']);
    }
}

/// What follows the next `mark` that is not escaped.
fn behind(text: &str, mark: char) -> Option<&str> {
    let mut chars = text.char_indices();
    while let Some((at, next)) = chars.next() {
        if next == '\\' {
            chars.next();
        } else if next == mark {
            return text.get(at + next.len_utf8()..);
        }
    }
    None
}
