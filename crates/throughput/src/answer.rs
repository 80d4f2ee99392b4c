//! The limit and a plan of a whole collective. An all-reduce has two phases, a reduce-scatter and an
//! all-gather, which share the channels at the same time.

use crate::integer::gcd;
use crate::reached::{Bottleneck, Reached, ThroughputError, reach};
use pavane_model::collective::Kind;
use pavane_model::throughput::{
    LimitCertificate, PhaseCut, PlanPhase, Route, ThroughputLimit, ThroughputPlan,
};
use pavane_model::{ChannelId, Fraction, MessageId, Problem, RouterId};

/// The limit of a collective with its reason, and a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The phases.
    pub phases: Vec<Reached>,
    /// Nanoseconds per byte of a message that no plan can undercut.
    pub limit: Fraction,
    /// Why; `None` if no message needs a channel.
    pub reason: Option<Reason>,
    /// Nanoseconds per byte of a message that the plan takes: the largest ratio of load to bandwidth.
    pub time: Fraction,
    /// The plan, with the limit and its certificate, for the judge and for files.
    pub plan: ThroughputPlan,
}

/// Why a limit holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// What must leave a cut in all phases.
    Cut(Bottleneck),
    /// What must leave a cut in one phase of an all-reduce, the other left aside.
    Phase {
        /// The phase.
        phase: usize,
        /// The cut.
        cut: Bottleneck,
    },
    /// All that the routers with processors must send in a reduce-scatter and receive in an
    /// all-gather.
    Each {
        /// The routers.
        routers: Vec<RouterId>,
        /// The messages that they send and receive, added up.
        messages: u64,
        /// The total bandwidth of the channels at these routers in bytes per nanosecond.
        bandwidth: Fraction,
    },
}

impl Answer {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit
    }
}

/// Computes the limit of a collective and searches for a plan, with at most `trees` trees per root
/// if that is given. If `stop`, which is checked regularly, returns true, the search ends and the plan is a
/// simple one.
pub fn answer(
    name: &str,
    problems: &[Problem],
    trees: Option<u32>,
    stop: &dyn Fn() -> bool,
) -> Result<Answer, ThroughputError> {
    let reached = |problem| reach(problem, trees, stop);
    let phases: Vec<Reached> = problems.iter().map(reached).collect::<Result<_, _>>()?;
    let scale = phases.iter().try_fold(1u128, |scale, phase| {
        (scale / gcd(scale, phase.plan.scale)).checked_mul(phase.plan.scale)
    });
    let scale = scale.ok_or(ThroughputError::TooFine)?;
    let planned: Vec<PlanPhase> = problems
        .iter()
        .zip(&phases)
        .map(|(problem, reached)| plan_phase(problem, reached, scale))
        .collect::<Result<_, _>>()?;
    let time = time(&planned, scale)?;
    let (limit, reason) = match &phases[..] {
        [only] => (only.limit, only.bottleneck.clone().map(Reason::Cut)),
        _ => best_reason(problems, &phases)?,
    };
    let certificate = reason.as_ref().map(|reason| ThroughputLimit {
        ns_per_byte: limit,
        certificate: reason.certificate(problems),
    });
    let plan = ThroughputPlan {
        name: name.to_owned(),
        phases: planned,
        scale: scale.try_into().map_err(|_| ThroughputError::TooFine)?,
        ns_per_byte: Some(time),
        limit: certificate,
    };
    Ok(Answer { phases, limit, reason, time, plan })
}

/// The trees of a phase, with weights in units of 1/`scale`.
fn plan_phase(
    problem: &Problem,
    reached: &Reached,
    scale: u128,
) -> Result<PlanPhase, ThroughputError> {
    let factor = scale / reached.plan.scale;
    let mut routes = Vec::new();
    for tree in &reached.plan.trees {
        let weight = tree.weight.checked_mul(factor).and_then(|weight| weight.try_into().ok());
        let mut channels: Vec<ChannelId> = tree.channels.iter().copied().map(ChannelId).collect();
        if problem.is_backward() {
            channels.reverse();
        }
        let weight = weight.ok_or(ThroughputError::TooFine)?;
        routes.push(Route { message: MessageId(tree.sender), weight, channels });
    }
    Ok(PlanPhase { problem: problem.clone(), sizes: Vec::new(), routes })
}

/// The largest ratio of load to bandwidth.
fn time(phases: &[PlanPhase], scale: u128) -> Result<Fraction, ThroughputError> {
    let Some(first) = phases.first() else { return Ok(Fraction::ZERO) };
    let bandwidths = first.problem.network().bandwidths();
    let bandwidths = bandwidths.map_err(crate::network::ScaleError::from)?;
    let mut loads = vec![0u128; bandwidths.len()];
    for route in phases.iter().flat_map(|phase| &phase.routes) {
        for channel in &route.channels {
            loads[channel.index()] += u128::from(route.weight);
        }
    }
    let mut largest = Fraction::ZERO;
    for (load, bandwidth) in loads.into_iter().zip(bandwidths) {
        let share = Fraction::new(load, scale).and_then(|load| load.checked_div(bandwidth));
        largest = largest.max(share.ok_or(ThroughputError::TooFine)?);
    }
    Ok(largest)
}

