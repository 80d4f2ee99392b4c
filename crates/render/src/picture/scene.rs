//! A picture independent of the file format: strokes, areas and texts in points, x to the right, y
//! downwards.

use super::curve;
use super::ink::Ink;
use crate::layout::Place;

/// A piece of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// Starts at a point.
    Move(f64, f64),
    /// A straight line to a point.
    Line(f64, f64),
    /// A cubic curve with two control points.
    Curve(f64, f64, f64, f64, f64, f64),
    /// Back to the start.
    Close,
}

/// How a path is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Fill colour.
    pub fill: Option<Ink>,
    /// Stroke colour and width.
    pub stroke: Option<(Ink, f64)>,
    /// Whether the line is dashed.
    pub is_dashed: bool,
}

impl Style {
    /// A line.
    pub fn line(ink: Ink, width: f64) -> Self {
        Self { fill: None, stroke: Some((ink, width)), is_dashed: false }
    }

    /// An area.
    pub fn area(ink: Ink) -> Self {
        Self { fill: Some(ink), stroke: None, is_dashed: false }
    }

    /// An area with an outline.
    pub fn rimmed(fill: Ink, rim: Ink, width: f64) -> Self {
        Self { fill: Some(fill), stroke: Some((rim, width)), is_dashed: false }
    }
}

/// The alignment of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Horizontal position.
    pub x: f64,
    /// The baseline.
    pub y: f64,
    /// Font size.
    pub size: f64,
    /// Alignment relative to `x`.
    pub anchor: Anchor,
    /// Whether it is bold.
    pub is_bold: bool,
    /// Colour.
    pub ink: Ink,
    /// Content.
    pub text: String,
}

/// When a part of an animated picture is visible, in seconds from its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// The start.
    pub from: f64,
    /// The end, which is later.
    pub to: f64,
}

impl Window {
    /// Whether the part is visible at a time.
    pub fn contains(self, time: f64) -> bool {
        self.from <= time && time < self.to
    }
}

/// An element of a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A path, and its tooltip.
    Path(Vec<Segment>, Style, Option<String>),
    /// A text.
    Text(Text),
    /// A part, by its number, displaced by x and y.
    Part(usize, f64, f64),
    /// A part that is visible for a while.
    Shown(usize, Window),
    /// A dot of this radius that moves along a path and is visible meanwhile.
    Moving(Vec<Segment>, f64, Ink, Window),
}

impl Item {
    /// Whether it changes with time.
    pub fn is_animated(&self) -> bool {
        matches!(self, Self::Shown(..) | Self::Moving(..))
    }
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Accessible description.
    pub title: String,
    /// How long an animation takes, in seconds, before it starts again; 0 for a still picture.
    pub seconds: f64,
    /// Reusable groups of items.
    pub parts: Vec<Vec<Item>>,
    /// The items, from back to front.
    pub items: Vec<Item>,
}

/// Width of a character as a share of the font size; an upper estimate for common fonts.
const LETTER: f64 = 0.62;

/// An upper estimate of the width of a text.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * LETTER
}

/// As much of a text as fits, with an ellipsis if it is shortened.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let letters = (width / (size * LETTER)).max(1.0) as usize;
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

impl Scene {
    /// The times at which a part appears or disappears, in order.
    pub fn changes(&self) -> Vec<f64> {
        let items = self.items.iter().chain(self.parts.iter().flatten());
        let windows = items.filter_map(|item| match item {
            Item::Shown(_, window) => Some([window.from, window.to]),
            _ => None,
        });
        let mut times: Vec<f64> = windows.flatten().collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Draws a path. Consecutive paths of the same style are merged.
    pub fn path(&mut self, segments: &[Segment], style: Style) {
        add_path(&mut self.items, segments, style);
    }

    /// Draws a path with a tooltip.
    pub fn path_saying(&mut self, segments: Vec<Segment>, style: Style, note: String) {
        self.items.push(Item::Path(segments, style, Some(note)));
    }

    /// Writes a line of text.
    pub fn text(&mut self, x: f64, y: f64, size: f64, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        let anchor = Anchor::Start;
        self.items.push(Item::Text(Text { x, y, size, anchor, is_bold: false, ink, text }));
    }

    /// Adds a reusable group of items and returns its number.
    pub fn part(&mut self, items: Vec<Item>) -> usize {
        self.parts.push(items);
        self.parts.len() - 1
    }

    /// Draws another scene with its upper left corner at a point.
    pub fn place(&mut self, scene: Scene, x: f64, y: f64) {
        self.seconds = self.seconds.max(scene.seconds);
        let first = self.parts.len();
        let moved = |items: Vec<Item>| -> Vec<Item> {
            let renumber = |item| match item {
                Item::Part(number, x, y) => Item::Part(first + number, x, y),
                Item::Shown(number, window) => Item::Shown(first + number, window),
                other => other,
            };
            items.into_iter().map(renumber).collect()
        };
        self.parts.extend(scene.parts.into_iter().map(moved));
        let own = moved(scene.items);
        let number = self.part(own);
        self.items.push(Item::Part(number, x, y));
    }
}

/// Adds a path to a list. Consecutive paths of the same style are merged.
pub fn add_path(items: &mut Vec<Item>, segments: &[Segment], style: Style) {
    if let Some(Item::Path(before, same, None)) = items.last_mut()
        && *same == style
    {
        before.extend_from_slice(segments);
        return;
    }
    items.push(Item::Path(segments.to_vec(), style, None));
}

/// The point of a path after a share of its length.
pub fn along(segments: &[Segment], share: f64) -> Option<Place> {
    let mut points: Vec<Place> = Vec::new();
    for segment in segments {
        match *segment {
            Segment::Move(x, y) | Segment::Line(x, y) => points.push((x, y)),
            Segment::Curve(a, b, c, d, x, y) => {
                let curve = [*points.last()?, (a, b), (c, d), (x, y)];
                points.extend((1..=16).map(|at| curve::point(&curve, f64::from(at) / 16.0)));
            }
            Segment::Close => {}
        }
    }
    let length = |pair: &[Place]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
    let mut left = share * points.windows(2).map(length).sum::<f64>();
    for pair in points.windows(2) {
        let here = length(pair);
        if left <= here && here > 0.0 {
            let share = left / here;
            let mix = |from: f64, to: f64| from + (to - from) * share;
            return Some((mix(pair[0].0, pair[1].0), mix(pair[0].1, pair[1].1)));
        }
        left -= here;
    }
    points.last().copied()
}

/// A circle.
pub fn circle(x: f64, y: f64, radius: f64) -> [Segment; 6] {
    // The standard distance of control points for a quarter of a circle.
    let k = radius * 0.552_284_75;
    let r = radius;
    [
        Segment::Move(x + r, y),
        Segment::Curve(x + r, y + k, x + k, y + r, x, y + r),
        Segment::Curve(x - k, y + r, x - r, y + k, x - r, y),
        Segment::Curve(x - r, y - k, x - k, y - r, x, y - r),
        Segment::Curve(x + k, y - r, x + r, y - k, x + r, y),
        Segment::Close,
    ]
}

/// A rectangle, given by its upper left corner.
pub fn rectangle(x: f64, y: f64, width: f64, height: f64) -> [Segment; 5] {
    [
        Segment::Move(x, y),
        Segment::Line(x + width, y),
        Segment::Line(x + width, y + height),
        Segment::Line(x, y + height),
        Segment::Close,
    ]
}
