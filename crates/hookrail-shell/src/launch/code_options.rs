//! Programs with options whose value is a command: `tar --to-command=…`, `rsync -e …`.

use super::shells::code;
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker, base_name};

/// The options of a program that take a command.
struct CodeOptions {
    /// Letters.
    short: &'static str,
    /// Long names, without their dashes.
    long: &'static [&'static str],
    /// The words that the program adds, as shell text; `$_` stands for what cannot be determined.
    adds: &'static str,
}

fn options_of(name: &str) -> Option<CodeOptions> {
    let (short, long, adds): (_, &[&str], _) = match name {
        "tar" | "bsdtar" | "gtar" => (
            "IF",
            &[
                "use-compress-program",
                "to-command",
                "rsh-command",
                "rmt-command",
                "info-script",
                "new-volume-script",
                "checkpoint-action",
            ],
            "\"$_\"",
        ),
        "rsync" => ("e", &["rsh", "rsync-path"], "\"$_\""),
        "scp" | "sftp" => ("SD", &[], "\"$_\""),
        "sort" => ("", &["compress-program"], "\"$_\""),
        "split" => ("", &["filter"], ""),
        "man" => ("P", &["pager"], ""),
        "zip" => ("", &["unzip-command"], "\"$_\""),
        "ncat" | "nc" | "netcat" => ("ce", &["exec", "sh-exec"], ""),
        _ => return None,
    };
    Some(CodeOptions { short, long, adds })
}

/// Whether a program has such options.
pub(super) fn has_code_options(name: &str) -> bool {
    options_of(name).is_some()
}

/// Reads the commands in the options of the program `name`. Words that cannot be determined are passed over, as with any program.
pub(super) fn code_options(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    let Some(options) = options_of(name) else { return };
    let mut args = args.iter().peekable();
    let mut is_first = true;
    while let Some(arg) = args.next() {
        let Some(text) = arg.as_str() else {
            is_first = false;
            continue;
        };
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (given, attached) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let is_meant = |known: &&&str| **known == given || (given.len() > 2 && known.starts_with(given));
            if let Some(known) = options.long.iter().find(is_meant) {
                let value = attached.map(Field::known).or_else(|| args.next().cloned());
                let action = value.as_ref().and_then(Field::as_str).map(|text| text.strip_prefix("exec="));
                match (*known, action) {
                    // Other actions of tar are no commands.
                    ("checkpoint-action", Some(None)) => {}
                    ("checkpoint-action", Some(Some(command))) => {
                        read(walker, Some(&Field::known(command)), options.adds, context);
                    }
                    _ => read(walker, value.as_ref(), options.adds, context),
                }
            }
        } else if name == "zip" && text.starts_with("-TT") {
            read(walker, args.next(), options.adds, context);
        } else if matches!(name, "scp" | "sftp") && text.starts_with("-o") {
            let attached = text.strip_prefix("-o").filter(|value| !value.is_empty());
            let value = attached.map(Field::known).or_else(|| args.next().cloned());
            super::remote::local_code(walker, value.as_ref(), context);
        } else if let Some(letters) = text.strip_prefix('-')
            && let Some(at) = letters.find(|letter| options.short.contains(letter))
        {
            let attached = letters.get(at + 1..).filter(|value| !value.is_empty());
            let value = attached.map(Field::known).or_else(|| args.next().cloned());
            read(walker, value.as_ref(), options.adds, context);
        } else if is_first && name == "tar" && text.contains(['I', 'F']) && !text.starts_with('-') {
            // The old form, whose letters take the words behind it in turn.
            walker.dynamic(Cause::Eval);
        }
        is_first = false;
    }
}

/// Reads a command with the words that are added to it.
fn read(walker: &mut Walker, value: Option<&Field>, adds: &str, context: &Context) {
    let Some(value) = value else { return };
    let Some(text) = value.as_str() else {
        walker.dynamic(Cause::Eval);
        return;
    };
    // To `ssh` a host and a command are added, which the line itself already names.
    let is_ssh = text.split_whitespace().next().is_some_and(|name| base_name(name) == "ssh");
    let adds = if is_ssh { "" } else { adds };
    code(walker, &Field::known(format!("{text} {adds}").trim_end()), None, context);
}
