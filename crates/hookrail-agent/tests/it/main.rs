//! The agent against the real outside world: servers, files, processes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "Helpers outside of test functions may fail a test, too."
)]

mod model_http;
mod model_record;
mod model_server;
