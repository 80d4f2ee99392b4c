//! Schedules that libraries can execute: points of the k-synchronous front, and timed schedules with
//! equally many chunks per message.

use crate::tune::TuningRequest;
use pavane_baselines::{Simulated, to_steps};
use pavane_model::timed::BufferSize;
use pavane_model::units::size_in_words;
use pavane_model::{Duplex, Problem};
use pavane_pareto::{FrontPoint, FrontRequest, check_routers, find, rules};
use pavane_search::Interrupt;
use pavane_throughput::steps::limit_in_steps;
use pavane_timed::{TimedRequest, solve};
use pavane_verify::{CheckedSchedule, check_timed};

/// The numbers of chunks per message of timed schedules.
const CHUNKS: [u64; 6] = [1, 2, 3, 4, 8, 16];

/// The most chunks per message of k-synchronous schedules.
const MOST_CHUNKS: u32 = 6;

/// The work of the solver for one point of the front.
const EVALUATIONS: u64 = 400_000_000;

/// Chunks of all messages up to which a front is searched for.
const MOST_MESSAGES: usize = 400;

/// A schedule with steps, for any size.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub name: String,
    pub phases: Vec<CheckedSchedule>,
}

/// The points of the k-synchronous front that may be best for some size; none on networks with switches.
pub(crate) fn synchronous(request: &TuningRequest<'_>, interrupt: &Interrupt) -> Vec<Candidate> {
    let network = request.problems[0].network();
    let messages = request.problems[0].messages().len();
    if check_routers(network).is_err() || messages > MOST_MESSAGES {
        return Vec::new();
    }
    let under = |problem: &Problem| problem.under(rules()).ok();
    let Some(problems) = request.problems.iter().map(under).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let limits: Vec<_> =
        problems.iter().map(|problem| limit_in_steps(problem).ok().flatten()).collect();
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

/// Timed schedules for a size with equal chunks, as schedules with steps.
pub(crate) fn timed(
    request: &TuningRequest<'_>,
    bytes: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Candidate> {
    let size = BufferSize::Bytes(bytes);
    let mut found = Vec::new();
    for chunks in CHUNKS {
        let wanted = TimedRequest {
            size: &size,
            duplex: Duplex::Full,
            chunks: Some(chunks),
            seed: request.seed,
            rounds: Some(request.rounds.unwrap_or(64)),
            threads: request.threads,
            known: &[],
            stop,
        };
        let Ok(answer) = solve(request.collective, request.problems, &wanted) else { continue };
        let Ok(checked) = check_timed(answer.schedule) else { continue };
        if let Some(phases) = to_steps(&checked) {
            let name = format!("timed for {}, {chunks} chunks", size_in_words(bytes));
            found.push(Candidate { name, phases });
        }
        if stop() {
            break;
        }
    }
    found
}

/// The algorithms of libraries for a size, as schedules with steps.
pub(crate) fn of_libraries(bytes: u64, simulated: &[Simulated]) -> Vec<Candidate> {
    let candidate = |it: &Simulated| {
        let name = format!("{} for {}", it.name, size_in_words(bytes));
        Some(Candidate { name, phases: to_steps(&it.checked)? })
    };
    simulated.iter().filter_map(candidate).collect()
}
