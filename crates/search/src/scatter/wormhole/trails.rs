//! Step by step: every step but the last ones is packed with messages on trails, where long messages
//! and those through loaded channels come first and short ones fill gaps. What is left for the last
//! steps is solved by guided ejection.

mod balance;
mod pace;
mod packing;
mod pairs;

use super::super::weights::is_personalised;
use super::ejection::Ejection;
use super::orbits::Orbits;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::facts::Known;
use crate::rng::Rng;
use crate::threads::start_threads;
use balance::LoadPrices;
use pace::{EJECTION_SHARE, Pace};
use packing::{EVEN, MOVE, TrailPacking, UNEVEN};
use pairs::PairTable;
use pavane_model::{
    Collective, Duplex, ListedMessage, MessageId, Problem, Routing, Schedule, Switching, Transfer,
};
use std::sync::Arc;

/// From this number of messages on it is used. Fewer are left to guided ejection.
const LEAST_MESSAGES: usize = 40_000;

/// From this number of messages on other engines do not help.
const MANY_MESSAGES: usize = 200_000;

/// Most routers: there is a table of all pairs.
const MOST_ROUTERS: usize = 2048;

/// Moves of a first attempt per channel and step.
const MOVES: u64 = 8;

/// Evaluations of a first attempt on large networks.
const MOST_AT_FIRST: u64 = 4_500_000_000;

/// Sweeps of the balance before the first step: so many, but at most this share of the evaluations.
const SWEEPS: u32 = 400;
const BALANCING: u64 = 10;

/// Work of sweeps between steps, relative to the work of moves, in percent.
const SWEEP_SHARE: u64 = 25;

/// The moves of a step grow until the load is so many times smaller than at first.
const LAST: f32 = 16.0;

/// Most moves per channel and step.
const MOST_MOVES: u64 = 1000;

/// The steps that are packed end if the messages of about so many steps pay less than a share of the
/// prices, which is what guided ejection reaches: [`PAID`] where the loads are even, and one of
/// [`PAID_UNEVEN`] where the highest is more than [`MOST_EVEN`] times the mean.
///
/// Even loads also have to stay even: the highest is at most [`MOST_LAG`] times the mean; and guided ejection must
/// have at least [`EJECTION_WORK`] evaluations per message and step.
const RECENT: f32 = 8.0;
const MOST_LAG: f32 = 1.25;
const EJECTION_WORK: f32 = 100.0;
const PAID: f32 = 0.9;
const PAID_UNEVEN: [f32; 2] = [0.98, 0.99];
const MOST_EVEN: f32 = 1.02;

/// The steps of guided ejection, relative to the mean and to the highest load: at most the first of
/// these, at least the second.
const OF_MEAN: [f32; 2] = [1.14, 1.05];
const OF_PEAK: [f32; 2] = [1.02, 0.985];

/// Packs steps with messages on trails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trails;

#[derive(Debug, Default)]
struct SharedPairs(Known<Option<Arc<PairTable>>>);

impl Suitability for Trails {
    fn takes(&self, problem: &Problem) -> bool {
        let (model, network) = (problem.model(), problem.network());
        model.switching == Switching::Wormhole
            && model.routing == Routing::Minimal
            && model.duplex == Duplex::Full
            && network.router_count() <= MOST_ROUTERS
            && is_personalised(problem)
            && network.living_processors().all(|processor| {
                let home = problem.home(processor);
                network.residents(home).len() == 1
                    && problem.send_ports(processor) as usize >= network.out_channels(home).len()
                    && problem.receive_ports(processor) as usize >= network.in_channels(home).len()
            })
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        let messages = context.problem().messages().len();
        let is_useful = messages >= LEAST_MESSAGES
            && Orbits.fit(context, interrupt) == Fit::Useless
            && pairs(context, interrupt).is_some();
        match Fit::useful_if(is_useful) {
            Fit::Useful if messages >= MANY_MESSAGES => Fit::Sufficient,
            fit => fit,
        }
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let places = problem.network().channel_count() as u64 * u64::from(steps);
        (places * MOVES * MOVE * 100 / (100 - EJECTION_SHARE)).min(MOST_AT_FIRST)
    }
}

/// The pairs of the problem; `None` if it has others than the search can take, or on interrupt.
fn pairs(context: &Context, interrupt: &Interrupt) -> Option<Arc<PairTable>> {
    let find = || PairTable::new(context.problem(), interrupt).map(Arc::new);
    let shared = context.facts_of::<SharedPairs>();
    shared.0.get_until(interrupt, find)?.clone()
}

impl Engine for Trails {
    fn describe(&self) -> Traits {
        Traits {
            name: "trails",
            purpose: "packs step after step along trails, then guided ejection; personalised messages, wormhole, minimal routing",
            wants_prices: false,
            is_spread: true,
            ..Traits::default()
        }
    }

