//! The message bus: execution requests in, execution responses out.
//!
//! In one process, publish and subscribe; over `hookrail serve`, the same messages as JSON Lines.
//! Requests arrive unchecked. One that is not valid gets an error response.

pub(crate) mod answer;
pub(crate) mod message;
pub(crate) mod publish;
#[cfg(test)]
mod tests;
