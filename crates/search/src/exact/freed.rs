//! Large-neighbourhood search after Shaw, CP 1998: takes a schedule that is one step too long,
//! empties a few steps and asks the solver to place their messages in one step less. Every message
//! must travel in a single transfer, so that the other steps are not affected.

use super::answer::holds;
use super::solver;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{
    ChannelId, Collective, Duplex, ListedMessage, MessageId, Problem, Schedule, Transfer,
};
use pavane_verify::exact;

/// The fewest and the most steps that are emptied at once.
const FEWEST: usize = 2;
const MOST: usize = 4;

/// Largest formula that is tried, in literals.
const MOST_LITERALS: usize = 500_000;

/// Evaluations that take about as long as preparing one literal of a formula: its encoding and its
/// memory.
const PREPARATION: u64 = 8;

/// Evaluations of the solver for one choice of steps.
const QUOTA: u64 = 4_000_000;

/// Returns a schedule with one step less than `schedule`, if one is found.
pub(super) fn shorten(
    problem: &Problem,
    schedule: &Schedule,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let mut steps: Vec<u32> = (0..schedule.step_count()).collect();
    let uses: Vec<usize> =
        steps.iter().map(|&step| schedule.step(step).map(|t| t.path.len()).sum()).collect();
    budget.spend(schedule.transfer_count() as u64);
    let room = room_of_step(problem);
    // Skip choices whose channel uses cannot fit into one step less.
    let fits = |freed: &[u32]| {
        freed.iter().map(|&step| uses[step as usize]).sum::<usize>() <= (freed.len() - 1) * room
    };
    steps.sort_by_key(|&step| uses[step as usize]);
    let counts: Vec<usize> =
        (FEWEST..=MOST.min(steps.len())).filter(|&count| fits(&steps[..count])).collect();
    while !counts.is_empty() && !budget.is_over() && !budget.is_stopped() {
        let count = counts[rng.below(counts.len())];
        for place in 0..count {
            let other = place + rng.below(steps.len() - place);
            steps.swap(place, other);
        }
        let freed = &steps[..count];
        if !budget.spend(count as u64) || !fits(freed) {
            continue;
        }
        if let Some(placed) = place(problem, schedule, freed, budget, rng) {
            return Some(merge(schedule, freed, &placed));
        }
    }
    None
}

/// The channel uses that a step has room for.
fn room_of_step(problem: &Problem) -> usize {
    let network = problem.network();
    let channels = network.channel_count();
    match problem.model().duplex {
        Duplex::Full => channels,
        Duplex::Half => {
            let is_second = |channel: u32| {
                network.opposite(ChannelId(channel)).is_some_and(|other| other.0 < channel)
            };
            channels - (0..channels as u32).filter(|&channel| is_second(channel)).count()
        }
    }
}

/// Places the messages of some steps in one step less.
fn place(
    problem: &Problem,
    schedule: &Schedule,
    freed: &[u32],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let transfers = || freed.iter().flat_map(|&step| schedule.step(step));
    let listed = transfers().map(|t| ListedMessage { from: t.from, to: vec![t.to] }).collect();
    let collective = Collective::listed("freed", listed);
    let part = Problem::new(problem.network().clone(), collective, problem.model()).ok()?;
    let is_over = || budget.is_stopped();
    let steps = freed.len() as u32 - 1;
    let encoding = exact::encode_unless(&part, steps, MOST_LITERALS, &is_over)?.ok()?;
    let cnf = &encoding.cnf;
    budget.spend(cnf.clauses().map(|clause| clause.len() as u64).sum::<u64>() * PREPARATION);
    let seed = rng.below(1 << 20) as u32;
    let mut limited = budget.part(QUOTA);
    let model = solver::find_model(cnf.clauses(), cnf.variable_count(), seed, &mut limited);
    budget.spend(limited.spent());
    let model = model?;
    let placed = encoding.decode(&part, |literal| holds(&model, literal));
    // Give the messages their numbers in the whole problem again.
    let numbers: Vec<MessageId> = transfers().map(|transfer| transfer.message).collect();
    let mut renamed = Schedule::new();
    for step in 0..placed.step_count() {
        renamed.start_step();
        for transfer in placed.step(step) {
            renamed.push(Transfer { message: numbers[transfer.message.index()], ..transfer });
        }
    }
    Some(renamed)
}

/// Joins the steps that were not emptied and the newly placed ones.
fn merge(schedule: &Schedule, freed: &[u32], placed: &Schedule) -> Schedule {
    let mut merged = Schedule::new();
    let kept = (0..schedule.step_count()).filter(|step| !freed.contains(step));
    let kept = kept.map(|step| (schedule, step));
    for (source, step) in kept.chain((0..placed.step_count()).map(|step| (placed, step))) {
        merged.start_step();
        source.step(step).for_each(|transfer| merged.push(transfer));
    }
    merged
}
