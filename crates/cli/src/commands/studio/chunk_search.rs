//! The search for the best number of chunks, as `pavane solve --chunks auto`.

use super::answer::SOON;
use super::job::Job;
use super::request::Asked;
use super::schedule::{SolvedPhases, options, solve_phases};
use crate::args::solve::DEFAULT_MOST_CHUNKS;
use pavane_search::budget::Clock;
use pavane_search::synthesize::Options;
use pavane_throughput::chunks::{ChunkCounts, limit_of_phases};
use std::time::Duration;

/// Tries 1, 2, … chunks per message and returns the schedules with the fewest steps per message. At the
/// deadline of the job these are the best so far.
pub fn search(asked: &Asked, job: &Job, time: Duration) -> Result<SolvedPhases, String> {
    let clock = Clock::start();
    let share = |left: u32| time.saturating_sub(clock.elapsed()) / left.max(1);
    let limits = |phases: usize, left: u32, steps: Option<u32>| {
        let time = share(left) / phases.max(1) as u32;
        let engine = asked.engine();
        Options { engine, time: Some(time), steps, ..options(job, asked.seed, time, SOON, 1) }
    };
    let most = DEFAULT_MOST_CHUNKS;
    let whole = asked.problems(1)?;
    let first = solve_phases(&whole, &limits(whole.len(), most, None))?;
    let mut best = first.ok_or_else(|| job.excuse())?;
    let mut counts = ChunkCounts::new(limit_of_phases(whole.iter()), steps(&best), most);
    while !job.is_stopped()
        && let Some((count, at_most)) = counts.advance()
    {
        let cut = asked.problems(count)?;
        let at_most = (cut.len() == 1).then_some(at_most);
        let found = solve_phases(&cut, &limits(cut.len(), counts.left(), at_most))?;
        if let Some(found) = found.filter(|found| counts.improve(count, steps(found))) {
            best = found;
        }
    }
    if job.is_cancelled() { Err(job.excuse()) } else { Ok(best) }
}

fn steps(found: &SolvedPhases) -> u32 {
    found.phases.iter().map(|(checked, _)| checked.schedule().step_count()).sum()
}
