//! The cost of every fault, drawn on the network: links, channels and routers are coloured by it.

use crate::layout::{LayoutKind, Place, laid_out};
use crate::picture::bandwidth::{self, Widths};
use crate::picture::map::{broken_ends, faults};
use crate::picture::scene::text_width;
use crate::xml::escaped;
use pavane_model::{ChannelId, Fault, Network, RouterId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The cost of losing one part.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// The part.
    pub fault: Fault,
    /// Additional steps or lost bandwidth, as a share of that without the fault; `None` if a
    /// processor is cut off.
    pub loss: Option<f64>,
    /// Tooltip.
    pub note: String,
}

/// What a loss counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Additional steps.
    Steps,
    /// Lost bandwidth.
    Bandwidth,
}

/// One drawing of the network, for one collective.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Its heading.
    pub title: String,
    /// The cost of losing each part.
    pub heats: Vec<Heat>,
}

/// Points between adjacent routers, unless the drawing would become too wide.
const UNIT: f64 = 70.0;
const WIDEST: f64 = 1500.0;
const MARGIN: f64 = 50.0;
const TITLE: f64 = 40.0;
const TITLE_FONT: f64 = 16.0;
const LEGEND: f64 = 60.0;

/// Height of the legend of bandwidths, and the width of each.
const WIDTHS: f64 = 24.0;
const WIDTH_CELL: f64 = 120.0;

/// Width of the lines of examined and of other parts.
const EXAMINED: f64 = 5.0;
const OTHER: f64 = 2.0;

/// Colours from no loss to the largest loss.
const SCALE: [(f64, f64, f64); 4] =
    [(190.0, 205.0, 214.0), (250.0, 210.0, 60.0), (235.0, 110.0, 20.0), (165.0, 15.0, 35.0)];

/// Colour of a part whose loss cuts a processor off.
const CUT: &str = "#111111";

/// Smallest font size of names.
const READABLE: f64 = 5.0;

/// Colour of a part that is removed already.
const BROKEN: &str = "#b3261e";

/// Colour of a part that was not examined.
const UNKNOWN: &str = "#e3e3e3";

