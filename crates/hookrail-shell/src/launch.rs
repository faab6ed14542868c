//! Launchers: programs that run the program named in their arguments.
//!
//! A rule about `rm` is meant for `sudo -u me timeout 5 rm` too. To find the command behind a launcher one has to know
//! which of its options take a value, so each has the complete list of its options. An option that is not on the list
//! makes the line dynamic: the word behind it may be its value or the command.

mod code_options;
mod container;
mod environment;
mod git;
mod options;
mod remote;
mod search;
mod shells;
mod tracers;
mod wrappers;

use self::options::{Found, Spec, scan};
use super::facts::Cause;
use super::field::Field;
use super::walk::{Context, Walker};

pub(super) use self::git::is_git_code;
pub(super) use self::shells::is_shell;

/// Whether `name` is a launcher. Most programs are none, and for those nothing is prepared: this is asked for each
/// command of each line, and a context of its own costs more than the whole look at `ls`.
fn is_launcher(name: &str) -> bool {
    #[rustfmt::skip] // A list is read as a block.
    const NAMES: &[&str] = &[
        "sudo", "sudoedit", "env", "su", "runuser", "flock", "watch", "busybox", "toybox", "xargs", "find",
        "parallel", "ssh", "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl",
        "oc", "git", "unshare", "nsenter", "script", "at", "batch", "crontab", "tmux", "hyperfine",
        "setarch",
    ];
    NAMES.contains(&name)
        || shells::is_shell(name)
        || plain(name).is_some()
        || wrappers::runner(name).is_some()
        || wrappers::is_loader(name)
        || code_options::has_code_options(name)
}

/// Looks through the program `name` if it is a launcher.
///
/// Code for a shell that may not be Bash is read twice as carefully: `[[`, `((` and `&>` are commands or operators of
/// another meaning there.
pub(super) fn launch(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    if !is_launcher(name) {
        return;
    }
    let mut inner = context.behind(name);
    inner.posix = matches!(name, "sh" | "dash" | "ash" | "flock" | "watch");
    match name {
        "sudo" | "sudoedit" => environment::sudo(walker, name, args, &inner),
        "env" => environment::env(walker, args, &inner, 0),
        "su" | "runuser" => shells::su(walker, args, &inner),
        "flock" => flock(walker, args, &inner),
        "watch" => watch(walker, args, &inner),
        "busybox" | "toybox" => busybox(walker, args, &inner),
        "xargs" => search::xargs(walker, args, &inner),
        "find" => search::find(walker, args, &inner),
        "parallel" => search::parallel(walker, args, &inner),
        "ssh" => remote::ssh(walker, args, &inner),
        "docker" | "podman" | "nerdctl" => container::docker(walker, args, &inner),
        "docker-compose" | "podman-compose" => container::compose(walker, args, &inner),
        "kubectl" | "oc" => container::kubectl(walker, args, &inner),
        "git" => git::git(walker, args, &inner),
        "setarch" => {
            // The name of an architecture may stand before the options.
            let names_one = args.first().and_then(Field::as_str).is_some_and(|text| !text.starts_with('-'));
            let args = args.get(usize::from(names_one)..).unwrap_or_default();
            plain_launcher(walker, name, args, &tracers::architecture(), 0, &inner);
        }
        "unshare" | "nsenter" => wrappers::isolate(walker, name, args, &inner),
        "script" => wrappers::script(walker, args, &inner),
        "at" | "batch" => wrappers::at(walker, args, &inner),
        "crontab" => wrappers::crontab(walker, args, &inner),
        "tmux" => wrappers::tmux(walker, args),
        "hyperfine" => wrappers::hyperfine(walker, args, &inner),
        _ if shells::is_shell(name) => shells::shell(walker, name, args, &inner),
        _ => {
            if let Some((spec, operands)) = plain(name) {
                plain_launcher(walker, name, args, &spec, operands, &inner);
            } else if wrappers::is_loader(name) {
                wrappers::loader(walker, args, &inner);
            } else {
                wrappers::run(walker, name, args, &inner);
                code_options::code_options(walker, name, args, &inner);
            }
        }
    }
}

