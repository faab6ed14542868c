//! P6: events for which nothing runs.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use crate::args::Args;
use crate::engine::Engine;
use crate::report::{Report, Target, time};
use crate::stats::{Budget, Ratio, duel, median};
use crate::sys::allocations;

/// Calls in one sample.
const CALLS: u32 = 20_000;
/// The tool that the events are about.
const TOOL: &str = "read_file";

/// What a trigger may take with hooks off, and an event that no hook matches, in nanoseconds.
const OFF: f64 = 25.0;
const NO_MATCH: f64 = 100.0;

/// Measures a trigger with hooks off, beside an atomic load, and events that no hook matches, beside the lookup of a name.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let time = if args.quick { Duration::from_millis(400) } else { Duration::from_secs(3) };
    let budget = Budget { time, most: 2_000, least: 30 };

    let flag = AtomicBool::new(false);
    let off = Engine::off();
    let load = || repeat(|| black_box(&flag).load(Ordering::Relaxed));
    let mut context = Context::from_waker(Waker::noop());
    let trigger = || repeat(|| off.idle_before_tool(&mut context, TOOL));
    add(report, budget, "P6 trigger, hooks off, ns", OFF, load, trigger);

    // As many names as a planner remembers at most.
    let names: HashMap<String, u64> =
        (0..1_000).map(|number| (format!("tool_{number}"), number)).chain([(TOOL.to_owned(), 0)]).collect();
    let lookup = || repeat(|| names.get(black_box(TOOL)).copied());
    let mut medians = Vec::new();
    for hooks in [0, 100, 10_000] {
        let engine = Engine::with_settings(&crate::load::settings_text(hooks));
        let bench = match hooks {
            0 => "P6 event, no hooks, ns".to_owned(),
            _ => format!("P6 event, none of {hooks} hooks matches, ns"),
        };
        medians.push(add(report, budget, &bench, NO_MATCH, lookup, || {
            repeat(|| engine.idle_before_tool(&mut context, black_box(TOOL)));
        }));
    }
    if let [_, hundred, ten_thousand] = &medians[..] {
        let detail = String::new();
        report.add("P6 10,000 hooks to 100", Ratio::of(ten_thousand, hundred), Target::AtMost(1.25), detail);
    }
}

fn add(
    report: &mut Report,
    budget: Budget,
    bench: &str,
    most: f64,
    base: impl FnMut(),
    mut ours: impl FnMut(),
) -> Vec<f64> {
    ours();
    let before = allocations();
    ours();
    let allocated = allocations() - before;
    let duel = duel(budget, base, ours);
    let each = |samples: &[f64]| time(median(samples) / f64::from(CALLS));
    let detail = format!("{}, to {}", each(&duel.ours.wall), each(&duel.base.wall));
    let nanoseconds: Vec<f64> =
        duel.ours.wall.iter().map(|seconds| seconds / f64::from(CALLS) * 1e9).collect();
    report.add(bench, Ratio::of(&nanoseconds, &[1.0]), Target::AtMost(most), detail);
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let count = allocated as f64 / f64::from(CALLS);
    let none = Ratio { middle: count, low: count, high: count };
    report.add(&format!("{bench}: allocations"), none, Target::AtMost(0.0), String::new());
    duel.ours.wall
}

#[inline(never)]
fn repeat<T>(mut call: impl FnMut() -> T) {
    for _ in 0..CALLS {
        black_box(call());
    }
}
