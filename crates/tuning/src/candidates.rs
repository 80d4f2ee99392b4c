//! Schedules that libraries can execute: points of the k-synchronous front, and timed schedules with
//! equally many chunks per message.

use crate::rounds_limit::limit_in_rounds;
use crate::tune::TuningRequest;
use pavane_baselines::Simulated;
use pavane_interop::timed::{NotInSteps, to_steps};
use pavane_model::timed::BufferSize;
use pavane_model::units::size_in_words;
use pavane_model::{Duplex, Fraction, Problem};
use pavane_pareto::{FrontPoint, FrontRequest, check_routers, find, in_rounds, rules};
use pavane_search::Interrupt;
use pavane_timed::{TimedRequest, solve};
use pavane_verify::{CheckedSchedule, CheckedTimed, check_timed};

/// The numbers of chunks per message of timed schedules.
const CHUNKS: [u64; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256];

/// Numbers of chunks in a row that are tried although they give no quicker schedule.
const PATIENCE: u32 = 4;

/// The most deliveries of chunks of a timed schedule.
const MOST_DELIVERIES: u64 = 40_000;

/// The most chunks per message of k-synchronous schedules.
const MOST_CHUNKS: u32 = 6;

/// The work of the solver for one point of the front.
const EVALUATIONS: u64 = 400_000_000;

/// Chunks of all messages up to which a front is searched for.
const MOST_MESSAGES: usize = 200;

/// A schedule with steps, for any size.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub name: String,
    pub phases: Vec<CheckedSchedule>,
}

/// Timed schedules as candidates, and why others have no steps.
#[derive(Debug, Default)]
pub(crate) struct Refusable {
    pub candidates: Vec<Candidate>,
    /// The name of a schedule and the reason.
    pub refused: Vec<(String, NotInSteps)>,
}

impl Refusable {
    fn add(&mut self, name: String, checked: &CheckedTimed) {
        match to_steps(checked) {
            Ok(phases) => self.candidates.push(Candidate { name, phases }),
            Err(why) => self.refused.push((name, why)),
        }
    }
}

/// The points of the k-synchronous front that may be best for some size; none on networks with switches or
/// half-duplex links.
pub(crate) fn synchronous(request: &TuningRequest<'_>, interrupt: &Interrupt) -> Vec<Candidate> {
    let network = request.problems[0].network();
    let messages = request.problems[0].messages().len();
    let is_half = request.duplex == Duplex::Half;
    if is_half || check_routers(network).is_err() || messages > MOST_MESSAGES {
        return Vec::new();
    }
    let under = |problem: &Problem| in_rounds(&problem.under(rules()).ok()?, None).ok();
    let Some(problems) = request.problems.iter().map(under).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let limits: Vec<_> = problems
        .iter()
        .map(|problem| limit_in_rounds(request.collective, problem, interrupt))
        .collect();
    let most = (MOST_MESSAGES / messages.max(1)).clamp(1, MOST_CHUNKS as usize) as u32;
    let front = FrontRequest {
        max_chunks: most,
        max_steps: None,
        limits: &limits,
        seed: request.seed,
        evaluations: EVALUATIONS,
        max_deliveries: u64::MAX,
        interrupt: interrupt.clone(),
        progress: &|_, _, _| {},
    };
    let Ok(front) = find(&problems, &front) else { return Vec::new() };
    let fewest = front.points.iter().map(FrontPoint::steps).min().unwrap_or(0);
    let points = front.points.into_iter();
    let good = points.filter(|point| point.is_on_front || point.steps() == fewest);
    good.map(|point| Candidate {
        name: format!("k-synchronous {}-{}-{}", point.chunks, point.steps(), point.round_count()),
        phases: point.phases,
    })
    .collect()
}

/// The share of the search with a number of chunks in the time for a size, with [`timed_shares`].
fn share(chunks: u64) -> f64 {
    chunks as f64 + 4.0
}

/// The sum of all shares.
pub(crate) fn timed_shares() -> f64 {
    CHUNKS.iter().map(|&chunks| share(chunks)).sum()
}

/// Timed schedules for a size with equal chunks, as schedules with steps. `turn` gives the interrupt of a
/// search by its share in the time. Large messages want many chunks, so these come first if `is_large`.
pub(crate) fn timed(
    request: &TuningRequest<'_>,
    bytes: u64,
    is_large: bool,
    turn: &mut dyn FnMut(f64) -> Interrupt,
) -> Refusable {
    let size = BufferSize::Bytes(bytes);
    let sizes = size.of_messages(&request.problems[0]);
    let shortest = sizes.into_iter().min().unwrap_or(0);
    let deliveries = |problem: &Problem| problem.messages().delivery_count() as u64;
    let deliveries: u64 = request.problems.iter().map(deliveries).sum();
    let mut found = Refusable::default();
    let mut best: Option<Fraction> = None;
    let mut fruitless = 0;
    let mut counts = CHUNKS;
    if is_large {
        counts.reverse();
    }
    for chunks in counts {
        let interrupt = turn(share(chunks));
        let is_too_many = chunks > shortest.max(1) || chunks * deliveries > MOST_DELIVERIES;
        if (chunks > 1 && is_too_many) || fruitless == PATIENCE || (request.is_stopped)() {
            continue;
        }
        let wanted = TimedRequest {
            size: &size,
            duplex: request.duplex,
            chunks: Some(chunks),
            seed: request.seed,
            rounds: Some(request.rounds.unwrap_or(64)),
            threads: request.threads,
            known: &[],
            stop: &|| interrupt.is_raised(),
        };
        let Ok(answer) = solve(request.collective, request.problems, &wanted) else { continue };
        let time_ns = answer.time_ns;
        let Ok(checked) = check_timed(answer.schedule) else { continue };
        let count = if chunks == 1 { "1 chunk".to_owned() } else { format!("{chunks} chunks") };
        found.add(format!("timed for {}, {count}", size_in_words(bytes)), &checked);
        fruitless = if best.is_none_or(|best| time_ns < best) { 0 } else { fruitless + 1 };
        best = Some(best.map_or(time_ns, |best| best.min(time_ns)));
    }
    found
}

/// The algorithms of libraries for a size, as schedules with steps.
pub(crate) fn of_libraries(bytes: u64, simulated: &[Simulated]) -> Refusable {
    let mut found = Refusable::default();
    for it in simulated {
        found.add(format!("{} for {}", it.name, size_in_words(bytes)), &it.checked);
    }
    found
}
