//! Options and results of a search for the shortest period.

use crate::bounds::TdmBounds;
use crate::driver::Driver;
use crate::latency::UnmetLatency;
use crate::proof::{TdmProof, TdmSolverAnswer};
use pavane_model::tdm::{TdmBound, Word};
use pavane_model::{TdmProblem, TdmSchedule};
use pavane_search::Interrupt;
use pavane_verify::{CheckedTdm, TdmRejection, check_tdm, check_tdm_with};
use std::io::ErrorKind;

/// How a search is done.
#[derive(Debug, Clone)]
pub struct TdmOptions {
    /// Random seed. The result depends on the seed, but not on the number of threads unless the
    /// interrupt cuts the search short.
    pub seed: u64,
    /// Number of threads, at least 1.
    pub threads: usize,
    /// Search for a schedule with this period only.
    pub slots: Option<u32>,
    /// Whether a SAT solver is asked to refute the periods that are not found, if the problem is small.
    pub prove: bool,
    /// Limit on the number of times that words are placed; work that another thread
    /// makes unnecessary does not count.
    pub evaluations: Option<u64>,
    /// Deadline and interrupt.
    pub interrupt: Interrupt,
}

impl Default for TdmOptions {
    fn default() -> Self {
        let evaluations = Some(1_000_000);
        Self {
            seed: 1,
            threads: 1,
            slots: None,
            prove: false,
            evaluations,
            interrupt: Interrupt::never(),
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct TdmOutcome {
    /// The bounds.
    pub bounds: TdmBounds,
    /// The schedule with the shortest period that was found, accepted by the judge.
    pub schedule: Option<CheckedTdm>,
    /// The method that found it.
    pub method: Option<&'static str>,
    /// The proof that the best bound needs, or that the requested period is impossible.
    pub proof: Option<TdmProof>,
    /// What came of asking the solver, the last time; `None` if it was not asked.
    pub answer: Option<TdmSolverAnswer>,
    /// The longest period that demanded latencies allow; `None` if there are none.
    pub longest: Option<u32>,
    /// A demanded latency that no schedule meets.
    pub unmet: Option<UnmetLatency>,
    /// Whether the interrupt cut the search short.
    pub is_interrupted: bool,
}

/// Finds a schedule with a short period. Fails only if the judge rejects the result, which is a bug.
pub fn solve(problem: &TdmProblem, options: &TdmOptions) -> Result<TdmOutcome, TdmRejection> {
    solve_with(problem, options, &|_, _| {})
}

/// As [`solve`]; `progress` is told the bound and every shorter period.
pub fn solve_with(
    problem: &TdmProblem,
    options: &TdmOptions,
    progress: &(dyn Fn(&TdmBounds, Option<u32>) + Sync),
) -> Result<TdmOutcome, TdmRejection> {
    let mut driver = Driver::new(problem, options, progress);
    let shortest = driver.bounds.best.period.max(options.slots.unwrap_or(0));
    let unmet = UnmetLatency::find(problem, shortest);
    if unmet.is_none() {
        driver.run();
    }
    let is_interrupted = options.interrupt.is_raised();
    let Driver { bounds, best, proof, answer, longest, .. } = driver;
    // The search may have raised the bound.
    let unmet = match best {
        None => unmet.or_else(|| UnmetLatency::find(problem, bounds.best.period)),
        Some(_) => None,
    };
    let (schedule, method) = match best {
        None => (None, None),
        Some(found) => {
            let bound = Some(bounds.best.clone());
            let open = |_: &str| match &proof {
                Some(proof) => proof.open(),
                None => Err(ErrorKind::NotFound.into()),
            };
            let schedule = TdmSchedule {
                problem: problem.clone(),
                period: found.period,
                words: found.words,
                bound,
            };
            (Some(check_tdm_with(schedule, &open)?), Some(found.method))
        }
    };
    Ok(TdmOutcome { bounds, schedule, method, proof, answer, longest, unmet, is_interrupted })
}

impl TdmOutcome {
    /// Whether the period is proved to be impossible.
    pub fn excludes(&self, period: u32) -> bool {
        let is_refuted = |proof: &TdmProof| (proof.from..=proof.to).contains(&period);
        let is_too_late = |unmet: &UnmetLatency| unmet.period <= period;
        period < self.bounds.best.period
            || self.proof.as_ref().is_some_and(is_refuted)
            || self.unmet.as_ref().is_some_and(is_too_late)
    }
}

/// Has the judge accept a schedule.
pub(crate) fn checked(
    problem: &TdmProblem,
    period: u32,
    words: Vec<Word>,
    bound: Option<TdmBound>,
) -> Result<CheckedTdm, TdmRejection> {
    check_tdm(TdmSchedule { problem: problem.clone(), period, words, bound })
}
