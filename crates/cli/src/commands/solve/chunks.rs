//! Messages cut into chunks: the search for the best number of chunks (`--chunks auto`), and what
//! the chunks gain.

use super::{Found, FoundPhase, Searched, problems, solve, solve_phases};
use crate::args::solve::{DEFAULT_MOST_CHUNKS, SolveArgs};
use crate::commands::interrupt::Signals;
use crate::commands::search_request::SearchRequest;
use crate::output::Failure;
use crate::report::solve::ChunkReport;
use pavane_cluster::Cluster;
use pavane_model::Fraction;
use pavane_search::budget::Clock;
use pavane_throughput::chunks::{ChunkCounts, limit_of_phases};
use pavane_throughput::steps::why_no_limit;
use pavane_verify::CheckedSchedule;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time limit for all numbers of chunks together, unless the user gives one.
const TIME: Duration = Duration::from_secs(60);

/// Tries 1, 2, … chunks per message and returns the schedules with the fewest steps per message; of
/// equally good ones, those with the fewest chunks. Stops when the throughput limit is reached.
pub(super) fn search(
    args: &SolveArgs,
    cluster: &Cluster,
    signals: &Signals,
    clock: Clock,
) -> Result<Searched, Failure> {
    refuse_other_options(args, cluster)?;
    let whole = problems(args, 1)?;
    let total = args.time.unwrap_or(TIME);
    let time = |untried: u32| {
        let elapsed = clock.elapsed();
        Some(elapsed + total.saturating_sub(elapsed) / untried.max(1))
    };
    let mut request = SearchRequest::new(args, cluster, &whole, signals, clock)?;
    let most = args.max_chunks.unwrap_or(DEFAULT_MOST_CHUNKS);
    request.time = time(most);
    let mut best = match solve_phases(&request)? {
        Searched::Solved(phases) => phases,
        ended => return Ok(ended),
    };
    let first = schedules(&best);
    let mut counts = ChunkCounts::new(limit(&first), steps(&first), most);
    while !signals.stop.load(Ordering::Relaxed)
        && let Some((count, most)) = counts.advance()
    {
        let cut = problems(args, count)?;
        let mut request = SearchRequest::new(args, cluster, &cut, signals, clock)?;
        request.time = time(counts.left());
        request.steps = (cut.len() == 1).then_some(most);
        if let Some(phases) = try_phases(&request)?
            && counts.improve(count, steps(&schedules(&phases)))
        {
            best = phases;
        }
    }
    Ok(Searched::Solved(best))
}

/// Refuses options that need a fixed number of chunks.
fn refuse_other_options(args: &SolveArgs, cluster: &Cluster) -> Result<(), Failure> {
    let problem = if args.steps.is_some() {
        "--steps"
    } else if args.resume.is_some() {
        "--resume"
    } else if args.prove {
        "--prove"
    } else if !cluster.is_alone() {
        "several ranks"
    } else {
        return Ok(());
    };
    Err(Failure::bad_input(format!(
        "--chunks auto cannot be combined with {problem}; give a number of chunks"
    )))
}

/// Schedules for all phases, if they are found.
fn try_phases(request: &SearchRequest<'_>) -> Result<Option<Vec<FoundPhase>>, Failure> {
    let mut phases = Vec::new();
    for (number, problem) in request.problems.iter().enumerate() {
        let Found::Solved(phase) = solve(problem, request, number)? else { return Ok(None) };
        phases.push(*phase);
    }
    Ok(Some(phases))
}

/// The schedules of all phases.
fn schedules(phases: &[FoundPhase]) -> Vec<&CheckedSchedule> {
    phases.iter().map(FoundPhase::checked).collect()
}

/// The number of chunks of each message.
fn chunk_count(phases: &[&CheckedSchedule]) -> u32 {
    phases.first().map_or(1, |checked| checked.problem().collective().chunk_count())
}

/// The steps of all phases.
fn steps(phases: &[&CheckedSchedule]) -> u32 {
    phases.iter().map(|checked| checked.schedule().step_count()).sum()
}

/// The steps of all phases, divided by the number of chunks.
fn steps_per_message(phases: &[&CheckedSchedule]) -> Fraction {
    Fraction::new(steps(phases).into(), chunk_count(phases).into()).unwrap_or(Fraction::ZERO)
}

/// The sum of the limits of all phases, in steps per message; `None` if it cannot be computed.
fn limit(phases: &[&CheckedSchedule]) -> Option<Fraction> {
    limit_of_phases(phases.iter().map(|checked| checked.problem()))
}

/// What the chunks gain in the schedules of all phases, which together take `overlapped` steps if they
/// overlap; `None` if messages are whole and the user did
/// not ask for chunks.
pub fn report(
    phases: &[&CheckedSchedule],
    overlapped: Option<u32>,
    is_asked: bool,
) -> Option<ChunkReport> {
    let count = chunk_count(phases);
    if count == 1 && !is_asked {
        return None;
    }
    let (mut ratio, mut limit) = (steps_per_message(phases), limit(phases));
    let mut no_limit = phases.iter().find_map(|checked| why_no_limit(checked.problem()));
    if let Some(steps) = overlapped {
        // The limit is the sum of those of the phases, one after the other.
        ratio = Fraction::new(steps.into(), count.into()).unwrap_or(Fraction::ZERO);
        (limit, no_limit) = (None, Some("the phases overlap"));
    }
    Some(ChunkReport {
        count,
        steps_per_message: ratio.to_string(),
        throughput_limit: limit.map(|limit| limit.to_string()),
        no_limit: no_limit.map(str::to_owned),
        limit_share: limit.and_then(|limit| limit.checked_div(ratio)).map(Fraction::to_f64),
        bandwidths_differ: phases.iter().copied().any(has_different_bandwidths),
    })
}

fn has_different_bandwidths(checked: &CheckedSchedule) -> bool {
    let bandwidths = checked.problem().network().bandwidths();
    bandwidths.is_ok_and(|all| all.windows(2).any(|pair| pair[0] != pair[1]))
}

/// One line: the number of chunks and what they gain.
pub fn in_words(report: &ChunkReport) -> String {
    let ChunkReport { count, steps_per_message, throughput_limit, limit_share, .. } = report;
    let share = match (throughput_limit, limit_share) {
        (Some(limit), Some(1.0)) => format!("; equals the throughput limit {limit}"),
        (Some(limit), Some(share)) => {
            // Rounded down, so that only the limit itself is 100 %.
            let percent = (1000.0 * share).floor() / 10.0;
            format!("; {percent:.1} % of the throughput limit {limit}")
        }
        _ => report
            .no_limit
            .as_ref()
            .map_or(String::new(), |why| format!("; no throughput limit is computed: {why}")),
    };
    let steps = if steps_per_message == "1" { "step" } else { "steps" };
    let note = if report.bandwidths_differ {
        "; steps count all links as equally fast, `pavane throughput` counts their bandwidths"
    } else {
        ""
    };
    format!("{count} per message: {steps_per_message} {steps} per message{share}{note}")
}
