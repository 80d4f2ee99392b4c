//! Frames around groups of routers, with their names.

use super::ink::Ink;
use super::scene::{Anchor, Item, Segment, Style, Text, add_path, circle, rectangle, text_width};
use crate::layout::{Group, Place, groups};
use pavane_model::Network;

/// The smallest font size of names, and the height of their line as a multiple of it.
const FONT_SIZE: f64 = 12.0;
const LINE: f64 = 1.42;

/// In pictures wider than this multiple of the font size, names are larger, so that they can be read when the whole picture is on a screen.
const WIDTH_PER_SIZE: f64 = 90.0;

/// The distance between routers and their frame.
const ROOM: f64 = 6.0;

/// The frame of a group: a rectangle, or the circle in it.
#[derive(Debug, Clone)]
pub struct GroupFrame {
    /// The name of the group.
    pub name: String,
    /// A short name.
    pub number: String,
    /// The upper left corner.
    pub low: Place,
    /// The lower right corner.
    pub high: Place,
    /// The centre of its name.
    pub label: Place,
    /// The font size of its name.
    pub font_size: f64,
    /// Whether it is a circle.
    pub is_round: bool,
}

impl GroupFrame {
    /// The corners of everything that is drawn.
    pub fn corners(&self) -> [Place; 4] {
        let wide = text_width(&self.name, self.font_size) / 2.0;
        let high = LINE * self.font_size / 2.0;
        let (x, y) = self.label;
        [self.low, self.high, (x - wide, y - high), (x + wide, y + high)]
    }

