//! The network itself: links in the background, routers in front, switches as squares, processors
//! around fat nodes, and faults in red.

use super::arrow::with_sized_tip;
use super::bandwidth::Widths;
use super::curve::{Curve, part, segments};
use super::frames;
use super::ink::Ink;
use super::map::{Map, NAMED};
use super::processors::{Disc, is_alone};
use super::scene::{Anchor, Item, Segment, Style, Text, add_path, circle, rectangle, text_width};
use pavane_model::{Network, ProcessorId, RouterId};

/// The part of a picture with dots that links may cover, and their least and greatest width.
const COVERED: f64 = 0.25;
const WIDTHS: (f64, f64) = (0.2, 0.9);

/// The width of the thinnest links.
pub fn thinnest(map: &Map) -> f64 {
    match (map.routers.len() > NAMED, map.links.len()) {
        (true, _) => {
            let length = |(_, [from, .., to]): &(_, Curve)| (from.0 - to.0).hypot(from.1 - to.1);
            let whole: f64 = map.links.iter().map(length).sum();
            (COVERED * map.width * map.height / whole.max(1.0)).clamp(WIDTHS.0, WIDTHS.1)
        }
        (_, 900..) => 0.5,
        (_, 400..) => 0.9,
        _ => 1.4,
    }
}

/// The frames of groups, the idle links, wider if they have more bandwidth, and the broken ones.
pub fn links(network: &Network, map: &Map) -> Vec<Item> {
    let mut items = frames::areas(&map.frames);
    let widths = Widths::of(network);
    let factor = |channel| widths.as_ref().map_or(1.0, |widths| widths.of_link(network, channel));
    let mut links: Vec<_> = map.links.iter().map(|(id, curve)| (factor(*id), curve)).collect();
    // Links of one width become one path. The sort is stable.
    links.sort_by(|one, other| other.0.total_cmp(&one.0));
    let thinnest = thinnest(map);
    for (factor, curve) in links {
        let style = Style::line(Ink::Line, thinnest * factor);
        add_path(&mut items, &segments(curve), style);
    }
    for tip in one_way_tips(network, map) {
        add_path(&mut items, &tip, Style::area(Ink::Faint));
    }
    let style = Style { is_dashed: true, ..Style::line(Ink::Broken, 1.6) };
    for (_, curve) in &map.broken {
        add_path(&mut items, &segments(curve), style);
    }
    items
}

/// The arrowheads in the middle of channels without an opposite. Dots are too close to each other for them.
pub fn one_way_tips(network: &Network, map: &Map) -> Vec<[Segment; 4]> {
    const SIZE: f64 = 0.8;
    let lines = map.links.iter().filter(|_| !map.labels.is_empty());
    let one_way = lines.filter(|(channel, _)| network.opposite(*channel).is_none());
    one_way
        .map(|(channel, _)| {
            let half = part(&map.channels[channel.index()], 0.0, 0.55);
            with_sized_tip(&half, SIZE).1
        })
        .collect()
}

/// Routers and processors, with the colours given by `fill`.
pub fn nodes(network: &Network, map: &Map, fill: impl Fn(ProcessorId) -> Ink) -> Vec<Item> {
    let mut items = Vec::new();
    let rim = if map.labels.is_empty() { 0.8 } else { 1.3 };
    // Nodes are drawn colour by colour, because nodes of one colour become one path.
    for ink in [Ink::Panel, Ink::Paper, Ink::Holder, Ink::New] {
        for router in network.routers() {
            let (x, y) = map.routers[router.index()];
            let residents = network.residents(router);
            let own = match residents {
                [] => Ink::Panel,
                [only] => fill(*only),
                // If there are too many residents to draw individually, their router shows their
                // state.
                [first, ..] if map.processors[first.index()].is_none() => {
                    let has = |ink| residents.iter().any(|&resident| fill(resident) == ink);
                    [Ink::New, Ink::Holder].into_iter().find(|&ink| has(ink)).unwrap_or(Ink::Paper)
                }
                _ => Ink::Paper,
            };
            if own != ink || network.is_lost(router) {
                continue;
            }
            let style = Style::rimmed(ink, Ink::Rim, rim);
            let r = map.radius;
            if residents.is_empty() {
                add_path(&mut items, &rectangle(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r), style)
            } else {
                add_path(&mut items, &circle(x, y, r), style)
            }
        }
        for (processor, &((x, y), radius)) in around(network, map) {
            if fill(processor) == ink {
                add_path(&mut items, &circle(x, y, radius), Style::rimmed(ink, Ink::Rim, 1.0));
            }
        }
    }
    for router in network.routers().filter(|&router| network.is_lost(router)) {
        let (x, y) = map.routers[router.index()];
        let style = Style { is_dashed: true, ..Style::rimmed(Ink::Paper, Ink::Broken, rim) };
        add_path(&mut items, &circle(x, y, map.radius), style);
    }
    items
}

/// The texts in routers and processors, and the names of groups.
pub fn labels(network: &Network, map: &Map) -> Vec<Item> {
    let mut items = Vec::new();
    for (at, place, label) in map.label_lines() {
        let router = RouterId(at as u32);
        let ink = if network.is_lost(router) { Ink::Broken } else { Ink::Text };
        let is_bold = network.residents(router).len() > 1;
        items.push(centred(place, map.font_size, ink, label, is_bold));
    }
    if !map.labels.is_empty() {
        for (processor, &(place, radius)) in around(network, map) {
            let label = network.processor_number(processor);
            let size = (2.0 * radius - 2.0) / text_width(&label, 1.0).max(1.24);
            items.push(centred(place, size.min(8.5), Ink::Text, &label, false));
        }
    }
    items.extend(frames::names(&map.frames));
    items
}

/// Processors that are drawn beside their router.
fn around<'a>(network: &'a Network, map: &'a Map) -> impl Iterator<Item = (ProcessorId, &'a Disc)> {
    let numbered = (0..).map(ProcessorId).zip(&map.processors);
    let drawn = numbered.filter_map(|(processor, place)| Some((processor, place.as_ref()?)));
    drawn.filter(|&(processor, _)| !is_alone(network, processor))
}

fn centred((x, y): (f64, f64), size: f64, ink: Ink, text: &str, is_bold: bool) -> Item {
    let (anchor, text) = (Anchor::Middle, text.to_owned());
    Item::Text(Text { x, y: y + size * 0.35, size, anchor, is_bold, ink, text })
}
