//! Runs the program in a test project, with a clean environment.

#![expect(clippy::panic, reason = "helpers of tests fail them by panicking")]

use std::fmt::Write as _;
use std::process::{Command, Output};

use hookrail_testkit::TestProject;

pub(crate) use crate::program::hookrail as command;

/// What a finished program left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    base: String,
}

impl Run {
    /// Runs the program to its end.
    pub(crate) fn new(project: &TestProject, args: &[&str]) -> Self {
        Self::of(project, command(project, args))
    }

    /// Runs a prepared command to its end.
    pub(crate) fn of(project: &TestProject, mut command: Command) -> Self {
        Self::from_output(project, command.output().unwrap_or_else(|error| panic!("{error}")))
    }

    fn from_output(project: &TestProject, output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|error| panic!("{error}"));
        let home = project.home();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            base: home.parent().map(|base| base.display().to_string()).unwrap_or_default(),
        }
    }

    /// Exit code and both streams as one text, the temporary folder replaced by `[BASE]`.
    pub(crate) fn shown(&self) -> String {
        let mut shown =
            format!("exit code: {}\n", self.code.map_or("none".to_owned(), |code| code.to_string()));
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
            .unwrap_or_else(|error| panic!("stdout is not JSON: {error}\n{}\n{}", self.stdout, self.stderr))
    }
}
