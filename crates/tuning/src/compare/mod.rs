//! A timed schedule beside the algorithms of libraries and the schedules in files, all simulated under the
//! same rules and judged.

mod files;
mod fit;

pub use files::{ComparedFile, FileClaims, FilesRequest, read_files};

use pavane_baselines::{BaselineError, Simulated, all};
use pavane_model::timed::BufferSize;
use pavane_model::{Duplex, Fraction, Problem};
use pavane_timed::{KnownSchedule, TimedRequest, TimedSearchError, solve};
use pavane_verify::check_timed;

/// The name of our own schedule.
pub const OWN: &str = "pavane";

/// What to compare.
pub struct ComparisonRequest<'a> {
    /// The collective.
    pub collective: &'a str,
    /// Its phases, on a network with bandwidths and latencies.
    pub problems: &'a [Problem],
    /// Whether both channels of a link carry sends at the same time.
    pub duplex: Duplex,
    /// Random seed.
    pub seed: u64,
    /// The most rounds of random search.
    pub rounds: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// Ends the search for our own schedule.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Why nothing can be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// A file cannot be compared.
    #[error("{name}: {why}")]
    File {
        /// The file.
        name: String,
        /// Why.
        why: String,
    },
    /// No timed schedule can be found.
    #[error("{0}")]
    Search(Box<TimedSearchError>),
    /// A schedule of ours or of a library cannot be simulated.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

/// A judged schedule.
#[derive(Debug, Clone)]
pub struct ComparedSchedule {
    /// The schedule with its name.
    pub simulated: Simulated,
    /// With a file of another program: what it claims.
    pub claims: Option<FileClaims>,
}

/// The judged schedules for one size.
#[derive(Debug, Clone)]
pub struct ComparedSize {
    /// The size.
    pub bytes: u64,
    /// The proved bound on the time of all schedules.
    pub bound_ns: Fraction,
    /// The quickest first.
    pub entries: Vec<ComparedSchedule>,
}

impl ComparedSize {
    /// Adds a schedule at its place. Of equally quick ones, the first stays first.
    fn add(&mut self, entry: ComparedSchedule) {
        let time = entry.simulated.time_ns();
        let place = self.entries.partition_point(|it| it.simulated.time_ns() <= time);
        self.entries.insert(place, entry);
    }
}

/// The algorithms of libraries for a size. They need no search, so that no time limit applies to them;
/// `is_stopped` returns true when the user interrupts.
pub fn algorithms(
    collective: &str,
    problems: &[Problem],
    duplex: Duplex,
    bytes: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<Simulated>, ComparisonError> {
    Ok(all(collective, problems, &BufferSize::Bytes(bytes), duplex, None, is_stopped)?)
}

/// Searches for a schedule of our own, beside the algorithms of libraries and the schedules of files.
pub fn compare(
    request: &ComparisonRequest<'_>,
    bytes: u64,
    others: Vec<Simulated>,
    files: &[ComparedFile],
) -> Result<ComparedSize, ComparisonError> {
    let size = BufferSize::Bytes(bytes);
    let ComparisonRequest { collective, problems, duplex, .. } = *request;
    let known: Vec<KnownSchedule> = others.iter().filter_map(Simulated::known).collect();
    let wanted = TimedRequest {
        size: &size,
        duplex,
        chunks: None,
        seed: request.seed,
        rounds: request.rounds,
        threads: request.threads,
        known: &known,
        stop: request.stop,
    };
    let found = solve(collective, problems, &wanted)
        .map_err(|error| ComparisonError::Search(Box::new(error)))?;
    let bound_ns = found.bound_ns;
    let rejected = |why| BaselineError::Rejected { name: OWN.to_owned(), why: Box::new(why) };
    let checked = check_timed(found.schedule).map_err(rejected)?;
    let own = Simulated { name: OWN.to_owned(), slices: 1, checked };
    let mut result = ComparedSize { bytes, bound_ns, entries: Vec::new() };
    for simulated in [own].into_iter().chain(others) {
        result.add(ComparedSchedule { simulated, claims: None });
    }
    for file in files.iter().filter(|file| file.bytes == bytes) {
        result.add(file.schedule.clone());
    }
    Ok(result)
}
