//! A Gantt chart in SVG: a row for every link, a bar for every message on it.

use std::fmt::Write;

/// A message on a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The row.
    pub row: usize,
    /// From when.
    pub start: f64,
    /// Until when.
    pub end: f64,
    /// What it is, shown when pointed at.
    pub label: String,
    /// Bars of one group have one colour.
    pub group: u32,
}

const LEFT: f64 = 90.0;
const TOP: f64 = 50.0;
const WIDTH: f64 = 1100.0;
const ROW: f64 = 16.0;

/// The chart; rows are named from the top.
pub fn draw(title: &str, rows: &[String], bars: &[Bar]) -> String {
    let last = bars.iter().map(|bar| bar.end).fold(1e-9, f64::max);
    let x = |time: f64| LEFT + (WIDTH - LEFT - 20.0) * time / last;
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        bottom + 40.0,
        escaped(title)
    );
    // Writing to a string cannot fail.
    let mut add = |line: String| {
        let _ = writeln!(svg, "{line}");
    };
    let tick = crate::curves::step(last, 10.0);
    let ticks = (0..).map(|count| f64::from(count) * tick).take_while(|time| *time <= last);
    for time in ticks {
        add(format!(
            "<line x1=\"{0:.1}\" y1=\"{TOP}\" x2=\"{0:.1}\" y2=\"{bottom:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{0:.1}\" y=\"{1:.1}\" text-anchor=\"middle\">{time}</text>",
            x(time),
            bottom + 16.0
        ));
    }
    for (row, name) in rows.iter().enumerate() {
        let y = TOP + ROW * row as f64 + 12.0;
        let name = escaped(name);
        add(format!(
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 6.0
        ));
    }
    for bar in bars {
        add(format!(
            "<rect x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" \
             fill=\"hsl({},55%,62%)\" stroke=\"white\" stroke-width=\"0.5\"><title>{}</title></rect>",
            x(bar.start),
            TOP + ROW * bar.row as f64 + 1.5,
            (x(bar.end) - x(bar.start)).max(0.3),
            ROW - 3.0,
            // The golden angle keeps neighbours apart.
            (u64::from(bar.group) * 137) % 360,
            escaped(&bar.label)
        ));
    }
    add("</svg>".to_owned());
    svg
}

/// A text as XML holds it.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_is_drawn_in_its_row() {
        let bar = |row, start| Bar { row, start, end: start + 2.0, label: "a<b".into(), group: 1 };
        let svg = draw("links", &["0-1".into(), "1-2".into()], &[bar(0, 0.0), bar(1, 2.0)]);
        assert_eq!(svg.matches("<rect x=").count(), 2);
        assert!(svg.contains("y=\"51.5\"") && svg.contains("y=\"67.5\""), "{svg}");
        assert!(svg.contains("<title>a&lt;b</title>"));
        assert!(svg.ends_with("</svg>\n"));
    }
}
