//! Simulates all candidates at every size and keeps the best.

use crate::candidates::{self, Candidate};
use pavane_baselines::{BaselineError, Simulated, all, from_steps, known, simulate};
use pavane_model::timed::{BufferSize, TimeCertificate};
use pavane_model::{Duplex, Fraction, Problem};
use pavane_search::Interrupt;
use pavane_timed::{TimedRequest, TimedSearchError, solve};
use pavane_verify::{CheckedSchedule, CheckedTimed, TimedRejection, check_timed};

/// What to tune.
pub struct TuningRequest<'a> {
    /// The collective.
    pub collective: &'a str,
    /// Its phases, on a network with bandwidths and latencies.
    pub problems: &'a [Problem],
    /// The sizes, in ascending order.
    pub sizes: &'a [u64],
    /// Random seed.
    pub seed: u64,
    /// The most rounds of random search for each size.
    pub rounds: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// Ends the search for k-synchronous schedules.
    pub front_interrupt: Interrupt,
    /// Gives the interrupt of a size by its place in `sizes`.
    pub size_interrupt: &'a (dyn Fn(usize) -> Interrupt + Sync),
    /// Whether the user has asked to stop; then the sizes that are done are the result.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Whether a schedule can be written for a library.
    pub is_exportable: &'a dyn Fn(&[CheckedSchedule]) -> bool,
    /// Called with what is being done.
    pub progress: &'a dyn Fn(String),
}

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// No timed schedule can be found.
    #[error("{0}")]
    Search(Box<TimedSearchError>),
    /// The judge rejected a timed schedule.
    #[error("the judge rejected a timed schedule: {0}")]
    Rejected(Box<TimedRejection>),
    /// An algorithm cannot be simulated.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

/// The result for one size.
#[derive(Debug, Clone)]
pub struct TunedSize {
    /// The size.
    pub bytes: u64,
    /// The proved bound on the time of all schedules.
    pub bound_ns: Fraction,
    /// The quickest timed schedule found.
    pub timed: CheckedTimed,
    /// The best schedule for a library: its place in [`Tuning::schedules`] and its time.
    pub best: Option<(usize, Fraction)>,
    /// The time of the ring algorithm.
    pub ring_ns: Option<Fraction>,
    /// The time of the tree algorithm.
    pub tree_ns: Option<Fraction>,
}

/// The best schedules for all sizes.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// By size.
    pub sizes: Vec<TunedSize>,
    /// The schedules for libraries that are best for some size, with their names.
    pub schedules: Vec<(String, Vec<CheckedSchedule>)>,
    /// Whether the user stopped it before all sizes were done.
    pub is_stopped: bool,
}

/// Finds the best schedule for every size.
pub fn tune(request: &TuningRequest<'_>) -> Result<Tuning, TuningError> {
    (request.progress)("searching for k-synchronous schedules".to_owned());
    let mut pool = candidates::synchronous(request, &request.front_interrupt);
    let mut sizes = Vec::new();
    for (place, &bytes) in request.sizes.iter().enumerate() {
        if place > 0 && (request.is_stopped)() {
            break;
        }
        let words = pavane_model::units::size_in_words(bytes);
        (request.progress)(format!("{words}: {} of {} sizes", place + 1, request.sizes.len()));
        let mut tuned = timed(request, bytes, (request.size_interrupt)(place))?;
        // Small, middle and large messages want different schedules; sizes between them rarely do.
        let last = request.sizes.len() - 1;
        let is_searched = [0, last / 2, last].contains(&place);
        let named = (!is_searched).then_some(&["ring", "tree"][..]);
        let interrupt = (request.size_interrupt)(place);
        let size = BufferSize::Bytes(bytes);
        let stop = || interrupt.is_raised();
        let others = all(request.collective, request.problems, &size, named, &stop)?;
        let time = |name: &str| others.iter().find(|it| it.name == name).map(Simulated::time_ns);
        (tuned.ring_ns, tuned.tree_ns) = (time("ring"), time("tree"));
        sizes.push(tuned);
        if is_searched {
            let interrupt = (request.size_interrupt)(place);
            pool.extend(candidates::timed(request, bytes, &|| interrupt.is_raised()));
            pool.extend(candidates::of_libraries(bytes, &others));
        }
    }
    raise_bounds(request, &mut sizes);
    (request.progress)("comparing the schedules at every size".to_owned());
    let (mut good, bad): (Vec<Candidate>, Vec<Candidate>) =
        pool.into_iter().partition(|it| (request.is_exportable)(&it.phases));
    if good.is_empty() {
        good = bad;
    }
    let schedules = choose(request, &mut sizes, good)?;
    let is_stopped = sizes.len() < request.sizes.len();
    Ok(Tuning { sizes, schedules, is_stopped })
}

