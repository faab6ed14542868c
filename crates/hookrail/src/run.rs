//! Runs hooks: side by side or chained, as processes with one deadline each. The only folder that starts processes.

mod busy;
mod command;
mod direct;
mod environment;
mod keeper;
mod payload;
mod process;
mod reading;
mod reaper;
pub(crate) mod rules;
mod runner;
mod unix;
mod worker;

pub(crate) use self::busy::stays_open_for_writing;
pub(crate) use self::environment::EnvironmentSource;
pub use self::environment::{inherited_environment, is_withheld};
pub use self::keeper::{KeeperQuestion, KeeperReply, KeptAnswer, KeptExit, KeptQuestion, WorkerKeeper};
#[cfg(test)]
pub(crate) use self::payload::injected as injected_payload;
pub use self::payload::{Payload, PayloadError};
pub(crate) use self::reading::{is_long, on_blocking_thread_if};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::runner::fuzzing;
pub(crate) use self::runner::{Call, Place, StartListener};
pub use self::runner::{
    Escalations, HookRunner, RunnerOptions, ServiceAnswer, ServiceClient, ServiceQuestion,
};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::worker::fuzzing as worker_fuzzing;
pub use self::worker::{ForkObstacle, WorkerPool, WorkerStatus, fork_obstacle};

/// The stacks of our threads, as large as they usually are. Without a size the environment decides (`RUST_MIN_STACK`), and so
/// whether there can be a thread at all.
const STACK_SIZE: usize = 2 << 20;
