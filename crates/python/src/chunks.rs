//! The number of chunks of each message: a number, or "auto" for a search.

use crate::background::{self, Ended};
use crate::errors::{Unsolved, bad};
use crate::found::Found;
use crate::problem::SearchEnd;
use pavane_model::Problem;
use pavane_search::budget::Clock;
use pavane_throughput::chunks::{ChunkCounts, limit_of_phases};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The largest number of chunks.
const MOST: u32 = 4096;

/// The time limit for all numbers of chunks together, unless the user gives one.
const TIME: Duration = Duration::from_secs(60);

/// The number of chunks of each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkCount {
    /// A number.
    Fixed(u32),
    /// The best one up to this number.
    Auto(u32),
}

impl ChunkCount {
    /// Parses the keyword arguments `chunks` and `max_chunks`.
    pub fn parse(chunks: Option<&Bound<'_, PyAny>>, most: i64) -> PyResult<Self> {
        let most = number(most).ok_or_else(|| {
            bad(format!("max_chunks={most} is not valid; use a number from 1 to {MOST}"))
        })?;
        let Some(chunks) = chunks else { return Ok(Self::Fixed(1)) };
        if chunks.extract::<String>().is_ok_and(|word| word == "auto") {
            return Ok(Self::Auto(most));
        }
        let count = chunks.extract().ok().and_then(number);
        let wrong = || {
            let shown = chunks.repr().map_or_else(|_| "…".to_owned(), |text| text.to_string());
            bad(format!("chunks={shown} is not valid; use a number from 1 to {MOST}, or \"auto\""))
        };
        count.map(Self::Fixed).ok_or_else(wrong)
    }

    /// The number, or 1 before it is known.
    pub fn first(self) -> u32 {
        match self {
            Self::Fixed(count) => count,
            Self::Auto(_) => 1,
        }
    }

    /// Fails without a number; `what` is what the user asked for.
    pub fn check_fixed(self, what: &str) -> PyResult<()> {
        match self {
            Self::Fixed(_) => Ok(()),
            Self::Auto(_) => Err(bad(format!(
                "chunks=\"auto\" cannot be combined with {what}; give a number of chunks"
            ))),
        }
    }
}

fn number(count: i64) -> Option<u32> {
    u32::try_from(count).ok().filter(|count| (1..=MOST).contains(count))
}

/// Tries 1, 2, … chunks per message and returns the schedules with the fewest steps per message; of
/// equally good ones, those with the fewest chunks. Stops when the throughput limit is reached. `cut`
/// gives the problems for a number of chunks; `attempt` solves them with at most the given steps, in the
/// given time for each phase, or raises `Unsolved`. An interrupt ends the search with the best so far.
pub fn search(
    py: Python<'_>,
    most: u32,
    time: Option<Duration>,
    cut: impl Fn(u32) -> PyResult<Vec<Problem>>,
    attempt: impl Fn(&[Problem], Option<u32>, Duration) -> PyResult<SearchEnd>,
) -> PyResult<SearchEnd> {
    let clock = Clock::start();
    let total = time.unwrap_or(TIME);
    let share = |phases: &[Problem], left: u32| {
        total.saturating_sub(clock.elapsed()) / (left.max(1) * phases.len() as u32)
    };
    let whole = cut(1)?;
    let first = attempt(&whole, None, share(&whole, most))?;
    let mut best = match first {
        Ended { answer: Ok(best), interrupt: None } => best,
        ended => return Ok(ended),
    };
    let work = move || limit_of_phases(whole.iter());
    let limit = background::run(py, &Arc::new(AtomicBool::new(false)), work, |_| Ok(()))?;
    if limit.interrupt.is_some() {
        return Ok(Ended { answer: Ok(best), interrupt: limit.interrupt });
    }
    let limit = limit.answer;
    let mut counts = ChunkCounts::new(limit, steps(&best), most);
    while let Some((count, steps_at_most)) = counts.advance() {
        let problems = cut(count)?;
        let at_most = (problems.len() == 1).then_some(steps_at_most);
        let Ended { answer, interrupt } =
            attempt(&problems, at_most, share(&problems, counts.left()))?;
        match answer {
            Ok(found) if counts.improve(count, steps(&found)) => best = found,
            Ok(_) => {}
            Err(error) if error.is_instance_of::<Unsolved>(py) => {}
            Err(error) => return Err(error),
        }
        if interrupt.is_some() {
            return Ok(Ended { answer: Ok(best), interrupt });
        }
    }
    Ok(Ended { answer: Ok(best), interrupt: None })
}

fn steps(phases: &[Found]) -> u32 {
    phases.iter().map(|one| one.checked.schedule().step_count()).sum()
}
