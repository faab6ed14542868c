//! Containers: the command runs inside one, where paths mean something else.
//!
//! The command is reported like any other, since `docker run -v /:/host image rm -rf /host` is a deletion to the author of
//! a rule about deletions. Its paths are not reported, because they name files of the container.

use super::options::{Found, Spec, scan};
use crate::facts::Cause;
use crate::field::Field;
use crate::walk::{Context, Walker};

/// Options of `docker run` and `docker create` that take a value, those of `podman` included. One that is missing here
/// makes its line dynamic.
#[rustfmt::skip] // A list is read as a block.
const RUN_VALUES: [&str; 101] = [
    "add-host", "annotation", "attach", "blkio-weight", "blkio-weight-device", "cap-add", "cap-drop",
    "cgroup-parent", "cgroupns", "cgroup-conf", "cidfile", "conmon-pidfile", "cpu-count", "cpu-percent",
    "cpu-period", "cpu-quota", "cpu-rt-period", "cpu-rt-runtime", "cpu-shares", "cpus", "cpuset-cpus",
    "cpuset-mems", "decryption-key", "detach-keys", "device", "device-cgroup-rule", "device-read-bps",
    "device-read-iops", "device-write-bps", "device-write-iops", "dns", "dns-opt", "dns-option",
    "dns-search", "domainname", "entrypoint", "env", "env-file", "expose", "gidmap", "gpus", "group-add",
    "group-entry", "health-cmd", "health-interval", "health-retries", "health-start-period",
    "health-start-interval", "health-timeout", "hostname", "hostuser", "image-volume", "ip", "ip6", "ipc",
    "isolation", "kernel-memory", "label", "label-file", "link", "link-local-ip", "log-driver", "log-opt",
    "mac-address", "memory", "memory-reservation", "memory-swap", "memory-swappiness", "mount", "name",
    "net", "net-alias", "network", "network-alias", "oom-score-adj", "pid", "pids-limit", "platform", "pod",
    "pull", "restart", "runtime", "security-opt", "shm-size", "stop-signal", "stop-timeout", "storage-opt",
    "sysctl", "tmpfs", "ulimit", "user", "userns", "publish", "volume", "volumes-from", "volume-driver",
    "workdir", "uts", "uidmap", "subuidname", "tz",
];

/// `docker [options] exec|run [options] container|image command…`
///
/// Other subcommands start nothing whose name the line holds: what `docker build` or `docker start` run stands in files.
pub(super) fn docker(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let globals = Spec {
        flags: "Dvh",
        values: "Hlc",
        long_flags: &["debug", "tls", "tlsverify", "version", "help", "remote"],
        long_values: &[
            "config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey", "connection", "url",
            "root", "runroot", "storage-driver", "identity",
        ],
        ..Spec::default()
    };
    let found = scan(args, &globals);
    note(walker, &found);
    let rest = args.get(found.rest..).unwrap_or_default();
    let Some((mut verb, mut rest)) = rest.split_first() else { return };
    if verb.is("compose") {
        compose(walker, rest, context);
        return;
    }
    if verb.is("container") {
        let Some((next, behind)) = rest.split_first() else { return };
        (verb, rest) = (next, behind);
    }
    match verb.as_str() {
        Some("exec") => exec(walker, rest, context),
        Some("run" | "create") => run(walker, rest, context),
        _ => {}
    }
}

/// `exec [options] container command…`
fn exec(walker: &mut Walker, args: &[Field], context: &Context) {
    let spec = Spec {
        flags: "ditlT",
        values: "euw",
        long_flags: &["detach", "interactive", "tty", "privileged", "latest", "no-TTY"],
        long_values: &["detach-keys", "env", "env-file", "user", "workdir", "preserve-fds", "index"],
        ..Spec::default()
    };
    let found = scan(args, &spec);
    note(walker, &found);
    inside(walker, args, &found, context);
}

