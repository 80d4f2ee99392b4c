//! Simulates all candidates at every size and chooses the best.

use crate::candidates::Candidate;
use crate::tune::{TunedSize, TuningError, TuningRequest};
use pavane_baselines::{BaselineError, Simulated, from_steps, simulate};
use pavane_model::timed::BufferSize;
use pavane_model::{Fraction, Problem};
use pavane_verify::CheckedSchedule;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A schedule with its name.
type Named = (String, Vec<CheckedSchedule>);

/// The times of the candidates for a size, where they are known.
type Times = Vec<Option<Fraction>>;

/// Chooses a candidate for every size. A candidate stays best while no other one is quicker by more than
/// half a per cent, so that there are few ranges. A candidate that is quicker than the timed schedule
/// replaces it. Returns the candidates that are chosen.
pub(crate) fn choose(
    request: &TuningRequest<'_>,
    sizes: &mut [TunedSize],
    candidates: Vec<Candidate>,
) -> Result<Vec<Named>, TuningError> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut last: Option<usize> = None;
    let late = request.times.last();
    let mut known: Vec<Times> = vec![Vec::new(); sizes.len()];
    // The largest and the smallest size first: if the time ends, the candidates that are good there are
    // compared at the sizes between them.
    for place in outside_in(sizes.len()) {
        let size = &mut sizes[place];
        let is_late = place > 0 && late.is_raised();
        let is_compared = |at: usize| !is_late || is_promising(&known, at);
        let (times, quickest) = times(request, size, &candidates, &is_compared)?;
        if let Some(quickest) = quickest.filter(|it| it.time_ns() < size.timed.time_ns()) {
            size.timed = quickest.checked;
        }
        known[place] = times;
    }
    for (size, times) in sizes.iter_mut().zip(&known) {
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

/// The problems that a candidate solves: those of the request, or an all-reduce with other roots.
fn problems(asked: &[Problem], candidate: &Candidate) -> Vec<Problem> {
    let is_all_reduce = asked.len() == 2;
    let asked = asked.iter().zip(&candidate.phases);
    asked
        .map(|(asked, phase)| {
            let collective = phase.problem().collective().whole();
            let is_other = is_all_reduce
                && (&collective.senders, &collective.receivers)
                    != (&asked.collective().senders, &asked.collective().receivers);
            let network = asked.network().clone();
            let other = is_other
                .then(|| Problem::with_limit(network, collective, asked.model(), u64::MAX).ok());
            other.flatten().unwrap_or_else(|| asked.clone())
        })
        .collect()
}

/// The places from both ends to the middle.
fn outside_in(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |at| if at % 2 == 0 { at / 2 } else { count - 1 - at / 2 })
}

/// Whether a candidate is among the two quickest at a size at which all were compared.
fn is_promising(known: &[Times], at: usize) -> bool {
    known.iter().filter(|times| times.iter().any(Option::is_some)).any(|times| {
        let is_quicker = |other: &&Option<Fraction>| match (other, times[at]) {
            (Some(other), Some(time)) => *other < time,
            (Some(_), None) => true,
            _ => false,
        };
        times.iter().filter(is_quicker).count() < 2
    })
}

/// The times of the candidates for a size, and the quickest one.
fn times(
    request: &TuningRequest<'_>,
    size: &TunedSize,
    candidates: &[Candidate],
    is_compared: &(dyn Fn(usize) -> bool + Sync),
) -> Result<(Times, Option<Simulated>), TuningError> {
    let (next, bytes) = (AtomicUsize::new(0), BufferSize::Bytes(size.bytes));
    let found: Mutex<(Times, Option<(usize, Simulated)>)> =
        Mutex::new((vec![None; candidates.len()], None));
    let duplex = request.duplex;
    let work = || -> Result<(), BaselineError> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(at) else { return Ok(()) };
            if !is_compared(at) {
                continue;
            }
            let phases: Vec<&CheckedSchedule> = candidate.phases.iter().collect();
            let problems = problems(request.problems, candidate);
            let schedule = from_steps(request.collective, &problems, &phases, &bytes);
            let Ok(mut schedule) = schedule else { continue };
            schedule.duplex = duplex;
            let simulated = simulate(&candidate.name, 1, schedule)?;
            let mut found = found.lock().expect("no thread panics while it holds this");
            let time = simulated.time_ns();
            found.0[at] = Some(time);
            let is_better = |(place, it): &(usize, Simulated)| (time, at) < (it.time_ns(), *place);
            if found.1.as_ref().is_none_or(is_better) {
                found.1 = Some((at, simulated));
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..request.threads.min(candidates.len()).max(1)).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().fold(own, |result, other| {
            let other = other.join().expect("a simulation does not panic");
            result.and(other)
        })
    })?;
    let (times, quickest) = found.into_inner().expect("no thread panics while it holds this");
    Ok((times, quickest.map(|(_, simulated)| simulated)))
}
