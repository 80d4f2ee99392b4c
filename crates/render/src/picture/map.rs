//! A network as drawn: the positions of its routers, processors and channels, in points. A channel
//! is drawn on the right-hand side of its link, and links bend where a straight line would pass
//! through a router.

use super::curve::{Curve, beside, bulged, curve, part, point, turned};
use super::frames::{GroupFrame, frames};
use super::labels::{labels, lines, longest_line};
use super::processors::{DRAWN, DRAWN_IN_ALL, Disc, ring, satellite, satellites};
use super::scene::text_width;
use crate::layout::cells::{Cells, nearest_distances};
use crate::layout::{LayoutKind, Place, laid_out};
use pavane_model::{ChannelId, Fault, Network, RouterId};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Minimum gap between the outlines of two routers, in points.
const APART: f64 = 9.0;

/// The same in a layout by forces.
const FORCED: f64 = 26.0;

/// The same in rows, which have no channels between neighbours: few routers have room for many channels to the next
/// row, and many should fit on a screen.
const IN_SHORT_ROWS: f64 = 30.0;
const IN_LONG_ROWS: f64 = 5.0;

/// The same between dots, and in a layout by forces if links are much longer than the distance between neighbours.
const BETWEEN_DOTS: f64 = 10.0;
const FORCED_DOTS: f64 = 30.0;

/// Points per unit of the layout of a network of dots, at least and at most, and the share of dots, as a divisor, that
/// may be closer to another than the gap between dots.
const UNIT: f64 = 16.0;
const LARGEST_UNIT: f64 = 56.0;
const CLOSE: usize = 10;

/// Minimum for the median length of channels, in points, for networks of medium size.
const USUAL: f64 = 58.0;

/// Maximum width and height of a network, in points.
const WIDEST: f64 = 6000.0;

/// Above this number of routers, dots replace names.
pub const NAMED: usize = 400;

/// The bends of links around routers, in points, and those around dots, which fit between rows.
const BENDS: [f64; 6] = [20.0, 30.0, 44.0, 62.0, 84.0, 120.0];
const DOT_BENDS: [f64; 6] = [9.0, 12.0, 20.0, 30.0, 44.0, 62.0];

/// Distance of a channel from the middle of its link.
pub const LANE: f64 = 2.7;

/// A network as drawn.
#[derive(Debug, Clone)]
pub struct Map {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// The centres of routers.
    pub routers: Vec<Place>,
    /// The radius of routers.
    pub radius: f64,
    /// Centres and radii of processors: on their router, or around it if it has several. `None` if
    /// lost or too many to draw.
    pub processors: Vec<Option<Disc>>,
    /// The texts in routers; empty if there are too many routers.
    pub labels: Vec<String>,
    /// Their font size.
    pub font_size: f64,
    /// The curve of every channel, from outline to outline.
    pub channels: Vec<Curve>,
    /// The middle lines of links, and of channels without an opposite, by their first channel.
    pub links: Vec<(ChannelId, Curve)>,
    /// The lines of broken links, with the numbers of their ends: `r0-r1`.
    pub broken: Vec<(String, Curve)>,
    /// The frames of groups of routers.
    pub frames: Vec<GroupFrame>,
    /// How the places of routers were chosen.
    kind: LayoutKind,
}

impl Map {
    /// The texts in routers, line by line, with the number of the router and the centre of the line.
    pub fn label_lines(&self) -> impl Iterator<Item = (usize, Place, &str)> {
        self.labels.iter().enumerate().flat_map(move |(at, label)| {
            let (x, y) = self.routers[at];
            let first = y - 0.55 * self.font_size * (lines(label).count() as f64 - 1.0);
            lines(label).enumerate().map(move |(line, text)| {
                (at, (x, first + 1.1 * self.font_size * line as f64), text)
            })
        })
    }

