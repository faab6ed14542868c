mod quoting;
mod shell;

use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::run::payload::Payload;
use crate::run::process::tests::run_process;
use crate::run::reaper::Reaper;
use crate::run::runner::tests::hook;
use crate::verdict::hook_run::Exit;

/// A project with programs of all sorts, whose name needs quoting.
struct Project {
    root: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { root: tempfile::tempdir().unwrap() };
        let dir = project.dir();
        for name in ["", "bin", "sub", "home", "dirs/show", "../other"] {
            std::fs::create_dir_all(dir.join(name)).unwrap();
        }
        symlink(&dir, dir.join("../link")).unwrap();
        let show = "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\"; env -0; cat; exit 7\n";
        for (name, text, mode) in [
            ("show", show, 0o755),
            ("bin/tool", show, 0o755),
            ("../other/tool", show, 0o755),
            ("sub/tool", show, 0o644),
            ("noshebang", "printf '%s\\0' \"$0\" \"$@\" \"$BASH_VERSION\"\n", 0o755),
            ("crlf", "#!/bin/sh\r\necho\r\n", 0o755),
            ("badinterp", "#!/nonexistent/sh\n", 0o755),
            ("notexec", show, 0o644),
            ("binary", "\x7fELF broken", 0o755),
            ("empty", "", 0o755),
            ("signal", "#!/bin/sh\nkill -TERM $$\n", 0o755),
            ("home/.bashrc", "echo from the start-up file\n", 0o644),
            ("bash_env", "echo from BASH_ENV\n", 0o644),
        ] {
            let path = dir.join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        project
    }

    fn dir(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("pro ject")
    }

    fn environment(&self, extra: &[(&str, &str)]) -> Vec<EnvironmentVariable> {
        let dir = self.dir();
        let fill = |text: &str| text.replace('@', dir.to_str().unwrap()).into();
        let mut variables =
            vec![("PATH".into(), fill("@/bin:/usr/bin:/bin")), ("HOME".into(), fill("@/home"))];
        for (name, value) in extra {
            variables.push(((*name).into(), fill(value)));
        }
        variables
    }
}

/// What can be seen of a run: how it ended and what it wrote, with the environment's order left out, which is
/// that of bash's hash table.
type Seen = (Exit, Vec<String>, String);

async fn see(command: &PreparedCommand) -> Seen {
    let payload = Payload::new(&serde_json::json!({})).unwrap();
    let reaper = Reaper::new();
    let finished = run_process(command, &payload, Duration::from_secs(30), 1 << 20, &reaper).await;
    let mut lines: Vec<String> = finished
        .stdout
        .bytes
        .split(|byte| *byte == 0)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    lines.sort_unstable();
    (finished.exit, lines, String::from_utf8_lossy(&finished.stderr.bytes).into_owned())
}

/// The command as the fast path and as the shell would run it.
fn both_ways(
    environment: Vec<EnvironmentVariable>,
    command: &str,
    cwd: &Path,
) -> (PreparedCommand, PreparedCommand) {
    let hook = hook(command);
    let prepare = |environment, direct| {
        CommandPreparer::new(environment, &Redaction::default(), direct).prepare(&hook, cwd)
    };
    (prepare(environment.clone(), true), prepare(environment, false))
}

/// Commands, and whether they are executed without a shell in an ordinary environment.
const COMMANDS: &[(&str, bool)] = &[
    ("env -0", true),
    ("  env\t-0 ", true),
    ("/usr/bin/env -0", true),
    ("./show a --b=c d:e", true),
    ("sub/../show", true),
    ("../link/show", true),
    ("tool a", true),
    ("$LLXPRT_PROJECT_DIR/show x", true),
    ("\"${CLAUDE_PROJECT_DIR}/show\" \"a b\" \"\"", true),
    ("cat", true),
    ("cat /nonexistent", true),
    ("./signal", true),
    // Found out by the attempt: the shell runs them, or says why it cannot.
    ("./noshebang a", true),
    ("./empty", true),
    ("./binary", true),
    ("./crlf", true),
    ("./badinterp", true),
    ("./notexec", true),
    ("./nonexistent", true),
    ("show/x", true),
    ("/tmp", true),
    // Not found, or not a program.
    ("nonexistent", false),
    ("show", false),
    ("true", false),
    ("exit 3", false),
    ("pwd", false),
    ("a=b env -0", false),
    ("a=b", false),
    ("./show ~ * $HOME 'q' \\q # c", false),
    ("./show; exit 4", false),
    ("exec env -0", false),
    ("%1", false),
    ("-x", false),
    ("", false),
    ("# nothing", false),
    ("if", false),
];

/// Environments, and whether the fast path is open in them.
const ENVIRONMENTS: &[(&[(&str, &str)], bool)] = &[
    (&[], true),
    (&[("PWD", "/"), ("_", "/bin/other"), ("SHLVL", "3"), ("OLDPWD", "/tmp"), ("TERM", "dumb")], true),
    (&[("PWD", "@"), ("OLDPWD", "/nonexistent")], true),
    (&[("PWD", "@/../link"), ("OLDPWD", "sub")], true),
    (&[("PWD", "@/."), ("OLDPWD", "")], true),
    (&[("PS1", "$ "), ("PS2", "> "), ("PS3", "? "), ("LANG", "xx_YY.UTF-8"), ("LC_CTYPE", "xx")], true),
    (&[("a.b", "1"), ("1a", "2"), ("x y", "3"), ("V", "1"), ("V", "2"), ("W", "() { :; }")], true),
    (
        &[
            ("HOSTNAME", "h"),
            ("SHELL", "/x"),
            ("LINES", "1"),
            ("COLUMNS", "2"),
            ("TMOUT", "1"),
            ("MAILCHECK", "1"),
        ],
        true,
    ),
    (&[("LC_ALL", "C"), ("POSIX", "x"), ("SSH_CLIENT", "x"), ("SHLVL", "1")], true),
    (&[("LC_ALL", "xx_YY.UTF-8")], false),
    (&[("SSH_CLIENT", "x")], false),
    (&[("SSH2_CLIENT", "x"), ("SHLVL", "0")], false),
    (&[("SHLVL", "x")], false),
    (&[("SHLVL", "999")], false),
    (&[("SHLVL", "-4")], false),
    (&[("SHLVL", "007")], false),
    (&[("LINENO", "7"), ("OPTIND", "5"), ("RANDOM", "4")], false),
];

