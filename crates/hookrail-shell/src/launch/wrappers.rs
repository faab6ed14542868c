//! Launchers with simple command lines: tracers, sandboxes, runners of language environments, and programs that start
//! commands at another time.

use super::options::{Spec, scan};
use super::shells::{self, code, from_stdin, joined_code};
use super::{note_unclear, plain_launcher};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Stdin, Walker};

/// Launchers of the form `name [options] [operands] command…` that run a shell if there is no command.
pub(super) fn isolating(name: &str) -> Option<Spec> {
    let none = Spec::default();
    #[rustfmt::skip] // A list is read as a block.
    let spec = match name {
        "unshare" => Spec {
            flags: "imnpuUCTfrchV",
            values: "RwSG",
            long_flags: &[
                "mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "fork", "map-root-user",
                "map-current-user", "map-auto", "kill-child", "mount-proc", "mount-binfmt", "keep-caps",
                "help", "version",
            ],
            long_values: &[
                "root", "wd", "setuid", "setgid", "map-user", "map-group", "map-users", "map-groups",
                "propagation", "setgroups", "load-interp", "monotonic", "boottime", "owner",
            ],
            ..none
        },
        "nsenter" => Spec {
            flags: "aFZehV",
            values: "tSGW",
            optional: "muinpUCTrw",
            long_flags: &[
                "all", "mount", "uts", "ipc", "net", "pid", "cgroup", "user", "user-parent", "time", "env",
                "preserve-credentials", "keep-caps", "root", "wd", "no-fork", "follow-context",
                "join-cgroup", "help", "version",
            ],
            long_values: &["target", "setuid", "setgid", "wdns", "net-socket"],
        },
        _ => return None,
    };
    Some(spec)
}

/// `unshare` and `nsenter`.
pub(super) fn isolate(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    let Some(spec) = isolating(name) else { return };
    let found = scan(args, &spec);
    let is_elsewhere = found.has(&["R", "root", "r", "m", "mount", "a", "all"]);
    let context = Context { foreign: context.foreign || is_elsewhere, ..context.clone() };
    if found.rest >= args.len() && !found.has(&["help", "version", "h", "V"]) {
        from_stdin(walker, &context);
    }
    plain_launcher(walker, name, args, &spec, 0, &context);
}

/// `script [options] [file]`: with `-c`, or behind the file on other systems, a command; otherwise a shell.
pub(super) fn script(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "aefqkdprFhV",
        values: "cEIOBTmo",
        optional: "t",
        long_flags: &["append", "return", "flush", "force", "quiet", "timing", "help", "version"],
        long_values: &[
            "command", "echo", "log-in", "log-out", "log-io", "log-timing", "logging-format",
            "output-limit",
        ],
    };
    let found = scan(args, &spec);
    if found.has(&["help", "version", "h", "V"]) {
        return;
    }
    note_unclear(walker, &found);
    let behind = args.get(found.rest + 1..).unwrap_or_default();
    // The option may also stand behind the file.
    let later = scan(behind, &spec);
    match found.value(&["c", "command"]).or_else(|| later.value(&["c", "command"])) {
        Some(text) => code(walker, text, None, context),
        None if behind.is_empty() => from_stdin(walker, context),
        None => walker.start(behind, context),
    }
}

/// `at` and `batch` run what stands on their standard input.
pub(super) fn at(walker: &mut Walker, args: &[Field], context: &Context) {
    let reads_stdin = args.iter().filter_map(Field::as_str).all(|text| {
        !text.starts_with('-')
            || text.starts_with("-q")
            || text.starts_with("-t")
            || text == "-m"
            || text == "-M"
    });
    if reads_stdin {
        from_stdin(walker, context);
    }
}

/// `crontab`, which reads lines that have five fields, or one with `@`, before the command.
pub(super) fn crontab(walker: &mut Walker, args: &[Field], context: &Context) {
    let names_file = args.iter().any(|field| !field.is("-"));
    if names_file {
        // A file, `-l`, `-e` or `-r`; a user's name without one of them is rare enough.
        return;
    }
    let Stdin::Text(text) = &context.stdin else {
        from_stdin(walker, context);
        return;
    };
    for line in text.to_string().lines() {
        let line = line.trim_start();
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.trim_start().split_once([' ', '\t']).map_or("", |(_, rest)| rest);
        }
        if !line.starts_with('#') && !rest.is_empty() {
            // What stands behind an unescaped `%` is the standard input.
            code(walker, &Field::known(rest.split('%').next().unwrap_or_default()), None, context);
        }
    }
}

/// The dynamic loader: `ld.so [options] program…`.
pub(super) fn loader(walker: &mut Walker, args: &[Field], context: &Context) {
    let spec = Spec {
        long_flags: &["inhibit-cache", "list-diagnostics", "list-tunables", "help", "version"],
        long_values: &["library-path", "inhibit-rpath", "audit", "preload", "argv0", "glibc-hwcaps-prepend"],
        ..Spec::default()
    };
    plain_launcher(walker, "ld.so", args, &spec, 0, context);
}