    /// Lays out a network.
    pub fn new(network: &Network) -> Self {
        let (places, kind) = laid_out(network);
        let labels = labels(network);
        let longest = labels.iter().map(|label| longest_line(label)).max().unwrap_or(0);
        let is_named = places.len() <= NAMED;
        let radius = match (is_named, longest) {
            (false, _) => 3.0,
            (true, 0..=2) => 10.5,
            (true, 3) => 12.0,
            (true, 4..=5) => 15.0,
            (true, 6..=8) => 22.0,
            (true, _) => 31.5,
        };
        let font_size = match labels.iter().map(|label| lines(label).count()).max() {
            // The corners of two lines are inside the circle.
            Some(2) => (radius - 0.5) / (text_width("0", 0.5) * longest as f64).hypot(1.0),
            _ => (2.0 * radius - 3.0) / text_width("0", 1.0) / longest.max(2) as f64,
        };
        let most = network.routers().map(|r| network.residents(r).len()).max().unwrap_or(1);
        let satellite = satellite(network.processor_count());
        let is_ringed = most > 1 && is_named && network.processor_count() <= DRAWN_IN_ALL;
        let ring = if is_ringed { ring(radius, satellite, most.min(DRAWN)) } else { radius };
        let footprint = ring + if is_ringed { satellite } else { 0.0 };
        // In a layout by forces, links run in all directions, so routers get more room.
        let gap = match (kind, places.len()) {
            (LayoutKind::Forces, _) if is_named => FORCED,
            (LayoutKind::Forces, _) => {
                (BETWEEN_DOTS * crossings(network, &places).sqrt()).clamp(BETWEEN_DOTS, FORCED_DOTS)
            }
            _ if !is_named => BETWEEN_DOTS,
            (LayoutKind::Levels, 0..=24) => IN_SHORT_ROWS,
            (LayoutKind::Levels, 60..) => IN_LONG_ROWS,
            _ => APART,
        };
        let apart = 2.0 * footprint + gap;
        let scale = scale(network, &places, apart);
        let routers: Vec<Place> = places.iter().map(|&(x, y)| (x * scale, y * scale)).collect();
        let mut map = Self {
            width: 0.0,
            height: 0.0,
            processors: satellites(
                network,
                &routers,
                radius,
                is_ringed.then_some((ring, satellite)),
            ),
            routers,
            radius,
            labels: if is_named { labels } else { Vec::new() },
            font_size: font_size.min(11.0),
            channels: Vec::new(),
            links: Vec::new(),
            broken: Vec::new(),
            frames: Vec::new(),
            kind,
        };
        map.lay_channels(network);
        map.broken = broken(network, &map);
        map.frames = frames(network, &map.routers, footprint);
        map.frame(ring + satellite);
        map
    }

    /// Moves everything so that it starts at 0, and sets the width and height.
    fn frame(&mut self, margin: f64) {
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        let mut see = |(x, y): Place, margin: f64| {
            low = (low.0.min(x - margin), low.1.min(y - margin));
            high = (high.0.max(x + margin), high.1.max(y + margin));
        };
        self.routers.iter().for_each(|&place| see(place, margin.max(self.radius + 4.0)));
        for curve in &self.channels {
            (1..8).for_each(|at| see(point(curve, f64::from(at) / 8.0), 6.0));
        }
        for frame in &self.frames {
            frame.corners().into_iter().for_each(|place| see(place, 0.0));
        }
        let shift = |place: &mut Place| *place = (place.0 - low.0, place.1 - low.1);
        self.routers.iter_mut().for_each(shift);
        self.processors.iter_mut().flatten().for_each(|(place, _)| shift(place));
        self.channels.iter_mut().flatten().for_each(shift);
        self.links.iter_mut().flat_map(|(_, curve)| curve).for_each(shift);
        self.broken.iter_mut().flat_map(|(_, curve)| curve).for_each(shift);
        for frame in &mut self.frames {
            [&mut frame.low, &mut frame.high, &mut frame.label].into_iter().for_each(shift);
        }
        (self.width, self.height) = (high.0 - low.0, high.1 - low.1);
    }