/// The colours for readers that prefer dark: paper, text, parts that were not examined and parts that cut off.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { .heat { fill: #e6eaf0 } \
                    .paper { fill: #14171c } .rim { stroke: #a3aebd } .heat [stroke=\"#e3e3e3\"] { stroke: #3c4450 } \
                    .heat [stroke=\"#111111\"] { stroke: #ffffff } .heat [fill=\"#111111\"] { fill: #ffffff } \
                    .on-cut { fill: #111111 } .heat [stroke=\"#b3261e\"] { stroke: #ff8a80 } \
                    .heat [fill=\"#b3261e\"] { fill: #ff8a80 } }</style>\n";

/// Draws the panels side by side, with a common scale, as SVG. Parts that the network has lost already are dashed.
pub fn draw(network: &Network, panels: &[Panel], measure: Measure) -> String {
    let frame = Frame::new(network);
    let heats = panels.iter().flat_map(|panel| &panel.heats);
    let most = heats.filter_map(|heat| heat.loss).fold(0.0, f64::max);
    let listed = frame.widths.as_ref().map_or(0, |widths| widths.listed().len());
    let titles = panels.iter().map(|panel| text_width(&panel.title, TITLE_FONT) + 40.0);
    let wide = titles.fold(frame.width.max(320.0), f64::max);
    let width = wide * panels.len().max(1) as f64;
    let width = width.max(40.0 + WIDTH_CELL * listed as f64);
    let height = TITLE + frame.height + LEGEND + if listed > 0 { WIDTHS } else { 0.0 };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" \
         class=\"heat\" fill=\"#1c2430\" font-family=\"sans-serif\" font-size=\"13\">\n{DARK}\
         <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        let left = at as f64 * wide;
        add(&mut svg, &format!("<g transform=\"translate({left:.1},0)\">"));
        add(
            &mut svg,
            &format!(
                "<text x=\"20\" y=\"26\" font-size=\"{TITLE_FONT}\" font-weight=\"600\">{}</text>",
                escaped(&panel.title)
            ),
        );
        frame.panel(network, panel, most, &mut svg);
        add(&mut svg, "</g>");
    }
    if !network.faults().is_empty() {
        let text = escaped(&format!("broken {}", faults(network)));
        add(&mut svg, &format!("<text x=\"20\" y=\"46\" fill=\"{BROKEN}\">{text}</text>"));
    }
    let top = TITLE + frame.height + 10.0;
    let has_cuts = panels.iter().flat_map(|panel| &panel.heats).any(|heat| heat.loss.is_none());
    legend(most, has_cuts, measure, top, &mut svg);
    if let Some(widths) = &frame.widths {
        frame.width_legend(widths, top + 50.0, &mut svg);
    }
    svg + "</svg>\n"
}

/// Writing to a string cannot fail.
fn add(svg: &mut String, line: &str) {
    let _ = writeln!(svg, "{line}");
}

/// The positions of routers in a drawing.
struct Frame {
    places: Vec<Place>,
    unit: f64,
    width: f64,
    height: f64,
    widths: Option<Widths>,
    kind: LayoutKind,
}

impl Frame {
    fn new(network: &Network) -> Self {
        let (places, kind) = laid_out(network);
        let most = |values: &dyn Fn(&Place) -> f64| {
            let all = places.iter().map(values);
            let least = all.clone().fold(f64::INFINITY, f64::min);
            (least, all.fold(f64::NEG_INFINITY, f64::max) - least)
        };
        let ((left, wide), (top, high)) = (most(&|p| p.0), most(&|p| p.1));
        let unit = UNIT.min(WIDEST / wide.max(high).max(1.0));
        let at = |&(x, y): &Place| (MARGIN + (x - left) * unit, TITLE + MARGIN + (y - top) * unit);
        Self {
            places: places.iter().map(at).collect(),
            unit,
            width: wide * unit + 2.0 * MARGIN,
            height: high * unit + 2.0 * MARGIN,
            widths: Widths::of(network),
            kind,
        }
    }

    fn place(&self, router: RouterId) -> Place {
        self.places[router.index()]
    }

    fn panel(&self, network: &Network, panel: &Panel, most: f64, svg: &mut String) {
        let heat_of: BTreeMap<String, &Heat> =
            panel.heats.iter().map(|heat| (heat.fault.numbers(), heat)).collect();
        let mut parallel: BTreeMap<(RouterId, RouterId), usize> = BTreeMap::new();
        for (number, channel) in (0..).map(ChannelId).zip(network.channels()) {
            let (tail, head) = (channel.tail, channel.head);
            let opposite = network.opposite(number);
            let single = heat_of.get(&Fault::Channel(tail, head).numbers());
            let is_second = opposite.is_some_and(|other| other < number);
            if is_second && single.is_none() {
                continue;
            }
            let (low, high) = if opposite.is_some() && single.is_none() {
                (tail.min(head), tail.max(head))
            } else {
                (tail, head)
            };
            let heat = single.or_else(|| heat_of.get(&Fault::Link(low, high).numbers()));
            let rank = parallel.entry((low, high)).or_default();
            // The two directions of a link are drawn side by side.
            let is_half = single.is_some() && opposite.is_some();
            let shift = *rank as f64 * 7.0 + if is_half { 3.0 } else { 0.0 };
            *rank += 1;
            let width = self.line_width(heat.is_some(), self.factor(network, number));
            add(svg, &self.line((low, high), shift, heat.copied(), most, width));
        }
        for (from, to) in broken_ends(network) {
            add(svg, &self.broken(from, to));
        }
        for router in network.routers() {
            let heat = heat_of.get(&Fault::Router(router).numbers()).copied();
            add(svg, &self.router(network, router, heat, most));
        }
    }

    /// The bandwidth of a link as a multiple of the thinnest line; `None` if all lines have one width.
    fn factor(&self, network: &Network, channel: ChannelId) -> Option<f64> {
        self.widths.as_ref().map(|widths| widths.of_link(network, channel))
    }

    /// The width of a line. With bandwidths, examined parts are 2 to 8 points wide.
    fn line_width(&self, is_examined: bool, factor: Option<f64>) -> f64 {
        let width = match (is_examined, factor) {
            (_, Some(factor)) => OTHER * factor,
            (true, None) => EXAMINED,
            (false, None) => OTHER,
        };
        width * (self.unit / UNIT).max(0.3)
    }

    fn line(
        &self,
        (from, to): (RouterId, RouterId),
        shift: f64,
        heat: Option<&Heat>,
        most: f64,
        width: f64,
    ) -> String {
        let ((x1, y1), (x2, y2)) = (self.place(from), self.place(to));
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = dx.hypot(dy).max(1.0);
        // Perpendicular to the line, always on its right-hand side.
        let (nx, ny) = (-dy / length, dx / length);
        let bow = if self.is_blocked(from, to) { self.unit * 0.45 + length * 0.1 } else { 0.0 };
        let at = |x: f64, y: f64, by: f64| format!("{:.1} {:.1}", x + nx * by, y + ny * by);
        let middle = at(x1 + dx / 2.0, y1 + dy / 2.0, shift + bow);
        let (start, end) = (at(x1, y1, shift), at(x2, y2, shift));
        format!(
            "<path d=\"M{start} Q{middle} {end}\" fill=\"none\" stroke=\"{}\" \
             stroke-width=\"{width:.1}\">{}</path>",
            colour(heat, most),
            title(heat)
        )
    }

    /// A link that is removed already.
    fn broken(&self, from: RouterId, to: RouterId) -> String {
        let ((x1, y1), (x2, y2)) = (self.place(from), self.place(to));
        format!(
            "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" fill=\"none\" stroke=\"{BROKEN}\" stroke-width=\"1.8\" \
             stroke-dasharray=\"4 4\"><title>broken</title></path>"
        )
    }

    /// The bandwidths by line width.
    fn width_legend(&self, widths: &Widths, y: f64, svg: &mut String) {
        for (at, bandwidth) in widths.listed().into_iter().enumerate() {
            let x = 20.0 + WIDTH_CELL * at as f64;
            let width = self.line_width(true, Some(widths.factor(bandwidth)));
            add(
                svg,
                &format!(
                    "<path d=\"M{x:.0} {y:.1}h30\" stroke=\"#8a8a8a\" stroke-width=\"{width:.1}\"/>\
                     <text x=\"{:.0}\" y=\"{:.1}\">{}</text>",
                    x + 36.0,
                    y + 4.0,
                    bandwidth::label(bandwidth)
                ),
            );
        }
    }

    /// Whether a straight line would pass through another router.
    fn is_blocked(&self, from: RouterId, to: RouterId) -> bool {
        let ((x1, y1), (x2, y2)) = (self.place(from), self.place(to));
        let (dx, dy) = (x2 - x1, y2 - y1);
        let square = (dx * dx + dy * dy).max(1.0);
        if self.places.len() > 2000 || self.kind == LayoutKind::Levels {
            return false;
        }
        self.places.iter().enumerate().any(|(other, &(x, y))| {
            let along = ((x - x1) * dx + (y - y1) * dy) / square;
            let off = ((x - x1) * dy - (y - y1) * dx).abs() / square.sqrt();
            let is_end = other == from.index() || other == to.index();
            !is_end && (0.0..=1.0).contains(&along) && off < 0.2 * self.unit
        })
    }

    fn router(
        &self,
        network: &Network,
        router: RouterId,
        heat: Option<&Heat>,
        most: f64,
    ) -> String {
        let (x, y) = self.place(router);
        let size = 15.0 * (self.unit / UNIT).max(0.25);
        let fill = if heat.is_some() { colour(heat, most) } else { "#ffffff".to_owned() };
        let class = if heat.is_some() { "rim" } else { "rim paper" };
        let is_switch = network.residents(router).is_empty() && !network.is_lost(router);
        let shape = if is_switch {
            format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
                x - size,
                y - size,
                2.0 * size,
                2.0 * size
            )
        } else {
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\"")
        };
        let is_dark =
            heat.is_some_and(|h| h.loss.is_none_or(|loss| loss > 0.6 * most && loss > 0.0));
        let name = network.router_name(router);
        let font = (1.7 * size / name.chars().count().max(2) as f64).min(12.0);
        let (rim, tip) = if network.is_lost(router) {
            (
                format!("stroke=\"{BROKEN}\" stroke-dasharray=\"3 3\""),
                "<title>broken</title>".to_owned(),
            )
        } else {
            ("stroke=\"#444\"".to_owned(), title(heat))
        };
        let node = format!(
            "{shape} class=\"{class}\" fill=\"{fill}\" {rim}>{tip}</{}>",
            if is_switch { "rect" } else { "circle" }
        );
        // Smaller names could not be read; the tip has them.
        if font < READABLE {
            return node;
        }
        format!(
            "{node}<text x=\"{x:.1}\" \
             y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{font:.1}\"{} \
             pointer-events=\"none\">{}</text>",
            y + font * 0.35,
            match heat {
                // The colour of text.
                None => "",
                Some(Heat { loss: None, .. }) => " class=\"on-cut\" fill=\"#ffffff\"",
                Some(_) if is_dark => " fill=\"#ffffff\"",
                Some(_) => " fill=\"#000000\"",
            },
            escaped(&name)
        )
    }
}

