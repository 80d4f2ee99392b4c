//! The driver: owns "fewest". It asks engines for schedules of so many steps, raises and lowers
//! that number, keeps the best schedule, and lets nothing out that the judge has not passed.

mod at_once;
mod choice;
mod found;
mod options;
mod outcome;
mod partners;
mod search;

pub use at_once::at_once;
pub use choice::find_engine;
pub use options::{Options, Progress, Standing, Watcher};
pub use outcome::{Outcome, Refusal, Solution, SynthesisError};

use crate::attempt::Engine;
use crate::budget::Clock;
use crate::evolution::{Archipelago, serve};
use crate::rng::Rng;
use partners::News;
use pavane_model::Problem;
use search::Search;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long is waited for other ranks to say what they have spent, once the search is over.
const FAREWELL: Duration = Duration::from_millis(800);

/// Finds the shortest schedule it can within the limits of `options`.
///
/// ```
/// use pavane_engine::synthesize::{Options, synthesize};
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, Problem};
/// use pavane_networks::topology;
///
/// let network = topology::build("ring:5")?;
/// let phases = collective::build("all-gather", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// // The same seed and as much work give the same schedule on every machine.
/// let options = Options { seed: 7, evaluations: Some(100_000), ..Options::default() };
/// let solution = synthesize(&problem, &options)?.solution.ok_or("no schedule was found")?;
/// assert_eq!(solution.checked.schedule().step_count(), 2);
/// // Fewer steps than the bound are not even tried.
/// let impossible = Options { steps: Some(1), ..options };
/// assert!(synthesize(&problem, &impossible)?.solution.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn synthesize(problem: &Problem, options: &Options) -> Result<Outcome, SynthesisError> {
    let cluster = &options.cluster;
    if cluster.is_alone() {
        return Search::begin(problem, options)?.run();
    }
    let own = Options { evaluations: share(options), ..options.clone() };
    let mut begun = Search::begin(problem, &own)?;
    if has_islands(&begun.engines) {
        let line = Archipelago { cluster: cluster.clone(), channel: begun.channel };
        begun.context = begun.context.with_archipelago(line.clone());
        let outcome = begun.run();
        // An empty letter: no more islands will be founded.
        cluster.others().for_each(|rank| cluster.send(rank, line.channel, Vec::new()));
        return outcome;
    }
    let partners = begun.partners.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| partners.listen());
        let mut outcome = begun.run();
        let over = Clock::start();
        // Who was stopped may have no time to wait, nor anybody to wait for.
        let is_stopped = || cluster.is_stopped() || options.stop.load(Ordering::Relaxed);
        let elsewhere = partners.end(|| is_stopped() || over.elapsed() > FAREWELL);
        partners.hang_up();
        if let Ok(outcome) = &mut outcome {
            outcome.evaluations += elsewhere;
        }
        outcome
    })
}

/// Helps rank 0 of the cluster with the same problem and options, until it has ended the search.
pub fn assist(problem: &Problem, options: &Options) -> Result<(), SynthesisError> {
    let cluster = &options.cluster;
    let own = Options {
        // Other streams of chance than those of all other ranks.
        seed: Rng::stream(options.seed, u64::MAX - cluster.rank() as u64).bits(),
        evaluations: share(options),
        // The clock of rank 0 counts.
        time: None,
        patience: Duration::MAX,
        resumed: options.resumed.clone(),
        watcher: None,
        ..options.clone()
    };
    let mut begun = Search::begin(problem, &own)?;
    if has_islands(&begun.engines) {
        let line = Archipelago { cluster: cluster.clone(), channel: begun.channel };
        serve(&begun.context, &line);
        return Ok(());
    }
    // What is the same for all seeds is for rank 0 to do, and engines take turns in another order.
    begun.exact = None;
    begun.rounds += cluster.rank() as u64;
    let partners = begun.partners.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| partners.listen());
        let outcome = begun.run();
        let spent = outcome.as_ref().map_or(0, |outcome| outcome.evaluations);
        partners.tell_news(&News::Done(spent));
        partners.hang_up();
        outcome.map(drop)
    })
}

/// The evaluations that a rank may make. Islands are led by rank 0, which counts all of theirs.
fn share(options: &Options) -> Option<u64> {
    let ranks = match &options.engine {
        Some(name) if find_engine(name).is_some_and(|engine| engine.has_islands()) => 1,
        _ => options.cluster.ranks() as u64,
    };
    options.evaluations.map(|limit| limit.div_ceil(ranks))
}

fn has_islands(engines: &[&'static dyn Engine]) -> bool {
    matches!(engines, [engine] if engine.has_islands())
}
