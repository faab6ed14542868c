//! Decisions over NATS: asking a service ([`Asker`]), and being one ([`serve`]).
//!
//! Messages are those of the message bus; what they mean is known elsewhere. Nothing here reads a variable of the environment,
//! and nothing is set up before the first question.

mod asker;
mod client;
mod connection;
mod key;
mod response;
mod service;

pub use asker::{Asker, Rights, rights};
pub use connection::Endpoint;
pub use key::NewKey;
pub use response::{Question, output_of};
pub use service::{Place, serve};
