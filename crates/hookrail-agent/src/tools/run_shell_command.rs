//! `run_shell_command`: a command line for the shell.
//!
//! The command leads a process group of its own. The call is over when the shell has ended; whatever
//! it left behind in its group is killed then, so that no call leaks processes by accident. A process
//! that is meant to stay has to leave the group (`setsid`) and send its output elsewhere.

mod call;

use std::time::Duration;

use hookrail::{JsonObject, ToolResult};
use serde_json::Value;

use self::call::ShellCall;
use super::args::{Args, declare, optional, required};
use super::failure::ToolFailure;
use super::{BoxFuture, Tool, ToolContext, ToolKind};

/// The tool, with the time that one command may take.
pub(super) struct RunShellCommand {
    timeout: Duration,
}

impl RunShellCommand {
    /// The tool with this limit for each command.
    pub(super) const fn new(timeout: Duration) -> Self {
        Self { timeout }
    }
}

impl Tool for RunShellCommand {
    fn name(&self) -> &'static str {
        "run_shell_command"
    }

    fn declaration(&self) -> Value {
        let seconds = self.timeout.as_secs();
        declare(
            self.name(),
            &format!(
                "Runs a command with `bash -c` (`sh -c` where there is no bash) and gives its output and exit code; of \
                 long output the beginning and the end. There is no terminal and nothing to read from stdin. It is \
                 stopped after {seconds} seconds. Background processes end with the command unless they are started \
                 with `setsid` and their output is redirected."
            ),
            &[
                required("command", "STRING", "The command line."),
                optional(
                    "directory",
                    "STRING",
                    "The folder of the project to run it in; the project itself if not given.",
                ),
            ],
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn title(&self, args: &JsonObject) -> String {
        let place = match Args(args).shown_place("directory") {
            place if place.is_empty() => place,
            place => format!(" ({})", place.trim_start()),
        };
        format!("run: {}{place}", Args(args).shown("command"))
    }

    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let project = context.project.clone();
            let finished = match tokio::task::spawn_blocking(move || ShellCall::new(&args, &project)).await {
                Ok(Ok(call)) => call.run(self.timeout, context).await,
                Ok(Err(failure)) => Err(failure),
                Err(error) => Err(ToolFailure::broken(&error)),
            };
            finished.unwrap_or_else(Into::into)
        })
    }
}
