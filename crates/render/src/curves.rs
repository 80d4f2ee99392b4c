//! Curves over a common axis, in SVG: one line and one entry of the legend for every series.

use crate::gantt::escaped;
use std::fmt::Write;

/// A series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 520.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 380.0;
const COLOURS: &[&str] = &[
    "#1f5fa8", "#c44e2b", "#2f8f4e", "#7d4fa8", "#b08a00", "#00808a", "#a8325f", "#555555",
    "#6aa0d8", "#e0906a", "#7cc495", "#b698d6",
];

/// The picture.
pub fn draw(title: &str, across: &str, up: &str, series: &[Series]) -> String {
    let all = || series.iter().flat_map(|series| series.points.iter().copied());
    let (least, most) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (x, _)| {
        (least.min(x), most.max(x))
    });
    let (least, most) = if least < most { (least, most) } else { (least - 1.0, least + 1.0) };
    let highest = all().map(|(_, y)| y).fold(1e-9, f64::max) * 1.05;
    let x = |value: f64| LEFT + (RIGHT - LEFT) * (value - least) / (most - least);
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * value / highest;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"28\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    // Writing to a string cannot fail.
    let mut add = |line: String| {
        let _ = writeln!(svg, "{line}");
    };
    let rise = step(highest, 6.0);
    for value in (0..).map(|count| f64::from(count) * rise).take_while(|value| *value <= highest) {
        add(format!(
            "<line x1=\"{LEFT}\" y1=\"{0:.1}\" x2=\"{RIGHT}\" y2=\"{0:.1}\" stroke=\"#ddd\"/>\
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
        let places: Vec<String> =
            series.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        let line = TOP + 16.0 * number as f64;
        add(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>\
             <line x1=\"{1:.1}\" y1=\"{line:.1}\" x2=\"{2:.1}\" y2=\"{line:.1}\" stroke=\"{colour}\" \
             stroke-width=\"2.5\"/><text x=\"{3:.1}\" y=\"{4:.1}\">{5}</text>",
            places.join(" "),
            RIGHT + 14.0,
            RIGHT + 36.0,
            RIGHT + 42.0,
            line + 4.0,
            escaped(&series.name)
        ));
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

/// A round distance between marks: 1, 2 or 5 times a power of ten, about `count` of them.
pub(crate) fn step(range: f64, count: f64) -> f64 {
    let rough = (range / count).max(1e-12);
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

/// A mark without the dust of arithmetic.
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
        let series =
            |name: &str| Series { name: name.into(), points: vec![(0.1, 5.0), (0.9, 9.0)] };
        let svg = draw("t", "density", "makespan", &[series("lbf"), series("fifo")]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains(">lbf<") && svg.contains(">fifo<"));
    }
}