/// `run [options] image command…`; with `--entrypoint` the words behind the image are its arguments. An image may have an
/// entry point of its own, which gets the command as arguments; then a command is reported that is none, which is the side
/// to err on.
fn run(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "ditPqT",
        values: "aceghlmpuvw",
        long_flags: &[
            "detach", "init", "interactive", "no-healthcheck", "oom-kill-disable", "privileged",
            "publish-all", "quiet", "read-only", "rm", "sig-proxy", "tty", "disable-content-trust",
            "replace", "systemd", "no-hosts", "rmi", "http-proxy", "tls-verify", "use-api-socket",
            "no-deps", "service-ports", "build", "remove-orphans",
        ],
        long_values: &RUN_VALUES,
        ..Spec::default()
    };
    let found = scan(args, &spec);
    note(walker, &found);
    if let Some(entry) = found.value(&["entrypoint"]) {
        let rest = args.get(found.rest + 1..).unwrap_or_default();
        let whole: Vec<Field> = std::iter::once(entry.clone()).chain(rest.iter().cloned()).collect();
        let is_reset = entry.is("");
        walker.start(if is_reset { rest } else { &whole }, &foreign(context));
        return;
    }
    inside(walker, args, &found, context);
}

/// `docker compose [options] exec|run [options] service command…`
pub(super) fn compose(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let globals = Spec {
        flags: "vh",
        values: "fp",
        long_flags: &["all-resources", "compatibility", "dry-run", "version", "help"],
        long_values: &[
            "ansi", "env-file", "file", "parallel", "profile", "progress", "project-directory",
            "project-name",
        ],
        ..Spec::default()
    };
    let found = scan(args, &globals);
    note(walker, &found);
    let Some((verb, rest)) = args.get(found.rest..).and_then(<[Field]>::split_first) else { return };
    match verb.as_str() {
        Some("exec") => exec(walker, rest, context),
        Some("run") => run(walker, rest, context),
        _ => {}
    }
}

/// `kubectl [options] exec pod [options] -- command…`. Options before the subcommand count only if it is `exec`: a flag of
/// another subcommand that is not known here says nothing about what runs.
pub(super) fn kubectl(walker: &mut Walker, args: &[Field], context: &Context) {
    #[rustfmt::skip] // A list is read as a block.
    let spec = Spec {
        flags: "itqh",
        values: "ncfsvlu",
        long_flags: &[
            "stdin", "tty", "quiet", "insecure-skip-tls-verify", "match-server-version",
            "warnings-as-errors", "help", "disable-compression",
        ],
        long_values: &[
            "namespace", "container", "filename", "pod-running-timeout", "as", "as-group", "as-uid",
            "cache-dir", "certificate-authority", "client-certificate", "client-key", "cluster", "context",
            "kubeconfig", "password", "profile", "profile-output", "request-timeout", "server",
            "tls-server-name", "token", "user", "username", "v", "vmodule", "log-flush-frequency",
        ],
        ..Spec::default()
    };
    let found = scan(args, &spec);
    let Some((verb, rest)) = args.get(found.rest..).and_then(<[Field]>::split_first) else { return };
    if !verb.is("exec") {
        return;
    }
    note(walker, &found);
    if let Some(dashes) = rest.iter().position(|field| field.is("--")) {
        let command = rest.get(dashes + 1..).unwrap_or_default();
        walker.start(command, &foreign(context));
        return;
    }
    // The old form without `--`: options may stand on both sides of the pod's name.
    let before = scan(rest, &spec);
    note(walker, &before);
    let behind = rest.get(before.rest + 1..).unwrap_or_default();
    let after = scan(behind, &spec);
    note(walker, &after);
    walker.start(behind.get(after.rest..).unwrap_or_default(), &foreign(context));
}

/// Marks the line if the options were not understood.
fn note(walker: &mut Walker, found: &Found) {
    if found.unclear {
        walker.dynamic(Cause::Variable);
    }
}

/// The context of what runs inside a container.
fn foreign(context: &Context) -> Context {
    Context { foreign: true, ..context.clone() }
}

/// Starts what stands behind the container's name. A name that may be several words may hold the command too.
fn inside(walker: &mut Walker, args: &[Field], found: &Found, context: &Context) {
    let name = args.get(found.rest);
    if name.is_some_and(|field| field.text.is_none() && !field.single) {
        walker.dynamic(Cause::Variable);
    }
    walker.start(args.get(found.rest + 1..).unwrap_or_default(), &foreign(context));
}
