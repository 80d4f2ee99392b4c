//! A picture before it is a file: strokes, areas and texts in points, x to the right, y downwards.

use super::ink::Ink;

/// A piece of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// Starts at a point.
    Move(f64, f64),
    /// A straight line to a point.
    Line(f64, f64),
    /// A curve with two control points.
    Curve(f64, f64, f64, f64, f64, f64),
    /// Back to where it started.
    Close,
}

/// How a path is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// What its inside is filled with.
    pub fill: Option<Ink>,
    /// What its line is drawn with, and how wide.
    pub stroke: Option<(Ink, f64)>,
    /// Whether the line is broken.
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

    /// An area with a rim.
    pub fn rimmed(fill: Ink, rim: Ink, width: f64) -> Self {
        Self { fill: Some(fill), stroke: Some((rim, width)), is_dashed: false }
    }
}

/// Where a text stands in relation to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A line of text; `y` is its base line.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Where.
    pub x: f64,
    /// Its base line.
    pub y: f64,
    /// The height of its letters.
    pub size: f64,
    /// On which side of `x`.
    pub anchor: Anchor,
    /// Whether it is bold.
    pub is_bold: bool,
    /// Its colour.
    pub ink: Ink,
    /// What it says.
    pub text: String,
}

/// Something in a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A path, and what to show when it is pointed at.
    Path(Vec<Segment>, Style, Option<String>),
    /// A text.
    Text(Text),
    /// A part, by its number, moved by so much.
    Part(usize, f64, f64),
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// How wide.
    pub width: f64,
    /// How high.
    pub height: f64,
    /// What it shows, for those who do not see it.
    pub title: String,
    /// What is drawn several times.
    pub parts: Vec<Vec<Item>>,
    /// What is drawn, from the back to the front.
    pub items: Vec<Item>,
}

/// Width of a letter as a share of its height, on the safe side for common fonts.
const LETTER: f64 = 0.62;

/// How wide a text is at most.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * LETTER
}

/// As much of a text as fits, with an ellipsis where something is left out.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let letters = (width / (size * LETTER)).max(1.0) as usize;
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

impl Scene {
    /// Draws a path. Paths of one style that follow each other become one.
    pub fn path(&mut self, segments: &[Segment], style: Style) {
        add_path(&mut self.items, segments, style);
    }

    /// Draws a path that says something when it is pointed at.
    pub fn path_saying(&mut self, segments: Vec<Segment>, style: Style, note: String) {
        self.items.push(Item::Path(segments, style, Some(note)));
    }

    /// Writes a line.
    pub fn text(&mut self, x: f64, y: f64, size: f64, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        let anchor = Anchor::Start;
        self.items.push(Item::Text(Text { x, y, size, anchor, is_bold: false, ink, text }));
    }

    /// Puts another scene into this one, as a part of it.
    pub fn part(&mut self, items: Vec<Item>) -> usize {
        self.parts.push(items);
        self.parts.len() - 1
    }

    /// Draws another scene with its corner at a point.
    pub fn place(&mut self, scene: Scene, x: f64, y: f64) {
        let first = self.parts.len();
        let moved = |items: Vec<Item>| -> Vec<Item> {
            let renumber = |item| match item {
                Item::Part(number, x, y) => Item::Part(first + number, x, y),
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

/// Adds a path to a list. Paths of one style that follow each other become one.
pub fn add_path(items: &mut Vec<Item>, segments: &[Segment], style: Style) {
    if let Some(Item::Path(before, same, None)) = items.last_mut()
        && *same == style
    {
        before.extend_from_slice(segments);
        return;
    }
    items.push(Item::Path(segments.to_vec(), style, None));
}

/// A circle.
pub fn circle(x: f64, y: f64, radius: f64) -> [Segment; 6] {
    // The control points that make a quarter of a circle out of a curve.
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

/// A rectangle from its upper left corner.
pub fn rectangle(x: f64, y: f64, width: f64, height: f64) -> [Segment; 5] {
    [
        Segment::Move(x, y),
        Segment::Line(x + width, y),
        Segment::Line(x + width, y + height),
        Segment::Line(x, y + height),
        Segment::Close,
    ]
}