fn colour(heat: Option<&Heat>, most: f64) -> String {
    match heat {
        None => UNKNOWN.to_owned(),
        Some(Heat { loss: None, .. }) => CUT.to_owned(),
        Some(Heat { loss: Some(loss), .. }) => on_scale(if most > 0.0 { loss / most } else { 0.0 }),
    }
}

/// The colour for a share of the largest loss.
fn on_scale(share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let low = (at as usize).min(SCALE.len() - 2);
    let part = at - low as f64;
    let mix = |a: f64, b: f64| (a + (b - a) * part).round() as u8;
    let ((r1, g1, b1), (r2, g2, b2)) = (SCALE[low], SCALE[low + 1]);
    format!("#{:02x}{:02x}{:02x}", mix(r1, r2), mix(g1, g2), mix(b1, b2))
}

fn title(heat: Option<&Heat>) -> String {
    heat.map_or(String::new(), |heat| format!("<title>{}</title>", escaped(&heat.note)))
}

/// The scale of losses, with a single colour if no loss costs anything.
fn legend(most: f64, has_cuts: bool, measure: Measure, top: f64, svg: &mut String) {
    const CELLS: u32 = 20;
    for cell in 0..CELLS {
        let share = if most > 0.0 { f64::from(cell) / f64::from(CELLS - 1) } else { 0.0 };
        let x = 20.0 + 8.0 * f64::from(cell);
        add(
            svg,
            &format!(
                "<rect x=\"{x:.0}\" y=\"{top:.1}\" width=\"8\" height=\"12\" fill=\"{}\"/>",
                on_scale(share)
            ),
        );
    }
    let below = top + 28.0;
    let (sign, unit) = match measure {
        Measure::Steps => ("+", "steps"),
        Measure::Bandwidth => ("-", "bandwidth"),
    };
    if most > 0.0 {
        let most = format!("{sign}{:.0} % {unit}", 100.0 * most);
        add(svg, &format!("<text x=\"20\" y=\"{below:.1}\">0 %</text>"));
        add(svg, &format!("<text x=\"180\" y=\"{below:.1}\" text-anchor=\"end\">{most}</text>"));
    } else {
        add(svg, &format!("<text x=\"20\" y=\"{below:.1}\">no loss costs {unit}</text>"));
    }
    if !has_cuts {
        return;
    }
    add(
        svg,
        &format!(
            "<rect x=\"200\" y=\"{top:.1}\" width=\"12\" height=\"12\" fill=\"{CUT}\"/>\
             <text x=\"218\" y=\"{:.1}\">cuts off</text>",
            top + 11.0
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn every_part_is_drawn_in_its_colour() {
        let network = topology::build("ring:4").unwrap();
        let heat = |fault, loss| Heat { fault, loss, note: "a<b".to_owned() };
        let link = |a, b| Fault::Link(RouterId(a), RouterId(b));
        let panel = Panel {
            title: "all-to-all & more".to_owned(),
            heats: vec![
                heat(link(0, 1), Some(0.5)),
                heat(link(1, 2), Some(0.0)),
                heat(link(0, 3), None),
                heat(Fault::Router(RouterId(2)), Some(0.25)),
            ],
        };
        let svg = draw(&network, std::slice::from_ref(&panel), Measure::Steps);
        assert_eq!(svg.matches("<path").count(), 4);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<title>a&lt;b</title>").count(), 4);
        assert!(svg.contains("all-to-all &amp; more") && svg.contains("+50 % steps"));
        for colour in [on_scale(1.0), on_scale(0.0), CUT.to_owned(), UNKNOWN.to_owned()] {
            assert!(svg.contains(&format!("stroke=\"{colour}\"")), "{colour}");
        }
        assert!(svg.contains(&format!("fill=\"{}\" stroke", on_scale(0.5))));
        let two = draw(&network, &[panel.clone(), panel], Measure::Bandwidth);
        assert_eq!(two.matches("<path").count(), 8);
        assert!(two.contains("-50 % bandwidth"));
    }

    #[test]
    fn parts_that_are_lost_already_are_dashed() {
        let whole = topology::build("mesh:2x2").unwrap();
        let faults = ["0,0-0,1", "1,1"].map(|part| Fault::parse(&whole, part).unwrap());
        let network = whole.without(&faults).unwrap();
        let heat = Heat {
            fault: Fault::Link(RouterId(0), RouterId(2)),
            loss: Some(0.0),
            note: String::new(),
        };
        let panel = Panel { title: "broadcast".to_owned(), heats: vec![heat] };
        let svg = draw(&network, &[panel], Measure::Steps);
        assert_eq!(svg.matches("stroke-dasharray=\"4 4\"").count(), 1, "the link");
        assert_eq!(svg.matches("stroke-dasharray=\"3 3\"").count(), 1, "the router");
        assert!(svg.contains("broken 0,0–0,1 1,1"), "{svg}");
        // Nothing costs or cuts off, and the legend says so.
        assert!(svg.contains("no loss costs steps") && !svg.contains("cuts off"));
    }

    #[test]
    fn both_directions_of_a_link_are_drawn() {
        let network = topology::build("path:2").unwrap();
        let channel = |a, b| Heat {
            fault: Fault::Channel(RouterId(a), RouterId(b)),
            loss: None,
            note: String::new(),
        };
        let panel = Panel { title: String::new(), heats: vec![channel(0, 1), channel(1, 0)] };
        assert_eq!(draw(&network, &[panel], Measure::Steps).matches("<path").count(), 2);
    }
}