/// Launchers of the form `name [options] [operands] command…`, with the number of their own operands.
///
/// `nice -10` is an old form of `nice -n 10`, which is why digits are among its flags.
fn plain(name: &str) -> Option<(Spec, usize)> {
    let none = Spec::default();
    Some(match name {
        "nohup" => (Spec { long_flags: &["help", "version"], ..none }, 0),
        "setsid" => {
            (Spec { flags: "cfwhV", long_flags: &["ctty", "fork", "wait", "help", "version"], ..none }, 0)
        }
        "doas" => (Spec { flags: "nsL", values: "auC", ..none }, 0),
        "time" => (
            Spec {
                flags: "apvqV",
                values: "fo",
                long_flags: &["append", "portability", "verbose", "quiet", "help", "version"],
                long_values: &["format", "output"],
                ..none
            },
            0,
        ),
        "timeout" => (
            Spec {
                flags: "vfp",
                values: "ks",
                long_flags: &["foreground", "preserve-status", "verbose", "help", "version"],
                long_values: &["kill-after", "signal"],
                ..none
            },
            1,
        ),
        "nice" => (
            Spec {
                flags: "0123456789",
                values: "n",
                long_flags: &["help", "version"],
                long_values: &["adjustment"],
                ..none
            },
            0,
        ),
        "ionice" => (
            Spec {
                flags: "thV",
                values: "cnpPu",
                long_flags: &["ignore", "help", "version"],
                long_values: &["class", "classdata", "pid", "pgid", "uid"],
                ..none
            },
            0,
        ),
        "stdbuf" => (
            Spec {
                values: "ioe",
                long_flags: &["help", "version"],
                long_values: &["input", "output", "error"],
                ..none
            },
            0,
        ),
        "chroot" => (
            Spec {
                long_flags: &["skip-chdir", "help", "version"],
                long_values: &["userspec", "groups"],
                ..none
            },
            1,
        ),
        _ => return tracers::tracer(name),
    })
}

/// Starts what stands behind the options and the own operands of a launcher.
/// A launcher that only shows its help or changes a running process starts nothing.
fn plain_launcher(
    walker: &mut Walker,
    name: &str,
    args: &[Field],
    spec: &Spec,
    operands: usize,
    context: &Context,
) {
    let found = scan(args, spec);
    if found.has(&["help", "version"])
        || (name == "ionice" && found.has(&["p", "pid", "P", "pgid", "u", "uid"]))
        || (matches!(name, "taskset" | "chrt" | "choom" | "prlimit") && found.has(&["p", "pid"]))
    {
        return;
    }
    note_unclear(walker, &found);
    let mut context = context.clone();
    context.foreign |= name == "chroot";
    // A word that cannot be determined may be one of the operands.
    let operands = operands.saturating_sub(found.unknown);
    let own = args.get(found.rest..).unwrap_or_default().iter().take(operands);
    if own.clone().any(|field| field.text.is_none() && !field.single) {
        walker.dynamic(Cause::Variable);
    }
    let rest = args.get(found.rest + operands..).unwrap_or_default();
    if rest.is_empty() {
        let starts_shell = name == "chroot" || (name == "doas" && found.has(&["s"]));
        if starts_shell {
            walker.dynamic(Cause::Stdin);
        }
        return;
    }
    walker.start(rest, &context);
}

/// Marks the line if it cannot be determined where the command of a launcher begins. The command that seems to be the one is
/// reported nevertheless: most often it is right, and a rule about it should hold.
fn note_unclear(walker: &mut Walker, found: &Found) {
    if found.unclear {
        walker.dynamic(Cause::Variable);
    }
}

/// `flock [options] file command…`, or with `-c` code for a shell. A number in place of the file locks a descriptor that
/// is open already, and then nothing is run.
fn flock(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "esxnuoFvhV",
        values: "wEc",
        long_flags: &[
            "shared", "exclusive", "nb", "nonblock", "unlock", "close", "no-fork", "verbose", "help",
            "version",
        ],
        long_values: &["timeout", "wait", "conflict-exit-code", "command"],
        ..Spec::default()
    };
    let found = scan(args, &spec);
    if found.has(&["help", "version", "h", "V"]) {
        return;
    }
    note_unclear(walker, &found);
    let rest = args.get(found.rest + 1..).unwrap_or_default();
    // The option may also stand behind the file.
    let behind = scan(rest, &spec);
    match found.value(&["c", "command"]).or_else(|| behind.value(&["c", "command"])) {
        Some(code) => shells::code(walker, code, None, context),
        None => walker.start(rest, context),
    }
}

/// `watch [options] command…`: the words are joined and handed to a shell, unless `-x` says otherwise.
fn watch(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "bcCegprtwxhv",
        values: "nqs",
        optional: "d",
        long_flags: &[
            "beep", "color", "no-color", "differences", "errexit", "chgexit", "precise", "no-rerun",
            "no-title", "no-wrap", "exec", "help", "version", "follow",
        ],
        long_values: &["interval", "equexit", "shotsdir"],
    };
    let found = scan(args, &spec);
    note_unclear(walker, &found);
    let rest = args.get(found.rest..).unwrap_or_default();
    if found.has(&["x", "exec"]) {
        walker.start(rest, context);
    } else if !rest.is_empty() {
        shells::joined_code(walker, rest, context);
    }
}

/// `busybox applet…`: the applet behaves like the program of that name, and may be a shell or a launcher itself.
fn busybox(walker: &mut Walker, args: &[Field], context: &Context) {
    let is_option = args.first().and_then(Field::as_str).is_some_and(|text| text.starts_with("--"));
    if !is_option {
        walker.start(args, context);
    }
}

/// The words of `fields` with blanks between them, as `eval` sees them. A word that cannot be determined becomes a
/// parameter that cannot be determined either.
pub(super) fn joined(fields: &[Field]) -> String {
    let words: Vec<&str> = fields.iter().map(|field| field.as_str().unwrap_or("$_")).collect();
    words.join(" ")
}
