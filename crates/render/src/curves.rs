//! Line charts with a common axis, in SVG: one line and one legend entry per series. A point
//! without a value is a gap in its line, not a zero.

use crate::xml::escaped;
use std::fmt::Write;

/// A point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Horizontal position.
    pub x: f64,
    /// Its value, if it has one.
    pub y: Option<f64>,
    /// Whether the value is incomplete; it is then drawn as a hollow dot.
    pub is_partial: bool,
}

/// A series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 520.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 380.0;
/// Line height of text.
const LINE: f64 = 16.0;
const COLOURS: &[&str] = &[
    "#1f5fa8", "#c44e2b", "#2f8f4e", "#7d4fa8", "#b08a00", "#00808a", "#a8325f", "#555555",
    "#6aa0d8", "#e0906a", "#7cc495", "#b698d6",
];

/// Free space between the axes and the first and last points.
const INSET: f64 = 14.0;

/// The colours for readers that prefer dark: text, paper, lines of the grid, and colours of series that are dark.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { .plot { fill: #e6eaf0 } .paper { fill: #14171c } \
                    .grid { stroke: #3c4450 } .plot [stroke=\"#1f5fa8\"] { stroke: #4aa8e0 } \
                    .plot [stroke=\"#7d4fa8\"] { stroke: #a89bf0 } .plot [stroke=\"#a8325f\"] { stroke: #e39cc3 } \
                    .plot [stroke=\"#555555\"] { stroke: #a3aebd } }</style>\n";

/// The beginning of a chart of this size, with its title.
pub(crate) fn begin((width, height): (f64, f64), left: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" class=\"plot\" fill=\"#1c2430\" \
         font-family=\"sans-serif\" font-size=\"12\">\n{DARK}<rect class=\"paper\" width=\"{width}\" height=\"{height}\" \
         fill=\"white\"/>\n<text x=\"{left}\" y=\"28\" font-size=\"15\">{}</text>\n",
        escaped(title)
    )
}

/// The axes of a chart.
struct Axes {
    least: f64,
    most: f64,
    highest: f64,
}

impl Axes {
    fn new(series: &[Series]) -> Self {
        let all = || series.iter().flat_map(|series| series.points.iter().copied());
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (least, most) =
            all().fold(none, |(least, most), point| (least.min(point.x), most.max(point.x)));
        let (least, most) = if least < most { (least, most) } else { (least - 1.0, least + 1.0) };
        let values = || all().filter_map(|point| point.y);
        // Without any value the axis still needs ticks.
        let highest =
            if values().next().is_none() { 1.0 } else { values().fold(1e-9, f64::max) * 1.05 };
        Self { least, most, highest }
    }

    fn x(&self, value: f64) -> f64 {
        let (first, last) = (LEFT + INSET, RIGHT - INSET);
        first + (last - first) * (value - self.least) / (self.most - self.least)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * value / self.highest
    }
}

/// Where points are in a chart of these series without notes, as shares of its width and height.
pub fn places(series: &[Series], points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let axes = Axes::new(series);
    points.iter().map(|&(x, y)| (axes.x(x) / WIDTH, axes.y(y) / HEIGHT)).collect()
}

/// Draws the chart, with notes below it.
pub fn draw(title: &str, across: &str, up: &str, series: &[Series], notes: &[String]) -> String {
    let axes = Axes::new(series);
    let Axes { least, most, highest } = axes;
    let height = HEIGHT + LINE * notes.len() as f64;
    let (x, y) = (|value: f64| axes.x(value), |value: f64| axes.y(value));
    let mut svg = begin((WIDTH, height), LEFT, title);
    // Writing to a string cannot fail.
    let mut add = |line: String| {
        let _ = writeln!(svg, "{line}");
    };
    let rise = step(highest, 6.0);
    for value in (0..).map(|count| f64::from(count) * rise).take_while(|value| *value <= highest) {
        add(format!(
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{0:.1}\" x2=\"{RIGHT}\" y2=\"{0:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{1:.1}\" y=\"{2:.1}\" text-anchor=\"end\">{3}</text>",
            y(value),
            LEFT - 8.0,
            y(value) + 4.0,
            rounded(value)
        ));
    }
    let stride = step(most - least, 8.0);
    let first = (least / stride).ceil() as i64;
    let marks = (first..).map(|count| count as f64 * stride);
    for value in marks.take_while(|value| *value <= most + stride * 1e-6) {
        add(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(value),
            BOTTOM + 18.0,
            rounded(value)
        ));
    }
    for (number, series) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let place = |point: &Point| point.y.map(|value| (x(point.x), y(value)));
        for run in series.points.split(|point| point.y.is_none()).filter(|run| !run.is_empty()) {
            let places: Vec<String> =
                run.iter().filter_map(place).map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
            add(format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
                places.join(" ")
            ));
            // A line with a single point is invisible.
            for point in run.iter().filter(|point| point.is_partial || run.len() == 1) {
                let Some((a, b)) = place(point) else { continue };
                let fill = if point.is_partial { "white" } else { colour };
                let class = if point.is_partial { " class=\"paper\"" } else { "" };
                add(format!(
                    "<circle{class} cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3.5\" fill=\"{fill}\" stroke=\"{colour}\"/>"
                ));
            }
        }
        let line = TOP + LINE * number as f64;
        add(format!(
            "<line x1=\"{0:.1}\" y1=\"{line:.1}\" x2=\"{1:.1}\" y2=\"{line:.1}\" stroke=\"{colour}\" \
             stroke-width=\"2.5\"/><text x=\"{2:.1}\" y=\"{3:.1}\">{4}</text>",
            RIGHT + 14.0,
            RIGHT + 36.0,
            RIGHT + 42.0,
            line + 4.0,
            escaped(&series.name)
        ));
    }
    for (number, note) in notes.iter().enumerate() {
        let down = HEIGHT + LINE * number as f64;
        add(format!("<text x=\"{LEFT}\" y=\"{down:.1}\">{}</text>", escaped(note)));
    }
    add(format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 40.0,
        escaped(across),
        (TOP + BOTTOM) / 2.0,
        escaped(up)
    ));
    svg
}

