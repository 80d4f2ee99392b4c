//! Line charts with a logarithmic axis across and a logarithmic or linear axis up, in SVG: one line and
//! one legend entry per series.

use crate::curves::{Series, begin, rounded, step};
use crate::xml::escaped;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 360.0;
const LINE: f64 = 16.0;
const COLOURS: &[&str] = &["#1f5fa8", "#2f8f4e", "#555555", "#c44e2b", "#b08a00", "#7d4fa8"];

/// An axis with the places of its marks and their labels.
struct Axis {
    from: f64,
    to: f64,
    is_logarithmic: bool,
    marks: Vec<(f64, String)>,
}

impl Axis {
    /// Marks at powers of ten.
    fn logarithmic(values: impl Iterator<Item = f64> + Clone, label: fn(i32) -> String) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min).max(1e-12);
        let most = values.fold(f64::NEG_INFINITY, f64::max).max(least);
        let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
        let last = last.max(first + 1);
        let marks = (first..=last).map(|power| (f64::from(power), label(power))).collect();
        Self { from: first.into(), to: last.into(), is_logarithmic: true, marks }
    }

    /// Marks at round values from 0 on.
    fn linear(values: impl Iterator<Item = f64>) -> Self {
        let most = values.fold(1e-9, f64::max) * 1.05;
        let stride = step(most, 6.0);
        let marks = (0..).map(|count| f64::from(count) * stride).take_while(|mark| *mark <= most);
        let marks = marks.map(|mark| (mark, rounded(mark).to_string())).collect();
        Self { from: 0.0, to: most, is_logarithmic: false, marks }
    }

    /// The place of a value, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.max(1e-12).log10() } else { value };
        (value - self.from) / (self.to - self.from)
    }

    fn share_of_mark(&self, mark: f64) -> f64 {
        (mark - self.from) / (self.to - self.from)
    }
}

/// Draws values over sizes in bytes. `is_logarithmic` is for the axis up.
pub fn over_bytes(title: &str, up: &str, series: &[Series], is_logarithmic: bool) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let across = Axis::logarithmic(points().map(|point| point.x), bytes);
    let values = || points().filter_map(|point| point.y);
    let vertical = if is_logarithmic {
        Axis::logarithmic(values(), |power| rounded(10f64.powi(power)).to_string())
    } else {
        Axis::linear(values())
    };
    let x = |share: f64| LEFT + (RIGHT - LEFT) * share;
    let y = |share: f64| BOTTOM - (BOTTOM - TOP) * share;
    let mut svg = begin((WIDTH, HEIGHT), LEFT, title);
    // Writing to a string cannot fail.
    let mut add = |line: String| {
        let _ = writeln!(svg, "{line}");
    };
    for (mark, label) in &vertical.marks {
        let place = y(vertical.share_of_mark(*mark));
        add(format!(
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{place:.1}\" x2=\"{RIGHT}\" y2=\"{place:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            place + 4.0
        ));
    }
    for (mark, label) in &across.marks {
        let place = x(across.share_of_mark(*mark));
        add(format!(
            "<line class=\"grid\" x1=\"{place:.1}\" y1=\"{TOP}\" x2=\"{place:.1}\" y2=\"{BOTTOM}\" stroke=\"#eee\"/>\
             <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 18.0
        ));
    }
    for (number, series) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        for run in series.points.split(|point| point.y.is_none()).filter(|run| !run.is_empty()) {
            let place = |point: &crate::curves::Point| {
                let value = point.y.unwrap_or_default();
                format!("{:.1},{:.1}", x(across.share(point.x)), y(vertical.share(value)))
            };
            let places: Vec<String> = run.iter().map(place).collect();
            add(format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
                places.join(" ")
            ));
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
    add(format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">size</text>\n\
         <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 40.0,
        (TOP + BOTTOM) / 2.0,
        escaped(up)
    ));
    svg
}

/// A power of ten in bytes.
fn bytes(power: i32) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let unit = (power.max(0) / 3).min(4);
    format!("{} {}", 10u64.pow((power.max(0) - 3 * unit).min(18) as u32), units[unit as usize])
}

#[cfg(test)]
mod tests {
    use super::{bytes, over_bytes};
    use crate::curves::{Point, Series};

    #[test]
    fn every_series_has_a_line_and_decades_are_marked() {
        let at = |x, y| Point { x, y: Some(y), is_partial: false };
        let series = |name: &str, factor: f64| Series {
            name: name.to_owned(),
            points: vec![at(1e3, 0.5 * factor), at(1e6, 70.0 * factor)],
        };
        for is_logarithmic in [true, false] {
            let svg = over_bytes("t", "µs", &[series("a", 1.0), series("b", 2.0)], is_logarithmic);
            assert_eq!(svg.matches("<polyline").count(), 2);
            assert!(svg.contains(">1 KB<") && svg.contains(">100 KB<") && svg.contains(">1 MB<"));
        }
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!([bytes(0), bytes(4), bytes(9)], ["1 B", "10 KB", "1 GB"]);
    }
}
