//! Evaluations against network size, as in Figures 9 and 10 of the GECCO paper: a picture in SVG
//! with a logarithmic scale, one point for every network that was reached at least once.

use super::row::Row;
use std::fmt::Write;

/// A figure: its file, its title, and the rows that belong to it.
pub struct Figure {
    /// The file.
    pub file: &'static str,
    title: &'static str,
    collective: &'static str,
}

/// The figures of the papers.
pub const FIGURES: &[Figure] = &[
    Figure { file: "figure-9.svg", title: "AAB on hypercubes", collective: " aab" },
    Figure { file: "figure-10.svg", title: "AAS on hypercubes", collective: " aas" },
];

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 340.0;
const TOP: f64 = 50.0;
const RIGHT: f64 = 600.0;

impl Figure {
    /// The picture; `None` if no row of it succeeded.
    pub fn draw(&self, rows: &[Row]) -> Option<String> {
        let fits = |row: &&Row| {
            row.table == "gecco-2"
                && row.problem.starts_with("hypercube:")
                && row.problem.contains(self.collective)
        };
        let point = |row: &Row| {
            let mean = row.trials.first()?.mean_evaluations?;
            Some((row.processors, mean.max(1.0)))
        };
        let rows: Vec<&Row> = rows.iter().filter(fits).collect();
        let engine = &rows.first()?.engine;
        let points: Vec<(usize, f64)> = rows.iter().filter_map(|row| point(row)).collect();
        let most = points.iter().map(|&(_, mean)| mean).fold(10.0, f64::max);
        (!points.is_empty()).then(|| picture(self.title, engine, &points, most))
    }
}

fn picture(title: &str, engine: &str, points: &[(usize, f64)], most: f64) -> String {
    let decades = most.log10().ceil();
    let y = |mean: f64| BOTTOM - (BOTTOM - TOP) * mean.log10() / decades;
    let stride = (RIGHT - LEFT) / points.len() as f64;
    let x = |at: usize| LEFT + stride * (at as f64 + 0.5);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"16\">{title}, {engine}: evaluations until the \
         schedule is found</text>\n"
    );
    let mut add = |line: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "{line}");
    };
    for decade in 0..=decades as u32 {
        let at = y(10f64.powi(decade as i32));
        add(format!(
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\" stroke=\"#ccc\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">10<tspan dy=\"-5\" \
             font-size=\"9\">{decade}</tspan></text>",
            LEFT - 8.0,
            at + 4.0
        ));
    }
    let places: Vec<String> =
        (0..).zip(points).map(|(at, &(_, mean))| format!("{:.1},{:.1}", x(at), y(mean))).collect();
    add(format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"2\"/>",
        places.join(" ")
    ));
    for (at, &(processors, mean)) in points.iter().enumerate() {
        let (x, y) = (x(at), y(mean));
        add(format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#1f5fa8\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{mean:.0}</text>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{processors}</text>",
            y - 10.0,
            BOTTOM + 20.0
        ));
    }
    add(format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">processors</text>\n</svg>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 42.0
    ));
    svg
}