/// The timed schedule and the bound for a size.
fn timed(
    request: &TuningRequest<'_>,
    bytes: u64,
    interrupt: Interrupt,
) -> Result<TunedSize, TuningError> {
    let (size, duplex) = (BufferSize::Bytes(bytes), Duplex::Full);
    let stop = || interrupt.is_raised();
    let known = known(request.collective, request.problems, &size, duplex, &stop);
    let wanted = TimedRequest {
        size: &size,
        duplex,
        chunks: None,
        seed: request.seed,
        rounds: request.rounds,
        threads: request.threads,
        known: &known,
        stop: &stop,
    };
    let found = solve(request.collective, request.problems, &wanted)
        .map_err(|error| TuningError::Search(Box::new(error)))?;
    let bound_ns = found.bound_ns;
    let timed =
        check_timed(found.schedule).map_err(|error| TuningError::Rejected(Box::new(error)))?;
    Ok(TunedSize { bytes, bound_ns, timed, best: None, ring_ns: None, tree_ns: None })
}

/// Applies the best throughput limit that was proved for some size to all sizes. If the search for a limit
/// was cut short at other sizes, their bounds are lower than they could be.
fn raise_bounds(request: &TuningRequest<'_>, sizes: &mut [TunedSize]) {
    let shortest = |bytes: u64| {
        let sizes = BufferSize::Bytes(bytes).of_messages(&request.problems[0]);
        Fraction::from(sizes.into_iter().min().unwrap_or(0))
    };
    let limit = |size: &TunedSize| match size.timed.proved_ns()? {
        (proved, TimeCertificate::Throughput { .. }) => proved.checked_div(shortest(size.bytes)),
        _ => None,
    };
    let Some(limit) = sizes.iter().filter_map(limit).max() else { return };
    for size in sizes {
        if let Some(bound) = limit.checked_mul(shortest(size.bytes)) {
            size.bound_ns = size.bound_ns.max(bound);
        }
    }
}

/// The problems that a candidate solves: those of the request, or an all-reduce with other roots.
fn problems(request: &TuningRequest<'_>, candidate: &Candidate) -> Vec<Problem> {
    let asked = request.problems.iter().zip(&candidate.phases);
    asked
        .map(|(asked, phase)| {
            let collective = phase.problem().collective().whole();
            let is_other = request.problems.len() == 2
                && (&collective.senders, &collective.receivers)
                    != (&asked.collective().senders, &asked.collective().receivers);
            let network = asked.network().clone();
            let other = is_other
                .then(|| Problem::with_limit(network, collective, asked.model(), u64::MAX).ok());
            other.flatten().unwrap_or_else(|| asked.clone())
        })
        .collect()
}

/// Chooses a candidate for every size. A candidate stays best while no other one is quicker by more than
/// half a per cent, so that there are few ranges. A candidate that is quicker than the timed schedule
/// replaces it. Returns the candidates that are chosen.
fn choose(
    request: &TuningRequest<'_>,
    sizes: &mut [TunedSize],
    candidates: Vec<Candidate>,
) -> Result<Vec<(String, Vec<CheckedSchedule>)>, TuningError> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut last: Option<usize> = None;
    for size in sizes.iter_mut() {
        let bytes = BufferSize::Bytes(size.bytes);
        let mut times: Vec<Option<Fraction>> = Vec::new();
        let mut quickest: Option<Simulated> = None;
        for candidate in &candidates {
            let phases: Vec<&CheckedSchedule> = candidate.phases.iter().collect();
            let problems = problems(request, candidate);
            let schedule = from_steps(request.collective, &problems, &phases, &bytes).ok();
            let simulated = schedule.map(|it| simulate(&candidate.name, 1, it)).transpose()?;
            times.push(simulated.as_ref().map(Simulated::time_ns));
            let least = quickest.as_ref().map_or(size.timed.time_ns(), Simulated::time_ns);
            quickest = simulated.filter(|it| it.time_ns() < least).or(quickest);
        }
        if let Some(quickest) = quickest {
            size.timed = quickest.checked;
        }
        let best = (0..times.len()).filter(|&at| times[at].is_some()).min_by_key(|&at| times[at]);
        let Some(best) = best else { continue };
        let is_close = |&at: &usize| match (times[at], times[best]) {
            (Some(time), Some(least)) => time.to_f64() <= 1.005 * least.to_f64(),
            _ => false,
        };
        let taken = last.filter(is_close).unwrap_or(best);
        last = Some(taken);
        let number = chosen.iter().position(|&it| it == taken).unwrap_or_else(|| {
            chosen.push(taken);
            chosen.len() - 1
        });
        size.best = times[taken].map(|time| (number, time));
    }
    let mut candidates: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let take = |at: usize| candidates[at].take().map(|it| (it.name, it.phases));
    Ok(chosen.into_iter().filter_map(take).collect())
}
