//! The tools a model may call: one trait, one table, one file per tool.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use hookrail::{JsonObject, ToolResult};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something the model can do.
pub trait Tool: Send + Sync {
    /// The name that models and hook authors know.
    fn name(&self) -> &'static str;

    /// The function declaration sent to the model: name, description and parameters.
    fn declaration(&self) -> Value;

    /// What a call does to the world; decides who must be asked and what may run side by side.
    fn kind(&self) -> ToolKind;

    /// One line that tells a person what this call would do, such as `write src/main.rs (120 bytes)`.
    fn title(&self, args: &JsonObject) -> String;

    /// Runs a call. Failures are results the model can read; dropping the future ends the call.
    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult>;
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Looks and changes nothing; never asks; runs beside others of its kind.
    ReadOnly,
    /// Changes files of the project.
    Edit,
    /// Runs programs.
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

/// Where tools work.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The project; no path outside of it is touched.
    pub project: PathBuf,
    /// Set when the user gave up.
    pub cancel: CancellationToken,
}
