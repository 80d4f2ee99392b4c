//! Pictures of throughput plans. Nothing is drawn that the judge has not accepted.

use crate::args::draw::DrawArgs;
use crate::output::Failure;
use pavane_model::{claims, throughput};
use pavane_networks::name_check;
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, ShownRoutes};
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
        let name = claims::plan_in_words(&plan);
        let at = |problem: String| Failure::bad_input(format!("{}: {problem}", path.display()));
        let shown = ShownRoutes::of(&plan, args.phase, args.message);
        let shown = shown.map_err(|error| at(error.to_string()))?;
        let checked = check_plan(plan).map_err(|rejection| {
            at(format!(
                "not a valid throughput plan: {rejection} (`pavane verify` lists all violations)"
            ))
        })?;
        Ok(Self { name, checked, shown })
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