    /// A first schedule, where no other engine makes one.
    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let is_alone = context.problem().messages().len() >= MANY_MESSAGES;
        is_alone.then(|| Ejection.construct(context, budget, rng))?
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        start_threads();
        // In a thread of the pool, where parallel loops start sooner.
        let found = pairs(context, interrupt)
            .and_then(|pairs| rayon::scope(|_| search(context, &pairs, steps, budget, rng)));
        match found {
            Some(schedule) if schedule.step_count() <= steps => Attempt::Found(schedule),
            Some(schedule) => Attempt::Longer(schedule),
            None => Attempt::OutOfBudget,
        }
    }
}

/// Searches for a schedule, of the given number of steps if possible.
fn search(
    context: &Context,
    pairs: &PairTable,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let problem = context.problem();
    let (mut packing, mut balance) = (TrailPacking::new(pairs, EVEN), LoadPrices::new(pairs));
    let mut pace = Pace::new(budget);
    let balancing_end = budget.spent() + budget.left() / BALANCING;
    for _ in 0..SWEEPS {
        let work = packing.reprice(&mut balance, 0.0);
        if !budget.spend(work) {
            return None;
        }
        if budget.spent() > balancing_end {
            break;
        }
    }
    let whole = balance.mean;
    let is_even = balance.peak <= MOST_EVEN * balance.mean;
    let enough = if is_even { PAID } else { PAID_UNEVEN[rng.below(PAID_UNEVEN.len())] };
    if !is_even {
        packing = TrailPacking::new(pairs, UNEVEN);
        budget.spend(packing.reprice(&mut balance, 0.0));
    }
    let (mut schedule, mut recent, mut sweep_work) = (Schedule::new(), 1.0, 0);
    while packing.left() > 0 {
        let is_late = recent < enough || is_even && balance.peak > MOST_LAG * balance.mean;
        let work = packing.left() as f32 * balance.peak * EJECTION_WORK;
        let left = pace.left(budget);
        if is_late && (!is_even || left == 0 || work <= pace.ejecting(budget) as f32) {
            break;
        }
        // Later steps are more difficult: the moves of a step are inversely proportional to the load.
        let later = (LAST * balance.mean / whole).max(1.0).ln() + 1.0;
        let moves = left as f32 / (balance.mean.max(1.0) * later * MOVE as f32);
        let moves = (moves as u64).min(MOST_MOVES * pairs.channels() as u64);
        let filled = packing.fill(&balance, moves, budget, rng)?;
        for (step, paid) in filled.iter().enumerate() {
            recent += (paid - recent) / RECENT;
            schedule.start_step();
            packing.take(step, |message, path| push(&mut schedule, problem, message, path));
        }
        budget.tell_open(packing.left());
        sweep_work += moves * filled.len() as u64 * MOVE * SWEEP_SHARE / 100;
        let sweeps = (sweep_work / pairs.work.max(1)).max(1);
        sweep_work = sweep_work.saturating_sub(sweeps * pairs.work);
        for _ in 0..sweeps {
            let steps = filled.len() as f32 / sweeps as f32;
            if !budget.spend(packing.reprice(&mut balance, steps)) {
                return None;
            }
        }
    }
    if packing.left() == 0 {
        return Some(schedule);
    }
    packing.reprice(&mut balance, 1.0);
    let messages: Vec<u32> = packing.messages_left().collect();
    let rest = rest(problem, &messages)?;
    let [most, least] = [0, 1].map(|at| {
        (OF_MEAN[at] * balance.mean).max(OF_PEAK[at] * balance.peak).ceil().max(1.0) as u32
    });
    let rest_steps = steps.saturating_sub(schedule.step_count()).clamp(least, most);
    let rest = Context::new(rest);
    let prices: Vec<f64> = balance.price.iter().map(|&price| f64::from(price)).collect();
    rest.set_prices(Some(&prices));
    let found = pace.eject(&rest, rest_steps, budget, rng)?;
    for step in 0..found.step_count() {
        schedule.start_step();
        for transfer in found.step(step) {
            let message = MessageId(messages[transfer.message.index()]);
            schedule.push(Transfer { message, ..transfer });
        }
    }
    Some(schedule)
}

fn push(schedule: &mut Schedule, problem: &Problem, message: u32, path: &[u32]) {
    let message = MessageId(message);
    let (from, to) =
        (problem.messages().origin(message), problem.messages().destinations(message)[0]);
    let path: Vec<_> = path.iter().map(|&channel| pavane_model::ChannelId(channel)).collect();
    schedule.push(Transfer { message, from, to, path: &path });
}

/// The problem with some of the messages only.
fn rest(problem: &Problem, messages: &[u32]) -> Option<Problem> {
    let listed = messages.iter().map(|&message| ListedMessage {
        from: problem.messages().origin(MessageId(message)),
        to: problem.messages().destinations(MessageId(message)).to_vec(),
    });
    let collective = Collective::listed("rest", listed.collect());
    Problem::new(problem.network().clone(), collective, problem.model()).ok()
}

#[cfg(test)]
mod tests;
