//! Writes an animated picture as GIF, which plays wherever pictures are shown.

use super::font::Font;
use super::ink::Theme;
use super::pixels;
use super::scene::Scene;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use rayon::prelude::*;
use std::borrow::Cow;
use tiny_skia::{Pixmap, PremultipliedColorU8};

/// Pictures per second.
const RATE: f64 = 12.5;

/// Maximum number of pixels of a picture, and of the whole animation.
const MOST_PIXELS: f64 = 1.5e6;
const MOST_IN_ALL: f64 = 600e6;

/// The number of pictures from which colours are chosen, and of those drawn at the same time.
const SAMPLES: u32 = 24;
const AT_ONCE: usize = 16;

/// Why there is no GIF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GifError {
    /// The animation would be illegible, or the file too large.
    #[error(
        "an animation of {width:.0} by {height:.0} points and {seconds:.0} s is too large for GIF; \
         write SVG instead, or draw fewer steps with --steps"
    )]
    TooLarge {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// Length.
        seconds: f64,
    },
    /// Encoding failed.
    #[error("the animation cannot be written as GIF: {0}")]
    Encoding(String),
}

/// Returns the bytes of a GIF file, with one pixel per point or fewer, that repeats forever.
pub fn write(scene: &Scene, theme: Theme) -> Result<Vec<u8>, GifError> {
    let (width, height, seconds) = (scene.width, scene.height, scene.seconds);
    let too_large = || GifError::TooLarge { width, height, seconds };
    let frames = (seconds * RATE).ceil().max(1.0);
    let most = MOST_PIXELS.min(MOST_IN_ALL / frames);
    let scale = (most / (width * height)).sqrt().min(1.0);
    if scale < 0.4 {
        return Err(too_large());
    }
    let broken = |error: &dyn std::fmt::Display| GifError::Encoding(error.to_string());
    let font = Font::new().map_err(|error| broken(&error))?;
    let drawn = |at: u32| {
        let time = f64::from(at) / RATE;
        pixels::draw(scene, &font, theme == Theme::Dark, scale, time).ok_or_else(too_large)
    };
    let count = frames as u32;
    let step = (count / SAMPLES).max(1) as usize;
    let samples: Result<Vec<Pixmap>, GifError> =
        (0..count).into_par_iter().step_by(step).map(drawn).collect();
    let mut palette = Palette::of(&samples?);
    let mut bytes = Vec::new();
    let first = drawn(0)?;
    let side = |length: u32| u16::try_from(length).map_err(|_| too_large());
    let (wide, high) = (side(first.width())?, side(first.height())?);
    let mut encoder =
        Encoder::new(&mut bytes, wide, high, &palette.table()).map_err(|error| broken(&error))?;
    encoder.set_repeat(Repeat::Infinite).map_err(|error| broken(&error))?;
    let mut before: Option<Vec<u8>> = None;
    let mut waiting: Option<Frame<'static>> = None;
    let delay = (100.0 / RATE) as u16;
    for start in (0..count).step_by(AT_ONCE) {
        let end = count.min(start + AT_ONCE as u32);
        let pictures: Result<Vec<Pixmap>, GifError> =
            (start..end).into_par_iter().map(drawn).collect();
        for picture in pictures? {
            let pixels = palette.indices(&picture);
            match (changed(before.as_deref(), &pixels, wide), &mut waiting) {
                (None, Some(frame)) => frame.delay = frame.delay.saturating_add(delay),
                (None, None) => {}
                (Some(area), waiting) => {
                    let frame = waiting.replace(cut(&pixels, wide, area, delay));
                    if let Some(frame) = frame {
                        encoder.write_frame(&frame).map_err(|error| broken(&error))?;
                    }
                }
            }
            before = Some(pixels);
        }
    }
    if let Some(frame) = waiting {
        encoder.write_frame(&frame).map_err(|error| broken(&error))?;
    }
    drop(encoder);
    Ok(bytes)
}

/// A rectangle of pixels: left, top, right and bottom, the last two excluded.
type Area = (usize, usize, usize, usize);

/// The rectangle that differs from the picture before; `None` if nothing does.
fn changed(before: Option<&[u8]>, now: &[u8], wide: u16) -> Option<Area> {
    let wide = usize::from(wide);
    let Some(before) = before else { return Some((0, 0, wide, now.len() / wide)) };
    let mut area: Option<Area> = None;
    for (row, (old, new)) in before.chunks(wide).zip(now.chunks(wide)).enumerate() {
        let differs = |at: &usize| old[*at] != new[*at];
        let Some(left) = (0..wide).find(differs) else { continue };
        let right = (0..wide).rev().find(differs).unwrap_or(left) + 1;
        let (l, t, r, _) = area.unwrap_or((left, row, right, row));
        area = Some((l.min(left), t, r.max(right), row + 1));
    }
    area
}

