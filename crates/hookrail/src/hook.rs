//! A hook after its settings were read and validated.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fixtures;
mod service;

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{DiagnosticCode, Place};
use crate::dialect::HookDialect;
use crate::event::EventName;
use crate::matcher::Matcher;
use crate::rules::{Condition, Rule};

pub use self::service::{HttpHook, NatsHook, ServiceUrl};

/// How long a hook may run when its settings do not set it.
pub(crate) const DEFAULT_HOOK_TIMEOUT: Duration = Duration::from_mins(1);

/// The folders of a project or a home directory that hold settings: ours first, then the specification's.
pub const SETTINGS_FOLDERS: [&str; 2] = [".hookrail", ".llxprt"];

/// The variables that hold the working directory of a hook.
pub const PROJECT_DIR_VARIABLES: [&str; 4] =
    ["HOOKRAIL_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// One configured hook, checked and compiled. Make one with [`Hook::new`] and change what differs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hook {
    /// When it runs.
    pub event: EventName,
    /// Its `name`, else its command.
    pub name: String,
    /// The description in its settings.
    pub description: Option<String>,
    /// What kind of program it is.
    pub kind: HookKind,
    /// What it listens to.
    pub matcher: Matcher,
    /// Whether its group asks to run one after another.
    pub sequential: bool,
    /// How long it may run.
    pub timeout: Duration,
    /// Variables added to its environment, in the order of the settings.
    pub env: Vec<(String, String)>,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// Whether it is started at all; `None` means always.
    pub when: Option<Arc<Condition>>,
    /// Its condition and, for a rule, its output, as JSON text. Approvals cover it, so that a rule of the user's or the
    /// system's own has none.
    pub definition: Option<Cow<'static, str>>,
    /// Whether running it has no effect outside of itself, so that it may be asked about past calls.
    pub pure: bool,
    /// Whether it is a guard of the shipped library. A rule of somebody's own may have the same name.
    pub shipped: bool,
    /// Patterns of project files that its approval is bound to besides those that its command names.
    pub watch: Vec<String>,
    /// Whether its process is kept for the next event.
    pub worker: WorkerMode,
    /// In which agent's terms it is written.
    pub dialect: HookDialect,
    /// Its rank.
    pub source: ConfigSource,
    /// Its place in the settings.
    pub origin: Origin,
    /// The folder around the session's project that it was approved for; `None` for all other hooks. It runs there, and
    /// the session's project has no say about it.
    pub enclosing: Option<Arc<Path>>,
}

impl Hook {
    /// A command hook of the user's for every occurrence of this event, with the defaults of a hook whose settings contain
    /// only its command.
    pub fn new(event: EventName, command: impl Into<String>) -> Self {
        let command = command.into();
        Self {
            event,
            name: command.clone(),
            description: None,
            kind: HookKind::Command(command),
            matcher: Matcher::any(),
            sequential: false,
            timeout: DEFAULT_HOOK_TIMEOUT,
            env: Vec::new(),
            on_failure: OnFailure::Allow,
            when: None,
            definition: None,
            pure: false,
            shipped: false,
            watch: Vec::new(),
            worker: WorkerMode::Off,
            dialect: HookDialect::Own,
            source: ConfigSource::Project,
            origin: Origin { level: Level::User, file: PathBuf::new(), line: 0 },
            enclosing: None,
        }
    }

    /// Whether it is a hook of the session's own project, for which that project's settings count.
    pub(crate) fn is_own_projects(&self) -> bool {
        self.origin.level == Level::Project && self.enclosing.is_none()
    }

    /// The folder that it runs in, where the hooks of the session run in `directory`.
    pub(crate) fn folder<'a>(&'a self, directory: &'a Path) -> &'a Path {
        self.enclosing.as_deref().unwrap_or(directory)
    }

    /// Whether a person may let single calls pass it: a rule of the user's or a project's settings.
    pub fn can_be_lifted(&self) -> bool {
        let is_theirs = match self.origin.level {
            Level::Project | Level::User => true,
            Level::Managed | Level::System | Level::Extension(_) => false,
        };
        is_theirs && matches!(self.kind, HookKind::Rule(_))
    }

    /// The command as configured; empty for a hook that has none.
    pub fn command(&self) -> &str {
        self.command_text().unwrap_or_default()
    }

    /// The command as configured, if the hook has one.
    pub fn command_text(&self) -> Option<&str> {
        match &self.kind {
            HookKind::Command(command) => Some(command),
            _ => None,
        }
    }

    /// The address of the service that is asked, without what may be secret in it; `None` for hooks of this machine.
    pub fn service(&self) -> Option<String> {
        match &self.kind {
            HookKind::Http(http) => Some(http.url.shown()),
            HookKind::Remote(nats) => Some(format!("{} {}", nats.url.shown(), nats.subject)),
            _ => None,
        }
    }

    /// Whether it may be asked about past calls: a rule, or a command that is marked so.
    pub fn is_pure(&self) -> bool {
        self.pure || matches!(self.kind, HookKind::Rule(_))
    }

