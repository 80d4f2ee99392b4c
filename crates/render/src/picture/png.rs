//! Writes a picture as PNG, rendered by tiny-skia.

use super::font::Font;
use super::ink::Theme;
use super::pixels;
use super::scene::Scene;

/// Maximum number of pixels: about 64 MB while drawing.
const MOST_PIXELS: f64 = 16e6;

/// Pixels per point, unless the picture would become too large, and the least number at which text can be read.
const SCALE: f64 = 2.0;
const LEAST_SCALE: f64 = 0.4;

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The picture would be illegible at the maximum number of pixels.
    #[error(
        "a picture of {width:.0} by {height:.0} points is too large for PNG, where {most:.0} by {most:.0} \
         points are legible; write SVG instead, or draw fewer steps of a schedule with --steps"
    )]
    TooLarge {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// The side of the largest square.
        most: f64,
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
    let most = MOST_PIXELS.sqrt() / LEAST_SCALE;
    let too_large = || PngError::TooLarge { width, height, most };
    if scale < LEAST_SCALE {
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
    fn an_illegible_picture_is_refused_with_its_size() {
        let scene = Scene { width: 900.0, height: 200_000.0, ..Scene::default() };
        let error = write(&scene, Theme::Light).unwrap_err().to_string();
        for part in ["900 by 200000 points", "10000 by 10000", "--steps", "SVG"] {
            assert!(error.contains(part), "{error}");
        }
    }

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