/// The frame of a rectangle, drawn over the frames before.
fn cut(pixels: &[u8], wide: u16, (left, top, right, bottom): Area, delay: u16) -> Frame<'static> {
    let rows = pixels.chunks(usize::from(wide)).take(bottom).skip(top);
    let buffer: Vec<u8> = rows.flat_map(|row| &row[left..right]).copied().collect();
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        // Rectangles lie in a picture with sides of 16 bits.
        left: left as u16,
        top: top as u16,
        width: (right - left) as u16,
        height: (bottom - top) as u16,
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}

/// The number of colours with five bits per component.
const ROUNDED: usize = 1 << 15;

/// The 256 most frequent colours of some pictures. Colours that are equal when rounded count as one.
struct Palette {
    /// The mean of the colours that count as one.
    colours: Vec<[u8; 3]>,
    /// For every rounded colour the index of the nearest one, once it is known.
    nearest: Vec<Option<u8>>,
}

impl Palette {
    fn of(pictures: &[Pixmap]) -> Self {
        // The number of pixels, and the sums of their components.
        let mut sums = vec![(0u64, [0u64; 3]); ROUNDED];
        for pixel in pictures.iter().flat_map(Pixmap::pixels) {
            let (count, sums) = &mut sums[rounded(components(*pixel))];
            *count += 1;
            sums.iter_mut().zip(components(*pixel)).for_each(|(sum, part)| *sum += u64::from(part));
        }
        sums.retain(|(count, _)| *count > 0);
        sums.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mean = |(count, sums): &(u64, [u64; 3])| sums.map(|sum| (sum / count) as u8);
        let colours = sums.iter().take(256).map(mean).collect();
        Self { colours, nearest: vec![None; ROUNDED] }
    }

    /// Red, green and blue of every colour.
    fn table(&self) -> Vec<u8> {
        self.colours.iter().flatten().copied().collect()
    }

    /// The picture with the nearest colours.
    fn indices(&mut self, picture: &Pixmap) -> Vec<u8> {
        picture.pixels().iter().map(|&pixel| self.index(components(pixel))).collect()
    }

    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let known = &mut self.nearest[rounded(colour)];
        if let Some(index) = *known {
            return index;
        }
        let far = |other: &[u8; 3]| -> u32 {
            let pairs = colour.into_iter().zip(*other);
            pairs.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        let nearest = (0..=u8::MAX).zip(&self.colours).min_by_key(|(_, other)| far(other));
        *known.insert(nearest.map_or(0, |(index, _)| index))
    }
}

fn components(pixel: PremultipliedColorU8) -> [u8; 3] {
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// A colour with five bits per component.
fn rounded(colour: [u8; 3]) -> usize {
    colour.into_iter().fold(0, |number, part| number << 5 | usize::from(part >> 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_written() {
        let before = [0, 0, 0, 0, 0, 0];
        assert_eq!(changed(None, &before, 3), Some((0, 0, 3, 2)));
        assert_eq!(changed(Some(&before), &before, 3), None);
        assert_eq!(changed(Some(&before), &[0, 0, 0, 0, 1, 0], 3), Some((1, 1, 2, 2)));
        assert_eq!(changed(Some(&before), &[0, 0, 1, 1, 0, 0], 3), Some((0, 0, 3, 2)));
    }

    #[test]
    fn frequent_colours_are_kept_and_others_replaced_by_the_nearest() {
        let mut picture = Pixmap::new(300, 1).unwrap();
        for (at, pixel) in (0u16..).zip(picture.pixels_mut()) {
            let [green, blue] = [at / 32, at % 32].map(|part| (part << 3) as u8);
            *pixel = PremultipliedColorU8::from_rgba(0, green, blue, 255).unwrap();
        }
        let mut palette = Palette::of(&[picture]);
        assert_eq!(palette.table().len(), 768);
        for (colour, nearest) in [([0, 16, 24], [0, 16, 24]), ([0, 255, 255], [0, 56, 248])] {
            let index = palette.index(colour);
            assert_eq!(palette.colours[usize::from(index)], nearest);
        }
    }
}
