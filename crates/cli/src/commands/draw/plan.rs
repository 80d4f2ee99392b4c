//! Pictures of throughput plans. Nothing is drawn that the judge has not accepted.

use crate::args::draw::DrawArgs;
use crate::output::Failure;
use pavane_model::throughput::{self, PlanPhase, ThroughputPlan};
use pavane_model::{Label, claims, collective};
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
        let name = name(&plan);
        let at = |problem: String| Failure::bad_input(format!("{}: {problem}", path.display()));
        let phase = phase(&plan, args.phase).map_err(at)?;
        if let Some(label) = args.message {
            check_message(&plan, phase, label).map_err(at)?;
        }
        let checked = check_plan(plan).map_err(|rejection| {
            at(format!(
                "not a valid throughput plan: {rejection} (`pavane verify` lists all violations)"
            ))
        })?;
        Ok(Self { name, checked, shown: ShownRoutes { phase, message: args.message } })
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

/// The collective in words.
fn name(plan: &ThroughputPlan) -> String {
    match &plan.phases[..] {
        [only] => claims::collective_in_words(&only.problem),
        _ if collective::is_all_reduce(&plan.name) => plan.name.clone(),
        _ => format!("all-reduce called {}", claims::quoted(&plan.name)),
    }
}

fn phase(plan: &ThroughputPlan, wanted: Option<usize>) -> Result<Option<usize>, String> {
    let last = plan.phases.len() - 1;
    match wanted {
        Some(phase) if phase > last && last == 0 => {
            Err(format!("there is no phase {phase}: only plans of an all-reduce have several"))
        }
        Some(phase) if phase > last => {
            Err(format!("there is no phase {phase} (valid: 0 to {last})"))
        }
        wanted => Ok(wanted),
    }
}

/// Fails if there is no message with this label in the phase, or in the first one.
fn check_message(plan: &ThroughputPlan, phase: Option<usize>, label: Label) -> Result<(), String> {
    let phase = &plan.phases[phase.unwrap_or(0)];
    let problem = &phase.problem;
    if problem.messages().ids().any(|message| problem.label(message) == label) {
        Ok(())
    } else {
        Err(format!("there is no message {}; {}", typed(label), known(phase)))
    }
}

/// A label as in `--message`.
fn typed(label: Label) -> String {
    match label {
        Label::One(one) => one.to_string(),
        Label::Two(one, two) => format!("{one},{two}"),
    }
}

/// Which messages there are.
fn known(phase: &PlanPhase) -> String {
    let problem = &phase.problem;
    let mut ids = problem.messages().ids();
    let Some(first) = ids.next() else { return "the plan has no message".to_owned() };
    let first = typed(problem.label(first));
    match ids.next_back() {
        None => format!("the only message is {first}"),
        Some(last) => {
            format!(
                "the {} messages are {first} to {}",
                problem.messages().len(),
                typed(problem.label(last))
            )
        }
    }
}
