//! A small real coding agent that carries out what hooks decide.
//!
//! [`Session`] is the turn loop: prompt → model → tools → model. It runs hooks around every model
//! call and every tool call, and applies what they decide. It prints nothing: a [`ui::Ui`] shows
//! what happens, and the session log keeps it.

mod approval;
mod history;
pub mod log;
#[cfg(feature = "log-schema")]
mod log_schema;
pub mod model;
mod observer;
mod scheduler;
mod session;
pub mod tools;
pub mod ui;

pub use approval::ApprovalMode;
#[cfg(feature = "log-schema")]
pub use log_schema::session_log_schema;
pub use observer::AgentObserver;
pub use session::{FinalAnswer, PromptOutcome, Session, SessionOptions, SessionParts};