/// What a hook may set for itself, and no hook inherits: bash acts on it.
const OWN: &[&[(&str, &str)]] = &[
    &[("BASH_ENV", "@/bash_env")],
    &[("BASH_FUNC_env%%", "() {  echo a function\n}")],
    &[("BASH_FUNC_./show%%", "() {  echo a function\n}")],
    &[("POSIXLY_CORRECT", "1")],
    &[("SHELLOPTS", "xtrace")],
    &[("BASHOPTS", "expand_aliases"), ("IFS", "x")],
    &[("EXECIGNORE", "*/env")],
];

#[tokio::test]
async fn what_makes_programs_run_something_else_is_set_by_the_hook_or_not_at_all() {
    let project = Project::new();
    for extra in OWN {
        let mut own = Hook::clone(&hook("./show"));
        let at = project.dir().to_str().unwrap().to_owned();
        own.env = extra.iter().map(|(name, value)| ((*name).to_owned(), value.replace('@', &at))).collect();
        let own = Arc::new(own);
        let prepare = |environment, direct| {
            CommandPreparer::new(environment, &Redaction::default(), direct).prepare(&own, &project.dir())
        };
        let (fast, slow) =
            (prepare(project.environment(&[]), true), prepare(project.environment(&[]), false));
        assert!(fast.fallback.is_none(), "the shell acts on {extra:?}");
        assert_eq!(see(&fast).await, see(&slow).await, "{extra:?}");

        let plain = both_ways(project.environment(&[]), "./show", &project.dir());
        let inherited = both_ways(project.environment(extra), "./show", &project.dir());
        assert!(inherited.0.fallback.is_some(), "{extra:?}");
        assert_eq!(
            (see(&inherited.0).await, see(&inherited.1).await),
            (see(&plain.0).await, see(&plain.1).await)
        );
    }
}

#[tokio::test]
async fn a_program_cannot_tell_that_the_shell_was_left_out() {
    let project = Project::new();
    for (extra, open) in ENVIRONMENTS {
        for (command, plain) in COMMANDS {
            let (fast, slow) = both_ways(project.environment(extra), command, &project.dir());
            assert_eq!(fast.fallback.is_some(), *open && *plain, "direct: {command} with {extra:?}");
            assert!(slow.fallback.is_none());
            assert_eq!(see(&fast).await, see(&slow).await, "{command} with {extra:?}");
        }
    }
}

#[tokio::test]
async fn programs_are_found_as_bash_finds_them() {
    let project = Project::new();
    for (path, direct) in [
        ("@/bin", true),
        ("@/sub:@/bin", true),
        ("@/nonexistent:@/dirs:@/bin/", true),
        ("@/../other//:@/bin", true),
        ("bin", true),
        ("./bin:/usr/bin", true),
        ("../other", true),
        ("@/sub", false),
        ("~/x:@/bin", false),
        ("/usr/bin", false),
        ("", false),
    ] {
        for (command, cwd) in [("tool a", project.dir()), ("tool", project.dir().join("../link"))] {
            // The directory of `env`, `cat` and the shell comes last, where it decides nothing.
            let path = if path.is_empty() { String::new() } else { format!("{path}:/usr/bin:/bin") };
            let mut environment = project.environment(&[]);
            set(&mut environment, "PATH".into(), path.replace('@', project.dir().to_str().unwrap()).into());
            let (fast, slow) = both_ways(environment, command, &cwd);
            assert_eq!(fast.fallback.is_some(), direct, "{path}");
            assert_eq!(see(&fast).await, see(&slow).await, "{path}");
        }
    }
    for path in [":/usr/bin:/bin", "/usr/bin:/bin:", ".:/usr/bin:/bin"] {
        let mut environment = project.environment(&[]);
        set(&mut environment, "PATH".into(), path.into());
        let (fast, slow) = both_ways(environment, "show a", &project.dir());
        assert!(fast.fallback.is_some());
        assert_eq!(see(&fast).await, see(&slow).await, "{path}");
    }
}

#[tokio::test]
async fn the_process_around_a_program_is_the_same() {
    let project = Project::new();
    for command in [
        "grep -e SigPnd -e SigBlk -e SigIgn -e SigCgt /proc/self/status",
        "cat /proc/self/limits",
        "ls /proc/self/fd",
    ] {
        let (fast, slow) = both_ways(project.environment(&[]), command, &project.dir());
        assert!(fast.fallback.is_some());
        assert_eq!(see(&fast).await, see(&slow).await, "{command}");
    }
}

#[tokio::test]
async fn variables_that_are_not_unicode_survive() {
    let project = Project::new();
    let mut environment = project.environment(&[]);
    environment.push((OsString::from_vec(b"R\xff".to_vec()), OsString::from_vec(b"\xfe".to_vec())));
    let (fast, slow) = both_ways(environment, "env -0", &project.dir());
    for command in [fast, slow] {
        let (_, lines, _) = see(&command).await;
        assert!(lines.contains(&"R\u{fffd}=\u{fffd}".to_owned()), "HOOK-188: {lines:?}");
    }
}
