//! Evaluations against network size, as in Figures 9 and 10 of the GECCO paper: an SVG picture with
//! a logarithmic scale and one line per algorithm. Sizes that were never solved are marked "not
//! reached".

use super::row::TableRow;
use std::fmt::Write;

/// A figure: its file, its title, and the collective of its rows.
pub struct Figure {
    /// File name.
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
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 610.0;
const TOP: f64 = 80.0;
const BOTTOM: f64 = 350.0;

const COLOURS: &[&str] = &["#1f5fa8", "#c2571a", "#2e7d4f"];

/// Mean evaluations of an algorithm by network, where it succeeded.
struct Curve<'a> {
    engine: &'a str,
    means: Vec<Option<f64>>,
}

impl Figure {
    /// The picture; `None` if no row of it succeeded.
    pub fn draw(&self, rows: &[TableRow]) -> Option<String> {
        let fits = |row: &&TableRow| {
            row.table == "gecco-2"
                && row.problem.starts_with("hypercube:")
                && row.problem.contains(self.collective)
        };
        let rows: Vec<&TableRow> = rows.iter().filter(fits).collect();
        let mut engines: Vec<&str> = Vec::new();
        for tried in rows.iter().flat_map(|row| &row.trials) {
            if !engines.contains(&tried.engine.as_str()) {
                engines.push(&tried.engine);
            }
        }
        let mean = |row: &TableRow, engine: &str| {
            let tried = row.trials.iter().find(|tried| tried.engine == engine)?;
            tried.mean_evaluations.map(|mean| mean.max(1.0))
        };
        let means = |engine| rows.iter().map(|row| mean(row, engine)).collect();
        let lines: Vec<Curve<'_>> =
            engines.into_iter().map(|engine| Curve { engine, means: means(engine) }).collect();
        let sizes: Vec<usize> = rows.iter().map(|row| row.processors).collect();
        let is_drawn = lines.iter().flat_map(|line| &line.means).any(Option::is_some);
        is_drawn.then(|| picture(self.title, &sizes, &lines))
    }
}

fn picture(title: &str, sizes: &[usize], lines: &[Curve<'_>]) -> String {
    let means = || lines.iter().flat_map(|line| line.means.iter().copied().flatten());
    let low = means().fold(f64::INFINITY, f64::min).log10().floor();
    let high = means().fold(1.0, f64::max).log10().ceil().max(low + 1.0);
    let y = |mean: f64| BOTTOM - (BOTTOM - TOP) * (mean.log10() - low) / (high - low);
    let x = |at: usize| LEFT + (RIGHT - LEFT) * (at as f64 + 0.5) / sizes.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    text(
        &mut svg,
        (LEFT, 26.0),
        "start",
        "#000",
        &format!("{title}: evaluations until a schedule is found"),
    );
    for decade in low as i32..=high as i32 {
        let at = y(10f64.powi(decade));
        add(&mut svg, &format!("<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/>"));
        text(&mut svg, (LEFT - 8.0, at + 4.0), "end", "#000", &short(10f64.powi(decade)));
    }
    for (at, size) in sizes.iter().enumerate() {
        text(&mut svg, (x(at), BOTTOM + 22.0), "middle", "#000", &size.to_string());
    }
    text(&mut svg, (LEFT.midpoint(RIGHT), BOTTOM + 48.0), "middle", "#000", "processors");
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let key = LEFT + 170.0 * number as f64;
        add(
            &mut svg,
            &format!("<path d=\"M{key} 48h24\" stroke=\"{colour}\" stroke-width=\"2\"/>"),
        );
        text(&mut svg, (key + 30.0, 52.0), "start", "#000", line.engine);
        draw_line(&mut svg, line, colour, lines.len() > 1 && number == 0, x, y);
    }
    svg + "</svg>\n"
}

/// Draws a line with its values above or below it, and "not reached" where it has no point.
fn draw_line(
    svg: &mut String,
    line: &Curve<'_>,
    colour: &str,
    is_above: bool,
    x: impl Fn(usize) -> f64,
    y: impl Fn(f64) -> f64,
) {
    let points = line.means.iter().enumerate().filter_map(|(at, mean)| Some((at, (*mean)?)));
    let places: Vec<String> =
        points.clone().map(|(at, mean)| format!("{:.1},{:.1}", x(at), y(mean))).collect();
    add(
        svg,
        &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            places.join(" ")
        ),
    );
    for (at, mean) in points {
        let (x, y) = (x(at), y(mean));
        add(svg, &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"));
        // Lines rise, so there is space to the left above them and to the right below.
        if is_above {
            text(svg, (x - 6.0, y - 8.0), "end", colour, &short(mean))
        } else {
            text(svg, (x + 6.0, y + 17.0), "start", colour, &short(mean))
        }
    }
    for at in line.means.iter().enumerate().filter(|(_, mean)| mean.is_none()).map(|(at, _)| at) {
        let place = (x(at), if is_above { TOP - 8.0 } else { BOTTOM - 8.0 });
        text(svg, place, "middle", colour, "not reached");
    }
}

fn add(svg: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{line}");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, words: &str) {
    add(
        svg,
        &format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>"
        ),
    );
}

/// A number with few digits: 950, 12 k, 3.4 M.
fn short(number: f64) -> String {
    let (scaled, unit) = match number {
        ..1e3 => (number, ""),
        ..1e6 => (number / 1e3, " k"),
        ..1e9 => (number / 1e6, " M"),
        _ => (number / 1e9, " G"),
    };
    if scaled < 10.0 && !unit.is_empty() && scaled.fract() > 0.05 {
        format!("{scaled:.1}{unit}")
    } else {
        format!("{scaled:.0}{unit}")
    }
}
