//! A Gantt chart in SVG: a row per link, a bar per message on it.

use crate::picture::ink::{Ink, Theme};
use crate::picture::scene::{
    Anchor, Item, Scene, Segment, Style, Text, fitted, rectangle, text_width,
};
use crate::picture::{Page, svg};

/// A message on a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its row.
    pub row: usize,
    /// Start time.
    pub start: f64,
    /// End time.
    pub end: f64,
    /// Tooltip.
    pub label: String,
    /// Bars of one group have the same colour.
    pub group: u32,
}

/// The most rows and bars of a chart: a larger one is too large for browsers, or to find anything in it.
const MOST_ROWS: usize = 1_000;
const MOST_BARS: usize = 50_000;

/// A chart that would have too many rows or bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the chart would have {count} {what}, but only up to {most} are of use")]
pub struct LargeChart {
    count: usize,
    what: &'static str,
    most: usize,
}

/// Fails if a chart with so many rows and bars is too large to be of use.
pub fn check_size(rows: usize, bars: usize) -> Result<(), LargeChart> {
    let parts = [(rows, "rows, one for each link", MOST_ROWS), (bars, "bars", MOST_BARS)];
    match parts.into_iter().find(|(count, _, most)| count > most) {
        Some((count, what, most)) => Err(LargeChart { count, what, most }),
        None => Ok(()),
    }
}

/// The least and the greatest width of the names of rows.
const LEFT: f64 = 90.0;
const WIDEST_LEFT: f64 = 320.0;
const TOP: f64 = 26.0;
const FONT_SIZE: f64 = 10.5;

/// The titles of the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GanttAxes {
    /// What a row is: `channel`.
    pub rows: &'static str,
    /// What is measured from left to right, with its unit: `time in µs`.
    pub time: &'static str,
}

/// Channels of a timed schedule.
pub const CHANNELS_IN_MICROSECONDS: GanttAxes = GanttAxes { rows: "channel", time: "time in µs" };

/// Links of a simulated mission.
pub const LINKS_IN_UNITS: GanttAxes = GanttAxes { rows: "link", time: "time in units" };
pub(crate) const WIDTH: f64 = 1100.0;
const ROW: f64 = 16.0;

/// Draws the chart as SVG; `rows` are the names of the rows from the top. Those in `headings` are the
/// headings of the rows below them and have no bars.
pub fn draw(
    title: &str,
    axes: GanttAxes,
    rows: &[String],
    headings: &[usize],
    bars: &[Bar],
) -> String {
    svg::write(&titled(title, chart(axes, rows, headings, bars)), Theme::Auto)
}

/// Builds the chart with its title; `rows` are the names of the rows from the top.
pub fn scene(title: &str, axes: GanttAxes, rows: &[String], bars: &[Bar]) -> Scene {
    titled(title, chart(axes, rows, &[], bars))
}

fn titled(title: &str, chart: Scene) -> Scene {
    let mut page = Page::new(title.to_owned(), WIDTH);
    page.line(16.0, Ink::Text, true, title);
    page.place(chart);
    page.finish()
}

/// Builds the chart alone.
pub(crate) fn chart(axes: GanttAxes, rows: &[String], headings: &[usize], bars: &[Bar]) -> Scene {
    let last = bars.iter().map(|bar| bar.end).fold(1e-9, f64::max);
    let named = (0..rows.len()).filter(|row| !headings.contains(row)).map(|row| &rows[row]);
    let widest = named.map(|name| text_width(name, FONT_SIZE) + 10.0).fold(LEFT, f64::max);
    let left = widest.min(WIDEST_LEFT);
    let x = |time: f64| left + (WIDTH - left - 20.0) * time / last;
    let bottom = TOP + ROW * rows.len() as f64;
    let mut scene = Scene { width: WIDTH, height: bottom + 40.0, ..Scene::default() };
    let label = |x: f64, y: f64, anchor: Anchor, text: String| {
        let text = fitted(&text, FONT_SIZE, left - 8.0);
        Item::Text(Text { x, y, size: FONT_SIZE, anchor, is_bold: false, ink: Ink::Faint, text })
    };
    for row in (0..rows.len()).filter(|row| !headings.contains(row)) {
        let lane = rectangle(left, TOP + ROW * row as f64 + 1.0, WIDTH - left - 20.0, ROW - 2.0);
        scene.path(&lane, Style::area(Ink::Idle));
    }
    let tick = crate::curves::step(last, 10.0);
    let ticks = (0..).map(|count| f64::from(count) * tick).take_while(|time| *time <= last);
    for time in ticks {
        let line = [Segment::Move(x(time), TOP - 4.0), Segment::Line(x(time), bottom)];
        scene.path(&line, Style::line(Ink::Line, 0.7));
        let time = crate::curves::rounded(time);
        scene.items.push(label(x(time), bottom + 16.0, Anchor::Middle, time.to_string()));
    }
    let middle = f64::midpoint(left, WIDTH - 20.0);
    let wide = text_width(axes.time, FONT_SIZE);
    scene.text(middle - wide / 2.0, bottom + 32.0, FONT_SIZE, Ink::Faint, axes.time);
    scene.items.push(label(left - 8.0, TOP - 6.0, Anchor::End, axes.rows.to_owned()));
    for (row, name) in rows.iter().enumerate() {
        let y = TOP + ROW * row as f64 + 12.0;
        if headings.contains(&row) {
            scene.text(left, y, FONT_SIZE + 1.0, Ink::Text, name.as_str());
            continue;
        }
        scene.items.push(label(left - 8.0, y, Anchor::End, name.clone()));
    }
    for bar in bars {
        let (start, y) = (x(bar.start), TOP + ROW * bar.row as f64 + 1.5);
        let wide = (x(bar.end) - start).max(0.6);
        // A gap separates consecutive messages of the same colour.
        let gap = if wide > 2.0 { 0.6 } else { 0.0 };
        let cell = rectangle(start, y, wide - gap, ROW - 3.0).to_vec();
        scene.path_saying(cell, Style::area(Ink::Sender(bar.group).folded()), bar.label.clone());
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_is_drawn_in_its_row() {
        let bar = |row, start| Bar { row, start, end: start + 2.0, label: "a<b".into(), group: 1 };
        let rows = ["0-1".into(), "1-2".into()];
        let svg = draw("links", LINKS_IN_UNITS, &rows, &[], &[bar(0, 0.0), bar(1, 2.0)]);
        assert!(svg.contains(">link<") && svg.contains(">time in units<"), "{svg}");
        assert_eq!(svg.matches("<title>a&lt;b</title>").count(), 2);
        assert!(svg.contains("M90 27.5") && svg.contains(" 43.5"), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn large_charts_are_refused() {
        assert_eq!(check_size(1_000, 50_000), Ok(()));
        let told = |rows, bars| check_size(rows, bars).unwrap_err().to_string();
        assert!(told(1_001, 1).contains("1001 rows"));
        assert!(told(1, 50_001).contains("50001 bars"));
    }

    #[test]
    fn headings_and_names_of_channels_are_not_cut() {
        let long = "recursive doubling: 468.75 µs";
        let rows = [long.to_owned(), "box0/gpu1 → box0/nvswitch".to_owned(), "r".repeat(60)];
        let svg = draw("links", LINKS_IN_UNITS, &rows, &[0], &[]);
        assert!(svg.contains(long) && svg.contains(&rows[1]), "{svg}");
        assert!(!svg.contains(&rows[2]), "a name takes less than a third of the chart");
    }
}