    fn lay_channels(&mut self, network: &Network) {
        let cells = Cells::new(&self.routers, UNIT);
        let mut pairs: BTreeMap<(RouterId, RouterId), Vec<ChannelId>> = BTreeMap::new();
        for (number, channel) in (0..).zip(network.channels()) {
            let (low, high) = (channel.tail.min(channel.head), channel.tail.max(channel.head));
            pairs.entry((low, high)).or_default().push(ChannelId(number));
        }
        self.channels = vec![[(0.0, 0.0); 4]; network.channel_count()];
        let ends: Vec<(RouterId, RouterId)> = pairs.keys().copied().collect();
        let spine =
            |&(low, high): &(RouterId, RouterId)| self.spine(&cells, low.index(), high.index());
        let spines: Vec<Curve> = ends.par_iter().map(spine).collect();
        for (((low, _), channels), spine) in pairs.into_iter().zip(spines) {
            // The two channels of a link share a line; every other channel has its own.
            let is_line = |&c: &ChannelId| network.opposite(c).is_none_or(|other| other > c);
            let lines: Vec<ChannelId> = channels.iter().copied().filter(is_line).collect();
            let gap = if lines.iter().any(|&c| network.opposite(c).is_some()) { 4.0 } else { 2.6 };
            for (at, &line) in lines.iter().enumerate() {
                let aside = (at as f64 - (lines.len() - 1) as f64 / 2.0) * gap * LANE * 0.8;
                // Many parallel links converge at their routers, which would be narrower than all of them.
                let outer = (lines.len() - 1) as f64 / 2.0 * gap * LANE * 0.8;
                let ends = aside * (0.6 * self.radius / outer.max(1e-9)).min(1.0);
                let middle = bulged(&spine, ends, aside);
                self.links.push((line, middle));
                let lane = if network.opposite(line).is_some() { LANE } else { 0.0 };
                for id in [Some(line), network.opposite(line)].into_iter().flatten() {
                    let is_forward = network.channel(id).tail == low;
                    let curve = beside(&middle, if is_forward { lane } else { -lane });
                    let curve = if is_forward { curve } else { turned(curve) };
                    self.channels[id.index()] = self.trimmed(network, id, curve);
                }
            }
        }
    }

    /// The line between two routers: straight, or bent around those that are in the way. Between dots, lines may pass
    /// close to a router, but not over it.
    fn spine(&self, cells: &Cells, from: usize, to: usize) -> Curve {
        let (a, b) = (self.routers[from], self.routers[to]);
        let straight = curve(a, b, 0.0, 0.0);
        let is_named = self.routers.len() <= NAMED;
        if self.kind == LayoutKind::Levels || (self.kind == LayoutKind::Forces && !is_named) {
            return straight;
        }
        let clear = self.radius + if is_named { 5.0 } else { 1.0 };
        let samples = ((a.0 - b.0).hypot(a.1 - b.1) / clear).max(40.0) as u32;
        // The square of the distance to the nearest router, or one that is not greater than `least`.
        let room = |curve: &Curve, least: f64| {
            let mut room = f64::MAX;
            for sample in 0..=samples {
                let (x, y) = point(curve, f64::from(sample) / f64::from(samples));
                for at in cells.near((x - clear, y - clear), (x + clear, y + clear)) {
                    if at != from && at != to {
                        let (dx, dy) = (x - self.routers[at].0, y - self.routers[at].1);
                        room = room.min(dx * dx + dy * dy);
                    }
                }
                if room <= least {
                    break;
                }
            }
            room
        };
        let mut best = (straight, f64::MIN);
        for curve in self.bends(a, b) {
            let room = room(&curve, best.1);
            if room >= clear * clear {
                return curve;
            }
            if room > best.1 {
                best = (curve, room);
            }
        }
        best.0
    }

    /// A straight line, then lines with larger and larger bends.
    fn bends(&self, from: Place, to: Place) -> impl Iterator<Item = Curve> {
        let is_named = self.routers.len() <= NAMED;
        let bends = if is_named { &BENDS[..] } else { &DOT_BENDS[..] };
        // Between dots there is so little room that a long line needs much of its length to get there.
        let back = if is_named { 0.8 } else { f64::MAX };
        // A short link makes only a small bend.
        let most = bends[0].max((from.0 - to.0).hypot(from.1 - to.1) * 0.3);
        let heights = bends.iter().copied().filter(move |height| *height <= most);
        let side =
            if self.kind == LayoutKind::Circle { inwards(&self.routers, from, to) } else { 1.0 };
        let bends = heights.flat_map(move |height| [side * height, -side * height]);
        std::iter::once(0.0).chain(bends).map(move |bend| curve(from, to, bend, back))
    }

    /// The part of a channel outside of its routers.
    fn trimmed(&self, network: &Network, channel: ChannelId, curve: Curve) -> Curve {
        let ends = network.channel(channel);
        let (tail, head) = (self.routers[ends.tail.index()], self.routers[ends.head.index()]);
        let rim = self.radius + 1.5;
        let is_out = |place: Place, t: f64| {
            let (x, y) = point(&curve, t);
            (x - place.0).hypot(y - place.1) >= rim
        };
        let first = (0..=40).map(|at| f64::from(at) / 100.0).find(|&t| is_out(tail, t));
        let last = (0..=40).map(|at| 1.0 - f64::from(at) / 100.0).find(|&t| is_out(head, t));
        part(&curve, first.unwrap_or(0.4), last.unwrap_or(0.6))
    }
}

