//! The font of PNG and GIF pictures: the outlines of DejaVu Sans Condensed. The program contains it, so
//! that pictures look the same on every machine. SVG pictures use the fonts of their reader.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, FaceParsingError, OutlineBuilder};

/// A regular and a bold face.
pub struct Font {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Font {
    /// Reads the font.
    pub fn new() -> Result<Self, FaceParsingError> {
        Ok(Self {
            regular: Face::parse(dejavu::sans_condensed::regular(), 0)?,
            bold: Face::parse(dejavu::sans_condensed::bold(), 0)?,
        })
    }

    fn face(&self, is_bold: bool) -> &Face<'static> {
        if is_bold { &self.bold } else { &self.regular }
    }

    /// The width of a text, as a multiple of the font size.
    pub fn width(&self, text: &str, is_bold: bool) -> f64 {
        let face = self.face(is_bold);
        let units: u32 = text.chars().map(|letter| advance(face, letter)).sum();
        f64::from(units) / f64::from(face.units_per_em())
    }

    /// The outlines of a text of size 1 that starts at the origin, on its baseline, y downwards. A
    /// letter that the font does not have is a box. `None` if there is nothing to draw.
    pub fn outlines(&self, text: &str, is_bold: bool) -> Option<Path> {
        let face = self.face(is_bold);
        let scale = 1.0 / f32::from(face.units_per_em());
        let mut outlines = Outlines { builder: PathBuilder::new(), x: 0.0, scale };
        for letter in text.chars() {
            face.outline_glyph(face.glyph_index(letter).unwrap_or_default(), &mut outlines);
            outlines.x += advance(face, letter) as f32 * scale;
        }
        outlines.builder.finish()
    }
}

/// The width of a letter in the units of its face.
fn advance(face: &Face<'_>, letter: char) -> u32 {
    let glyph = face.glyph_index(letter).unwrap_or_default();
    u32::from(face.glyph_hor_advance(glyph).unwrap_or(face.units_per_em() / 2))
}

/// Collects the outlines of letters side by side.
struct Outlines {
    builder: PathBuilder,
    x: f32,
    scale: f32,
}

impl Outlines {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Outlines {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, a: f32, b: f32, x: f32, y: f32) {
        let ((a, b), (x, y)) = (self.place(a, b), self.place(x, y));
        self.builder.quad_to(a, b, x, y);
    }

    fn curve_to(&mut self, a: f32, b: f32, c: f32, d: f32, x: f32, y: f32) {
        let ((a, b), (c, d), (x, y)) = (self.place(a, b), self.place(c, d), self.place(x, y));
        self.builder.cubic_to(a, b, c, d, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::scene::text_width;

    #[test]
    fn the_font_has_every_letter_of_the_pictures() {
        let font = Font::new().unwrap();
        let printable = (33u8..127).map(char::from);
        for letter in printable.chain("→–×µ…ěščřžýáíéůúöäüßñøλπ≤≥".chars())
        {
            assert!(font.regular.glyph_index(letter).is_some(), "{letter}");
            assert!(font.bold.glyph_index(letter).is_some(), "{letter}");
            assert!(font.outlines(&letter.to_string(), false).is_some(), "{letter}");
        }
        assert!(font.outlines(" ", false).is_none());
        assert!(font.outlines("\u{10ffff}", true).is_some(), "a box");
    }

    #[test]
    fn text_fits_its_estimated_width() {
        let font = Font::new().unwrap();
        for text in ["hypercube:5 aas", "bound 16 steps", "0123456789", "r10 → r11"] {
            assert!(font.width(text, false) <= text_width(text, 1.0), "{text}");
            assert!(font.width(text, true) <= 1.03 * text_width(text, 1.0), "{text}");
        }
    }
}
