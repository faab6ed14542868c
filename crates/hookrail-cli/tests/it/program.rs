//! Runs the built program in a test project, with nothing of the surroundings but `PATH`.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail them by panicking")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hookrail_testkit::TestProject;

/// Prints a note that no test harness hides.
pub(crate) fn left_out(what: &str) {
    let _ = std::io::stderr().write_all(format!("{what}\n").as_bytes());
}

/// The program as it is.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hookrail"))
}

/// The program, ready to run in a project. A bridge takes nothing from the environment, so it is told by options.
pub(crate) fn hookrail(project: &TestProject, args: &[&str]) -> Command {
    let mut command = program();
    command.args(args);
    if args.first() == Some(&"bridge") {
        command.arg("--home").arg(project.home()).arg("--system").arg(project.system_settings_path());
    }
    command
        .current_dir(project.dir())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TZ", "UTC")
        .env("HOME", project.home())
        .env("HOOKRAIL_HOME", project.home())
        .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// An entry or a plugin that `connect` wrote, with the home directory of the test in its call.
pub(crate) fn at_home(project: &TestProject, written: &str) -> String {
    if written.contains("--home") {
        return written.to_owned();
    }
    let home = project.home().display().to_string();
    if written.contains("[\"bridge\", ") {
        return written.replace("[\"bridge\", ", &format!("[\"bridge\", \"--home\", \"{home}\", "));
    }
    written.replace(" bridge ", &format!(" bridge --home '{home}' "))
}

/// What a run brought.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) command: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The temporary folder of the project and its home.
    base: String,
}

impl Ran {
    pub(crate) fn of(args: &[&str], output: Output) -> Self {
        Self {
            command: format!("hookrail {}", args.join(" ")),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            base: String::new(),
        }
    }

    /// Runs the program to its end.
    pub(crate) fn new(project: &TestProject, args: &[&str]) -> Self {
        Self::in_project(project, hookrail(project, args))
    }

    /// Runs a prepared command to its end.
    pub(crate) fn in_project(project: &TestProject, mut command: Command) -> Self {
        let base = project.home().parent().expect("a folder").display().to_string();
        Self { base, ..Self::of(&[], command.output().expect("the program starts")) }
    }

    /// Exit code and both streams as one text, the temporary folder replaced by `[BASE]`.
    pub(crate) fn shown(&self) -> String {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        let mut shown = format!("exit code: {code}\n");
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                let _ = write!(shown, "--- {name}\n{}", text.replace(&self.base, "[BASE]"));
            }
        }
        shown
    }

    /// Stdout as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not JSON: {error}\n{self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { command, code, stdout, stderr, .. } = self;
        writeln!(f, "$ {command}\n--- exit {}", code.unwrap_or(-1))?;
        write!(f, "--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}

/// Runs the program to its end.
pub(crate) fn run(project: &TestProject, args: &[&str]) -> Ran {
    Ran::of(args, hookrail(project, args).output().expect("the program starts"))
}

/// Runs the program to its end with a text on stdin.
pub(crate) fn run_with_stdin(project: &TestProject, args: &[&str], stdin: &str) -> Ran {
    let mut child = hookrail(project, args).stdin(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(stdin.as_bytes()).expect("the program reads stdin");
    Ran::of(args, child.wait_with_output().expect("the program ends"))
}

/// Where the engine's own log is.
pub(crate) fn log_path(project: &TestProject) -> PathBuf {
    project.home().join(".hookrail/log.jsonl")
}

/// Compares with the stored snapshot; paths, times and durations are left out of it.
macro_rules! snapshot {
    ($project:expr, $name:expr, $text:expr) => {{
        let project: &hookrail_testkit::TestProject = $project;
        let text = $text
            .to_string()
            .replace(&*project.dir().to_string_lossy(), "[project]")
            .replace(&*project.home().to_string_lossy(), "[home]");
        insta::with_settings!({
            omit_expression => true,
            filters => vec![
                (r" *\d+(\.\d+)? ms", " [n] ms"),
                (r#""(durationMs|totalDuration|p50Ms|p95Ms|maxMs)": [\d.]+"#, r#""$1": "[n]""#),
                (r"20\d\d-\d\d-\d\dT[\d:.]+Z", "[time]"),
                (r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d+", "[time]"),
            ],
        }, { insta::assert_snapshot!($name, text); });
    }};
}
pub(crate) use snapshot;
