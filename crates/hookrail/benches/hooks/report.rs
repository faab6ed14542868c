//! What was measured: a table for people, one line of JSON for each ratio for programs.

use std::io::Write;

use serde_json::json;

use crate::stats::Ratio;

/// How good a ratio has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// Missed when even the lower end of the interval is above it.
    AtMost(f64),
    /// Missed when even the upper end of the interval is below it.
    AtLeast(f64),
    /// Told, not judged.
    None,
}

impl Target {
    fn value(self) -> Option<f64> {
        match self {
            Self::AtMost(value) | Self::AtLeast(value) => Some(value),
            Self::None => None,
        }
    }

    fn is_met(self, ratio: Ratio) -> bool {
        match self {
            Self::AtMost(most) => ratio.low <= most,
            Self::AtLeast(least) => ratio.high >= least,
            Self::None => true,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(value) => format!("≤ {value:.2}"),
            Self::AtLeast(value) => format!("≥ {value:.2}"),
            Self::None => String::new(),
        }
    }
}

/// One row.
struct Row {
    bench: String,
    ratio: Ratio,
    target: Target,
    /// In absolute terms.
    detail: String,
}

/// All rows so far.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    skipped: Vec<(String, String)>,
}

impl Report {
    /// Adds a ratio, and prints it for programs at once.
    pub(crate) fn add(&mut self, bench: &str, ratio: Ratio, target: Target, detail: String) {
        let line = json!({
            "bench": bench,
            "ratio": rounded(ratio.middle),
            "low": rounded(ratio.low),
            "high": rounded(ratio.high),
            "target": target.value(),
            "ok": target.is_met(ratio),
            "detail": detail,
        });
        say(&line.to_string());
        self.rows.push(Row { bench: bench.to_owned(), ratio, target, detail });
    }

    /// Notes that something could not be measured.
    pub(crate) fn skip(&mut self, bench: &str, why: &str) {
        say(&json!({"bench": bench, "skipped": why}).to_string());
        self.skipped.push((bench.to_owned(), why.to_owned()));
    }

    /// The ratio of an earlier row.
    pub(crate) fn ratio(&self, bench: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.bench == bench).map(|row| row.ratio.middle)
    }

    /// Whether every target was met, and nothing was left out.
    pub(crate) fn is_ok(&self) -> bool {
        self.skipped.is_empty() && self.rows.iter().all(|row| row.target.is_met(row.ratio))
    }

    /// Prints the table.
    pub(crate) fn print_table(&self) {
        let width = self.rows.iter().map(|row| row.bench.chars().count()).max().unwrap_or(0);
        say("");
        say(&format!(
            "{:width$}  {:>7}  {:^17}  {:>7}  {:6}  {}",
            "", "ratio", "95 % interval", "target", "", ""
        ));
        for Row { bench, ratio, target, detail } in &self.rows {
            let verdict = match target {
                Target::None => "",
                _ if target.is_met(*ratio) => "ok",
                _ => "MISSED",
            };
            let Ratio { middle, low, high } = ratio;
            let target = target.text();
            say(&format!(
                "{bench:width$}  {middle:7.3}  {low:7.3} … {high:7.3}  {target:>7}  {verdict:6}  {detail}"
            ));
        }
        for (bench, why) in &self.skipped {
            say(&format!("{bench:width$}  skipped: {why}"));
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Prints a line. Whoever reads may have seen enough.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// A time that can be read.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-6 => format!("{:.1} ns", seconds * 1e9),
        _ if seconds < 1e-3 => format!("{:.1} µs", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}
