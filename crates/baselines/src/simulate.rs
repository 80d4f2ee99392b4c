//! Simulates every algorithm, with the number of slices that is quickest, and has the results judged.

use crate::moves::Moves;
use crate::ranks::Ranks;
use crate::{bruck, direct, doubling, ring, tree};
use pavane_model::collective::{self, Groups};
use pavane_model::timed::{BufferSize, TimedSchedule};
use pavane_model::{Duplex, Fraction, Problem};
use pavane_timed::{KnownSchedule, TimedSearchError, retime_only};
use pavane_verify::{CheckedTimed, TimedRejection, check_timed};

/// An algorithm for a phase, with a number of slices.
type Algorithm = fn(&mut Ranks, u32) -> Option<Moves>;

/// The algorithms with their names, and whether the root of each sum is the same rank.
const ALGORITHMS: &[(&str, Algorithm, bool)] = &[
    ("ring", ring::moves, false),
    ("tree", tree::moves, true),
    ("recursive doubling", doubling::moves, false),
    ("bruck", bruck::moves, false),
    ("direct", direct::moves, false),
];

/// Numbers of slices per message that are tried.
const SLICES: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// The most sends of a schedule that is simulated.
const MOST_SENDS: usize = 50_000;

/// Numbers of slices in a row that are tried although they are not quicker: with more slices, messages may
/// take other paths.
const PATIENCE: usize = 2;

/// The most ranks of an all-reduce with known schedules.
const MOST_KNOWN_RANKS: usize = 128;

/// The most sends of a known schedule.
const MOST_KNOWN: usize = 50_000;

/// An algorithm with its judged schedule.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The name of the algorithm.
    pub name: String,
    /// Slices per message, or per ring and message.
    pub slices: u32,
    /// The schedule.
    pub checked: CheckedTimed,
}

impl Simulated {
    /// Its time in nanoseconds.
    pub fn time_ns(&self) -> Fraction {
        self.checked.time_ns()
    }

    /// The schedule for a search to start with.
    pub fn known(&self) -> Option<KnownSchedule> {
        let entry = ALGORITHMS.iter().find(|(name, ..)| *name == self.name)?;
        Some(KnownSchedule { method: entry.0, schedule: self.checked.schedule().clone() })
    }
}

/// Why a schedule cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The simulator cannot give it times.
    #[error("{0}")]
    Times(Box<TimedSearchError>),
    /// The judge rejected it.
    #[error("the judge rejected the schedule of {name}: {why}")]
    Rejected {
        /// The algorithm.
        name: String,
        /// Why.
        why: Box<TimedRejection>,
    },
}

impl From<TimedSearchError> for BaselineError {
    fn from(error: TimedSearchError) -> Self {
        Self::Times(Box::new(error))
    }
}

/// Simulates the sends of a schedule in their order, and has the result judged.
pub fn simulate(
    name: &str,
    slices: u32,
    schedule: TimedSchedule,
) -> Result<Simulated, BaselineError> {
    let checked = check_timed(retime_only(schedule)?)
        .map_err(|why| BaselineError::Rejected { name: name.to_owned(), why: Box::new(why) })?;
    Ok(Simulated { name: name.to_owned(), slices, checked })
}

/// Simulates all algorithms that suit a collective, or only those in `named`. Each is tried with several
/// numbers of slices, and the quickest one is kept. This takes no account of time limits, which would make
/// algorithms look slow; `stop` returns true when the user interrupts.
pub fn all(
    name: &str,
    phases: &[Problem],
    size: &BufferSize,
    duplex: Duplex,
    named: Option<&[&str]>,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Simulated>, BaselineError> {
    let mut found = Vec::new();
    for &(algorithm, moves, has_one_root) in ALGORITHMS {
        if named.is_some_and(|named| !named.contains(&algorithm)) {
            continue;
        }
        let rooted = if has_one_root { one_root(phases) } else { None };
        let phases = rooted.as_deref().unwrap_or(phases);
        let mut best: Option<Simulated> = None;
        let mut fruitless = 0;
        for slices in SLICES {
            let how = (moves, slices);
            let Some(schedule) = schedule(name, phases, size, duplex, how) else { break };
            let sends: usize = schedule.phases.iter().map(|phase| phase.sends.len()).sum();
            if best.is_some() && (sends > MOST_SENDS || stop()) {
                break;
            }
            let new = simulate(algorithm, slices, schedule)?;
            match &best {
                Some(old) if old.time_ns() <= new.time_ns() => fruitless += 1,
                _ => (best, fruitless) = (Some(new), 0),
            }
            if fruitless == PATIENCE {
                break;
            }
        }
        found.extend(best);
    }
    Ok(found)
}

/// The quickest rings and the quickest recursive doubling of an all-reduce on a network of moderate
/// size, for a search to start with. Nothing for other collectives.
pub fn known(
    name: &str,
    phases: &[Problem],
    size: &BufferSize,
    duplex: Duplex,
    stop: &dyn Fn() -> bool,
) -> Vec<KnownSchedule> {
    let is_moderate = |phase: &Problem| phase.messages().len() <= MOST_KNOWN_RANKS;
    let suits = phases.len() == 2 && phases.iter().all(is_moderate);
    let mut found = Vec::new();
    for &(method, moves, has_one_root) in ALGORITHMS {
        if !suits || has_one_root {
            continue;
        }
        let mut best: Option<TimedSchedule> = None;
        for slices in SLICES.into_iter().step_by(2) {
            if stop() {
                break;
            }
            let timed = schedule(name, phases, size, duplex, (moves, slices))
                .filter(|it| it.phases.iter().map(|it| it.sends.len()).sum::<usize>() <= MOST_KNOWN)
                .and_then(|it| retime_only(it).ok());
            match (timed, &best) {
                (Some(new), Some(old)) if new.time >= old.time => break,
                (Some(new), _) => best = Some(new),
                (None, _) => break,
            }
        }
        found.extend(best.map(|schedule| KnownSchedule { method, schedule }));
    }
    found
}

/// The phases of an all-reduce whose sums have one root, if all processors take part.
fn one_root(phases: &[Problem]) -> Option<Vec<Problem>> {
    let [first, _] = phases else { return None };
    let network = first.network();
    let living = network.living_processors().count();
    if first.messages().len() != living {
        return None;
    }
    let build = |name: &str| {
        let collective = collective::build(name, network, &Groups::default()).ok()?.pop()?;
        Problem::with_limit(network.clone(), collective, first.model(), u64::MAX).ok()
    };
    Some(vec![build("reduce")?, build("broadcast")?])
}

/// The schedule of an algorithm without times; `None` if it does not suit the phases.
fn schedule(
    name: &str,
    phases: &[Problem],
    size: &BufferSize,
    duplex: Duplex,
    (moves, slices): (Algorithm, u32),
) -> Option<TimedSchedule> {
    let mut timed = Vec::new();
    for phase in phases {
        let sizes = size.of_messages(phase);
        let largest = sizes.iter().copied().max().unwrap_or(0);
        // A slice has at least a byte.
        if u64::from(slices) > largest.max(1) {
            return None;
        }
        let mut ranks = Ranks::new(phase, largest / u64::from(slices))?;
        let moves = moves(&mut ranks, slices)?;
        timed.push(moves.into_phase(phase, &ranks.problem, &sizes));
    }
    Some(TimedSchedule {
        name: name.to_owned(),
        phases: timed,
        size: size.clone(),
        duplex,
        time_unit_ns: Fraction::ONE,
        time: None,
        bound: None,
    })
}
