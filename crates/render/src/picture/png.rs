//! Writes a picture as PNG, rendered by tiny-skia.

use super::font::Font;
use super::ink::Theme;
use super::pixels;
use super::scene::Scene;

/// Maximum number of pixels: about 64 MB while drawing.
const MOST_PIXELS: f64 = 16e6;

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
    let font = Font::new().map_err(|error| PngError::Encoding(error.to_string()))?;
    let is_dark = theme == Theme::Dark;
    let pixmap = pixels::draw(scene, &font, is_dark, scale, 0.0).ok_or_else(too_large)?;
    pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiny_skia::Pixmap;

    #[test]
    fn all_pixels_are_opaque_also_if_the_size_is_a_fraction() {
        for theme in [Theme::Light, Theme::Dark] {
            let scene = Scene { width: 20.3, height: 10.2, ..Scene::default() };
            let picture = Pixmap::decode_png(&write(&scene, theme).unwrap()).unwrap();
            assert_eq!((picture.width(), picture.height()), (41, 21));
            let first = picture.pixels()[0];
            assert!(picture.pixels().iter().all(|&pixel| pixel == first && pixel.alpha() == 255));
        }
    }
}
