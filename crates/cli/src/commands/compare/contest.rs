//! All algorithms for one size.

use crate::output::Failure;
use crate::report::verify::ForeignClaims;
use pavane_baselines::{BaselineError, Simulated, all};
use pavane_model::timed::BufferSize;
use pavane_model::{Duplex, Fraction, Problem};
use pavane_timed::{KnownSchedule, TimedRequest, solve};
use pavane_verify::check_timed;

/// The name of our own schedule.
pub const OWN: &str = "pavane";

/// What to simulate.
pub struct Contest<'a> {
    pub collective: &'a str,
    pub problems: &'a [Problem],
    pub seed: u64,
    pub rounds: Option<u64>,
    pub threads: usize,
    /// Ends the search for our own schedule.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Ends the search for the best numbers of slices of the others.
    pub stop_others: &'a (dyn Fn() -> bool + Sync),
}

/// A judged schedule.
pub struct Entry {
    pub simulated: Simulated,
    /// With a file of another program: what it claims.
    pub claims: Option<ForeignClaims>,
}

/// The judged schedules for one size.
pub struct SizeResult {
    pub bytes: u64,
    pub bound_ns: Fraction,
    /// The quickest first.
    pub entries: Vec<Entry>,
}

impl SizeResult {
    /// Adds a schedule at its place. Of equally quick ones, the first stays first.
    pub fn add(&mut self, entry: Entry) {
        let time = entry.simulated.time_ns();
        let place = self.entries.partition_point(|it| it.simulated.time_ns() <= time);
        self.entries.insert(place, entry);
    }
}

impl Contest<'_> {
    /// Searches for a schedule of our own and simulates the algorithms of libraries.
    pub fn run(&self, bytes: u64) -> Result<SizeResult, Failure> {
        let size = BufferSize::Bytes(bytes);
        // They come first, so that our search does not take the time for their numbers of slices.
        let stop = || (self.stop_others)();
        let others = all(self.collective, self.problems, &size, None, &stop)?;
        let known: Vec<KnownSchedule> = others.iter().filter_map(Simulated::known).collect();
        let request = TimedRequest {
            size: &size,
            duplex: Duplex::Full,
            chunks: None,
            seed: self.seed,
            rounds: self.rounds,
            threads: self.threads,
            known: &known,
            stop: self.stop,
        };
        let found = solve(self.collective, self.problems, &request)?;
        let bound_ns = found.bound_ns;
        let rejected = |why| BaselineError::Rejected { name: OWN.to_owned(), why: Box::new(why) };
        let checked = check_timed(found.schedule).map_err(rejected)?;
        let own = Simulated { name: OWN.to_owned(), slices: 1, checked };
        let mut result = SizeResult { bytes, bound_ns, entries: Vec::new() };
        for simulated in [own].into_iter().chain(others) {
            result.add(Entry { simulated, claims: None });
        }
        Ok(result)
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        match error {
            BaselineError::Times(error) => (*error).into(),
            error => Self::Bug(error.to_string()),
        }
    }
}
