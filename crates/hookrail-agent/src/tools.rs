//! The tools a model may call: one table, one file per tool.
//!
//! What the tools share is in files beside them: `args` reads what the model sent, `paths` keeps every file
//! access inside of the project, `edits` replaces files atomically, `walk` visits files by the rules of
//! `.gitignore`, `text` makes foreign text fit for a line on a terminal. Deciding whether a call may run
//! at all is left to the scheduler.

mod args;
mod edits;
mod failure;
mod glob;
mod list_directory;
mod paths;
pub(crate) mod preview;
mod process;
mod protected;
mod read_file;
mod replace;
mod run_shell_command;
mod search_file_content;
mod text;
mod walk;
mod write_file;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use hookrail::{JsonObject, ToolContent, ToolResult};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::args::Args;
use self::failure::ToolFailure;
use self::paths::Workspace;
pub use protected::ProtectedPaths;

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something the model can do.
pub struct Tool {
    /// The name that models and hook authors use.
    pub name: &'static str,
    /// What a call can change; decides whether it needs a permission and what may run side by side.
    pub kind: ToolKind,
    title: fn(Args<'_>) -> String,
    run: Run,
}

/// How a tool does its work.
#[derive(Clone, Copy)]
enum Run {
    /// On files of the project, on a thread that may block.
    Files(fn(&Workspace, Args<'_>, &CancellationToken) -> Result<ToolResult, ToolFailure>),
    /// By a shell, within this time.
    Shell(Duration),
}

impl Tool {
    /// One line that shows a person what this call would do, such as `write src/main.rs (120 bytes)`.
    pub fn title(&self, args: &JsonObject) -> String {
        (self.title)(Args(args))
    }

    /// The file that a call would write, as the model named it.
    fn writes<'a>(&self, args: &'a JsonObject) -> Option<&'a str> {
        args.get("file_path").filter(|_| self.kind == ToolKind::Edit)?.as_str()
    }

    /// Runs a call. Failures are results the model can read; dropping the future ends the call.
    pub async fn run(&self, args: JsonObject, context: &ToolContext) -> ToolResult {
        match self.run {
            Run::Files(work) => {
                blocking(self.kind, context, move |workspace, cancel| work(workspace, Args(&args), cancel))
                    .await
            }
            Run::Shell(limit) => {
                run_shell_command::run(&args, limit, context).await.unwrap_or_else(Into::into)
            }
        }
    }
}

/// A result: for the model, for people, and facts for hooks.
fn report(content: impl Into<String>, display: impl Into<String>, facts: &Value) -> ToolResult {
    ToolResult {
        llm_content: ToolContent::Text(content.into()),
        return_display: Value::String(display.into()),
        metadata: facts.as_object().cloned(),
        ..ToolResult::default()
    }
}

/// What a tool can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Nothing: it reads, needs no permission, and runs beside others of its kind.
    ReadOnly,
    /// Files of the project.
    Edit,
    /// Everything that a program can change.
    Execute,
}

impl ToolKind {
    /// The `type` in the details of a permission question.
    pub const fn permission_type(self) -> &'static str {
        match self {
            Self::ReadOnly => "info",
            Self::Edit => "edit",
            Self::Execute => "exec",
        }
    }
}

/// Where tools work, and what ends them.
#[derive(Debug, Clone, Default)]
pub struct ToolContext {
    /// The project; no path outside of it is touched.
    pub project: PathBuf,
    /// Set when the user gave up.
    pub cancel: CancellationToken,
    /// What is written only after a question; a session fills it in.
    pub protected: ProtectedPaths,
}

impl ToolContext {
    /// The protected file that a call would write, if it would: such a call needs a person's permission in every
    /// approval mode.
    pub(crate) fn protected_file(&self, tool: &Tool, args: &JsonObject) -> Option<ProtectedFile> {
        let given = tool.writes(args)?;
        let workspace = Workspace::open(&self.project, &self.protected).ok()?;
        // A path that does not resolve is refused by the tool itself.
        let relative = workspace.resolve(given).ok()?.relative;
        let why = self.protected.reason(workspace.root(), &relative)?;
        Some(ProtectedFile { relative, why })
    }

    /// The context of a call that a person allowed to write this file.
    pub(crate) fn allowing(&self, file: ProtectedFile) -> Self {
        Self { protected: self.protected.allowing(file.relative), ..self.clone() }
    }
}

/// A file that is written only after a person allowed it.
pub(crate) struct ProtectedFile {
    /// Its real path below the project.
    relative: PathBuf,
    /// Why it is protected, for the question.
    pub(crate) why: &'static str,
}

/// How long a shell command may run unless the table has another limit.
pub const DEFAULT_SHELL_TIMEOUT: Duration = Duration::from_mins(2);

/// What the model is told of the tools, in the form of the Gemini API and in the order of the table.
const DECLARATIONS: &str = include_str!("tools/declarations.json");

/// The tools of one agent, by name.
pub struct ToolTable {
    tools: [Tool; 7],
    shell_timeout: Duration,
}

impl ToolTable {
    /// The seven tools under the names that hook authors use, with the default time for shell commands.
    pub fn standard() -> Self {
        Self::with_shell_timeout(DEFAULT_SHELL_TIMEOUT)
    }

    /// The same tools with another bound for shell commands.
    pub fn with_shell_timeout(shell_timeout: Duration) -> Self {
        let tools = [
            read_file::TOOL,
            write_file::TOOL,
            replace::TOOL,
            list_directory::TOOL,
            glob::TOOL,
            search_file_content::TOOL,
            Tool { run: Run::Shell(shell_timeout), ..run_shell_command::TOOL },
        ];
        Self { tools, shell_timeout }
    }

    /// The tool of that name, compared exactly.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// All names, in the order in which they are declared to the model.
    pub fn names(&self) -> Vec<&'static str> {
        self.tools.iter().map(|tool| tool.name).collect()
    }

    /// The function declarations of all tools.
    pub fn declarations(&self) -> Vec<Value> {
        let seconds = self.shell_timeout.as_secs().to_string();
        serde_json::from_str(&DECLARATIONS.replace("{seconds}", &seconds)).unwrap_or_default()
    }
}

/// Runs file work on a thread that may block.
///
/// The work gets a token that is set when the user gives up and also when the call's future is dropped,
/// because a blocking thread cannot be dropped. A call that only reads is not waited for once it is
/// cancelled: it may hang in a file system. One that edits is, so that its result is what happened.
async fn blocking<F>(kind: ToolKind, context: &ToolContext, work: F) -> ToolResult
where
    F: FnOnce(&Workspace, &CancellationToken) -> Result<ToolResult, ToolFailure> + Send + 'static,
{
    let cancel = context.cancel.child_token();
    let _cancelled_when_dropped = cancel.clone().drop_guard();
    let project = context.project.clone();
    let protected = context.protected.clone();
    let token = cancel.clone();
    let task = tokio::task::spawn_blocking(move || {
        failure::check(&token)?;
        work(&Workspace::open(&project, &protected)?, &token)
    });
    let finished = tokio::select! {
        finished = task => finished,
        () = cancel.cancelled(), if kind == ToolKind::ReadOnly => return ToolFailure::cancelled().into(),
    };
    match finished {
        Ok(Ok(result)) => result,
        Ok(Err(failure)) => failure.into(),
        Err(error) => ToolFailure::broken(&error).into(),
    }
}
