//! Programs that type into terminals: `tmux send-keys`, `screen -X stuff`, `expect`.

use super::{Call, act, shells};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

/// `tmux`: several commands in one line, separated by `;`, of which some are typed into a terminal.
pub(super) fn tmux(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = call.context.behind(call.name);
    // `#(code)` in a format is run to fill it.
    for text in call.args.iter().filter_map(Field::as_str) {
        if let Some((code, _)) = text.split_once("#(").and_then(|(_, rest)| rest.rsplit_once(')')) {
            shells::code(walker, &Field::known(code), None, &inner);
        }
    }
    let is_end = |field: &Field| field.as_str().is_some_and(|text| text == ";" || text.ends_with(';'));
    let Some(end) = call.args.iter().position(is_end) else {
        return keys(walker, call);
    };
    // The last word of a command may have the sign at its end.
    let last = call.field(end);
    let last = last.as_str().unwrap_or_default().trim_end_matches(';');
    let mut first: Vec<Field> = call.args.get(..end).unwrap_or_default().to_vec();
    if !last.is_empty() {
        first.push(Field::known(last));
    }
    let rest = call.words_at(end + 1);
    walker.deeper(|walker| {
        act(walker, call.name, &first, call.context);
        if !rest.is_empty() {
            act(walker, call.name, rest, call.context);
        }
    });
    true
}

/// `send-keys`: the words are typed one behind the other. Names of keys are the keys.
fn keys(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    let is_sent = call.words.path.last().is_some_and(|entry| entry.is("unseen"));
    if !is_sent || call.slots().is_empty() {
        return false;
    }
    // What the terminal runs is not known, and so is what was typed before.
    walker.dynamic(Cause::Eval);
    let mut typed = String::new();
    for field in call.operand_fields() {
        match field.as_str() {
            Some("Enter" | "KPEnter" | "C-m" | "C-j" | "^M") => typed.push('\n'),
            Some("Space") => typed.push(' '),
            Some("C-c" | "C-u" | "Escape" | "Tab") => {}
            Some(text) => typed.push_str(text),
            None => typed.push_str(" $_ "),
        }
    }
    walker.with_holes(|walker| walker.new_shell(&typed, None, inner));
    true
}

/// `screen -X stuff text` types, `-X exec` and `-X screen` start a command.
pub(super) fn screen(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    if !call.has("-X") {
        return false;
    }
    let slots = call.slots();
    let name = slots.first().map(|slot| call.field(slot.at));
    let rest = slots.get(1).and_then(|slot| call.args.get(slot.at..)).unwrap_or_default();
    match name.as_ref().and_then(Field::as_str) {
        Some("stuff") => {
            walker.dynamic(Cause::Eval);
            for text in rest.iter().filter_map(Field::as_str) {
                let text = text.replace("^M", "\n").replace("\\n", "\n").replace("\\015", "\n");
                walker.new_shell(&text, None, inner);
            }
        }
        Some("exec" | "screen") => walker.start(rest, inner),
        Some("eval" | "at" | "register" | "readbuf" | "source") | None => walker.dynamic(Cause::Eval),
        Some(_) => {}
    }
    true
}

/// `expect -c code`, or code on its standard input: `spawn`, `exec` and `system` start a command, `send` types one.
pub(super) fn expect(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    if let Some(code) = call.value("-c") {
        statements(walker, code.as_str().unwrap_or_default(), inner);
    } else if let (Some(text), None) = (inner.text(), call.slots().first()) {
        statements(walker, &text, inner);
    }
    false
}

fn statements(walker: &mut Walker, code: &str, inner: &Context) {
    let brackets = ['[', ']', '{', '}'];
    for statement in code.split(['\n', ';', '[', '{']) {
        let statement = statement.trim().trim_end_matches(brackets);
        let Some((name, rest)) = statement.split_once(char::is_whitespace) else { continue };
        let mut rest = rest.trim_start();
        while let Some((_, behind)) = rest.split_once(' ').filter(|(flag, _)| flag.starts_with('-')) {
            rest = behind.trim_start();
        }
        match name {
            "spawn" | "exec" | "system" => walker.new_shell(rest, None, inner),
            "send" | "exp_send" => {
                let text = rest.trim_matches('"').replace("\\r", "\n").replace("\\n", "\n");
                walker.new_shell(&text, None, inner);
            }
            _ => {}
        }
    }
}
