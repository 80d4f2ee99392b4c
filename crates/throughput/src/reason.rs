//! Why a limit holds: the arguments, and the certificates that the judge derives them from.

use crate::division::Division;
use crate::network::ScaleError;
use crate::reached::{Bottleneck, Reached, ThroughputError};
use pavane_model::collective::Kind;
use pavane_model::throughput::{LimitCertificate, PhaseCut, PhaseSwitch};
use pavane_model::{Fraction, MessageId, Network, Problem, RouterId};

/// Why a limit holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// What must leave a cut in all phases.
    Cut(Bottleneck),
    /// What must leave a cut in one phase of an all-reduce, ignoring the other phase.
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
    /// Several cuts of the phases, with weights.
    Cuts(WeightedCuts),
    /// Prices of channels that personalised messages must pay.
    Prices(Priced),
}

/// Prices of channels: the messages must pay at least the units, and the channels take in at most so
/// many per nanosecond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// The price of every channel.
    pub prices: Vec<u64>,
    /// What all messages pay on their cheapest paths.
    pub units: Fraction,
    /// The bandwidths of the channels in bytes per nanosecond, times their prices.
    pub per_ns: Fraction,
}

/// Cuts and switches with weights. The price of a channel is the weight of the cuts that it leaves plus
/// that of the switches that it enters minus that of the switches that it leaves, in the phase where
/// that is largest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedCuts {
    /// The cuts.
    pub cuts: Vec<PhaseCut>,
    /// The switches.
    pub switches: Vec<PhaseSwitch>,
    /// The messages that must leave the cuts, times the weights.
    pub messages: u128,
    /// The bandwidths of the channels in bytes per nanosecond, times their prices.
    pub bandwidth: Fraction,
}

/// The largest limit that simple arguments prove for the phases of an all-reduce.
pub(crate) fn simple_reason(
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
        let both = in_all_phases(problems, &cut.routers)?;
        offer(both.ns_per_byte(), Reason::Cut(both));
    }
    if let Some((limit, reason)) = each(problems)? {
        offer(limit, reason);
    }
    Ok(best)
}

/// The limit that the weights of a division prove, if any.
pub(crate) fn division_reason(
    problems: &[Problem],
    division: &Division,
) -> Result<Option<(Fraction, Reason)>, ThroughputError> {
    let cuts = WeightedCuts::new(problems, division)?;
    let Some(limit) = cuts.ns_per_byte().filter(|limit| !limit.is_zero()) else { return Ok(None) };
    let reason = match &cuts.cuts[..] {
        _ if !cuts.switches.is_empty() => Reason::Cuts(cuts),
        [PhaseCut { phase, routers, .. }] => {
            let phase = *phase as usize;
            let messages = leaving(&problems[phase], routers);
            let cut = Bottleneck::new(problems[phase].network(), routers.clone(), messages)?;
            Reason::Phase { phase, cut }
        }
        [one, other]
            if problems.len() == 2
                && one.phase != other.phase
                && one.weight == other.weight
                && one.routers == other.routers =>
        {
            Reason::Cut(in_all_phases(problems, &one.routers)?)
        }
        _ => Reason::Cuts(cuts),
    };
    Ok(Some((limit, reason)))
}

/// The cut around routers with the messages of all phases.
fn in_all_phases(
    problems: &[Problem],
    routers: &[RouterId],
) -> Result<Bottleneck, ThroughputError> {
    let messages = problems.iter().map(|problem| leaving(problem, routers)).sum();
    Bottleneck::new(problems[0].network(), routers.to_vec(), messages)
}

/// The number of messages that must leave a set of routers.
fn leaving(problem: &Problem, routers: &[RouterId]) -> u64 {
    leaving_messages(problem, routers).count() as u64
}

/// The messages that must leave a set of routers, ascending.
pub(crate) fn leaving_messages(
    problem: &Problem,
    routers: &[RouterId],
) -> impl Iterator<Item = MessageId> {
    let is_inside = move |processor| routers.binary_search(&problem.home(processor)).is_ok();
    let messages = problem.messages();
    let must = move |message: &MessageId| {
        let origin = is_inside(messages.origin(*message));
        let mut others = messages.destinations(*message).iter().map(|&to| is_inside(to));
        if problem.is_backward() {
            !origin && others.any(|inside| inside)
        } else {
            origin && others.any(|inside| !inside)
        }
    };
    messages.ids().filter(must)
}

impl Priced {
    /// The prices of a limit in nanoseconds per byte.
    pub(crate) fn new(
        network: &Network,
        prices: Vec<u64>,
        limit: Fraction,
    ) -> Result<Self, ThroughputError> {
        let mut per_ns = Fraction::ZERO;
        let bandwidths = network.bandwidths().map_err(ScaleError::from)?;
        for (&price, bandwidth) in prices.iter().zip(bandwidths) {
            let part = bandwidth.checked_mul(Fraction::from(price));
            let sum = part.and_then(|part| per_ns.checked_add(part));
            per_ns = sum.ok_or(ThroughputError::TooFine)?;
        }
        let units = limit.checked_mul(per_ns).ok_or(ThroughputError::TooFine)?;
        Ok(Self { prices, units, per_ns })
    }
}

