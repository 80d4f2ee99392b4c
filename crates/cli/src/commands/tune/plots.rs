//! Predicted time and bandwidth over size, beside the bound, rings and trees.

use super::printer::TuningPrinter;
use crate::report::tune::TunedSizeReport;
use pavane_render::curves::{Point, Series};
use pavane_render::log_chart::over_bytes;

/// A line of the plot: its name and its time.
type PlottedTime = (&'static str, fn(&TunedSizeReport) -> Option<f64>);

const COLUMNS: [PlottedTime; 5] = [
    ("tuned", |size| size.microseconds),
    ("best timed schedule", |size| Some(size.timed_microseconds)),
    ("limit", |size| Some(size.bound_microseconds)),
    ("ring", |size| size.ring_microseconds),
    ("tree", |size| size.tree_microseconds),
];

/// The lines of all columns that have a value.
fn series(printer: &TuningPrinter<'_>, value: impl Fn(u64, f64) -> f64) -> Vec<Series> {
    let sizes: Vec<TunedSizeReport> = printer.sizes();
    let column = |(name, time): &PlottedTime| {
        let point = |size: &TunedSizeReport| Point {
            x: size.bytes as f64,
            y: time(size).map(|time| value(size.bytes, time)),
            is_partial: false,
        };
        Series { name: (*name).to_owned(), points: sizes.iter().map(point).collect() }
    };
    let all = COLUMNS.iter().map(column);
    all.filter(|series| series.points.iter().any(|point| point.y.is_some())).collect()
}

fn title(printer: &TuningPrinter<'_>) -> String {
    let network = printer.problems[0].network().name();
    format!("{} on {network}, predicted", printer.collective)
}

/// Microseconds over bytes.
pub fn time(printer: &TuningPrinter<'_>) -> String {
    over_bytes(&title(printer), "µs", &series(printer, |_, time| time), true)
}

/// Algorithm bandwidth over bytes.
pub fn bandwidth(printer: &TuningPrinter<'_>) -> String {
    let gbytes = |bytes: u64, time: f64| bytes as f64 / time / 1000.0;
    over_bytes(&title(printer), "algorithm bandwidth, GB/s", &series(printer, gbytes), false)
}
