//! `run_shell_command`: a command line for the shell.
//!
//! The command leads a process group of its own. The call is over when the shell has ended; whatever
//! it left behind in its group is killed then, so that no call leaks processes by accident. A process
//! that is meant to stay has to leave the group (`setsid`) and send its output elsewhere.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use hookrail::{JsonObject, ToolError, ToolResult};
use serde_json::json;
use tokio::time::timeout;

use super::args::Args;
use super::failure::{INVALID_PARAMS, ToolFailure, check};
use super::paths::Workspace;
use super::process::{ChildOutput, ProcessGroup};
use super::{DEFAULT_SHELL_TIMEOUT, ProtectedPaths, Run, Tool, ToolContext, ToolKind, report, text};

/// The tool. Its time is set by the table.
pub(super) const TOOL: Tool = Tool {
    name: "run_shell_command",
    kind: ToolKind::Execute,
    title: |args| {
        let place = match args.shown_place("directory") {
            place if place.is_empty() => place,
            place => format!(" ({})", place.trim_start()),
        };
        format!("run: {}{place}", args.shown("command"))
    },
    run: Run::Shell(DEFAULT_SHELL_TIMEOUT),
};

/// What a command that has to end gets between the request and the kill.
const GRACE: Duration = Duration::from_secs(2);
/// How long output is waited for once the shell has ended: a background process may keep the pipe open.
const LAST_OUTPUT: Duration = Duration::from_millis(250);
/// Variables that commands do not inherit: the key is the agent's, and whatever a command prints goes to
/// the model and into the session log.
const API_KEYS: [&str; 2] = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];
/// Set for commands of a model: `hookrail` refuses to change approvals and settings of hooks where it is set.
const INSIDE_AGENT: &str = "HOOKRAIL_AGENT";
/// Lines of output that people see.
const SHOWN_LINES: usize = 40;

/// One command that is about to run.
struct ShellCall {
    command: String,
    directory: PathBuf,
    shown_directory: String,
}

/// Why waiting ended.
enum CommandEnd {
    Exited,
    TimedOut,
    Cancelled,
}

/// Runs a call within a time limit.
pub(super) async fn run(
    args: &JsonObject,
    limit: Duration,
    context: &ToolContext,
) -> Result<ToolResult, ToolFailure> {
    let (args, project) = (args.clone(), context.project.clone());
    let call = tokio::task::spawn_blocking(move || ShellCall::new(&args, &project)).await;
    call.map_err(|error| ToolFailure::broken(&error))??.run(limit, context).await
}

impl ShellCall {
    /// Checks the arguments. The folder must lie in the project when the command starts; where the command goes from
    /// there is not restricted, which is why every command needs a permission.
    fn new(args: &JsonObject, project: &Path) -> Result<Self, ToolFailure> {
        let command = Args(args).non_empty("command")?;
        if command.contains('\0') {
            return Err(ToolFailure::new(INVALID_PARAMS, "argument `command` must not contain a zero byte"));
        }
        let directory = Args(args).optional_string("directory")?.unwrap_or(".");
        let workspace = Workspace::open(project, &ProtectedPaths::default())?;
        let inside = workspace.resolve_folder(directory)?;
        Ok(Self {
            command: command.to_owned(),
            directory: workspace.root().join(&inside.relative),
            shown_directory: inside.shown(),
        })
    }

    /// Runs the command to its end, within a time limit.
    ///
    /// Output is read while it runs, for a full pipe would stop it. When the shell has ended, what it left running in
    /// its group is killed, and a pipe that another process still holds is waited for a short time only.
    async fn run(self, limit: Duration, context: &ToolContext) -> Result<ToolResult, ToolFailure> {
        check(&context.cancel)?;
        let (group, mut stdout, mut stderr) = self.spawn().map_err(|error| {
            ToolFailure::new("shell_execute_error", format!("the shell could not be started: {error}"))
        })?;
        let end = {
            let output = async { tokio::join!(stdout.drain(), stderr.drain()) };
            tokio::pin!(output);
            let mut open = true;
            let deadline = tokio::time::sleep(limit);
            tokio::pin!(deadline);
            let end = loop {
                tokio::select! {
                    _ = &mut output, if open => open = false,
                    () = group.leader_ended() => break CommandEnd::Exited,
                    () = &mut deadline => break CommandEnd::TimedOut,
                    () = context.cancel.cancelled() => break CommandEnd::Cancelled,
                }
            };
            if matches!(end, CommandEnd::Exited) {
                if open {
                    open = timeout(LAST_OUTPUT, &mut output).await.is_err();
                }
            } else {
                // The rest of the group may need longer than the shell to clean up; closed pipes show
                // that no process is left.
                group.terminate();
                let all_ended = async {
                    if open {
                        (&mut output).await;
                        open = false;
                    }
                    group.leader_ended().await;
                };
                // Out of time or not, what follows is the same.
                let _ = timeout(GRACE, all_ended).await;
            }
            group.kill();
            if open {
                // What the killed ones had written last; a process that left the group may hold the pipe.
                let _ = timeout(LAST_OUTPUT, &mut output).await;
            }
            end
        };
        let unknown = |why: String| {
            ToolFailure::new("shell_execute_error", format!("it is not known how the command ended: {why}"))
        };
        // Even a killed process stays as long as a device holds it; dropping the group has it reaped later.
        timeout(GRACE, group.leader_ended()).await.map_err(|_| unknown("it cannot be killed".to_owned()))?;
        let status = group.reap().map_err(|error| unknown(error.to_string()))?;
        Ok(self.result(&end, status, limit, &stdout, &stderr))
    }

