//! Pictures of throughput plans. Nothing is drawn that the judge has not accepted.

use crate::args::draw::{DrawArgs, parse_message};
use crate::output::Failure;
use crate::picture_file::PictureFormat;
use pavane_model::collective::group;
use pavane_model::throughput::{self, ThroughputPlan};
use pavane_model::{Kind, Label, Problem, claims};
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
        let shown = shown_routes(&plan, args.phase, args.message.as_deref()).map_err(at)?;
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

/// The routes of a phase and of a message, which is given by its numbers or by the names of its origin
/// and destination. Numbers take precedence.
fn shown_routes(
    plan: &ThroughputPlan,
    phase: Option<usize>,
    message: Option<&str>,
) -> Result<ShownRoutes, String> {
    let of = |label| ShownRoutes::of(plan, phase, label).map_err(|error| error.to_string());
    let all = of(None)?;
    let Some(text) = message else { return Ok(all) };
    let by_numbers = parse_message(text).map(|label| of(Some(label)));
    if let Ok(Ok(shown)) = by_numbers {
        return Ok(shown);
    }
    let named = label_by_names(&plan.phases[phase.unwrap_or(0)].problem, text);
    match (named, by_numbers) {
        (Some(label), Err(_)) => of(Some(label)),
        (Some(label), Ok(shown)) => of(Some(label)).or(shown),
        (None, Ok(shown)) => shown,
        (None, Err(_)) => Err(format!(
            "--message {text:?}: no such message; give numbers, such as 3, or 0,5 for the message from 0 \
             to 5, or the names of its origin and destination with a blank or a semicolon between them, such as \
             '0,0 1,2'"
        )),
    }
}

/// The label of the message with this origin, or with this origin and destination: `0,0`, `0,0 1,2`.
fn label_by_names(problem: &Problem, text: &str) -> Option<Label> {
    let parts = text.split([' ', ';']).filter(|part| !part.is_empty());
    let names = parts.map(|name| group::processor(problem.network(), name).ok());
    let processors: Vec<_> = names.collect::<Option<_>>()?;
    match (problem.collective().kind, &processors[..]) {
        (Kind::Messages, &[from, to]) => {
            let messages = problem.messages();
            let mut found = messages.ids().filter(|&message| {
                messages.origin(message) == from && messages.destinations(message).contains(&to)
            });
            // The names must select one message.
            found.next().filter(|_| found.next().is_none()).map(|message| problem.label(message))
        }
        (_, &[one]) => Some(Label::One(one.0)),
        (_, &[one, two]) => Some(Label::Two(one.0, two.0)),
        _ => None,
    }
}
