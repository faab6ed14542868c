//! Integration tests of the agent: real HTTP on loopback, real files, real processes.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod model_http;
mod model_record;
mod session;
mod tidy;
mod tools;
