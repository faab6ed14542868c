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
mod bridge;
mod engine;
mod events;
mod floor;
mod idle;
mod load;
mod mcp;
mod memory;
mod plot;
mod plots;
mod program;
mod replay;
mod report;
mod rules;
mod serve;
mod stats;
mod sys;
mod workers;

use std::process::ExitCode;

use crate::args::{Args, USAGE};
use crate::report::{Report, say};

#[global_allocator]
static ALLOCATOR: sys::CountingAllocator = sys::CountingAllocator;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Some measurements need a process of their own: this program again.
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child-echo", socket] => {
            serve::echo(socket);
            return ExitCode::SUCCESS;
        }
        ["child-mcp"] => {
            mcp::answer_all();
            return ExitCode::SUCCESS;
        }
        ["child-memory", bytes, hooks] => {
            let number = |text: &str| text.parse().expect("a number");
            say(&memory::peak(number(bytes), number(hooks)).to_string());
            return ExitCode::SUCCESS;
        }
        ["child-asks", who, count, bytes] => {
            let number = |text: &str| text.parse().expect("a number");
            workers::repeat(who, number(count), number(bytes));
            return ExitCode::SUCCESS;
        }
        ["child-events", who, count, hooks, bytes] => {
            let number = |text: &str| text.parse().expect("a number");
            events::repeat(who, number(count), number(hooks), number(bytes));
            return ExitCode::SUCCESS;
        }
        _ => {}
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
    if let Some(folder) = &args.plots {
        return match plots::draw(&args, folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("error: cannot write the plots into `{}`: {problem}", folder.display());
                ExitCode::FAILURE
            }
        };
    }
    let report = measure(&args);
    report.print_table();
    if args.check && !report.is_ok() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

type Workload = fn(&Args, &mut Report);

fn measure(args: &Args) -> Report {
    let mut report = Report::default();
    let workloads: [(&str, Workload); 25] = [
        ("P1", events::one_hook),
        ("P2", events::direct_hook),
        ("P3", events::parallel_hooks),
        ("P4", events::large_host),
        ("P5", events::large_request),
        ("P5", memory::measure),
        ("P6", idle::measure),
        ("P7", load::measure),
        ("P7", load::rules),
        ("P8", program::measure),
        ("P9", serve::measure),
        ("P10", rules::measure),
        ("P11", bridge::measure),
        ("P12", bridge::keeper),
        ("P13", bridge::remote),
        ("P14", mcp::measure),
        ("AGENT", program::agent),
        ("W1", workers::round_trip),
        ("W2", workers::python),
        ("W3", workers::node),
        ("W4", workers::forks),
        ("W5", workers::eight),
        ("W6", workers::large),
        ("TEST", replay::test),
        ("REPLAY", replay::measure),
    ];
    for (name, workload) in workloads {
        if args.wants(name) {
            workload(args, &mut report);
        }
    }
    report
}
