//! Pictures as files: the format follows from the name.

use crate::output::{Failure, check_place, is_special, write_file};
use crate::schedule_file::gzipped_by_name;
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{Theme, gif, png, svg};
use pavane_render::viewer;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file: a picture if the name is that of one, otherwise with `write`, gzipped if the name ends
/// in `.gz`.
pub fn draw_or_write(
    path: &Path,
    draw: impl FnOnce(PictureFormat) -> Result<Vec<u8>, Failure>,
    write: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    match PictureFormat::of(path) {
        Some(format) => {
            let bytes = draw(format)?;
            write_file(path, |out| out.write_all(&bytes))
        }
        None => write_file(path, |out| gzipped_by_name(path, out, write)),
    }
}

/// Fails early if a schedule or plan cannot be written to a file, or if its name has an extension that is
/// neither that of a schedule nor that of a picture. Only schedules whose messages move can be a GIF.
pub fn check_output(path: &Path, moves: bool) -> Result<(), Failure> {
    let gif = if moves { ", .gif" } else { "" };
    let is_picture = PictureFormat::of(path).is_some_and(|it| moves || it != PictureFormat::Gif);
    let is_known =
        |ending: &OsStr| ["json", "gz"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    if let Some(inner) = gzipped_picture(path) {
        return Err(Failure::bad_input(format!(
            "{}: pictures are not compressed; use a name that ends in .{inner}, or .json.gz for a file",
            path.display()
        )));
    }
    match path.extension() {
        Some(ending) if !is_known(ending) && !is_picture && !is_special(path) => {
            Err(Failure::bad_input(format!(
                "{}: unknown format .{}; use a name that ends in .json or .json.gz (a file), or .svg, \
                 .png{gif} or .html (a picture)",
                path.display(),
                ending.display()
            )))
        }
        _ => check_place(path),
    }
}

/// The ending of a picture before `.gz`, if there are both.
fn gzipped_picture(path: &Path) -> Option<String> {
    let is_gzipped = path.extension()?.eq_ignore_ascii_case("gz");
    let inner = Path::new(path.file_stem()?);
    let ending = inner.extension()?.display().to_string();
    (is_gzipped && PictureFormat::of(inner).is_some()).then_some(ending)
}

/// Fails early if an SVG file cannot be written, or if its name is that of another kind of file.
pub fn check_svg(option: &str, path: &Path) -> Result<(), Failure> {
    match path.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("svg") && !is_special(path) => {
            Err(Failure::bad_input(format!(
                "{option} {}: the picture is an SVG file; give a name that ends in .svg",
                path.display()
            )))
        }
        _ => check_place(path),
    }
}

/// Fails early if a picture without motion cannot be written, or if its name is that of another kind of
/// file.
pub fn check_still(option: &str, path: &Path) -> Result<(), Failure> {
    let is_still = |format: PictureFormat| format != PictureFormat::Gif;
    if path.extension().is_none()
        || is_special(path)
        || PictureFormat::of(path).is_some_and(is_still)
    {
        return check_place(path);
    }
    Err(Failure::bad_input(format!(
        "{option} {}: unknown picture format; give a name that ends in .svg, .png or .html",
        path.display()
    )))
}

/// The format of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
    /// Pixels that move.
    Gif,
    /// A page.
    Html,
}

impl PictureFormat {
    /// The format of a file with this name; `None` if the name is not that of a picture.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_lowercase();
        match &ending[..] {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            "gif" => Some(Self::Gif),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Html => "html",
        }
    }

    /// The content of a file with one picture.
    pub fn bytes(self, scene: &Scene, theme: Theme, title: &str) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Svg => Ok(svg::write(scene, theme).into_bytes()),
            Self::Png => png::write(scene, theme).map_err(Failure::bad_input),
            Self::Gif if scene.seconds == 0.0 => Err(Failure::bad_input(
                "GIF files are for animations of schedules and timed schedules; write this picture as \
                 .svg or .png",
            )),
            Self::Gif => gif::write(scene, theme).map_err(Failure::bad_input),
            Self::Html => {
                Ok(viewer::picture_page(title, &svg::write(scene, Theme::Auto)).into_bytes())
            }
        }
    }
}
