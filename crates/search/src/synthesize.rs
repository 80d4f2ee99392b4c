//! The search for the shortest schedule. Engines try to find a schedule of at most S steps. The
//! driver chooses S, keeps the best schedule, and returns only schedules that the judge accepts.

mod at_once;
mod choice;
mod crew;
mod line;
mod neighbours;
mod options;
mod outcome;
mod plan;
mod record;
mod results;
mod roster;
mod search;
mod task;

pub use at_once::at_once;
pub use options::{Options, Progress, Standing, Watcher};
pub use outcome::{Outcome, Refusal, Solution, SynthesisError};
pub use plan::position::PlanPosition;

use crew::{Crew, SetUp};
use pavane_model::Problem;
use search::Search;

/// Finds the shortest schedule it can within the limits of `options`.
///
/// ```
/// use pavane_search::synthesize::{Options, synthesize};
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, Problem};
/// use pavane_networks::topology;
///
/// let network = topology::build("ring:5")?;
/// let phases = collective::build("all-gather", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// // The same seed and number of evaluations give the same schedule on every machine.
/// let options = Options { seed: 7, evaluations: Some(100_000), ..Options::default() };
/// let solution = synthesize(&problem, &options)?.solution.ok_or("no schedule was found")?;
/// assert_eq!(solution.checked.schedule().step_count(), 2);
/// // Step counts below the bound are not tried.
/// let impossible = Options { steps: Some(1), ..options };
/// assert!(synthesize(&problem, &impossible)?.solution.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn synthesize(problem: &Problem, options: &Options) -> Result<Outcome, SynthesisError> {
    let outcome = match neighbours::in_one_step(problem, options) {
        Ok(None) => Crew::choose(problem, options)
            .and_then(|crew| Search::begin(problem, &crew).and_then(Search::run)),
        // The other ranks wait for tasks, and there is none.
        Ok(Some(found)) => {
            options.cluster.dismiss();
            return Ok(found);
        }
        Err(error) => Err(error),
    };
    if outcome.is_err() {
        options.cluster.dismiss();
    }
    outcome
}

/// Executes tasks for rank 0 until rank 0 ends the search. The problem and the options must be the
/// same as on rank 0.
pub fn assist(problem: &Problem, options: &Options) -> Result<(), SynthesisError> {
    let prepare = |set_up: SetUp| Crew::join(problem, options, &set_up);
    options.cluster.follow(options.threads, prepare, Crew::execute)
}
