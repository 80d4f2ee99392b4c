//! Draws a picture with pixels, by tiny-skia.

use super::font::Font;
use super::ink::Ink;
use super::scene::{Anchor, Item, Scene, Segment, Style, Text, along, circle};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};

/// Draws a picture at a time of its animation, with `scale` pixels per point. `None` if it would have no
/// pixels or too many.
pub fn draw(scene: &Scene, font: &Font, is_dark: bool, scale: f64, time: f64) -> Option<Pixmap> {
    let mut pixmap = draw_still(scene, font, is_dark, scale, time)?;
    draw_moving(&mut pixmap, scene, font, is_dark, scale, time);
    Some(pixmap)
}

/// The same without the items that move, which are in front of all others.
pub fn draw_still(
    scene: &Scene,
    font: &Font,
    is_dark: bool,
    scale: f64,
    time: f64,
) -> Option<Pixmap> {
    let size = |length: f64| (length * scale).ceil().max(1.0) as u32;
    let mut pixmap = Pixmap::new(size(scene.width), size(scene.height))?;
    // All pixels, also those of the last column and row that the picture covers in part.
    pixmap.fill(colour(Ink::Paper, is_dark));
    let at = Transform::from_scale(scale as f32, scale as f32);
    let mut canvas = Canvas { scene, font, is_dark, time, is_moving: false, pixmap: &mut pixmap };
    canvas.items(&scene.items, at);
    Some(pixmap)
}

/// Draws the items that move on top of the others.
pub fn draw_moving(
    pixmap: &mut Pixmap,
    scene: &Scene,
    font: &Font,
    is_dark: bool,
    scale: f64,
    time: f64,
) {
    let at = Transform::from_scale(scale as f32, scale as f32);
    Canvas { scene, font, is_dark, time, is_moving: true, pixmap }.items(&scene.items, at);
}

struct Canvas<'a> {
    scene: &'a Scene,
    font: &'a Font,
    is_dark: bool,
    time: f64,
    /// Whether to draw the items that move, or all others.
    is_moving: bool,
    pixmap: &'a mut Pixmap,
}

impl Canvas<'_> {
    fn items(&mut self, items: &[Item], at: Transform) {
        for item in items {
            match item {
                Item::Path(..) | Item::Text(..) if self.is_moving => {}
                Item::Path(segments, style, _) => self.path(segments, style, at),
                Item::Text(text) => self.text(text, at),
                Item::Part(number, x, y) => {
                    let scene = self.scene;
                    self.items(&scene.parts[*number], at.pre_translate(*x as f32, *y as f32));
                }
                Item::Shown(number, window) if window.contains(self.time) => {
                    let scene = self.scene;
                    self.items(&scene.parts[*number], at);
                }
                Item::Moving(path, radius, ink, window)
                    if self.is_moving && window.contains(self.time) =>
                {
                    let share = (self.time - window.from) / (window.to - window.from);
                    if let Some((x, y)) = along(path, share) {
                        self.path(&circle(x, y, *radius), &Style::area(*ink), at);
                    }
                }
                Item::Shown(..) | Item::Moving(..) => {}
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
        let Some(path) = self.font.outlines(&text.text, text.is_bold) else { return };
        let width = self.font.width(&text.text, text.is_bold) * text.size;
        let start = match text.anchor {
            Anchor::Start => text.x,
            Anchor::Middle => text.x - width / 2.0,
            Anchor::End => text.x - width,
        };
        let size = text.size as f32;
        let at = at.pre_translate(start as f32, text.y as f32).pre_scale(size, size);
        self.pixmap.fill_path(&path, &self.paint(text.ink), FillRule::Winding, at, None);
    }

    fn paint(&self, ink: Ink) -> Paint<'static> {
        let mut paint = Paint::default();
        paint.set_color(colour(ink, self.is_dark));
        paint
    }
}

fn colour(ink: Ink, is_dark: bool) -> Color {
    let parts = ink.colour(is_dark);
    let part = |shift: u32| (parts >> shift & 0xff) as u8;
    Color::from_rgba8(part(16), part(8), part(0), 255)
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
