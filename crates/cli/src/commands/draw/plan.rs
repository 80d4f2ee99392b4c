//! Pictures of throughput plans. Nothing is drawn that the judge has not accepted.

use crate::args::draw::DrawArgs;
use crate::output::Failure;
use crate::picture_file::PictureFormat;
use pavane_model::claims;
use pavane_model::throughput::{self, ThroughputPlan};
use pavane_networks::name_check;
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, ShownRoutes, Theme};
use pavane_verify::{CheckedPlan, check_plan};
use std::path::Path;

/// A plan that the judge has accepted, and which part of it is drawn.
pub struct PlanPicture {
    name: String,
    checked: CheckedPlan,
    shown: ShownRoutes,
}

impl PlanPicture {
    /// Reads a plan and has it judged.
    pub fn load(path: &Path, args: &DrawArgs) -> Result<Self, Failure> {
        let plan = throughput::read_file(path, args.max_deliveries).map_err(Failure::bad_input)?;
        let at = |problem: String| Failure::bad_input(format!("{}: {problem}", path.display()));
        let shown = ShownRoutes::of(&plan, args.phase, args.message);
        let shown = shown.map_err(|error| at(error.to_string()))?;
        Self::new(plan, shown).map_err(|failure| at(failure.text().to_owned()))
    }

    /// Has a plan judged.
    pub fn new(plan: ThroughputPlan, shown: ShownRoutes) -> Result<Self, Failure> {
        let name = claims::plan_in_words(&plan);
        let checked = check_plan(plan).map_err(|rejection| {
            Failure::bad_input(format!(
                "not a valid throughput plan: {rejection} (`pavane verify` lists all violations)"
            ))
        })?;
        Ok(Self { name, checked, shown })
    }

    /// The content of a file.
    pub fn bytes(&self, format: PictureFormat) -> Result<Vec<u8>, Failure> {
        format.bytes(&self.scene()?, Theme::default(), &self.title())
    }

    /// Title of the picture.
    pub fn title(&self) -> String {
        format!("{} on {}", self.name, name_check::network_in_words(self.checked.network()))
    }

    /// Draws it.
    pub fn scene(&self) -> Result<Scene, Failure> {
        picture::plan(&self.name, &self.checked, self.shown).map_err(Failure::bad_input)
    }
}
