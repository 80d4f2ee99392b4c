//! Searches for schedules at every size, and has the best ones chosen.

use crate::candidates::{self, Candidate};
use crate::choice::choose;
use crate::times::TuningTimes;
use pavane_baselines::{BaselineError, Simulated, all, known};
use pavane_interop::timed::NotInSteps;
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
    /// Whether both channels of a link carry sends at the same time.
    pub duplex: Duplex,
    /// Random seed.
    pub seed: u64,
    /// The most rounds of random search for each size.
    pub rounds: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// How the searches divide the time.
    pub times: &'a TuningTimes,
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
    /// Why schedules cannot be written for a library, with their names, if none can.
    pub refused: Vec<(String, NotInSteps)>,
    /// Whether the user stopped it before all sizes were done.
    pub is_stopped: bool,
}

/// How much more time a size gets at which many schedules are searched for.
const MORE_SEARCHED: f64 = 8.0;

/// Divides the time that is left among searches.
struct Shares<'a> {
    request: &'a TuningRequest<'a>,
    left: f64,
}

impl Shares<'_> {
    /// The interrupt of the next search.
    fn take(&mut self, share: f64) -> Interrupt {
        let interrupt = self.request.times.part((share / self.left.max(share)).min(1.0));
        self.left -= share;
        interrupt
    }
}

/// Finds the best schedule for every size.
pub fn tune(request: &TuningRequest<'_>) -> Result<Tuning, TuningError> {
    (request.progress)("searching for k-synchronous schedules".to_owned());
    let mut pool = candidates::synchronous(request, &request.times.front());
    let mut refused = Vec::new();
    let mut sizes = Vec::new();
    // Small, middle and large messages want different schedules; sizes between them rarely do.
    let last = request.sizes.len() - 1;
    let is_searched = |place: usize| [0, last / 2, last].contains(&place);
    let searched = (0..=last).filter(|&place| is_searched(place)).count();
    let left = request.sizes.len() as f64 + MORE_SEARCHED * searched as f64;
    let mut shares = Shares { request, left };
    for (place, &bytes) in request.sizes.iter().enumerate() {
        if place > 0 && (request.is_stopped)() {
            break;
        }
        let words = pavane_model::units::size_in_words(bytes);
        (request.progress)(format!("{words}: {} of {} sizes", place + 1, request.sizes.len()));
        let mut tuned = timed(request, bytes, &shares.take(1.0))?;
        let named = (!is_searched(place)).then_some(&["ring", "tree"][..]);
        let size = BufferSize::Bytes(bytes);
        let (name, problems, duplex) = (request.collective, request.problems, request.duplex);
        let others = all(name, problems, &size, duplex, named, request.is_stopped)?;
        let time = |name: &str| others.iter().find(|it| it.name == name).map(Simulated::time_ns);
        (tuned.ring_ns, tuned.tree_ns) = (time("ring"), time("tree"));
        sizes.push(tuned);
        if is_searched(place) {
            let whole = candidates::timed_shares();
            let mut turn = |share: f64| shares.take(MORE_SEARCHED * share / whole);
            let is_large = place == last && place > 0;
            let timed = candidates::timed(request, bytes, is_large, &mut turn);
            for found in [timed, candidates::of_libraries(bytes, &others)] {
                pool.extend(found.candidates);
                refused.extend(found.refused);
            }
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
    if !schedules.is_empty() {
        refused.clear();
    }
    Ok(Tuning { sizes, schedules, refused, is_stopped })
}

/// The timed schedule and the bound for a size.
fn timed(
    request: &TuningRequest<'_>,
    bytes: u64,
    interrupt: &Interrupt,
) -> Result<TunedSize, TuningError> {
    let (size, duplex) = (BufferSize::Bytes(bytes), request.duplex);
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
/// was cut short at other sizes, their bounds are lower than they could be. A proof with messages of at most
/// a size holds in proportion for messages of at least another size.
fn raise_bounds(request: &TuningRequest<'_>, sizes: &mut [TunedSize]) {
    let messages = |bytes: u64| BufferSize::Bytes(bytes).of_messages(&request.problems[0]);
    let longest = |bytes| Fraction::from(messages(bytes).into_iter().max().unwrap_or(0));
    let shortest = |bytes| Fraction::from(messages(bytes).into_iter().min().unwrap_or(0));
    let limit = |size: &TunedSize| match size.timed.proved_ns()? {
        (proved, TimeCertificate::Throughput { .. }) => proved.checked_div(longest(size.bytes)),
        _ => None,
    };
    let Some(limit) = sizes.iter().filter_map(limit).max() else { return };
    for size in sizes {
        if let Some(bound) = limit.checked_mul(shortest(size.bytes)) {
            size.bound_ns = size.bound_ns.max(bound);
        }
    }
}
