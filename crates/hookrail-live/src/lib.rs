//! Runs real coding agents headless and offline against a scripted model on loopback, with hookrail as their hook, and
//! observes what they do.
//!
//! An agent is a [`Program`]: how it is pointed at the model, and how its model would write a file or start a subagent.
//! A [`Scenario`] is one effect of hooks: what the model does, and how success is observed from outside. A [`Subject`] is
//! an agent's executable with hookrail's. Every run gets a home directory of its own; nothing of the user's is read or
//! written, and no credentials are needed.

pub mod http;
mod measured;
mod model;
mod observed;
mod program;
mod prove;
mod run;
mod scenario;
mod texts;

pub use measured::{Measured, measured};
pub use model::{Call, ModelCall, OfferedTool, Script, ScriptedModel, Turn};
pub use observed::{Cell, Ending};
pub use program::{PROGRAMS, Program};
pub use prove::{EFFECTS, Observation, Proved, effects, observe};
pub use run::{RunAlone, Subject, first_requests, run_alone, version, version_in};
pub use scenario::{SCENARIOS, Scenario};
