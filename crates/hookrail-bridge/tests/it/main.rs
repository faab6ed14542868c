//! The bridge from outside: payloads that real agents sent, and the answers they would get.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod codex_schema;
mod entries;
mod hostile;
mod laws;
mod payloads;
mod sessions;
mod support;
mod tidy;
