//! Settings of git that are code: `-c core.pager=…`, `git config alias.x '!…'`.

use super::{Call, shells};
use crate::book::Entry;
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

/// What the book says the value of a setting is; empty if it is not code.
fn role_of(key: &str) -> &'static str {
    let key = key.to_ascii_lowercase();
    let first = key.split_once('.').map_or("", |(first, _)| first);
    let last = key.rsplit('.').next().unwrap_or_default();
    let names = [format!("{first}.*"), format!("*.{last}"), key.clone()];
    names.iter().find_map(|name| Entry::among("git/setting", name)).map_or("", Entry::role)
}

/// Whether the value of a setting of git can be code.
pub(crate) fn is_git_code(key: &str) -> bool {
    !role_of(key).is_empty()
}

/// Reads `key=value` of `-c`: code in it runs when the subcommand gets there. An alias makes the line dynamic besides,
/// because what follows it is added to its code.
pub(super) fn setting(walker: &mut Walker, setting: &Field, context: &Context) {
    let Some(text) = setting.as_str() else {
        walker.dynamic(Cause::Eval);
        return;
    };
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let code = |walker: &mut Walker, text: &str| shells::code(walker, &Field::known(text), None, context);
    match (role_of(key), value.trim_start().strip_prefix('!')) {
        ("alias", Some(value)) => {
            walker.dynamic(Cause::Eval);
            code(walker, value);
        }
        // Words for git itself, to which those behind the alias are added.
        ("alias", None) if !value.is_empty() => code(walker, &format!("git {value} \"$_\"")),
        ("code-behind-mark", Some(value)) => code(walker, value),
        ("code", _) if !matches!(value, "" | "true" | "false") => code(walker, value),
        _ => {}
    }
}

/// `git config [options] key value`: it is read like a value of `-c`, because the next command may be the one that uses it.
pub(super) fn written_setting(walker: &mut Walker, call: &Call<'_>) -> bool {
    let context = &call.inner;
    let operands: Vec<Field> = call.operand_fields().collect();
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
