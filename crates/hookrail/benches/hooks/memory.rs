//! P5: how much memory an event with a large payload takes at its peak, for few and many hooks.
//!
//! Measured in a process of its own, because a process remembers only its highest peak.

use std::fs;
use std::process::Command;

use crate::args::Args;
use crate::engine::{Engine, large_payload, request_of};
use crate::events::{reading, several};
use crate::report::{Report, Target};
use crate::stats::Ratio;

/// Compares the extra memory with the payload.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let bytes = 10 << 20;
    let counts: &[usize] = if args.quick { &[1, 32] } else { &[1, 8, 32, 64] };
    for count in counts {
        let peaks: Vec<f64> =
            (0..if args.quick { 3 } else { 7 }).map(|_| peak_in_child(bytes, *count)).collect();
        let ratio = Ratio::of(&peaks, &[1.0]);
        let bench = format!("P5 extra peak memory, 10 MB to {count} hooks");
        report.add(&bench, ratio, Target::AtMost(1.3), "× the payload".to_owned());
    }
}

fn peak_in_child(bytes: usize, hooks: usize) -> f64 {
    let output = Command::new(std::env::current_exe().expect("knows itself"))
        .args(["child-memory", &bytes.to_string(), &hooks.to_string()])
        .output()
        .expect("starts itself");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Fires one event and tells how many times the payload's size the process grew. The first event of an engine
/// is a small one, so that what is made once is not counted.
#[allow(clippy::cast_precision_loss, reason = "sizes are far from the limits of a float")]
pub(crate) fn peak(bytes: usize, hooks: usize) -> f64 {
    let request = request_of(bytes);
    let length = large_payload(&request).len();
    let engine = Engine::with_hooks("BeforeModel", &several(reading(), hooks));
    engine.before_model(&request_of(1_000));
    fs::write("/proc/self/clear_refs", "5").expect("resets the peak");
    let before = status("VmRSS:");
    engine.before_model(&request);
    status("VmHWM:").saturating_sub(before) as f64 / length as f64
}

/// A size in bytes that the kernel tells of this process.
fn status(field: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let line = text.lines().find_map(|line| line.strip_prefix(field)).expect("the kernel tells this");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}
