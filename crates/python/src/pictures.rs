//! Pictures as texts, bytes and files.

use crate::LARGEST_PICTURE;
use crate::errors::bad;
use crate::files::{unwritable, write_whole};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{Show, Theme, gif, png, svg};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyRange};
use std::ops::Range;
use std::path::Path;

/// How a picture is drawn, as the options of `pavane draw` say.
#[derive(Default)]
pub struct Look {
    /// Whether messages move.
    pub is_animated: bool,
    /// The colours.
    pub theme: Theme,
    /// The steps that are drawn; all, or the first ones, unless given.
    pub steps: Option<Range<u32>>,
    /// The only part of the picture of a schedule that is drawn.
    pub only: Option<Part>,
}

/// A part of the picture of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A panel for every step.
    Panels,
    /// The chart of channel use over time.
    Channels,
}

impl Look {
    /// A still picture in these colours.
    pub fn still(theme: &str) -> PyResult<Self> {
        Self::new(false, theme, None, None)
    }

    /// What the picture of a schedule shows.
    pub fn show(&self) -> Show {
        Show {
            steps: self.steps.clone(),
            no_chart: self.only == Some(Part::Panels),
            no_panels: self.only == Some(Part::Channels),
        }
    }

    /// Parses the keyword arguments.
    pub fn new(
        is_animated: bool,
        theme: &str,
        steps: Option<&Bound<'_, PyAny>>,
        only: Option<&str>,
    ) -> PyResult<Self> {
        let theme = match theme {
            "auto" => Theme::Auto,
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => {
                return Err(bad(format!(
                    "theme={theme:?} is not valid; use \"auto\", \"light\" or \"dark\""
                )));
            }
        };
        let only = match only {
            None => None,
            Some("panels") => Some(Part::Panels),
            Some("channels") if !is_animated => Some(Part::Channels),
            Some("channels") => {
                return Err(bad("only=\"channels\" is a chart, which is not animated"));
            }
            Some(other) => {
                return Err(bad(format!(
                    "only={other:?} is not valid; use \"panels\" or \"channels\""
                )));
            }
        };
        Ok(Self { is_animated, theme, steps: steps.map(range).transpose()?, only })
    }
}

/// The steps of a number or a `range`.
fn range(steps: &Bound<'_, PyAny>) -> PyResult<Range<u32>> {
    let found = if let Ok(range) = steps.cast::<PyRange>() {
        let part = |name| range.getattr(name)?.extract::<i64>();
        let (start, stop) = (part("start")?, part("stop")?);
        (part("step")? == 1 && start < stop).then_some((start, stop))
    } else {
        steps.extract::<i64>().ok().and_then(|step| Some((step, step.checked_add(1)?)))
    };
    let found =
        found.and_then(|(start, stop)| Some(u32::try_from(start).ok()?..u32::try_from(stop).ok()?));
    found.ok_or_else(|| {
        let shown = steps.repr().map_or_else(|_| "…".to_owned(), |text| text.to_string());
        bad(format!("steps={shown} is not valid; use a step such as 3, or range(0, 8)"))
    })
}

/// What can be drawn.
pub trait Drawn {
    /// The picture.
    fn scene(&self, look: &Look) -> PyResult<Scene>;

    /// The picture with messages that move.
    fn animation(&self, _: &Look) -> PyResult<Scene> {
        Err(bad("only schedules and timed schedules can be animated; use .svg, .png or .html"))
    }

    /// A page that plays it.
    fn page(&self) -> PyResult<String>;

    /// The picture as SVG.
    fn to_svg(&self, look: &Look) -> PyResult<String> {
        let scene = if look.is_animated { self.animation(look) } else { self.scene(look) };
        Ok(svg::write(&scene?, look.theme))
    }

    /// The picture as SVG, if a notebook can show it.
    fn small_svg(&self) -> Option<String> {
        self.to_svg(&Look::default()).ok().filter(|svg| svg.len() <= LARGEST_PICTURE)
    }

    /// The picture as PNG.
    fn to_png<'py>(&self, py: Python<'py>, look: &Look) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = png::write(&self.scene(look)?, look.theme).map_err(bad)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes a file in the format of its name, as `pavane draw -o` does.
    fn draw_to(&self, path: &Path, look: &Look) -> PyResult<()> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let only = |name: &str, what: &str| bad(format!("{}: {name}: {what}", path.display()));
        let bytes = match &ending[..] {
            "svg" => self.to_svg(look)?.into_bytes(),
            "gif" if look.only == Some(Part::Channels) => {
                return Err(only("only", "a chart is not animated; use .svg or .png"));
            }
            "gif" => gif::write(&self.animation(look)?, look.theme).map_err(bad)?,
            "png" | "html" | "htm" if look.is_animated => {
                let what =
                    "animations are written to .svg or .gif (a page, .html, plays without it)";
                return Err(only("animate", what));
            }
            "png" => png::write(&self.scene(look)?, look.theme).map_err(bad)?,
            "html" | "htm" if look.theme != Theme::Auto => {
                return Err(only(
                    "theme",
                    "the colours of a page follow its reader; use .svg or .png",
                ));
            }
            "html" | "htm" if look.only.is_some() => {
                return Err(only("only", "a page plays all parts; use .svg or .png"));
            }
            "html" | "htm" if look.steps.is_some() => {
                return Err(only("steps", "a page plays all steps; use .svg, .png or .gif"));
            }
            "html" | "htm" => self.page()?.into_bytes(),
            _ => {
                return Err(bad(format!(
                    "{}: unknown picture format; use a name that ends in .svg, .png, .gif or .html",
                    path.display()
                )));
            }
        };
        write_whole(path, &bytes).map_err(|error| unwritable(path, &error))
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