    /// Starts Bash, or `sh` where there is no Bash: the same order in which hooks get their shell.
    fn spawn(&self) -> io::Result<(ProcessGroup, ChildOutput, ChildOutput)> {
        match ProcessGroup::spawn(shell("bash", &self.command, &self.directory)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                ProcessGroup::spawn(shell("sh", &self.command, &self.directory))
            }
            other => other,
        }
    }

    /// The result for the model, people and hooks. The lines of the text are those that hook authors know from other
    /// agents.
    fn result(
        &self,
        end: &CommandEnd,
        status: ExitStatus,
        limit: Duration,
        stdout: &ChildOutput,
        stderr: &ChildOutput,
    ) -> ToolResult {
        let error = match end {
            CommandEnd::Exited => None,
            CommandEnd::TimedOut => {
                Some(("shell_timeout", format!("the command was stopped after {limit:?}")))
            }
            CommandEnd::Cancelled => Some(("cancelled", "the command was cancelled".to_owned())),
        };
        let (out, err) = (stdout.kept().to_text(), stderr.kept().to_text());
        let mut lines = vec![
            format!("Command: {}", self.command),
            format!("Directory: {}", self.shown_directory),
            format!("Stdout: {}", or_empty(&out)),
            format!("Stderr: {}", or_empty(&err)),
        ];
        if let Some((_, message)) = &error {
            lines.push(format!("Error: {message}"));
        }
        lines.push(match status.code() {
            Some(code) => format!("Exit Code: {code}"),
            None => "Exit Code: (none)".to_owned(),
        });
        if let Some(signal) = status.signal() {
            lines.push(format!("Signal: {signal}"));
        }
        let verdict = match (&error, status.code(), status.signal()) {
            (Some((_, message)), ..) => Some(message.clone()),
            (None, Some(0), _) => None,
            (None, Some(code), _) => Some(format!("exit code {code}")),
            (None, None, signal) => Some(format!("ended by signal {}", signal.unwrap_or(0))),
        };
        let facts = json!({
            "command": self.command, "directory": self.shown_directory,
            "exit_code": status.code(), "signal": status.signal(),
            "stdout_bytes": stdout.kept().total(), "stderr_bytes": stderr.kept().total(),
        });
        ToolResult {
            error: error.map(|(kind, message)| ToolError { message, kind: Some(kind.to_owned()) }),
            ..report(lines.join("\n"), display(&out, &err, verdict), &facts)
        }
    }
}

/// The shell, without the keys of the agent's own model: no command needs them, and each could send them away.
fn shell(program: &str, command: &str, directory: &Path) -> Command {
    let mut shell = Command::new(program);
    shell.arg("-c").arg(command).current_dir(directory);
    for name in API_KEYS {
        shell.env_remove(name);
    }
    shell.env(INSIDE_AGENT, "1");
    shell
}

/// The output, or a word in place of an empty one. A model takes an empty line for something that is missing.
fn or_empty(output: &str) -> &str {
    match output.trim_end_matches('\n') {
        "" => "(empty)",
        text => text,
    }
}

/// What a person sees: the first lines, and how it ended, unless it succeeded.
fn display(out: &str, err: &str, verdict: Option<String>) -> String {
    let streams = [out, err].map(str::trim_end).into_iter().filter(|text| !text.is_empty());
    let output = text::first_lines(&streams.collect::<Vec<_>>().join("\n"), SHOWN_LINES);
    match verdict {
        None if output.is_empty() => "(no output)".to_owned(),
        None => output,
        Some(verdict) if output.is_empty() => verdict,
        Some(verdict) => format!("{output}\n{verdict}"),
    }
}
