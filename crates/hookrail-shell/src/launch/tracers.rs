//! Launchers that watch a program or give it other rights or resources.

use super::options::Spec;

/// The options of such a launcher, and the number of its own operands.
#[rustfmt::skip] // A list is read as a block.
pub(super) fn tracer(name: &str) -> Option<(Spec, usize)> {
    let none = Spec::default();
    Some(match name {
        "strace" => (
            Spec {
                flags: "cCdDfFhiknNqrtTvVwxyYzZ",
                values: "abeEIoOpPsSuUX",
                long_flags: &[
                    "follow-forks", "output-separately", "output-append-mode", "summary-only", "summary",
                    "summary-wall-clock", "no-abbrev", "decode-fds", "decode-pids", "relative-timestamps",
                    "absolute-timestamps", "syscall-times", "instruction-pointer", "stack-traces",
                    "successful-only", "failed-only", "seccomp-bpf", "quiet", "debug", "help", "version", "tips",
                    "syscall-number", "arg-names", "daemonize", "strings-in-hex",
                ],
                long_values: &[
                    "attach", "output", "trace", "trace-path", "string-limit", "columns", "env", "user",
                    "interruptible", "inject", "fault", "signal", "status", "abbrev", "verbose", "raw", "read",
                    "write", "kvm", "detach-on", "const-print-style", "summary-sort-by", "summary-columns",
                    "summary-syscall-overhead",
                ],
                ..none
            },
            0,
        ),
        "ltrace" => (
            Spec { flags: "bcCfghiLrStTV", values: "aADeEFlnopsuwx", ..none },
            0,
        ),
        "setpriv" => (
            Spec {
                flags: "dhV",
                long_flags: &[
                    "clear-groups", "keep-groups", "init-groups", "no-new-privs", "nnp", "reset-env", "dump",
                    "list-caps", "help", "version",
                ],
                long_values: &[
                    "reuid", "regid", "ruid", "euid", "rgid", "egid", "groups", "inh-caps", "ambient-caps",
                    "bounding-set", "securebits", "pdeathsig", "selinux-label", "apparmor-profile", "ptracer",
                    "landlock-access", "landlock-rule", "seccomp-filter",
                ],
                ..none
            },
            0,
        ),
        "prlimit" => (
            Spec {
                flags: "hV",
                values: "po",
                optional: "cdefilmnqrstuvxy",
                long_flags: &[
                    "noheadings", "raw", "verbose", "core", "data", "nice", "fsize", "sigpending", "memlock",
                    "rss", "nofile", "msgqueue", "rtprio", "stack", "cpu", "nproc", "as", "locks", "rttime",
                    "help", "version",
                ],
                long_values: &["pid", "output"],
            },
            0,
        ),
        "taskset" => (
            Spec { flags: "achpV", long_flags: &["all-tasks", "cpu-list", "pid", "help", "version"], ..none },
            1,
        ),
        "chrt" => (
            Spec {
                flags: "abdfiomrpRvhV",
                values: "TPD",
                long_flags: &[
                    "all-tasks", "batch", "deadline", "fifo", "idle", "other", "max", "rr", "pid",
                    "reset-on-fork", "verbose", "help", "version", "ext",
                ],
                long_values: &["sched-runtime", "sched-period", "sched-deadline"],
                ..none
            },
            1,
        ),
        "choom" => (
            Spec { flags: "hV", values: "np", long_flags: &["help", "version"], long_values: &["adjust", "pid"], ..none },
            0,
        ),
        "pkexec" => (
            Spec {
                long_flags: &["disable-internal-agent", "keep-cwd", "help", "version"],
                long_values: &["user"],
                ..none
            },
            0,
        ),
        "systemd-run" => (
            Spec {
                flags: "rtqPShGdv",
                values: "uHMEpC",
                long_flags: &[
                    "no-ask-password", "scope", "slice-inherit", "remain-after-exit", "send-sighup", "pty",
                    "pipe", "quiet", "collect", "shell", "same-dir", "wait", "user", "system", "no-block",
                    "ignore-failure", "verbose", "pty-late", "no-pager", "help", "version",
                ],
                long_values: &[
                    "unit", "property", "description", "slice", "service-type", "uid", "gid", "nice",
                    "working-directory", "setenv", "host", "machine", "capsule", "on-active", "on-boot",
                    "on-startup", "on-unit-active", "on-unit-inactive", "on-calendar", "timer-property",
                    "path-property", "socket-property", "expand-environment", "background", "job-mode",
                    "on-timezone-change", "on-clock-change", "output", "json", "root-directory",
                ],
                ..none
            },
            0,
        ),
        "systemd-inhibit" => (
            Spec {
                long_flags: &["list", "no-ask-password", "no-pager", "no-legend", "help", "version"],
                long_values: &["what", "who", "why", "mode"],
                ..none
            },
            0,
        ),
        "sshpass" => (Spec { flags: "ehVv", values: "fdpP", ..none }, 0),
        "unbuffer" => (Spec { flags: "p", ..none }, 0),
        "numactl" => (
            Spec {
                flags: "lHsa",
                values: "ipmNCPw",
                long_flags: &["localalloc", "all", "hardware", "show"],
                long_values: &[
                    "interleave", "preferred", "preferred-many", "membind", "cpunodebind", "physcpubind",
                    "weighted-interleave",
                ],
                ..none
            },
            0,
        ),
        "linux32" | "linux64" | "i386" | "x86_64" => (architecture(), 0),
        _ => return None,
    })
}

/// The options of `setarch` and of its other names.
#[rustfmt::skip] // A list is read as a block.
pub(super) fn architecture() -> Spec {
    Spec {
        flags: "BFILRSTXZvh3V",
        long_flags: &[
            "32bit", "fdpic-funcptrs", "short-inode", "addr-compat-layout", "addr-no-randomize",
            "whole-seconds", "sticky-timeouts", "read-implies-exec", "mmap-page-zero", "3gb", "4gb",
            "uname-2.6", "verbose", "list", "help", "version",
        ],
        long_values: &["pid", "show"],
        ..Spec::default()
    }
}
