//! What a host uses: a session with its hook system, the event handler, the triggers around tools and model calls,
//! the observer and the message bus.

mod admission;
pub(crate) mod bus;
pub(crate) mod event_handler;
pub(crate) mod observer;
mod second_round;
pub(crate) mod session;
pub(crate) mod system;
pub(crate) mod tool;
pub(crate) mod triggers;
