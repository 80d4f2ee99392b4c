//! Writes a picture as PNG, rendered by tiny-skia.

use super::glyphs;
use super::ink::{Ink, Theme};
use super::scene::{Anchor, Item, Scene, Segment, Style, Text, rectangle};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};

/// Maximum number of pixels: about 160 MB while drawing.
const MOST_PIXELS: f64 = 40e6;

/// Pixels per point, unless the picture would become too large.
const SCALE: f64 = 2.0;

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The picture would be illegible at the maximum number of pixels.
    #[error(
        "a picture of {width:.0} by {height:.0} points is too large for PNG; write SVG instead, or \
         draw fewer steps"
    )]
    TooLarge {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
    /// Encoding failed.
    #[error("the picture cannot be written as PNG: {0}")]
    Encoding(String),
}

/// Returns the bytes of a PNG file, with two pixels per point, or fewer if that would be too many.
/// The background is light unless dark is requested.
pub fn write(scene: &Scene, theme: Theme) -> Result<Vec<u8>, PngError> {
    let (width, height) = (scene.width, scene.height);
    let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
    let too_large = || PngError::TooLarge { width, height };
    if scale < 0.25 {
        return Err(too_large());
    }
    let size = |length: f64| (length * scale).ceil().max(1.0) as u32;
    let mut pixmap = Pixmap::new(size(width), size(height)).ok_or_else(too_large)?;
    let at = Transform::from_scale(scale as f32, scale as f32);
    let mut canvas = Canvas { scene, is_dark: theme == Theme::Dark, pixmap: &mut pixmap };
    canvas.path(&rectangle(0.0, 0.0, width, height), &Style::area(Ink::Paper), at);
    canvas.items(&scene.items, at);
    pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

struct Canvas<'a> {
    scene: &'a Scene,
    is_dark: bool,
    pixmap: &'a mut Pixmap,
}

impl Canvas<'_> {
    fn items(&mut self, items: &[Item], at: Transform) {
        for item in items {
            match item {
                Item::Path(segments, style, _) => self.path(segments, style, at),
                Item::Text(text) => self.text(text, at),
                Item::Part(number, x, y) => {
                    let scene = self.scene;
                    self.items(&scene.parts[*number], at.pre_translate(*x as f32, *y as f32));
                }
            }
        }
    }

    fn path(&mut self, segments: &[Segment], style: &Style, at: Transform) {
        let Some(path) = path(segments) else { return };
        if let Some(ink) = style.fill {
            let paint = self.paint(ink);
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, at, None);
        }
        if let Some((ink, width)) = style.stroke {
            let dash = style.is_dashed.then(|| StrokeDash::new(vec![3.0, 3.0], 0.0)).flatten();
            let stroke = Stroke { dash, ..pen(width) };
            self.pixmap.stroke_path(&path, &self.paint(ink), &stroke, at, None);
        }
    }

    fn text(&mut self, text: &Text, at: Transform) {
        let (strokes, width) = glyphs::strokes(&text.text);
        let start = match text.anchor {
            Anchor::Start => text.x,
            Anchor::Middle => text.x - width * text.size / 2.0,
            Anchor::End => text.x - width * text.size,
        };
        let mut builder = PathBuilder::new();
        for stroke in &strokes {
            let place = |(x, y): (f64, f64)| {
                ((start + x * text.size) as f32, (text.y + y * text.size) as f32)
            };
            rounded(&mut builder, &stroke.iter().copied().map(place).collect::<Vec<_>>());
        }
        let Some(path) = builder.finish() else { return };
        let width = text.size * if text.is_bold { 0.13 } else { 0.085 };
        self.pixmap.stroke_path(&path, &self.paint(text.ink), &pen(width), at, None);
    }

    fn paint(&self, ink: Ink) -> Paint<'static> {
        let colour = ink.colour(self.is_dark);
        let part = |shift: u32| (colour >> shift & 0xff) as u8;
        let mut paint = Paint::default();
        paint.set_color(Color::from_rgba8(part(16), part(8), part(0), 255));
        paint
    }
}

fn pen(width: f64) -> Stroke {
    let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
    Stroke { width: width as f32, line_cap, line_join, ..Stroke::default() }
}

fn path(segments: &[Segment]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for segment in segments {
        match *segment {
            Segment::Move(x, y) => builder.move_to(x as f32, y as f32),
            Segment::Line(x, y) => builder.line_to(x as f32, y as f32),
            Segment::Curve(a, b, c, d, x, y) => {
                let [a, b, c, d, x, y] = [a, b, c, d, x, y].map(|value| value as f32);
                builder.cubic_to(a, b, c, d, x, y);
            }
            Segment::Close => builder.close(),
        }
    }
    builder.finish()
}

/// A stroke of a character: obtuse corners are rounded, sharp ones stay.
fn rounded(builder: &mut PathBuilder, points: &[(f32, f32)]) {
    let middle = |a: (f32, f32), b: (f32, f32)| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let Some(&first) = points.first() else { return };
    builder.move_to(first.0, first.1);
    for at in 1..points.len() {
        let here = points[at];
        let Some(&next) = points.get(at + 1) else {
            // A dot is a line of length zero, which not every renderer draws.
            builder.line_to(here.0 + 0.01, here.1);
            continue;
        };
        let before = points[at - 1];
        let turn =
            (next.1 - here.1).atan2(next.0 - here.0) - (here.1 - before.1).atan2(here.0 - before.0);
        let turn = turn.sin().atan2(turn.cos()).abs().to_degrees();
        if turn > 75.0 {
            builder.line_to(here.0, here.1);
            continue;
        }
        let (start, end) = (middle(before, here), middle(here, next));
        builder.line_to(start.0, start.1);
        builder.quad_to(here.0, here.1, end.0, end.1);
    }
}
