//! Line plots with two logarithmic axes, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 60.0;

/// One line of a plot.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) color: &'static str,
    pub(crate) dashed: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// Where the horizontal axis is marked, and with what.
    pub(crate) x_ticks: Vec<(f64, String)>,
    /// How values of the vertical axis are written.
    pub(crate) y_text: fn(f64) -> String,
    pub(crate) series: Vec<Series>,
}

impl Plot<'_> {
    /// The picture.
    pub(crate) fn render(&self) -> String {
        let all = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let x = Axis::over(all().map(|(x, _)| x), LEFT, WIDTH - RIGHT);
        let ys = || all().map(|(_, y)| y);
        let y = Axis::over(ys(), HEIGHT - BOTTOM, TOP).rounded(ys());
        let mut svg = String::new();
        let mut add = |element: String| {
            svg.push_str(&element);
            svg.push('\n');
        };
        add(format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">"#
        ));
        add(format!(r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>"##));
        add(text(LEFT, 24.0, "start", r#" font-size="15" font-weight="bold""#, self.title));
        for value in y.ticks() {
            let place = y.place(value);
            add(line((LEFT, place), (WIDTH - RIGHT, place), "#dddddd"));
            add(text(LEFT - 8.0, place + 4.0, "end", "", &(self.y_text)(value)));
        }
        for (value, label) in &self.x_ticks {
            let place = x.place(*value);
            add(line((place, TOP), (place, HEIGHT - BOTTOM), "#eeeeee"));
            add(text(place, HEIGHT - BOTTOM + 18.0, "middle", "", label));
        }
        add(line((LEFT, TOP), (LEFT, HEIGHT - BOTTOM), "#444444"));
        add(line((LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM), "#444444"));
        add(text(f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 16.0, "middle", "", self.x_label));
        let middle = f64::midpoint(TOP, HEIGHT - BOTTOM);
        add(text(20.0, middle, "middle", &format!(r#" transform="rotate(-90 20 {middle})""#), self.y_label));
        for series in &self.series {
            let mut points = String::new();
            for (px, py) in &series.points {
                let _ = write!(points, "{:.1},{:.1} ", x.place(*px), y.place(*py));
            }
            let dashes = if series.dashed { r#" stroke-dasharray="6 4""# } else { "" };
            add(format!(
                r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{dashes}/>"#,
                points.trim_end(),
                series.color
            ));
            for (px, py) in &series.points {
                let (cx, cy) = (x.place(*px), y.place(*py));
                add(format!(r#"<circle cx="{cx:.1}" cy="{cy:.1}" r="3" fill="{}"/>"#, series.color));
            }
        }
        for (series, place) in self.series.iter().zip(self.label_places(&y)) {
            let color = format!(r#" fill="{}""#, series.color);
            add(text(WIDTH - RIGHT + 10.0, place + 4.0, "start", &color, &series.name));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Each line is labelled at its end; labels that would overlap move apart.
    fn label_places(&self, y: &Axis) -> Vec<f64> {
        let mut ends: Vec<(usize, f64)> = self
            .series
            .iter()
            .map(|series| series.points.last().map_or(TOP, |(_, value)| y.place(*value)))
            .enumerate()
            .collect();
        ends.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let mut previous = f64::MIN;
        for (_, place) in &mut ends {
            *place = place.max(previous + 15.0);
            previous = *place;
        }
        ends.sort_by_key(|(index, _)| *index);
        ends.into_iter().map(|(_, place)| place).collect()
    }
}

/// A logarithmic axis between two places on the paper.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        Self { low, high, from, to }
    }

    /// The same axis, from one tick to another.
    fn rounded(mut self, values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let ticks: Vec<f64> =
            (-9..4).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power))).collect();
        let below = |tick: &&f64| values.iter().all(|value| *tick <= value);
        let above = |tick: &&f64| values.iter().all(|value| *tick >= value);
        self.low = ticks.iter().rev().find(below).copied().unwrap_or(self.low);
        self.high = ticks.iter().find(above).copied().unwrap_or(self.high);
        self
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        (-9..4)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .filter(|tick| *tick >= self.low * 0.999 && *tick <= self.high * 1.001)
            .collect()
    }
}

fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), color: &str) -> String {
    format!(r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{color}"/>"#)
}

fn text(x: f64, y: f64, anchor: &str, more: &str, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}"{more}>{words}</text>"#)
}
