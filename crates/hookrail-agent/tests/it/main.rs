//! The agent's parts in a real project, with real files and real processes.
#![expect(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod tools;
