//! Runs a plan: hooks side by side or chained.

mod capture;
mod command;
mod payload;
mod process;
mod reaper;
mod unix;
mod watch;

pub use payload::{Payload, PayloadError};
