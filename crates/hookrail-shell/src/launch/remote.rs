//! `ssh`, whose code runs elsewhere, but for what `-o ProxyCommand=…` names.

use super::options::{Spec, scan};
use super::shells::{code, from_stdin, joined_code};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

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
        walker.dynamic(Cause::Variable);
    }
    let remote = Context { foreign: true, ..context.clone() };
    let Some((host, behind)) = args.get(found.rest..).and_then(<[Field]>::split_first) else { return };
    if host.text.is_none() && !host.single {
        walker.dynamic(Cause::Variable);
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
        walker.dynamic(Cause::Variable);
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
pub(super) fn local_code(walker: &mut Walker, option: Option<&Field>, context: &Context) {
    let Some(text) = option.and_then(Field::as_str) else {
        walker.dynamic(Cause::Eval);
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
