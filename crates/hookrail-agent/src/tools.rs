//! The tools a model may call: one trait, one table, one file per tool.
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

use hookrail::{JsonObject, ToolResult};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use failure::ToolFailure;
use paths::Workspace;
pub use protected::ProtectedPaths;

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something the model can do.
pub trait Tool: Send + Sync {
    /// The name that models and hook authors use.
    fn name(&self) -> &'static str;

    /// The function declaration sent to the model: name, description and parameters.
    fn declaration(&self) -> Value;

    /// What a call can change; decides whether it needs a permission and what may run side by side.
    fn kind(&self) -> ToolKind;

    /// One line that shows a person what this call would do, such as `write src/main.rs (120 bytes)`.
    fn title(&self, args: &JsonObject) -> String;

    /// The file that a call would write, as the model named it.
    fn writes<'a>(&self, _args: &'a JsonObject) -> Option<&'a str> {
        None
    }

    /// Runs a call. Failures are results the model can read; dropping the future ends the call.
    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult>;
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
    pub(crate) fn protected_file(&self, tool: &dyn Tool, args: &JsonObject) -> Option<ProtectedFile> {
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

/// The tools of one agent, by name.
pub struct ToolTable {
    tools: Vec<Box<dyn Tool>>,
}

impl ToolTable {
    /// The seven tools under the names that hook authors use, with the default time for shell commands.
    pub fn standard() -> Self {
        Self::with_shell_timeout(DEFAULT_SHELL_TIMEOUT)
    }

    /// The same tools with another bound for shell commands.
    pub fn with_shell_timeout(timeout: Duration) -> Self {
        Self {
            tools: vec![
                Box::new(read_file::ReadFile),
                Box::new(write_file::WriteFile),
                Box::new(replace::Replace),
                Box::new(list_directory::ListDirectory),
                Box::new(glob::Glob),
                Box::new(search_file_content::SearchFileContent),
                Box::new(run_shell_command::RunShellCommand::new(timeout)),
            ],
        }
    }

    /// The tool of that name, compared exactly.
    pub fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.tools.iter().find(|tool| tool.name() == name).map(AsRef::as_ref)
    }

    /// All names, in the order in which they are declared to the model.
    pub fn names(&self) -> Vec<&'static str> {
        self.tools.iter().map(|tool| tool.name()).collect()
    }

    /// The function declarations of all tools.
    pub fn declarations(&self) -> Vec<Value> {
        self.tools.iter().map(|tool| tool.declaration()).collect()
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
