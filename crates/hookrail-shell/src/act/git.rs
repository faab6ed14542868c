//! Settings of git that are code: `-c core.pager=…`, `git config alias.x '!…'`.

use super::{Call, shells};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

/// Settings whose value is a command.
#[rustfmt::skip] // A list is read as a block.
const CODE: [&str; 11] = [
    "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "core.gitproxy",
    "core.alternaterefscommand", "sequence.editor", "diff.external", "gpg.program", "uploadpack.packobjectshook",
];
/// The last parts of settings whose value is a command.
#[rustfmt::skip]
const CODE_ENDS: [&str; 15] = [
    "clean", "smudge", "process", "textconv", "cmd", "driver", "helper", "command", "uploadpack", "receivepack",
    "program", "tocmd", "cccmd", "headercmd", "sendmailcmd",
];

/// Whether the value of a setting of git can be code.
pub(crate) fn is_git_code(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    CODE.contains(&key.as_str())
        || CODE_ENDS.contains(&last)
        || key.starts_with("pager.")
        || key.starts_with("alias.")
}

/// Reads `key=value` of `-c`: code in it runs when the subcommand gets there. An alias makes the line dynamic besides,
/// because what follows it is added to its code.
pub(super) fn setting(walker: &mut Walker, setting: &Field, context: &Context) {
    let Some(text) = setting.as_str() else {
        walker.dynamic(Cause::Eval);
        return;
    };
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let key = key.to_ascii_lowercase();
    let code = |walker: &mut Walker, text: &str| shells::code(walker, &Field::known(text), None, context);
    let is_shell = value.trim_start().strip_prefix('!');
    if key.starts_with("alias.") {
        if let Some(value) = is_shell {
            walker.dynamic(Cause::Eval);
            code(walker, value);
        } else if !value.is_empty() {
            // Words for git itself, to which those behind the alias are added.
            code(walker, &format!("git {value} \"$_\""));
        }
    } else if key.ends_with(".helper") {
        if let Some(value) = is_shell {
            code(walker, value);
        }
    } else if is_git_code(&key) && !matches!(value, "" | "true" | "false") {
        code(walker, value);
    }
}

/// `git config [options] key value`: it is read like a value of `-c`, because the next command may be the one that uses it.
pub(super) fn written_setting(walker: &mut Walker, call: &Call<'_>, context: &Context) -> bool {
    let operands: Vec<Field> = call.slots().iter().map(|slot| call.field(slot.at)).collect();
    for pair in operands.windows(2) {
        let [key, value] = pair else { continue };
        let Some(key) = key.as_str().filter(|key| is_git_code(key)) else { continue };
        match value.as_str() {
            Some(value) => setting(walker, &Field::known(format!("{key}={value}")), context),
            None => walker.dynamic(Cause::Eval),
        }
    }
    true
}