/// The sign of a bend between two places that leads towards the middle of the routers.
fn inwards(routers: &[Place], from: Place, to: Place) -> f64 {
    let count = routers.len().max(1) as f64;
    let sum = routers.iter().fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
    let middle = (sum.0 / count, sum.1 / count);
    let far = |bend| {
        let (x, y) = point(&curve(from, to, bend, 0.8), 0.5);
        (x - middle.0).hypot(y - middle.1)
    };
    if far(1.0) < far(-1.0) { 1.0 } else { -1.0 }
}

/// The usual length of channels as a multiple of the usual distance between neighbours. Long channels cross many others.
fn crossings(network: &Network, places: &[Place]) -> f64 {
    usual_length(network, places) / middle(nearest_distances(places)).max(1e-6)
}

/// The median length of channels.
fn usual_length(network: &Network, places: &[Place]) -> f64 {
    let ends = network.channels().iter().map(|c| (places[c.tail.index()], places[c.head.index()]));
    middle(ends.map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).collect())
}

/// The median; 1 of nothing.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

/// Points per unit of the layout, such that routers keep their distance and channels are visible.
fn scale(network: &Network, places: &[Place], apart: f64) -> f64 {
    let distance = |a: Place, b: Place| (a.0 - b.0).hypot(a.1 - b.1);
    let extent = |pick: fn(&Place) -> f64| {
        let values = places.iter().map(pick);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    let most = WIDEST / extent(|place| place.0).max(extent(|place| place.1)).max(1e-6);
    if places.len() > NAMED {
        // A few routers that are very close to each other do not make the whole picture larger.
        let mut nearest = nearest_distances(places);
        nearest.sort_by(f64::total_cmp);
        return (apart / nearest[nearest.len() / CLOSE].max(0.01))
            .clamp(UNIT, LARGEST_UNIT)
            .min(most);
    }
    let mut nearest = f64::MAX;
    for (at, &one) in places.iter().enumerate() {
        for &other in &places[at + 1..] {
            nearest = nearest.min(distance(one, other));
        }
    }
    let usual = usual_length(network, places);
    let few = match places.len() {
        0..=16 => 1.25,
        17..=32 => 1.0,
        _ => 0.8,
    };
    // Two routers at the same place would require an infinitely large picture.
    let wanted = (apart / nearest.clamp(0.01, 1e6)).max(USUAL * few / usual.max(0.1));
    wanted.min(most)
}

/// The ends of the links and channels that a network has lost.
pub fn broken_ends(network: &Network) -> Vec<(RouterId, RouterId)> {
    let ends = |fault: &String| match Fault::parse_numbers(network, fault) {
        Ok(Fault::Link(tail, head) | Fault::Channel(tail, head)) => Some((tail, head)),
        _ => None,
    };
    network.faults().iter().filter_map(ends).filter(|(from, to)| from != to).collect()
}

fn broken(network: &Network, map: &Map) -> Vec<(String, Curve)> {
    let cells = Cells::new(&map.routers, UNIT);
    let curve = |(from, to): (RouterId, RouterId)| {
        let spine = map.spine(&cells, from.index(), to.index());
        (format!("r{from}-r{to}"), part(&spine, 0.02, 0.98))
    };
    broken_ends(network).into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    /// The distance between a curve and a place, or `f64::MAX` if it is clearly greater than `far`.
    fn nearest(curve: &Curve, place: Place, far: f64) -> f64 {
        let is_beyond = |pick: fn(&Place) -> f64| {
            let (low, high) = curve.iter().fold((f64::MAX, f64::MIN), |(low, high), at| {
                (low.min(pick(at)), high.max(pick(at)))
            });
            pick(&place) < low - far || pick(&place) > high + far
        };
        if is_beyond(|place| place.0) || is_beyond(|place| place.1) {
            return f64::MAX;
        }
        let distance = |at: u32| {
            let (x, y) = point(curve, f64::from(at) / 40.0);
            (x - place.0).hypot(y - place.1)
        };
        (0..=40).map(distance).fold(f64::MAX, f64::min)
    }

    #[test]
    fn routers_do_not_touch_and_links_run_through_none() {
        for name in [
            "mesh:4x4",
            "torus:8x8",
            "hypercube:4",
            "octagon:8",
            "ring:12",
            "path:9",
            "dgx-1v",
            "torus:32x32",
            "hypercube:9",
        ] {
            let network = topology::build(name).unwrap();
            let map = Map::new(&network);
            for (at, one) in map.routers.iter().enumerate() {
                for other in &map.routers[at + 1..] {
                    let distance = (one.0 - other.0).hypot(one.1 - other.1);
                    assert!(distance >= 2.0 * map.radius + 4.0, "{name}: {distance}");
                }
            }
            for (channel, curve) in (0..).zip(&map.channels) {
                let ends = network.channel(ChannelId(channel));
                for (router, &place) in (0..).zip(&map.routers) {
                    if [ends.tail.0, ends.head.0].contains(&router) {
                        continue;
                    }
                    let room = nearest(curve, place, 99.0);
                    assert!(room > map.radius, "{name}: channel {channel} and router {router}");
                }
            }
        }
    }

    #[test]
    fn links_between_levels_are_straight() {
        for name in ["nvl72", "fat-tree:6", "fat-tree:8"] {
            let map = Map::new(&topology::build(name).unwrap());
            for (_, curve) in &map.links {
                let straight = super::curve(curve[0], curve[3], 0.0, 0.0);
                let ends = (point(curve, 0.5), point(&straight, 0.5));
                assert!((ends.0.0 - ends.1.0).hypot(ends.0.1 - ends.1.1) < 0.01, "{name}");
            }
        }
    }

    #[test]
    fn networks_of_dots_have_room_for_their_links() {
        for name in ["random-regular:500,4,1", "de-bruijn:2,9", "torus:32x32"] {
            let map = Map::new(&topology::build(name).unwrap());
            let nearest = nearest_distances(&map.routers);
            assert!(nearest.iter().all(|&far| far >= 2.0 * map.radius + 5.0), "{name}");
            let covered: f64 =
                map.links.iter().map(|(_, [a, .., b])| (a.0 - b.0).hypot(a.1 - b.1)).sum();
            assert!(covered * 0.2 < 0.4 * map.width * map.height, "{name}");
        }
    }

    #[test]
    fn names_of_groups_cover_no_router() {
        for name in ["dragonfly:4,8,4", "dragonfly:2,4,2"] {
            let map = Map::new(&topology::build(name).unwrap());
            assert!(!map.frames.is_empty());
            for frame in &map.frames {
                let wide = text_width(&frame.name, frame.font_size) / 2.0;
                for &(x, y) in &map.routers {
                    let beside = ((x - frame.label.0).abs() - wide).max(0.0);
                    let below = ((y - frame.label.1).abs() - frame.font_size / 2.0).max(0.0);
                    assert!(beside.hypot(below) >= map.radius, "{name}: {}", frame.name);
                }
            }
        }
    }

    #[test]
    fn boxes_have_frames_and_names_fit_into_their_circles() {
        for (name, boxes) in [("ndv2:3", 3), ("ndv2:4", 4), ("mi250:2", 2), ("dgx-a100:2", 2)] {
            let map = Map::new(&topology::build(name).unwrap());
            assert_eq!(map.frames.len(), boxes, "{name}");
            for (router, (x, y), text) in map.label_lines() {
                let (centre_x, centre_y) = map.routers[router];
                let beside = text_width(text, map.font_size) / 2.0 + (x - centre_x).abs();
                let below = 0.4 * map.font_size + (y - centre_y).abs();
                assert!(beside.hypot(below) <= map.radius, "{name}: {text}");
            }
        }
    }

    #[test]
    fn parts_of_boxes_are_named_in_two_lines() {
        let map = Map::new(&topology::build("dgx-a100:2").unwrap());
        let texts: Vec<&str> = map.label_lines().map(|(_, _, text)| text).collect();
        assert_eq!(texts[..2], ["box0", "gpu0"]);
        assert!(texts.contains(&"nvswitch") && texts.contains(&"ib1"));
        assert_eq!(longest_line("box0/nvswitch"), 8);
    }

    #[test]
    fn everything_is_inside_of_the_frame() {
        for name in ["hypercube:5", "torus:4x4", "octagon:8@2", "fat-tree:4", "kautz:3,2"] {
            let map = Map::new(&topology::build(name).unwrap());
            let is_inside =
                |&(x, y): &Place| x >= 0.0 && y >= 0.0 && x <= map.width && y <= map.height;
            assert!(map.routers.iter().all(is_inside), "{name}");
            assert!(map.processors.iter().flatten().all(|(place, _)| is_inside(place)), "{name}");
            for curve in &map.channels {
                assert!((0..=8).all(|at| is_inside(&point(curve, f64::from(at) / 8.0))), "{name}");
            }
        }
    }
}
