//! The plots of `docs/performance.md`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::args::Args;
use crate::bridge::PythonHook;
use crate::events::{large_event, several, silent, small_event};
use crate::plot::{Plot, Series};
use crate::report::{say, time};
use crate::stats::{Budget, Duel, median};
use crate::workers::medians;

const OURS: &str = "#c2410c";
const FLOOR: &str = "#1d4ed8";
const OTHER: &str = "#4b5563";

/// Measures and draws the plots into a folder.
pub(crate) fn draw(args: &Args, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let seconds = if args.quick { 1 } else { 6 };
    let budget = Budget { time: Duration::from_secs(seconds), most: 1_000, least: 9 };
    if args.wants("P") {
        fs::write(folder.join("hooks.svg"), over_hooks(budget))?;
        fs::write(folder.join("payload.svg"), over_payload(budget))?;
    }
    if args.wants("B") {
        fs::write(folder.join("rules.svg"), over_rules(budget).map_err(std::io::Error::other)?)?;
        fs::write(folder.join("keeper.svg"), of_keeper(budget).map_err(std::io::Error::other)?)?;
    }
    if args.wants("W") {
        fs::write(folder.join("workers.svg"), of_workers(budget))?;
    }
    Ok(())
}

fn over_hooks(budget: Budget) -> String {
    let counts = [1_u32, 2, 4, 8, 16, 32, 64];
    let mut lines = Lines::new("", false);
    for count in counts {
        lines.add(f64::from(count), &small_event(budget, &several(silent(), count as usize)));
    }
    Plot {
        title: "One event, hooks side by side",
        x_label: "hooks",
        y_label: "latency (median)",
        x_ticks: counts.map(|count| (f64::from(count), count.to_string())).into(),
        y_text: short_time,
        series: lines.series().into(),
    }
    .render()
}

fn over_rules(budget: Budget) -> Result<String, String> {
    let counts = [1_u32, 10, 100, 300, 1_000];
    let mut lines = Lines::new("", false);
    let duels = crate::bridge::over_rules(budget, &counts.map(|count| count as usize))?;
    for (count, duel) in counts.into_iter().zip(&duels) {
        lines.add(f64::from(count), duel);
    }
    let plot = Plot {
        title: "A call of the bridge, rules that are not for it",
        x_label: "rules; the floor is an empty program",
        y_label: "latency (median)",
        x_ticks: counts.map(|count| (f64::from(count), count.to_string())).into(),
        y_text: short_time,
        series: lines.series().into(),
    };
    Ok(plot.render())
}

fn over_payload(budget: Budget) -> String {
    let sizes = [1_u32, 8, 60, 256, 1_000, 4_000, 16_000, 50_000];
    let mut series = Vec::new();
    for (hooks, name, dashed) in [(1, ", 1 hook", true), (8, ", 8 hooks", false)] {
        let mut lines = Lines::new(name, dashed);
        for kilobytes in sizes {
            lines.add(f64::from(kilobytes), &large_event(budget, kilobytes as usize * 1_000, hooks));
        }
        series.extend(lines.series());
    }
    Plot {
        title: "One event, payload read by every hook",
        x_label: "payload; the engine's time includes writing it as JSON",
        y_label: "latency (median)",
        x_ticks: sizes.map(|size| (f64::from(size), size_text(size))).into(),
        y_text: short_time,
        series,
    }
    .render()
}

fn of_workers(budget: Budget) -> String {
    let sizes = [1_u32, 8, 60, 256, 1_000, 4_000, 10_000];
    let line =
        |name: &str, color, dashed| Series { name: name.to_owned(), color, dashed, points: Vec::new() };
    let mut series = [
        line("raw pipe", FLOOR, false),
        line("worker", OURS, false),
        line("in forks", OURS, true),
        line("a process per event", OTHER, false),
    ];
    for kilobytes in sizes {
        let medians = medians(budget, kilobytes as usize * 1_000);
        for (series, seconds) in series.iter_mut().zip(medians) {
            say(&format!("{}, {}: {}", series.name, size_text(kilobytes), time(seconds)));
            series.points.push((f64::from(kilobytes), seconds));
        }
    }
    Plot {
        title: "One event of a Python hook that reads its payload",
        x_label: "payload; the engine's time includes writing it as JSON",
        y_label: "latency (median)",
        x_ticks: sizes.map(|size| (f64::from(size), size_text(size))).into(),
        y_text: short_time,
        series: series.into(),
    }
    .render()
}

fn of_keeper(budget: Budget) -> Result<String, String> {
    let sizes = [1_u32, 8, 60, 256, 1_000];
    let line = |name: &str, color| Series { name: name.to_owned(), color, dashed: false, points: Vec::new() };
    let mut series = [line("started for each call", OTHER), line("kept", OURS), line("empty program", FLOOR)];
    let mut hook = PythonHook::build()?;
    for kilobytes in sizes {
        let medians = hook.medians(budget, kilobytes as usize * 1_000);
        for (series, seconds) in series.iter_mut().zip(medians) {
            say(&format!("{}, {}: {}", series.name, size_text(kilobytes), time(seconds)));
            series.points.push((f64::from(kilobytes), seconds));
        }
    }
    let plot = Plot {
        title: "A call of Claude Code with a Python worker hook",
        x_label: "payload",
        y_label: "latency (median)",
        x_ticks: sizes.map(|size| (f64::from(size), size_text(size))).into(),
        y_text: short_time,
        series: series.into(),
    };
    Ok(plot.render())
}

fn size_text(kilobytes: u32) -> String {
    match kilobytes {
        ..1_000 => format!("{kilobytes} kB"),
        _ => format!("{} MB", kilobytes / 1_000),
    }
}

/// A line for the engine and one for the floor.
struct Lines {
    ours: Series,
    floor: Series,
}

impl Lines {
    fn new(what: &str, dashed: bool) -> Self {
        let line = |name, color| Series { name: format!("{name}{what}"), color, dashed, points: Vec::new() };
        Self { ours: line("hookrail", OURS), floor: line("floor", FLOOR) }
    }

    fn add(&mut self, x: f64, duel: &Duel) {
        let (ours, floor) = (median(&duel.ours.wall), median(&duel.base.wall));
        say(&format!("{}, {x}: {}, floor {}", self.ours.name, time(ours), time(floor)));
        self.ours.points.push((x, ours));
        self.floor.points.push((x, floor));
    }

    fn series(self) -> [Series; 2] {
        [self.ours, self.floor]
    }
}

/// A tick's value without needless digits.
fn short_time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.999e-3 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 0.999 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.0} s"),
    }
}