impl WeightedCuts {
    /// The cuts of a division in the directions of the network.
    fn new(problems: &[Problem], division: &Division) -> Result<Self, ThroughputError> {
        let network = problems[0].network();
        let is_backward = |phase: usize| problems[phase].is_backward();
        let cuts = division.cuts.iter().map(|cut| {
            let is_left = |r: &RouterId| cut.inside[r.index()] != is_backward(cut.phase);
            let routers = network.routers().filter(is_left).collect();
            PhaseCut { phase: cut.phase as u32, weight: cut.weight, routers }
        });
        let switches = division.switches.iter().map(|switch| {
            let weight = switch.weight.cast_signed();
            let weight = if is_backward(switch.phase) { -weight } else { weight };
            PhaseSwitch { phase: switch.phase as u32, weight, router: RouterId(switch.router) }
        });
        Self::of(problems, cuts.collect(), switches.collect())
    }

    /// These cuts and switches, with the sums of what crosses.
    pub(crate) fn of(
        problems: &[Problem],
        cuts: Vec<PhaseCut>,
        switches: Vec<PhaseSwitch>,
    ) -> Result<Self, ThroughputError> {
        let network = problems[0].network();
        let mut all = Self { cuts, switches, messages: 0, bandwidth: Fraction::ZERO };
        all.messages = all.needed(problems).ok_or(ThroughputError::TooFine)?;
        let bandwidths = network.bandwidths().map_err(ScaleError::from)?;
        for (price, bandwidth) in all.prices(problems).into_iter().zip(bandwidths) {
            let price = Fraction::new(price.max(0).unsigned_abs(), 1);
            let part = price.and_then(|price| price.checked_mul(bandwidth));
            let sum = part.and_then(|part| all.bandwidth.checked_add(part));
            all.bandwidth = sum.ok_or(ThroughputError::TooFine)?;
        }
        Ok(all)
    }

    /// The messages that must leave the cuts, times the weights.
    fn needed(&self, problems: &[Problem]) -> Option<u128> {
        let part = |cut: &PhaseCut| {
            let messages = leaving(&problems[cut.phase as usize], &cut.routers);
            u128::from(messages).checked_mul(u128::from(cut.weight))
        };
        self.cuts.iter().try_fold(0u128, |sum, cut| sum.checked_add(part(cut)?))
    }

    /// The price of every channel.
    fn prices(&self, problems: &[Problem]) -> Vec<i128> {
        let network = problems[0].network();
        let mut prices = vec![0; network.channel_count()];
        for phase in 0..problems.len() as u32 {
            let mut sums = vec![0i128; network.channel_count()];
            for cut in self.cuts.iter().filter(|cut| cut.phase == phase) {
                let mut inside = vec![false; network.router_count()];
                cut.routers.iter().for_each(|router| inside[router.index()] = true);
                for (sum, ends) in sums.iter_mut().zip(network.channels()) {
                    let is_leaving = inside[ends.tail.index()] && !inside[ends.head.index()];
                    *sum += if is_leaving { i128::from(cut.weight) } else { 0 };
                }
            }
            let mut weights = vec![0i128; network.router_count()];
            for switch in self.switches.iter().filter(|switch| switch.phase == phase) {
                weights[switch.router.index()] += i128::from(switch.weight);
            }
            for ((price, sum), ends) in prices.iter_mut().zip(sums).zip(network.channels()) {
                let own = sum + weights[ends.head.index()] - weights[ends.tail.index()];
                *price = own.max(*price);
            }
        }
        prices
    }

    /// Nanoseconds per byte that follow; `None` if no channel leaves the cuts.
    fn ns_per_byte(&self) -> Option<Fraction> {
        Fraction::new(self.messages, 1)?.checked_div(self.bandwidth)
    }
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

/// The limit by what every member sends or receives; `None` if the certificate would be too long.
pub(crate) fn each(
    problems: &[Problem],
) -> Result<Option<(Option<Fraction>, Reason)>, ThroughputError> {
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
    let bandwidths = network.bandwidths().map_err(ScaleError::from)?;
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
    /// The proof for the judge.
    pub(crate) fn certificate(&self, problems: &[Problem]) -> LimitCertificate {
        let (cuts, switches) = match self {
            Self::Cut(cut) => return LimitCertificate::Cut { routers: cut.routers.clone() },
            Self::Prices(priced) => {
                return LimitCertificate::Prices { prices: priced.prices.clone() };
            }
            Self::Phase { phase, cut } => {
                let (phase, routers) = (*phase as u32, cut.routers.clone());
                (vec![PhaseCut { phase, weight: 1, routers }], Vec::new())
            }
            Self::Each { routers, .. } => (phase_cuts(problems, routers), Vec::new()),
            Self::Cuts(all) => (all.cuts.clone(), all.switches.clone()),
        };
        LimitCertificate::Cuts { cuts, switches }
    }
}
