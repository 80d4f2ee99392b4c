//! The cost of every fault, drawn on the network: links, channels and routers are coloured by it.

use crate::layout::Place;
use crate::picture::Map;
use crate::picture::bandwidth::{self, Widths};
use crate::picture::curve::Curve;
use crate::picture::frames::GroupFrame;
use crate::picture::labels::faults;
use crate::picture::map::LANE;
use crate::picture::nodes::thinnest;
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

/// Free space around the network.
const MARGIN: f64 = 20.0;
const TITLE: f64 = 40.0;
const TITLE_FONT: f64 = 16.0;
const LEGEND: f64 = 60.0;

/// Height of the legend of bandwidths, and the width of each.
const WIDTHS: f64 = 24.0;
const WIDTH_CELL: f64 = 120.0;

/// Width of the lines of examined and of other parts, if other pictures draw links with the width `USUAL`.
const EXAMINED: f64 = 5.0;
const OTHER: f64 = 2.0;
const USUAL: f64 = 1.4;

/// Colours from no loss to the largest loss.
const SCALE: [(f64, f64, f64); 4] =
    [(190.0, 205.0, 214.0), (250.0, 210.0, 60.0), (235.0, 110.0, 20.0), (165.0, 15.0, 35.0)];

/// Colour of a part whose loss cuts a processor off.
const CUT: &str = "#111111";

/// Colour of a part that is removed already.
const BROKEN: &str = "#b3261e";

/// Colour of a part that was not examined.
const UNKNOWN: &str = "#e3e3e3";

/// The colours for readers that prefer dark: paper, text, parts that were not examined and parts that cut off.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { .heat { fill: #e6eaf0 } \
                    .paper { fill: #14171c } .rim { stroke: #a3aebd } .heat [stroke=\"#e3e3e3\"] { stroke: #3c4450 } \
                    .heat [stroke=\"#111111\"] { stroke: #ffffff } .heat [fill=\"#111111\"] { fill: #ffffff } \
                    .on-cut { fill: #111111 } .heat [stroke=\"#b3261e\"] { stroke: #ff8a80 } \
                    .heat [fill=\"#b3261e\"] { fill: #ff8a80 } \
                    .group { fill: #242a33 } .faint { fill: #97a1b0 } }</style>\n";

/// Draws the panels side by side, with a common scale, as SVG. Parts that the network has lost already are dashed.
pub fn draw(network: &Network, panels: &[Panel], measure: Measure) -> String {
    let frame = Frame::new(network);
    let heats = panels.iter().flat_map(|panel| &panel.heats);
    let most = heats.filter_map(|heat| heat.loss).fold(0.0, f64::max);
    let listed = frame.widths.as_ref().map_or(0, |widths| widths.listed().len());
    let titles = panels.iter().map(|panel| text_width(&panel.title, TITLE_FONT) + 40.0);
    let wide = titles.fold((frame.map.width + 2.0 * MARGIN).max(320.0), f64::max);
    let width = wide * panels.len().max(1) as f64;
    let width = width.max(40.0 + WIDTH_CELL * listed as f64);
    let below = TITLE + frame.map.height + 2.0 * MARGIN;
    let height = below + LEGEND + if listed > 0 { WIDTHS } else { 0.0 };
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
        let top = TITLE + MARGIN;
        add(&mut svg, &format!("<g transform=\"translate({MARGIN},{top})\">"));
        frame.panel(panel, most, &mut svg);
        add(&mut svg, "</g></g>");
    }
    if !network.faults().is_empty() {
        let text = escaped(&format!("broken {}", faults(network)));
        add(&mut svg, &format!("<text x=\"20\" y=\"46\" fill=\"{BROKEN}\">{text}</text>"));
    }
    let top = below + 10.0;
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

/// The network, laid out as in all pictures.
struct Frame<'a> {
    network: &'a Network,
    map: Map,
    widths: Option<Widths>,
}

impl<'a> Frame<'a> {
    fn new(network: &'a Network) -> Self {
        Self { network, map: Map::new(network), widths: Widths::of(network) }
    }

    fn panel(&self, panel: &Panel, most: f64, svg: &mut String) {
        let heat_of: BTreeMap<String, &Heat> =
            panel.heats.iter().map(|heat| (heat.fault.numbers(), heat)).collect();
        let heat_of = |fault: Fault| heat_of.get(&fault.numbers()).copied();
        self.map.frames.iter().for_each(|frame| add(svg, &group(frame)));
        for (channel, middle) in &self.map.links {
            self.link(*channel, middle, &heat_of, most, svg);
        }
        for (_, curve) in &self.map.broken {
            let line = format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{BROKEN}\" stroke-width=\"1.8\" \
                 stroke-dasharray=\"4 4\"><title>broken</title></path>",
                drawn(curve)
            );
            add(svg, &line);
        }
        let heats: Vec<Option<&Heat>> =
            self.network.routers().map(|router| heat_of(Fault::Router(router))).collect();
        for (router, heat) in self.network.routers().zip(&heats) {
            add(svg, &self.router(router, *heat, most));
        }
        for (at, place, text) in self.map.label_lines() {
            let ink = ink_on(heats[at], most);
            add(svg, &centred(place, self.map.font_size, ink, text));
        }
        for frame in &self.map.frames {
            let ink = " class=\"faint\" fill=\"#66707f\" font-weight=\"600\"";
            add(svg, &centred(frame.label, frame.font_size, ink, &frame.name));
        }
    }

    /// A link, or its two channels side by side if they were examined one by one.
    fn link<'h>(
        &self,
        channel: ChannelId,
        middle: &Curve,
        heat_of: &impl Fn(Fault) -> Option<&'h Heat>,
        most: f64,
        svg: &mut String,
    ) {
        let ends = self.network.channel(channel);
        let opposite = self.network.opposite(channel);
        let directions: Vec<ChannelId> = [Some(channel), opposite].into_iter().flatten().collect();
        let alone = |channel: ChannelId| {
            let ends = self.network.channel(channel);
            heat_of(Fault::Channel(ends.tail, ends.head))
        };
        let width = |heat: Option<&Heat>| self.line_width(heat.is_some(), self.factor(channel));
        if directions.iter().any(|&channel| alone(channel).is_some()) {
            for channel in directions {
                let (heat, curve) = (alone(channel), &self.map.channels[channel.index()]);
                add(svg, &line(curve, heat, most, width(heat).min(2.0 * LANE)));
            }
            return;
        }
        let (tail, head) = if opposite.is_some() {
            (ends.tail.min(ends.head), ends.tail.max(ends.head))
        } else {
            (ends.tail, ends.head)
        };
        let heat = heat_of(Fault::Link(tail, head));
        add(svg, &line(middle, heat, most, width(heat)));
    }

    /// The bandwidth of a link as a multiple of the thinnest line; `None` if all lines have one width.
    fn factor(&self, channel: ChannelId) -> Option<f64> {
        self.widths.as_ref().map(|widths| widths.of_link(self.network, channel))
    }

    /// The width of a line, thinner if there are many.
    fn line_width(&self, is_examined: bool, factor: Option<f64>) -> f64 {
        let width = match (is_examined, factor) {
            (_, Some(factor)) => OTHER * factor,
            (true, None) => EXAMINED,
            (false, None) => OTHER,
        };
        width * thinnest(&self.map) / USUAL
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

    fn router(&self, router: RouterId, heat: Option<&Heat>, most: f64) -> String {
        let (x, y) = self.map.routers[router.index()];
        let (network, size) = (self.network, self.map.radius);
        let fill = if heat.is_some() { colour(heat, most) } else { "#ffffff".to_owned() };
        let class = if heat.is_some() { "rim" } else { "rim paper" };
        let is_lost = network.is_lost(router);
        let is_switch = network.residents(router).is_empty() && !is_lost;
        let (shape, tag) = if is_switch {
            let (low, side) = ((x - 0.9 * size, y - 0.9 * size), 1.8 * size);
            let place = format!("x=\"{:.1}\" y=\"{:.1}\"", low.0, low.1);
            (format!("<rect {place} width=\"{side:.1}\" height=\"{side:.1}\""), "rect")
        } else {
            (format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\""), "circle")
        };
        let (rim, tip) = if is_lost {
            let rim = format!("stroke=\"{BROKEN}\" stroke-dasharray=\"3 3\"");
            (rim, "<title>broken</title>".to_owned())
        } else {
            ("stroke=\"#444\"".to_owned(), title(heat))
        };
        format!("{shape} class=\"{class}\" fill=\"{fill}\" {rim}>{tip}</{tag}>")
    }
}

