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
const MOST_IN_ALL: f64 = 300e6;

/// Maximum size of the file, in bytes: few programs and sites play larger ones.
const MOST_BYTES: usize = 32_000_000;

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
    /// The file would be too large.
    #[error(
        "an animation of {width:.0} by {height:.0} points and {seconds:.0} s has about {megabytes} MB as GIF, \
         and the limit is {most} MB; draw fewer steps with --steps, or write SVG or a page (.html)"
    )]
    TooManyBytes {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// Length.
        seconds: f64,
        /// The size, estimated from its first pictures.
        megabytes: usize,
        /// The maximum.
        most: usize,
    },
    /// Encoding failed.
    #[error("the animation cannot be written as GIF: {0}")]
    Encoding(String),
}

/// Returns the bytes of a GIF file, with one pixel per point or fewer, that repeats forever.
pub fn write(scene: &Scene, theme: Theme) -> Result<Vec<u8>, GifError> {
    write_observed(scene, theme, &|_, _| {})
}

/// The same; `observe` is called with the number of pictures that are complete and that of all.
pub fn write_observed(
    scene: &Scene,
    theme: Theme,
    observe: &dyn Fn(u32, u32),
) -> Result<Vec<u8>, GifError> {
    write_within(scene, theme, MOST_BYTES, observe)
}

fn write_within(
    scene: &Scene,
    theme: Theme,
    most_bytes: usize,
    observe: &dyn Fn(u32, u32),
) -> Result<Vec<u8>, GifError> {
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
    let is_dark = theme == Theme::Dark;
    // Between two changes, the picture stays the same except for what moves.
    let changes = scene.changes();
    let time = |at: u32| f64::from(at) / RATE;
    let part = |at: u32| changes.partition_point(|&change| change <= time(at));
    let still =
        |at: u32| pixels::draw_still(scene, &font, is_dark, scale, time(at)).ok_or_else(too_large);
    let with_moving = |mut picture: Pixmap, at: u32| {
        pixels::draw_moving(&mut picture, scene, &font, is_dark, scale, time(at));
        picture
    };
    let drawn = |at: u32| still(at).map(|picture| with_moving(picture, at));
    let count = frames as u32;
    observe(0, count);
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
        let firsts = (start..end).filter(|&at| at == start || part(at) != part(at - 1));
        let firsts: Vec<u32> = firsts.collect();
        let stills: Result<Vec<Pixmap>, GifError> =
            firsts.par_iter().map(|&at| still(at)).collect();
        let stills = stills?;
        let moving = |at: u32| {
            let part = firsts.partition_point(|&first| first <= at) - 1;
            with_moving(stills[part].clone(), at)
        };
        let pictures: Vec<Pixmap> = (start..end).into_par_iter().map(moving).collect();
        for picture in pictures {
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
        observe(end, count);
        // The pictures so far tell how large the file will be.
        let estimate = encoder.get_ref().len() / end as usize * count as usize;
        if estimate > most_bytes {
            let (megabytes, most) = (estimate.div_ceil(1_000_000), most_bytes.div_ceil(1_000_000));
            return Err(GifError::TooManyBytes { width, height, seconds, megabytes, most });
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
    use super::super::ink::Ink;
    use super::super::scene::{Item, Segment, Style, Window, rectangle};
    use super::*;
    use std::cell::Cell;

    #[test]
    fn only_what_changes_is_written() {
        let before = [0, 0, 0, 0, 0, 0];
        assert_eq!(changed(None, &before, 3), Some((0, 0, 3, 2)));
        assert_eq!(changed(Some(&before), &before, 3), None);
        assert_eq!(changed(Some(&before), &[0, 0, 0, 0, 1, 0], 3), Some((1, 1, 2, 2)));
        assert_eq!(changed(Some(&before), &[0, 0, 1, 1, 0, 0], 3), Some((0, 0, 3, 2)));
    }

    #[test]
    fn what_moves_is_in_front_and_drawn_on_the_part_that_is_shown() {
        let still =
            vec![Item::Path(rectangle(0.0, 0.0, 9.0, 9.0).to_vec(), Style::area(Ink::New), None)];
        let path = vec![Segment::Move(5.0, 15.0), Segment::Line(15.0, 15.0)];
        let (early, late) = (Window { from: 0.0, to: 1.0 }, Window { from: 1.0, to: 2.0 });
        let items = vec![Item::Shown(0, late), Item::Moving(path, 2.0, Ink::Text, early)];
        let parts = vec![still];
        let scene =
            Scene { width: 20.0, height: 20.0, seconds: 2.0, parts, items, ..Scene::default() };
        assert_eq!(scene.changes(), [1.0, 2.0]);
        let file = write(&scene, Theme::Light).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&file[..]).unwrap();
        let mut canvas = vec![0; 20 * 20 * 4];
        let mut time = 0;
        let mut seen = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let (left, top, wide) =
                (usize::from(frame.left), usize::from(frame.top), usize::from(frame.width));
            for (at, pixel) in frame.buffer.chunks(4).enumerate() {
                let to = ((top + at / wide) * 20 + left + at % wide) * 4;
                canvas[to..to + 4].copy_from_slice(pixel);
            }
            let pixel = |x: usize, y: usize| canvas[(y * 20 + x) * 4..][..3].to_vec();
            seen.push((time, pixel(4, 4) != pixel(18, 2), pixel(5, 15) != pixel(18, 2)));
            time += frame.delay;
        }
        assert_eq!(seen[0], (0, false, true));
        let last = seen.last().unwrap();
        assert!(last.0 >= 90 && last.1 && !last.2, "{seen:?}");
    }

    #[test]
    fn a_file_that_would_be_too_large_is_refused_early() {
        let path = vec![Segment::Move(0.0, 0.0), Segment::Line(90.0, 90.0)];
        let window = Window { from: 0.0, to: 10.0 };
        let items = vec![Item::Moving(path, 9.0, Ink::Text, window)];
        let scene = Scene { width: 99.0, height: 99.0, seconds: 10.0, items, ..Scene::default() };
        let seen = Cell::new((0, 0));
        let observe = |done, all| seen.set((done, all));
        let whole = write_within(&scene, Theme::Light, MOST_BYTES, &observe).unwrap();
        assert_eq!(seen.get(), (125, 125));
        let error = write_within(&scene, Theme::Light, whole.len() / 4, &observe).unwrap_err();
        assert!(seen.get().0 < 40, "{:?}", seen.get());
        let text = error.to_string();
        assert!(text.contains("99 by 99 points and 10 s") && text.contains("--steps"), "{text}");
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
