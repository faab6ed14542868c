//! `git`, which runs code from unexpected places: settings given with `-c`, and
//! options of some subcommands.

use super::shells::{code, joined_code};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

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
                walker.dynamic(Cause::Eval);
                at += 1;
            }
            Some(text) if text.starts_with("--config-env=") => walker.dynamic(Cause::Eval),
            Some("-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix") => {
                at += 1;
            }
            Some(text) if text.starts_with('-') => {}
            Some(verb) => {
                subcommand(walker, verb, args.get(at..).unwrap_or_default(), context);
                return;
            }
            // It may be one of these options too, but is far more often a subcommand.
            None => return,
        }
    }
}

/// Reads the value of `-c`: code in it runs when the subcommand gets there. An alias makes the line dynamic besides,
/// because what stands behind it is added to its code.
fn setting(walker: &mut Walker, setting: Option<&Field>, context: &Context) {
    let Some(text) = setting.and_then(Field::as_str) else {
        walker.dynamic(Cause::Eval);
        return;
    };
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        if let Some(value) = value.trim_start().strip_prefix('!') {
            walker.dynamic(Cause::Eval);
            code(walker, &Field::known(value), None, context);
        } else if !value.is_empty() {
            // Words for git itself, to which those behind the alias are added.
            code(walker, &Field::known(format!("git {value} \"$_\"")), None, context);
        }
        return;
    }
    let is_plain = matches!(value, "" | "true" | "false");
    if let (true, Some(value)) = (key.ends_with(".helper"), value.trim_start().strip_prefix('!')) {
        code(walker, &Field::known(value), None, context);
    } else if is_git_code(&key) && !key.ends_with(".helper") && !is_plain {
        code(walker, &Field::known(value), None, context);
    }
}

/// Whether the value of a setting of git can be code.
pub(crate) fn is_git_code(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    matches!(
        key.as_str(),
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.askpass"
            | "core.gitproxy"
            | "core.alternaterefscommand"
            | "sequence.editor"
            | "diff.external"
            | "gpg.program"
            | "uploadpack.packobjectshook"
    ) || matches!(
        last,
        "clean"
            | "smudge"
            | "process"
            | "textconv"
            | "cmd"
            | "driver"
            | "helper"
            | "command"
            | "uploadpack"
            | "receivepack"
            | "program"
            | "tocmd"
            | "cccmd"
            | "headercmd"
            | "sendmailcmd"
    ) || key.starts_with("pager.")
        || key.starts_with("alias.")
}

/// Subcommands that run what stands in their arguments.
fn subcommand(walker: &mut Walker, verb: &str, args: &[Field], context: &Context) {
    match verb {
        // `git bisect run command…`
        "bisect" if args.first().is_some_and(|field| field.is("run")) => {
            walker.start(args.get(1..).unwrap_or_default(), context);
        }
        "submodule" => foreach(walker, args, context),
        "config" => written_setting(walker, args, context),
        _ => {}
    }
    let (short, long): (_, &[&str]) = match verb {
        "rebase" => (Some('x'), &["exec"]),
        "difftool" => (Some('x'), &["extcmd"]),
        "grep" => (Some('O'), &["open-files-in-pager"]),
        "clone" => (Some('u'), &["upload-pack"]),
        "fetch" | "pull" | "ls-remote" | "fetch-pack" => (None, &["upload-pack"]),
        "push" | "send-pack" => (None, &["receive-pack", "exec"]),
        "archive" => (None, &["exec"]),
        "filter-branch" => (
            None,
            &[
                "setup",
                "env-filter",
                "tree-filter",
                "index-filter",
                "parent-filter",
                "msg-filter",
                "commit-filter",
                "tag-name-filter",
            ],
        ),
        _ => return,
    };
    for (at, arg) in args.iter().enumerate() {
        let Some(text) = arg.as_str() else { continue };
        let (name, attached) = match (text.strip_prefix("--"), text.strip_prefix('-')) {
            (Some(option), _) => {
                option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)))
            }
            (None, Some(letters)) if letters.chars().next() == short && short.is_some() => {
                ("", letters.get(1..).filter(|value| !value.is_empty()))
            }
            _ if text.starts_with("ext::") => {
                code(walker, &Field::known(text.trim_start_matches("ext::")), None, context);
                continue;
            }
            _ => continue,
        };
        let is_named = name.is_empty() || long.iter().any(|known| name.len() > 2 && known.starts_with(name));
        // The pager of `grep` is attached, or it is the usual one.
        let next = args.get(at + 1).filter(|_| verb != "grep");
        match attached.map(Field::known).or_else(|| next.cloned()) {
            Some(value) if is_named => code(walker, &value, None, context),
            _ => {}
        }
    }
}

/// `git submodule foreach [--recursive] command…`: one word is code for a shell, and several are joined.
fn foreach(walker: &mut Walker, args: &[Field], context: &Context) {
    let Some(at) = args.iter().position(|field| field.is("foreach")) else { return };
    let rest = args.get(at + 1..).unwrap_or_default();
    let options =
        rest.iter().take_while(|field| field.as_str().is_some_and(|text| text.starts_with('-'))).count();
    let command = rest.get(options..).unwrap_or_default();
    if !command.is_empty() {
        joined_code(walker, command, context);
    }
}

/// `git config [options] key value`: it is read like a value of `-c`, because the next command may be the one that uses it.
fn written_setting(walker: &mut Walker, args: &[Field], context: &Context) {
    let is_operand =
        |field: &&Field| !field.as_str().is_some_and(|text| text.starts_with('-') || text == "set");
    let operands: Vec<&Field> = args.iter().filter(is_operand).collect();
    for pair in operands.windows(2) {
        let [key, value] = pair else { continue };
        let Some(key) = key.as_str().filter(|key| is_git_code(key)) else { continue };
        match value.as_str() {
            Some(value) => setting(walker, Some(&Field::known(format!("{key}={value}"))), context),
            None => walker.dynamic(Cause::Eval),
        }
    }
}