/// The largest limit that is proved for the phases of an all-reduce.
fn best_reason(
    problems: &[Problem],
    phases: &[Reached],
) -> Result<(Fraction, Option<Reason>), ThroughputError> {
    let mut best = (Fraction::ZERO, None);
    let mut offer = |limit: Option<Fraction>, reason: Reason| {
        if let Some(limit) = limit.filter(|&limit| limit > best.0) {
            best = (limit, Some(reason));
        }
    };
    for (phase, reached) in phases.iter().enumerate() {
        let Some(cut) = &reached.bottleneck else { continue };
        offer(Some(reached.limit), Reason::Phase { phase, cut: cut.clone() });
        let network = problems[phase].network();
        let messages = problems.iter().map(|problem| leaving(problem, &cut.routers)).sum();
        let both = Bottleneck::new(network, cut.routers.clone(), messages)?;
        offer(both.ns_per_byte(), Reason::Cut(both));
    }
    if let Some(each) = each(problems)? {
        offer(each.0, each.1);
    }
    Ok(best)
}

/// The number of messages that must leave a set of routers.
fn leaving(problem: &Problem, routers: &[RouterId]) -> u64 {
    let is_inside = |processor| routers.binary_search(&problem.home(processor)).is_ok();
    let messages = problem.messages();
    let must = |message: &MessageId| {
        let origin = is_inside(messages.origin(*message));
        let mut others = messages.destinations(*message).iter().map(|&to| is_inside(to));
        if problem.is_backward() {
            !origin && others.any(|inside| inside)
        } else {
            origin && others.any(|inside| !inside)
        }
    };
    messages.ids().filter(must).count() as u64
}

/// The routers with processors that take part in all phases, ascending.
fn members(problems: &[Problem]) -> Vec<RouterId> {
    let Some(first) = problems.first() else { return Vec::new() };
    let homes = first.collective().senders.iter().map(|&sender| first.home(sender));
    let mut routers: Vec<RouterId> = homes.collect();
    routers.sort_unstable();
    routers.dedup();
    routers
}

/// The most routers that a certificate lists.
const LARGEST_CERTIFICATE: usize = 1 << 22;

fn each(problems: &[Problem]) -> Result<Option<(Option<Fraction>, Reason)>, ThroughputError> {
    let Some(first) = problems.first() else { return Ok(None) };
    let network = first.network();
    let routers = members(problems);
    let is_member = |router| routers.binary_search(&router).is_ok();
    if routers.len().saturating_mul(network.router_count()) > LARGEST_CERTIFICATE {
        return Ok(None);
    }
    // A member sends or receives something of every message but those of its own router. So does
    // every other one, and each message is counted once for every router but one.
    let messages = problems.iter().map(|problem| problem.messages().len());
    let messages = messages.sum::<usize>() as u64 * (routers.len() as u64 - 1);
    let mut bandwidth = Fraction::ZERO;
    let bandwidths = network.bandwidths().map_err(crate::network::ScaleError::from)?;
    for (ends, own) in network.channels().iter().zip(bandwidths) {
        // A channel from a router to itself leaves no cut.
        if ends.tail != ends.head && (is_member(ends.tail) || is_member(ends.head)) {
            bandwidth = bandwidth.checked_add(own).ok_or(ThroughputError::TooFine)?;
        }
    }
    let limit = Fraction::from(messages).checked_div(bandwidth);
    Ok(Some((limit, Reason::Each { routers, messages, bandwidth })))
}

/// One cut around every router for each phase: what it sends in a reduction, what it receives in a
/// broadcast.
fn phase_cuts(problems: &[Problem], routers: &[RouterId]) -> Vec<PhaseCut> {
    let mut cuts = Vec::new();
    for (phase, problem) in (0..).zip(problems) {
        for &router in routers {
            let routers = match problem.collective().kind {
                Kind::Reduce => vec![router],
                _ => problem.network().routers().filter(|&other| other != router).collect(),
            };
            cuts.push(PhaseCut { phase, weight: 1, routers });
        }
    }
    cuts
}

impl Reason {
    fn certificate(&self, problems: &[Problem]) -> LimitCertificate {
        match self {
            Self::Cut(cut) => LimitCertificate::Cut { routers: cut.routers.clone() },
            Self::Phase { phase, cut } => {
                let (phase, routers) = (*phase as u32, cut.routers.clone());
                LimitCertificate::Cuts { cuts: vec![PhaseCut { phase, weight: 1, routers }] }
            }
            Self::Each { routers, .. } => {
                LimitCertificate::Cuts { cuts: phase_cuts(problems, routers) }
            }
        }
    }
}