    /// The `type` in its settings.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            HookKind::Command(_) => "command",
            HookKind::Plugin => "plugin",
            HookKind::Http(_) => "http",
            HookKind::Remote(_) => "remote",
            HookKind::UnreadableRule(UnreadableRule::Malformed { what, .. }) if what != "entry" => what,
            HookKind::Rule(_) | HookKind::UnreadableRule(_) => "rule",
        }
    }
}

/// What kind of hook it is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum HookKind {
    /// A shell command, as configured.
    Command(String),
    /// Accepted in settings for what may come; cannot be run yet, and fails open.
    Plugin,
    /// A service that is asked by HTTP.
    Http(Arc<HttpHook>),
    /// A service that is asked over NATS.
    Remote(Arc<NatsHook>),
    /// A condition and an answer; nothing is started.
    Rule(Arc<Rule>),
    /// A rule, or the address of a service, that cannot be read. What it was to forbid is not known, so that it blocks every guarded event.
    UnreadableRule(UnreadableRule),
}

/// What it means when a hook fails to give a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// The operation goes on.
    #[default]
    Allow,
    /// A `BeforeTool` or `BeforeModel` operation is blocked.
    Block,
}

/// What `ask` means as the decision of a `BeforeTool` hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AskReading {
    /// A person decides about the call.
    #[default]
    Person,
    /// The call runs, as if the hook had allowed it.
    Allow,
}

/// Whether the process of a command hook is kept for the next event. Exhaustive on purpose: `worker` has these values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum WorkerMode {
    /// One process for each event.
    #[default]
    Off,
    /// One process answers many events, line by line; `"worker": true`.
    Lines,
    /// A Python script that runs in forks of one interpreter; `"worker": "fork"`.
    Fork,
}

/// A hook's rank: lower runs first and wins deduplication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ConfigSource {
    Project = 1,
    User = 2,
    System = 3,
    Extensions = 4,
}

/// The place of a hook in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// Whose settings they are.
    pub level: Level,
    /// The file; empty for hooks that the host gave as values.
    pub file: PathBuf,
    /// The line of the hook's opening brace, from 1; 0 where there is no file.
    pub line: usize,
}

impl Origin {
    /// This line of a file of that level.
    pub fn new(level: Level, file: impl Into<PathBuf>, line: usize) -> Self {
        Self { level, file: file.into(), line }
    }
}

/// Whose settings a hook comes from. Exhaustive on purpose: the specification has these levels, and a host decides by
/// them what a hook may do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Level {
    /// The organisation's: a signed policy, which no other level weakens.
    Managed,
    /// The project's, in `.hookrail/settings.json` and `.llxprt/settings.json`.
    Project,
    /// The user's.
    User,
    /// The machine's.
    System,
    /// An extension, by name.
    Extension(ExtensionName),
}

impl Level {
    /// The rank of the hooks of this level. Those of the project, the user and the system are merged into one list
    /// before they are ranked.
    pub(crate) const fn config_source(&self) -> ConfigSource {
        match self {
            Self::Extension(_) => ConfigSource::Extensions,
            Self::Managed | Self::Project | Self::User | Self::System => ConfigSource::Project,
        }
    }
}

/// An extension's name; written as `extension:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExtensionName(String);

impl ExtensionName {
    /// The extension of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Level {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Managed => f.write_str("managed"),
            Self::Project => f.write_str("project"),
            Self::User => f.write_str("user"),
            Self::System => f.write_str("system"),
            Self::Extension(name) => write!(f, "extension:{}", name.0),
        }
    }
}

/// Why the file that a command is started with cannot be executed. Its text says what to do. The file is relative to the
/// project where it is inside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum StartObstacle {
    /// It has no right to be executed, or its file system executes nothing.
    #[error("`{0}` is not executable; run `chmod +x {0}` or name its interpreter in the command", .file.display())]
    NotExecutable { file: PathBuf },
    /// There is no such file.
    #[error("`{}` is not there; add it", .file.display())]
    Missing { file: PathBuf },
}

/// Why a rule cannot be used. `hookrail check` reports the same with the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum UnreadableRule {
    /// Its settings have a mistake; the first one is given. `place` is where it begins, if it is in a file, and `what` its
    /// type, or "entry" if it is not known to be a hook.
    Malformed { what: &'static str, place: Option<Place>, code: DiagnosticCode, message: String },
    /// Settings turn on a shipped rule that does not exist. A long name is cut.
    UnknownName { name: String, place: Option<Place> },
}

impl fmt::Display for UnreadableRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { what, place, message, .. } => {
                let hook = if matches!(*what, "rule" | "entry") { "" } else { " hook" };
                match place {
                    Some(place) => write!(f, "the {what}{hook} at {place} cannot be read: {message}"),
                    None => write!(f, "a {what}{hook} cannot be read: {message}"),
                }
            }
            Self::UnknownName { name, place } => {
                write!(f, "there is no shipped rule `{name}`")?;
                place.as_ref().map_or(Ok(()), |place| write!(f, " (named at {place})"))
            }
        }
    }
}
