//! Pictures of TDM schedules. Nothing is drawn that the judge has not accepted.

use crate::output::Failure;
use crate::picture_file::PictureFormat;
use pavane_model::tdm::{self, TdmSchedule};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, Theme};
use pavane_render::viewer;
use pavane_tdm::bounds::in_words;
use pavane_verify::{CheckedTdm, check_tdm};
use std::path::Path;

/// A TDM schedule that the judge has accepted.
pub struct TdmPicture {
    checked: CheckedTdm,
    /// Why no period is shorter than the bound.
    reason: String,
}

impl TdmPicture {
    /// Reads a schedule and has it judged.
    pub fn load(path: &Path, limit: u64) -> Result<Self, Failure> {
        let schedule = tdm::read_file(path, limit).map_err(Failure::bad_input)?;
        Self::new(schedule).map_err(|failure| {
            Failure::bad_input(format!("{}: {}", path.display(), failure.text()))
        })
    }

    /// Has a schedule judged.
    pub fn new(schedule: TdmSchedule) -> Result<Self, Failure> {
        let checked = check_tdm(schedule).map_err(|rejection| {
            Failure::bad_input(format!(
                "not a valid TDM schedule: {rejection} (`pavane verify` lists all violations)"
            ))
        })?;
        let schedule = checked.schedule();
        let bound = schedule.bound.as_ref().filter(|_| checked.proved().is_some());
        let reason = bound.map(|bound| in_words(&schedule.problem, bound)).unwrap_or_default();
        Ok(Self { checked, reason })
    }

    /// Title of the picture.
    pub fn title(&self) -> String {
        picture::tdm_title(self.checked.schedule())
    }

    /// Draws the slot table.
    pub fn scene(&self) -> Result<Scene, Failure> {
        picture::tdm(&self.checked, &self.reason).map_err(Failure::bad_input)
    }

    /// The content of a file.
    pub fn bytes(&self, format: PictureFormat) -> Result<Vec<u8>, Failure> {
        if format == PictureFormat::Html {
            return Ok(self.page()?.into_bytes());
        }
        format.bytes(&self.scene()?, Theme::default(), &self.title())
    }

    /// The page that plays a period.
    pub fn page(&self) -> Result<String, Failure> {
        viewer::tdm_page(&self.checked, &self.reason).map_err(Failure::bad_input)
    }
}
