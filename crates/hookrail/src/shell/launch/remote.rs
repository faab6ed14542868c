//! `ssh`, whose code runs elsewhere, and `git`, whose settings can hold code.
//!
//! Both are programs of every day that run code in places where few people look for it: `ssh -o ProxyCommand=…` and
//! `git -c core.pager=…`.

use super::options::{Spec, scan};
use super::shells::{code, from_stdin, joined_code};
use crate::shell::field::Field;
use crate::shell::walk::{Context, Walker};

/// `ssh [options] host [command…]`
///
/// The words of the command are joined by blanks and read by a shell on the other side, so quotes that this shell took
/// off are gone there: `ssh host rm 'a; b'` runs two commands.
pub(super) fn ssh(walker: &mut Walker, args: &[Field], context: &Context) {
    let spec = Spec { flags: "46AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOoPpQRSWw", ..Spec::default() };
    let found = scan(args, &spec);
    for (name, value) in &found.options {
        if name == "o" {
            local_code(walker, value.as_ref(), context);
        }
    }
    if found.unclear {
        walker.dynamic();
    }
    let remote = Context { foreign: true, ..context.clone() };
    let Some((host, behind)) = args.get(found.rest..).and_then(<[Field]>::split_first) else { return };
    if host.text.is_none() && !host.single {
        walker.dynamic();
    }
    // Options may also stand behind the host.
    let later = scan(behind, &spec);
    for (name, value) in &later.options {
        if name == "o" {
            local_code(walker, value.as_ref(), context);
        }
    }
    let command = behind.get(later.rest - later.unknown.min(later.rest)..).unwrap_or_default();
    if later.unclear && later.unknown == 0 {
        walker.dynamic();
    }
    if command.is_empty() {
        let runs_nothing = ["N", "G", "V", "Q", "O", "W"];
        if !found.has(&runs_nothing) && !later.has(&runs_nothing) {
            from_stdin(walker, &remote);
        }
        return;
    }
    joined_code(walker, command, &remote);
}

/// `-o ProxyCommand=…`: code that runs on this side.
fn local_code(walker: &mut Walker, option: Option<&Field>, context: &Context) {
    let Some(text) = option.and_then(Field::as_str) else {
        walker.dynamic();
        return;
    };
    let (name, value) = text.split_once(['=', ' ']).unwrap_or((text, ""));
    let name = name.trim().to_ascii_lowercase();
    if matches!(name.as_str(), "proxycommand" | "localcommand" | "knownhostscommand")
        && value.trim() != "none"
    {
        code(walker, &Field::known(value), None, context);
    }
}

/// `git`: an alias that begins with `!` is code, and so are a few other settings given with `-c`.
pub(super) fn git(walker: &mut Walker, args: &[Field], context: &Context) {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_str() {
            Some("-c") => {
                setting(walker, args.get(at), context);
                at += 1;
            }
            Some("--config-env") => {
                walker.dynamic();
                at += 1;
            }
            Some(text) if text.starts_with("--config-env=") => walker.dynamic(),
            Some("-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix") => {
                at += 1;
            }
            Some(text) if text.starts_with('-') => {}
            // An operand that is not known may be one of these options too, but is far more often a subcommand.
            _ => return,
        }
    }
}

/// Reads the value of `-c`: code in it runs when the subcommand gets there. An alias makes the line dynamic besides,
/// because what stands behind it is added to its code.
fn setting(walker: &mut Walker, setting: Option<&Field>, context: &Context) {
    let Some(text) = setting.and_then(Field::as_str) else {
        walker.dynamic();
        return;
    };
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        if let Some(value) = value.trim_start().strip_prefix('!') {
            walker.dynamic();
            code(walker, &Field::known(value), None, context);
        }
        return;
    }
    let last = key.rsplit('.').next().unwrap_or_default();
    let is_code = matches!(
        key.as_str(),
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "sequence.editor"
            | "diff.external"
    ) || matches!(last, "clean" | "smudge" | "process" | "textconv" | "cmd" | "driver")
        || key.starts_with("pager.");
    let is_plain = matches!(value, "" | "true" | "false");
    if is_code && !is_plain {
        code(walker, &Field::known(value), None, context);
    } else if let ("helper", Some(value)) = (last, value.trim_start().strip_prefix('!')) {
        code(walker, &Field::known(value), None, context);
    }
}
