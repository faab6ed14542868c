//! The benchmark: `cargo bench -p hookrail`. See `docs/performance.md`.
//!
//! Contenders take turns event by event; a ratio of medians comes with its bootstrap interval; a target is missed
//! when the whole interval is beyond it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    reason = "a measurement that cannot be made ends the benchmark"
)]

mod args;
mod engine;
mod floor;
mod load;
mod plot;
mod program;
mod report;
mod serve;
mod stats;
mod sys;

use std::process::ExitCode;

use crate::args::{Args, USAGE};
use crate::report::{Report, say};

#[global_allocator]
static ALLOCATOR: sys::CountingAllocator = sys::CountingAllocator;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Some measurements need a process of their own: this program again.
    if let [child, socket] = &arguments[..]
        && child == "child-echo"
    {
        serve::echo(socket);
        return ExitCode::SUCCESS;
    }
    let args = match Args::parse(arguments) {
        Ok(args) => args,
        Err(problem) => {
            eprintln!("error: {problem}\n\n{USAGE}");
            return ExitCode::from(64);
        }
    };
    if !args.bench {
        say(USAGE);
        return ExitCode::SUCCESS;
    }
    let mut report = Report::default();
    if args.wants("P7") {
        load::measure(&args, &mut report);
    }
    report.print_table();
    if args.check && !report.is_ok() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
