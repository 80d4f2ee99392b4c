//! Pictures as files: the format follows from the name.

use crate::output::Failure;
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{Theme, png, svg};
use pavane_render::viewer;
use std::path::Path;

/// The format of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
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
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
        }
    }

    /// The content of a file with one picture.
    pub fn bytes(self, scene: &Scene, theme: Theme, title: &str) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Svg => Ok(svg::write(scene, theme).into_bytes()),
            Self::Png => png::write(scene, theme).map_err(Failure::bad_input),
            Self::Html => {
                Ok(viewer::picture_page(title, &svg::write(scene, Theme::Auto)).into_bytes())
            }
        }
    }
}