    fn new(
        group: &Group,
        routers: &[Place],
        middle: Place,
        footprint: f64,
        font_size: f64,
    ) -> Self {
        let line = LINE * font_size;
        let places = || group.routers.iter().map(|&router| routers[router]);
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for (x, y) in places() {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let centre = (f64::midpoint(low.0, high.0), f64::midpoint(low.1, high.1));
        let wide = text_width(&group.name, font_size);
        let label;
        if group.is_round {
            let far = places().map(|(x, y)| (x - centre.0).hypot(y - centre.1));
            let radius = far.fold(0.0, f64::max) + footprint + ROOM / 2.0;
            (low, high) =
                ((centre.0 - radius, centre.1 - radius), (centre.0 + radius, centre.1 + radius));
            // The name is outside, away from the middle of the picture, where there are few links.
            let (dx, dy) = (centre.0 - middle.0, centre.1 - middle.1);
            let length = dx.hypot(dy).max(1e-9);
            let (ux, uy) = (dx / length, dy / length);
            let far = outside((ux, uy), radius + 2.0, (wide, line));
            label = (centre.0 + ux * far, centre.1 + uy * far);
        } else {
            let room = footprint + ROOM;
            low = (low.0 - room, low.1 - room - line);
            high = (high.0 + room, high.1 + room);
            label = (low.0 + 6.0 + wide / 2.0, low.1 + line * 0.6);
        }
        let (name, number) = (group.name.clone(), group.number.clone());
        Self { name, number, low, high, label, font_size, is_round: group.is_round }
    }

    fn outline(&self) -> Vec<Segment> {
        let (wide, high) = (self.high.0 - self.low.0, self.high.1 - self.low.1);
        if self.is_round {
            circle(self.low.0 + wide / 2.0, self.low.1 + high / 2.0, wide / 2.0).to_vec()
        } else {
            rectangle(self.low.0, self.low.1, wide, high).to_vec()
        }
    }

    fn contains(&self, (x, y): Place) -> bool {
        (self.low.0..=self.high.0).contains(&x) && (self.low.1..=self.high.1).contains(&y)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let is_near = |pick: fn(&Place) -> f64| {
            pick(&self.low) < pick(&other.high) && pick(&other.low) < pick(&self.high)
        };
        if self.is_round && other.is_round {
            let apart = (self.low.0 - other.low.0).hypot(self.low.1 - other.low.1);
            return apart < f64::midpoint(self.high.0 - self.low.0, other.high.0 - other.low.0);
        }
        is_near(|place| place.0) && is_near(|place| place.1)
    }
}

/// How far from the middle of a circle, in a direction, the middle of a rectangle of this size must be so that it
/// is outside the circle.
fn outside((ux, uy): Place, radius: f64, (wide, high): (f64, f64)) -> f64 {
    let is_clear = |far: f64| {
        let beyond = |part: f64, length: f64| (far * part.abs() - length / 2.0).max(0.0);
        beyond(ux, wide).hypot(beyond(uy, high)) >= radius
    };
    let most = radius + wide.hypot(high) / 2.0;
    let mut tried = (0..=100).map(|at| radius + (most - radius) * f64::from(at) / 100.0);
    tried.find(|&far| is_clear(far)).unwrap_or(most)
}

/// The frames of the groups of a network, with names as large as the picture has room for. There are none if
/// one contains a router of another group or if two overlap.
pub fn frames(network: &Network, routers: &[Place], footprint: f64) -> Vec<GroupFrame> {
    let extent = |pick: fn(&Place) -> f64| {
        let values = routers.iter().map(pick);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    let widest = extent(|place| place.0).max(extent(|place| place.1));
    let large = FONT_SIZE.max(widest / WIDTH_PER_SIZE);
    let sizes = [1.0, 1.5, 2.0, 3.0, 4.0].map(|divisor| FONT_SIZE.max(large / divisor));
    let mut all =
        sizes.iter().map(|&font_size| frames_with(network, routers, footprint, font_size));
    let is_legible = |frames: &Vec<GroupFrame>| !frames.is_empty() && have_apart_names(frames);
    // Names that overlap are better than none.
    all.find(is_legible).unwrap_or_else(|| frames_with(network, routers, footprint, FONT_SIZE))
}

/// Whether no name covers another.
fn have_apart_names(frames: &[GroupFrame]) -> bool {
    let overlap = |one: &GroupFrame, other: &GroupFrame| {
        let wide =
            (text_width(&one.name, one.font_size) + text_width(&other.name, other.font_size)) / 2.0;
        let (dx, dy) = (one.label.0 - other.label.0, one.label.1 - other.label.1);
        dx.abs() < wide && dy.abs() < LINE * one.font_size
    };
    (0..frames.len()).all(|at| frames[at + 1..].iter().all(|other| !overlap(&frames[at], other)))
}

fn frames_with(
    network: &Network,
    routers: &[Place],
    footprint: f64,
    font_size: f64,
) -> Vec<GroupFrame> {
    let groups = groups(network);
    let count = routers.len().max(1) as f64;
    let sum = routers.iter().fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
    let middle = (sum.0 / count, sum.1 / count);
    let frame = |group| GroupFrame::new(group, routers, middle, footprint, font_size);
    let frames: Vec<GroupFrame> = groups.iter().map(frame).collect();
    let is_shared = |(frame, group): (&GroupFrame, &Group)| {
        let inside = routers.iter().filter(|&&place| frame.contains(place)).count();
        !frame.is_round && inside > group.routers.len()
    };
    let is_crossed = |at: usize| frames[at + 1..].iter().any(|other| frames[at].overlaps(other));
    if frames.iter().zip(&groups).any(is_shared) || (0..frames.len()).any(is_crossed) {
        return Vec::new();
    }
    frames
}

/// The areas of frames.
pub fn areas(frames: &[GroupFrame]) -> Vec<Item> {
    let mut items = Vec::new();
    for frame in frames {
        add_path(&mut items, &frame.outline(), Style::area(Ink::Idle));
    }
    items
}

/// Their names, each on a plate that hides the links below it.
pub fn names(frames: &[GroupFrame]) -> Vec<Item> {
    let mut items = Vec::new();
    for frame in frames {
        let ((x, y), size) = (frame.label, frame.font_size);
        let (wide, high) = (text_width(&frame.name, size), 1.25 * size);
        let plate = rectangle(x - wide / 2.0, y - high / 2.0, wide, high);
        add_path(&mut items, &plate, Style::area(Ink::Idle));
    }
    let name = |frame: &GroupFrame| {
        let (x, y) = frame.label;
        let (size, anchor, text) = (frame.font_size, Anchor::Middle, frame.name.clone());
        Item::Text(Text {
            x,
            y: y + size * 0.35,
            size,
            anchor,
            is_bold: true,
            ink: Ink::Faint,
            text,
        })
    };
    items.extend(frames.iter().map(name));
    items
}
