//! Runs hooks: side by side or chained, as processes with one deadline each. The only folder that starts processes.

mod capture;
mod command;
mod direct;
mod environment;
mod expand;
mod handover;
mod image;
mod join;
mod json_text;
mod payload;
mod process;
mod reaper;
pub(crate) mod rules;
mod runner;
mod unix;
mod watch;
mod worker;

pub use self::environment::inherited_environment;
pub use self::payload::{Payload, PayloadError};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::runner::fuzzing;
pub use self::runner::{Escalations, HookRunner, RunnerOptions, StartListener};
pub use self::worker::{ForkObstacle, WorkerPool, WorkerStatus, fork_obstacle};
