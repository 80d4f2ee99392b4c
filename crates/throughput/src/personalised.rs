//! The limit and a plan of a collective with personalised messages: all-to-all, scatter, gather,
//! lists of messages with one destination each, and messages of different sizes.

use crate::answer::Answer;
use crate::exchange::{Demand, Exchange, ExchangeOptions, limit_and_plan};
use crate::network::Scaled;
use crate::reached::{Bottleneck, ThroughputError};
use crate::reason::{Priced, Reason};
use pavane_model::throughput::{PlanPhase, Route, ThroughputLimit, ThroughputPlan};
use pavane_model::{ChannelId, Fraction, MessageId, Problem, RouterId};
use std::collections::BTreeSet;

/// Whether every message has one destination and is not part of a sum.
pub fn is_personalised(problem: &Problem) -> bool {
    use pavane_model::collective::Kind;
    let messages = problem.messages();
    match problem.collective().kind {
        Kind::Scatter | Kind::Gather => true,
        Kind::Broadcast | Kind::Reduce => false,
        Kind::Messages => messages.ids().all(|message| messages.is_personalised(message)),
    }
}

/// The limit and a plan. `sizes` has the relative size of every message; all are 1 if it is empty.
pub(crate) fn answer(
    problem: &Problem,
    sizes: &[u64],
    options: &ExchangeOptions<'_>,
) -> Result<Answer, ThroughputError> {
    let scaled = Scaled::new(problem.network())?;
    let demands = demands(problem, sizes);
    let found = limit_and_plan(&scaled.graph, &demands, options)?;
    let in_ns = |time| scaled.ns_per_byte(time).ok_or(ThroughputError::TooFine);
    let (limit, time) = (in_ns(found.limit)?, in_ns(found.time)?);
    let reason =
        if limit.is_zero() { None } else { Some(reason(problem, &demands, &found, limit)?) };
    let certificate = reason.as_ref().map(|reason| ThroughputLimit {
        ns_per_byte: limit,
        certificate: reason.certificate(std::slice::from_ref(problem)),
    });
    let plan = ThroughputPlan {
        name: problem.collective().name.clone(),
        phases: vec![plan_phase(problem, sizes, &found)?],
        scale: found.scale.try_into().map_err(|_| ThroughputError::TooFine)?,
        ns_per_byte: Some(time),
        limit: certificate,
    };
    let is_stopped = found.is_stopped;
    Ok(Answer { phases: Vec::new(), limit, reason, time, plan, is_stopped })
}

/// The limit without a plan.
pub(crate) fn limit(
    problem: &Problem,
    stop: &dyn Fn() -> bool,
) -> Result<Fraction, ThroughputError> {
    let scaled = Scaled::new(problem.network())?;
    let options = ExchangeOptions { generators: &[], stop };
    let found = limit_and_plan(&scaled.graph, &demands(problem, &[]), &options)?;
    scaled.ns_per_byte(found.limit).ok_or(ThroughputError::TooFine)
}

/// The demands, one per message, in the direction of travel.
fn demands(problem: &Problem, sizes: &[u64]) -> Vec<Demand> {
    let messages = problem.messages();
    let demand = |message: MessageId| {
        let origin = problem.home(messages.origin(message)).0;
        let other = problem.home(messages.destinations(message)[0]).0;
        let (from, to) = if problem.is_backward() { (other, origin) } else { (origin, other) };
        Demand { from, to, size: sizes.get(message.index()).copied().unwrap_or(1) }
    };
    messages.ids().map(demand).collect()
}

fn plan_phase(
    problem: &Problem,
    sizes: &[u64],
    found: &Exchange,
) -> Result<PlanPhase, ThroughputError> {
    let mut routes = Vec::new();
    for path in &found.paths {
        routes.push(Route {
            message: MessageId(path.demand as u32),
            weight: path.weight.try_into().map_err(|_| ThroughputError::TooFine)?,
            channels: path.channels.iter().copied().map(ChannelId).collect(),
        });
    }
    Ok(PlanPhase { problem: problem.clone(), sizes: sizes.to_vec(), routes })
}

/// Why the limit holds: a cut if one proves it, otherwise the prices.
fn reason(
    problem: &Problem,
    demands: &[Demand],
    found: &Exchange,
    limit: Fraction,
) -> Result<Reason, ThroughputError> {
    for routers in parts(problem, &found.prices) {
        let is_inside = |router: u32| routers.binary_search(&RouterId(router)).is_ok();
        let leaving =
            demands.iter().filter(|demand| is_inside(demand.from) && !is_inside(demand.to));
        let messages = leaving.map(|demand| demand.size).sum();
        let cut = Bottleneck::new(problem.network(), routers, messages)?;
        if cut.ns_per_byte() == Some(limit) {
            return Ok(Reason::Cut(cut));
        }
    }
    Ok(Reason::Prices(Priced::new(problem.network(), found.prices.clone(), limit)?))
}

/// The most router sets that are tried as cuts, from each side of the channels.
const MOST_PARTS: usize = 64;

/// Sets of routers that a cut may separate: those that the tail of a channel with a price reaches
/// without such channels, and those that do not reach its head.
fn parts(problem: &Problem, prices: &[u64]) -> Vec<Vec<RouterId>> {
    let network = problem.network();
    let is_free = |channel: &ChannelId| prices[channel.index()] == 0;
    let closure = |start: RouterId, is_forward: bool| {
        let mut inside = vec![false; network.router_count()];
        let mut open = vec![start];
        while let Some(router) = open.pop() {
            if std::mem::replace(&mut inside[router.index()], true) {
                continue;
            }
            if is_forward {
                let free = network.out_channels(router).iter().filter(|&channel| is_free(channel));
                open.extend(free.map(|&channel| network.channel(channel).head));
            } else {
                let free = network.in_channels(router).iter().filter(|&channel| is_free(channel));
                open.extend(free.map(|&channel| network.channel(channel).tail));
            }
        }
        network.routers().filter(|router| inside[router.index()] == is_forward).collect()
    };
    let priced = || network.channels().iter().zip(prices).filter(|&(_, &price)| price > 0);
    let tails: BTreeSet<RouterId> = priced().map(|(ends, _)| ends.tail).collect();
    let heads: BTreeSet<RouterId> = priced().map(|(ends, _)| ends.head).collect();
    let leaving = tails.into_iter().take(MOST_PARTS).map(|tail| closure(tail, true));
    let entering = heads.into_iter().take(MOST_PARTS).map(|head| closure(head, false));
    leaving.chain(entering).collect()
}