/// Whether `name` is the dynamic loader.
pub(super) fn is_loader(name: &str) -> bool {
    name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so"
}

/// Programs that run a command in an environment of theirs: behind which word, and behind how many operands.
///
/// Their options change with each version, so that the word behind an unknown one may be its value or the command.
/// Both are reported.
pub(super) fn runner(name: &str) -> Option<(&'static [&'static str], usize)> {
    Some(match name {
        "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" | "conda" | "mamba" | "op" | "doppler" => {
            (&["run"], 0)
        }
        "bundle" | "npm" | "pnpm" | "yarn" | "mise" | "rbenv" | "pyenv" => (&["exec", "x", "dlx"], 0),
        "aws-vault" | "direnv" => (&["exec"], 1),
        "perf" => (&["stat", "record", "trace", "mem", "lock"], 0),
        "npx" | "bunx" | "uvx" | "valgrind" | "xvfb-run" | "fakeroot" | "dotenv" | "entr" | "rlwrap"
        | "screen" | "dbus-run-session" | "catchsegv" | "eatmydata" | "torsocks" | "proxychains"
        | "proxychains4" => (&[], 0),
        "faketime" | "gosu" | "su-exec" | "setuidgid" | "cpulimit" => (&[], 1),
        _ => return None,
    })
}

/// Starts what may be the command of a [`runner`].
pub(super) fn run(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    let Some((verbs, operands)) = runner(name) else { return };
    let is_verb = |field: &Field| field.as_str().is_some_and(|text| verbs.contains(&text));
    let args = match (verbs.is_empty(), args.iter().position(is_verb)) {
        (true, _) => args,
        (false, Some(at)) => args.get(at + 1..).unwrap_or_default(),
        (false, None) => return,
    };
    let option = |at: usize| args.get(at).and_then(Field::as_str).filter(|text| text.starts_with('-'));
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let Some(text) = field.as_str() else {
            walker.dynamic(Cause::Variable);
            return;
        };
        at += 1;
        match text {
            "--" => {
                walker.start(args.get(at + operands..).unwrap_or_default(), context);
                return;
            }
            // Code for a shell.
            "-c" | "--call" | "--shell-mode" if matches!(name, "npx" | "npm" | "pnpm") => {
                let rest = args.get(at..).unwrap_or_default();
                joined_code(walker, rest.get(..1).unwrap_or_default(), context);
                return;
            }
            "-s" if name == "entr" => {
                joined_code(walker, args.get(at..).unwrap_or_default(), context);
                return;
            }
            _ if text.starts_with('-') => {
                let may_have_value = !text.contains('=') && option(at).is_none();
                if may_have_value && at < args.len() {
                    walker.start(args.get(at + operands..).unwrap_or_default(), context);
                    at += 1;
                }
            }
            _ => {
                walker.start(args.get(at - 1 + operands..).unwrap_or_default(), context);
                return;
            }
        }
    }
}

/// `tmux`, whose commands take code for a shell in many places.
pub(super) fn tmux(walker: &mut Walker, args: &[Field]) {
    let verbs = ["new", "split", "run", "if-shell", "send", "respawn", "pipe", "popup", "display-popup"];
    let runs_code =
        |field: &Field| field.as_str().is_none_or(|text| verbs.iter().any(|verb| text.starts_with(verb)));
    if args.iter().any(runs_code) {
        walker.dynamic(Cause::Eval);
    }
}

/// `hyperfine`: every operand is code for a shell, and so are a few options.
pub(super) fn hyperfine(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "NihV",
        values: "wrmMspcCSunPDL",
        long_flags: &["ignore-failure", "show-output", "help", "version"],
        long_values: &[
            "warmup", "runs", "min-runs", "max-runs", "setup", "prepare", "conclude", "cleanup", "shell",
            "command-name", "time-unit", "export-json", "export-csv", "export-markdown", "export-asciidoc",
            "export-orgmode", "parameter-scan", "parameter-step-size", "parameter-list", "style", "sort",
            "output", "input", "reference",
        ],
        ..Spec::default()
    };
    let mut rest = args;
    while !rest.is_empty() {
        let found = scan(rest, &spec);
        note_unclear(walker, &found);
        for (name, value) in &found.options {
            let is_code = matches!(
                name.as_str(),
                "s" | "p" | "c" | "C" | "setup" | "prepare" | "conclude" | "cleanup" | "reference"
            );
            if let (true, Some(value)) = (is_code, value) {
                shells::code(walker, value, None, context);
            }
        }
        let Some((operand, behind)) = rest.get(found.rest..).and_then(<[Field]>::split_first) else { break };
        shells::code(walker, operand, None, context);
        rest = behind;
    }
}
