//! Pictures of timed schedules. Nothing is drawn that the judge has not accepted.

use crate::output::Failure;
use crate::picture_file::PictureFormat;
use pavane_model::{TimedSchedule, timed};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, Theme};
use pavane_render::viewer;
use pavane_timed::explanation;
use pavane_verify::{CheckedTimed, check_timed};
use serde_json::Value;
use std::path::Path;

/// A timed schedule that the judge has accepted.
pub struct TimedPicture {
    checked: CheckedTimed,
    /// Why no schedule is quicker than the bound.
    reason: String,
}

impl TimedPicture {
    /// Reads a schedule and has it judged.
    pub fn load(path: &Path, limit: u64) -> Result<Self, Failure> {
        let schedule = timed::read_file(path, limit).map_err(Failure::bad_input)?;
        Self::new(schedule).map_err(|failure| {
            let why = failure.text();
            Failure::bad_input(format!(
                "{}: not a valid timed schedule: {why} (`pavane verify` lists all violations)",
                path.display()
            ))
        })
    }

    /// Has a schedule judged.
    pub fn new(schedule: TimedSchedule) -> Result<Self, Failure> {
        check_timed(schedule).map(Self::of).map_err(Failure::bad_input)
    }

    /// Takes a schedule that the judge has accepted.
    pub fn of(checked: CheckedTimed) -> Self {
        let reason = match checked.proved_ns() {
            Some(_) => explanation(checked.schedule()),
            None => String::new(),
        };
        Self { checked, reason }
    }

    /// The schedule.
    pub fn checked(&self) -> &CheckedTimed {
        &self.checked
    }

    /// The data of the player; `None` if there are too many sends to play.
    pub fn data(&self) -> Option<Value> {
        viewer::timed_data(&self.checked, &self.reason)
    }

    /// The title of the picture.
    pub fn title(&self) -> String {
        picture::timed_title(&self.checked)
    }

    /// Draws the uses of channels and the arrivals.
    pub fn scene(&self) -> Result<Scene, Failure> {
        picture::timed(&self.checked, &self.reason).map_err(Failure::bad_input)
    }

    /// Chunks that move along their channels.
    pub fn animation(&self) -> Result<Scene, Failure> {
        picture::animated_timed(&self.checked).map_err(Failure::bad_input)
    }

    /// The page that plays the schedule.
    pub fn page(&self) -> Result<String, Failure> {
        viewer::timed_page(&self.checked, &self.reason).map_err(Failure::bad_input)
    }

    /// The content of a file.
    pub fn bytes(&self, format: PictureFormat) -> Result<Vec<u8>, Failure> {
        if format == PictureFormat::Html {
            return Ok(self.page()?.into_bytes());
        }
        let scene = if format == PictureFormat::Gif { self.animation() } else { self.scene() };
        format.bytes(&scene?, Theme::default(), &self.title())
    }
}
