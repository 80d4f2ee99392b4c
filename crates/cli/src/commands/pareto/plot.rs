//! The plot of a front: rounds per chunk against steps, one line per number of chunks.

use super::printer::FrontPrinter;
use pavane_pareto::FrontPoint;
use pavane_render::curves::{self, Point, Series};

/// The most numbers of chunks with a line of their own.
const MOST_LINES: u32 = 10;

/// The place of a point: steps, and rounds per chunk.
fn place(point: &FrontPoint) -> (f64, f64) {
    (f64::from(point.steps()), point.rounds_per_chunk().to_f64())
}

/// The lines of the plot.
fn series(printer: &FrontPrinter<'_>) -> Vec<Series> {
    let points = &printer.front.points;
    let at = |point: &FrontPoint| {
        let (x, y) = place(point);
        Point { x, y: Some(y), is_partial: false }
    };
    let mut series = Vec::new();
    let mut front: Vec<&FrontPoint> = points.iter().filter(|point| point.is_on_front).collect();
    front.sort_by_key(|point| point.steps());
    series.push(Series { name: "front".to_owned(), points: front.into_iter().map(at).collect() });
    if let Some(limit) = printer.limit {
        let steps = || points.iter().map(FrontPoint::steps);
        let ends = [steps().min().unwrap_or(0), steps().max().unwrap_or(0)];
        let at = |x: u32| Point { x: x.into(), y: Some(limit.to_f64()), is_partial: false };
        series.push(Series { name: format!("limit {limit}"), points: ends.map(at).to_vec() });
    }
    for row in points.chunk_by(|one, other| one.chunks == other.chunks) {
        if row[0].chunks <= MOST_LINES {
            let name = format!("C = {}", printer.chunks(&row[0]));
            series.push(Series { name, points: row.iter().map(at).collect() });
        }
    }
    series
}

/// Where the points are in the plot, as shares of its width and height.
pub fn places(printer: &FrontPrinter<'_>) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = printer.front.points.iter().map(place).collect();
    curves::places(&series(printer), &points)
}

/// Draws the plot.
pub fn draw(printer: &FrontPrinter<'_>) -> String {
    let network = printer.problems[0].network().name();
    let title = format!("{} on {network}: k-synchronous schedules", printer.collective);
    curves::draw(&title, "steps", "rounds per chunk", &series(printer), &[])
}
