//! Workers: the same verdicts as one process per event, whatever they do, and nothing left behind.
#![expect(clippy::expect_used, reason = "helpers of tests fail them by panicking")]

#[path = "../fixtures/hook.rs"]
mod hook_fixture;
mod kit;

mod fork;
mod hostile;
mod life;
mod prompt;
mod same;
mod soak;
