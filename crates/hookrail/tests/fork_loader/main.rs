//! The loader for `"worker": "fork"`, driven by its protocol alone.
//!
//! `table.rs` runs each script of `tests/data/fork` as `python3 script.py` and by the loader, and compares what came
//! of it byte for byte. `life.rs` is about the loader's own life. `HOOKRAIL_TEST_PYTHONS` names further interpreters
//! to run the table with, separated by colons; `HOOKRAIL_TEST_ONLY` keeps the scripts whose names contain it.
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail them by panicking")]

mod client;
mod life;
mod table;