/// The area of a group.
fn group(frame: &GroupFrame) -> String {
    let (wide, high) = (frame.high.0 - frame.low.0, frame.high.1 - frame.low.1);
    let round = if frame.is_round { wide / 2.0 } else { 0.0 };
    format!(
        "<rect class=\"group\" x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"{round:.1}\" fill=\"#eceff3\"/>",
        frame.low.0, frame.low.1
    )
}

/// The data of a path.
fn drawn([(a, b), (c, d), (e, f), (g, h)]: &Curve) -> String {
    format!("M{a:.1} {b:.1}C{c:.1} {d:.1} {e:.1} {f:.1} {g:.1} {h:.1}")
}

fn line(curve: &Curve, heat: Option<&Heat>, most: f64, width: f64) -> String {
    format!(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.1}\">{}</path>",
        drawn(curve),
        colour(heat, most),
        title(heat)
    )
}

/// A text with its attributes for colours.
fn centred((x, y): Place, size: f64, ink: &str, text: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{size:.1}\"{ink} \
         pointer-events=\"none\">{}</text>",
        y + size * 0.35,
        escaped(text)
    )
}

/// The colour of a name on a router with this heat; none is that of text.
fn ink_on(heat: Option<&Heat>, most: f64) -> &'static str {
    match heat.map(|heat| heat.loss) {
        None => "",
        Some(None) => " class=\"on-cut\" fill=\"#ffffff\"",
        Some(Some(loss)) if loss > 0.6 * most && loss > 0.0 => " fill=\"#ffffff\"",
        Some(Some(_)) => " fill=\"#000000\"",
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
    fn names_and_groups_of_large_networks_are_readable() {
        for (name, groups) in
            [("fat-tree:8", "pod 7"), ("dragonfly:4,8,4", "group 32"), ("nvl72", "71")]
        {
            let network = topology::build(name).unwrap();
            let panel = Panel { title: name.to_owned(), heats: Vec::new() };
            let svg = draw(&network, &[panel], Measure::Steps);
            assert!(svg.contains(&format!(">{groups}</text>")), "{name}");
            let sizes = svg.split("font-size=\"").skip(1).filter_map(|rest| rest.split('"').next());
            let sizes: Vec<f64> = sizes.map(|size| size.parse().unwrap()).collect();
            assert!(
                sizes.len() > network.router_count() && sizes.iter().all(|&it| it >= 8.0),
                "{name}"
            );
        }
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
