//! What a host uses: a session with its hook system, the event handler, the triggers around tools and model calls,
//! the observer and the message bus.
//!
//! The files depend on each other in one direction only: `observer` and `bus/publish` at the bottom, then `config`,
//! `event_handler`, `system`, `session`, and on top of it `session_events`, `tool_call` and `model_call`.

pub(crate) mod admission;
pub(crate) mod bus;
pub(crate) mod config;
pub(crate) mod effects;
pub(crate) mod event_handler;
pub(crate) mod grants;
pub(crate) mod model_call;
pub(crate) mod model_format;
pub(crate) mod observer;
pub(crate) mod panics;
pub(crate) mod patch_calls;
pub(crate) mod permission;
pub(crate) mod second_round;
pub(crate) mod session;
pub(crate) mod session_events;
pub(crate) mod system;
pub(crate) mod tool;
pub(crate) mod tool_call;
