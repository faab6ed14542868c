//! What a host uses: a session, which fires events around tools and model calls, the observer and the message bus.
//!
//! A session owns its `config` and, once it is started, its `engine`; `event_handler` fires with both, and `session_events`,
//! `tool_call` and `model_call` make of the results what a host does next.

pub(crate) mod admission;
pub(crate) mod builder;
pub(crate) mod bus;
pub(crate) mod config;
pub(crate) mod effects;
pub(crate) mod engine;
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
pub(crate) mod tool;
pub(crate) mod tool_call;
