//! Line plots of latencies with two logarithmic axes, as SVG.

use plotters::coord::combinators::{BindKeyPoints as _, IntoLogRange as _};
use plotters::prelude::*;

/// One line of a plot.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) color: RGBColor,
    pub(crate) dashed: bool,
    /// Seconds over what the horizontal axis shows.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot. The horizontal axis is marked where the first line has points.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    /// How values of the horizontal axis are written.
    pub(crate) x_text: fn(f64) -> String,
    pub(crate) series: Vec<Series>,
}

impl Plot<'_> {
    /// The picture.
    pub(crate) fn render(&self) -> String {
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, (780, 440))).expect("a text takes every drawing");
        svg
    }

    fn draw<B: DrawingBackend>(&self, backend: B) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let x_ticks: Vec<f64> =
            self.series.first().into_iter().flat_map(|line| &line.points).map(|(x, _)| *x).collect();
        let y_ticks = ticks(self.series.iter().flat_map(|line| &line.points).map(|(_, y)| *y));
        let area = backend.into_drawing_area();
        area.fill(&WHITE)?;
        // The names of the lines are beside the plot, where they cover nothing.
        let (area, names) = area.split_horizontally(620);
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(
                (x_ticks[0]..x_ticks[x_ticks.len() - 1]).log_scale().with_key_points(x_ticks),
                (y_ticks[0]..y_ticks[y_ticks.len() - 1]).log_scale().with_key_points(y_ticks),
            )?;
        chart
            .configure_mesh()
            .x_desc(self.x_label)
            .y_desc("latency (median)")
            .x_label_formatter(&|x| (self.x_text)(*x))
            .y_label_formatter(&|y| short_time(*y))
            .label_style(("sans-serif", 14))
            .bold_line_style(RGBColor(221, 221, 221))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (Series { name, color, dashed, points }, row) in self.series.iter().zip(0..) {
            let line = color.stroke_width(2);
            let points = || points.iter().copied();
            let (place, gap) = (56 + 20 * row, if *dashed { 4 } else { 0 });
            if *dashed {
                chart.draw_series(DashedLineSeries::new(points(), 6, 4, line))?;
            } else {
                chart.draw_series(LineSeries::new(points(), line))?;
            }
            chart.draw_series(points().map(|point| Circle::new(point, 3, color.filled())))?;
            names.draw(&PathElement::new([(0, place), (10 - gap, place)], line))?;
            names.draw(&PathElement::new([(10, place), (20 - gap, place)], line))?;
            names.draw(&Text::new(name.as_str(), (26, place - 7), ("sans-serif", 14)))?;
        }
        area.present()
    }
}

/// Ones, twos and fives, from the nearest below these values to the nearest above.
fn ticks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let all = || (-9..4).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
    let first = all().rfind(|tick| *tick <= low).unwrap_or(low);
    let last = all().find(|tick| *tick >= high).unwrap_or(high);
    all().filter(|tick| (first..=last).contains(tick)).collect()
}

/// A tick's value without needless digits.
fn short_time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.999e-3 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 0.999 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.0} s"),
    }
}
