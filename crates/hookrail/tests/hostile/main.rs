//! Hooks that try to hang, flood, confuse or outlive the engine: one test per row, with real processes.
//!
//! Every row runs in processes of its own (see `arena.rs`): alone, with three well-behaved neighbours whose
//! verdicts must survive, and, where it gives no verdict, set to block on failure. After each run there must
//! be no process of the hook's group, no zombie and no descriptor more than before, and the peak memory must
//! be below 64 MiB + 2 × the payload + 6 × what was kept of the output.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail them by panicking")]

mod arena;
mod deadline;
mod exits;
mod files;
mod flood;
mod groups;
mod text;

/// One test per row: its name, and a function that makes the row.
macro_rules! rows {
    ($($(#[$meta:meta])* $name:ident => $row:expr;)+) => {
        $(
            $(#[$meta])*
            #[test]
            fn $name() {
                crate::arena::run(module_path!(), stringify!($name), &$row);
            }
        )+
    };
}
pub(crate) use rows;