/// A round distance between ticks: 1, 2 or 5 times a power of ten, for about `count` ticks.
pub(crate) fn step(range: f64, count: f64) -> f64 {
    let rough = (range / count).max(1e-12);
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

/// A tick value without rounding errors.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round() {
        let cases = [(100.0, 10.0, 10.0), (0.9, 8.0, 0.2), (243.0, 6.0, 50.0), (7.0, 6.0, 2.0)];
        for (range, count, expected) in cases {
            assert!((step(range, count) - expected).abs() < 1e-9, "{range}");
        }
    }

    #[test]
    fn every_series_has_a_line_and_a_name() {
        let points = || points(&[(0.1, Some(5.0)), (0.9, Some(9.0))]);
        let series = |name: &str| Series { name: name.into(), points: points() };
        let svg = draw("t", "density", "makespan", &[series("lbf"), series("fifo")], &[]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 0);
        assert!(svg.contains(">lbf<") && svg.contains(">fifo<"));
    }

    fn points(list: &[(f64, Option<f64>)]) -> Vec<Point> {
        list.iter().map(|&(x, y)| Point { x, y, is_partial: false }).collect()
    }

    #[test]
    fn a_missing_value_is_a_gap() {
        let list = [(1.0, Some(5.0)), (2.0, Some(6.0)), (3.0, None), (4.0, Some(8.0)), (5.0, None)];
        let mut points = points(&list);
        points[1].is_partial = true;
        let series = Series { name: "lbf".into(), points };
        let svg = draw("t", "density", "makespan", &[series], &["5 < 7 unfinished".to_owned()]);
        // Two lines: one of two points, and a single point drawn as a dot. No line goes down to
        // zero.
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches("fill=\"white\" stroke").count(), 1);
        assert!(
            svg.lines().filter(|line| line.contains("polyline")).all(|l| !l.contains(",380.0"))
        );
        assert!(svg.contains("5 &lt; 7 unfinished"));
    }

    #[test]
    fn a_picture_without_any_value_has_axes() {
        let series = Series { name: "lbf".into(), points: points(&[(1.0, None), (2.0, None)]) };
        let svg = draw("t", "density", "makespan", &[series], &[]);
        assert_eq!(svg.matches("<polyline").count(), 0);
        assert!(svg.contains(">lbf<") && svg.contains(">0.2<"));
    }
}
