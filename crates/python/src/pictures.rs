//! Pictures as texts, bytes and files.

use crate::LARGEST_PICTURE;
use crate::errors::bad;
use crate::files::write_whole;
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{Theme, gif, png, svg};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::Path;

/// What can be drawn.
pub trait Drawn {
    /// The picture.
    fn scene(&self) -> PyResult<Scene>;

    /// The picture with messages that move.
    fn animation(&self) -> PyResult<Scene> {
        Err(bad("GIF files are for animations of schedules and timed schedules; use .svg or .png"))
    }

    /// A page that plays it.
    fn page(&self) -> PyResult<String>;

    /// The picture as SVG.
    fn to_svg(&self) -> PyResult<String> {
        Ok(svg::write(&self.scene()?, Theme::Auto))
    }

    /// The picture as SVG, if a notebook can show it.
    fn small_svg(&self) -> Option<String> {
        self.to_svg().ok().filter(|svg| svg.len() <= LARGEST_PICTURE)
    }

    /// The picture as PNG.
    fn to_png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = png::write(&self.scene()?, Theme::default()).map_err(bad)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes a file in the format of its name, as `pavane draw -o` does.
    fn draw_to(&self, path: &Path) -> PyResult<()> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let bytes = match &ending[..] {
            "svg" => self.to_svg()?.into_bytes(),
            "png" => png::write(&self.scene()?, Theme::default()).map_err(bad)?,
            "gif" => gif::write(&self.animation()?, Theme::default()).map_err(bad)?,
            "html" | "htm" => self.page()?.into_bytes(),
            _ => {
                return Err(bad(format!(
                    "{}: unknown picture format; use a name that ends in .svg, .png, .gif or .html",
                    path.display()
                )));
            }
        };
        write_whole(path, &bytes).map_err(|error| bad(format!("{}: {error}", path.display())))
    }
}

/// The drawing as a data URL, so that the styles of several drawings in a notebook do not
/// interfere.
pub fn address(svg: &str) -> String {
    let mut text = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'%' | b'#' | b'<' | b'>' | b'"' | b'&' | b'\n' | 128.. => {
                text += &format!("%{byte:02X}");
            }
            _ => text.push(byte.into()),
        }
    }
    text
}
