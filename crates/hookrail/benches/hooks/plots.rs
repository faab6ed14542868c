//! The plots of `docs/performance.md`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use plotters::style::RGBColor;

use crate::args::Args;
use crate::bridge::PythonHook;
use crate::events::{large_event, several, silent, small_event};
use crate::plot::{Plot, Series};
use crate::report::{say, time};
use crate::stats::{Budget, Duel, median};
use crate::workers::medians;

const OURS: RGBColor = RGBColor(0xc2, 0x41, 0x0c);
const FLOOR: RGBColor = RGBColor(0x1d, 0x4e, 0xd8);
const OTHER: RGBColor = RGBColor(0x4b, 0x55, 0x63);

/// Measures and draws the plots into a folder.
pub(crate) fn draw(args: &Args, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let seconds = if args.quick { 1 } else { 6 };
    let budget = Budget { time: Duration::from_secs(seconds), most: 1_000, least: 9 };
    let write = |name: &str, plot: Plot<'_>| fs::write(folder.join(name), plot.render());
    if args.wants("P") {
        write("hooks.svg", over_hooks(budget))?;
        write("payload.svg", over_payload(budget))?;
    }
    if args.wants("B") {
        write("rules.svg", over_rules(budget).map_err(std::io::Error::other)?)?;
        write("keeper.svg", of_keeper(budget).map_err(std::io::Error::other)?)?;
    }
    if args.wants("W") {
        write("workers.svg", of_workers(budget))?;
    }
    Ok(())
}

fn over_hooks(budget: Budget) -> Plot<'static> {
    let mut lines = [line("hookrail", OURS), line("floor", FLOOR)];
    for count in [1_u32, 2, 4, 8, 16, 32, 64] {
        let duel = small_event(budget, &several(silent(), count as usize));
        add(&mut lines, count, count_text, both(&duel));
    }
    Plot {
        title: "One event, hooks side by side",
        x_label: "hooks",
        x_text: count_text,
        series: lines.into(),
    }
}

fn over_rules(budget: Budget) -> Result<Plot<'static>, String> {
    let counts = [1_u32, 10, 100, 300, 1_000];
    let mut lines = [line("hookrail", OURS), line("floor", FLOOR)];
    let duels = crate::bridge::over_rules(budget, &counts.map(|count| count as usize))?;
    for (count, duel) in counts.into_iter().zip(&duels) {
        add(&mut lines, count, count_text, both(duel));
    }
    Ok(Plot {
        title: "A call of the bridge, rules that are not for it",
        x_label: "rules; the floor is an empty program",
        x_text: count_text,
        series: lines.into(),
    })
}

fn over_payload(budget: Budget) -> Plot<'static> {
    let mut series = Vec::new();
    for (hooks, name, dashed) in [(1, "1 hook", true), (8, "8 hooks", false)] {
        let line = |who, color| Series { dashed, ..line(&format!("{who}, {name}"), color) };
        let mut lines = [line("hookrail", OURS), line("floor", FLOOR)];
        for kilobytes in [1_u32, 8, 60, 256, 1_000, 4_000, 16_000, 50_000] {
            let duel = large_event(budget, kilobytes as usize * 1_000, hooks);
            add(&mut lines, kilobytes, size_text, both(&duel));
        }
        series.extend(lines);
    }
    Plot {
        title: "One event, payload read by every hook",
        x_label: "payload; the engine's time includes writing it as JSON",
        x_text: size_text,
        series,
    }
}

fn of_workers(budget: Budget) -> Plot<'static> {
    let mut lines = [
        line("raw pipe", FLOOR),
        line("worker", OURS),
        Series { dashed: true, ..line("in forks", OURS) },
        line("a process per event", OTHER),
    ];
    for kilobytes in [1_u32, 8, 60, 256, 1_000, 4_000, 10_000] {
        add(&mut lines, kilobytes, size_text, medians(budget, kilobytes as usize * 1_000));
    }
    Plot {
        title: "One event of a Python hook that reads its payload",
        x_label: "payload; the engine's time includes writing it as JSON",
        x_text: size_text,
        series: lines.into(),
    }
}

fn of_keeper(budget: Budget) -> Result<Plot<'static>, String> {
    let mut lines = [line("started for each call", OTHER), line("kept", OURS), line("empty program", FLOOR)];
    let mut hook = PythonHook::build()?;
    for kilobytes in [1_u32, 8, 60, 256, 1_000] {
        add(&mut lines, kilobytes, size_text, hook.medians(budget, kilobytes as usize * 1_000));
    }
    Ok(Plot {
        title: "A call of Claude Code with a Python worker hook",
        x_label: "payload",
        x_text: size_text,
        series: lines.into(),
    })
}

fn line(name: &str, color: RGBColor) -> Series {
    Series { name: name.to_owned(), color, dashed: false, points: Vec::new() }
}

/// The medians of ours and of the floor.
fn both(duel: &Duel) -> [f64; 2] {
    [median(&duel.ours.wall), median(&duel.base.wall)]
}

/// Adds a point to each line, and tells it.
fn add<const N: usize>(lines: &mut [Series; N], x: u32, x_text: fn(f64) -> String, seconds: [f64; N]) {
    let x = f64::from(x);
    for (line, seconds) in lines.iter_mut().zip(seconds) {
        say(&format!("{}, {}: {}", line.name, x_text(x), time(seconds)));
        line.points.push((x, seconds));
    }
}

fn count_text(count: f64) -> String {
    count.to_string()
}

fn size_text(kilobytes: f64) -> String {
    if kilobytes < 1_000.0 { format!("{kilobytes} kB") } else { format!("{} MB", kilobytes / 1_000.0) }
}
