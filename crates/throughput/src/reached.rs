//! The limit and a plan of a broadcast or a reduction on a network, in nanoseconds per byte.

use crate::exchange::ExchangeError;
use crate::forward::Forward;
use crate::graph::Ratio;
use crate::limit::BroadcastError;
use crate::network::ScaleError;
use crate::trees::{TreePlan, plan, plan_with_trees, simple_plan};
use pavane_model::collective::Kind;
use pavane_model::{ChannelId, Fraction, Network, Problem, ProblemError, RouterId};

/// Why there is no limit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ThroughputError {
    /// A list with messages for several destinations.
    #[error(
        "the throughput of {collective} is not supported: a list of messages must have one \
         destination per message"
    )]
    Unsupported {
        /// The collective.
        collective: String,
    },
    /// The bandwidths cannot be used.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// No valid problem.
    #[error(transparent)]
    Problem(ProblemError),
    /// No limit of personalised messages.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// No limit.
    #[error(transparent)]
    Broadcast(#[from] BroadcastError),
    /// A result that needs more than 128 bits.
    #[error(
        "the result has too many digits for exact arithmetic; use bandwidths with fewer digits"
    )]
    TooFine,
}

/// The limit of a broadcast or a reduction, and a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Nanoseconds per byte of a message that no plan can undercut.
    pub limit: Fraction,
    /// The cut that proves the limit; `None` if no message needs a channel.
    pub bottleneck: Option<Bottleneck>,
    /// Nanoseconds per byte of a message that the plan takes.
    pub time: Fraction,
    /// The plan. The trees of a reduction lead to their root: its channels are listed from the root
    /// outwards, against their direction.
    pub plan: TreePlan,
    /// Whether the search for a plan was stopped, so that the plan is a simple one.
    pub is_stopped: bool,
}

/// A cut, with the messages that must cross it and the channels that they can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bottleneck {
    /// The routers that the messages must leave, ascending. A reduction's messages are sums, which
    /// travel towards their roots.
    pub routers: Vec<RouterId>,
    /// The number of messages that must leave these routers.
    pub messages: u64,
    /// The channels that leave these routers.
    pub channels: Vec<ChannelId>,
    /// Their total bandwidth in bytes per nanosecond.
    pub bandwidth: Fraction,
}

impl Reached {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit
    }
}

/// Computes the limit of a broadcast or reduction without a plan, in nanoseconds per byte of a message.
pub fn limit(problem: &Problem) -> Result<Fraction, ThroughputError> {
    check_kind(problem)?;
    let Forward { scaled, senders, receivers } = Forward::new(problem)?;
    let found = crate::limit::limit(&scaled.graph, &senders, &receivers)?;
    scaled.ns_per_byte(found.time).ok_or(ThroughputError::TooFine)
}

/// Refuses other collectives than broadcasts and reductions.
fn check_kind(problem: &Problem) -> Result<(), ThroughputError> {
    if matches!(problem.collective().kind, Kind::Broadcast | Kind::Reduce) {
        return Ok(());
    }
    let collective = problem.collective().name.clone();
    Err(ThroughputError::Unsupported { collective })
}

/// Computes the limit of a broadcast or reduction and searches for a plan, with at most `trees` trees
/// per root if that is given. `stop` is polled during the search; once it returns true, the search
/// ends with a simple plan.
pub fn reach(
    problem: &Problem,
    trees: Option<u32>,
    stop: &dyn Fn() -> bool,
) -> Result<Reached, ThroughputError> {
    check_kind(problem)?;
    let forward = Forward::new(problem)?;
    let Forward { scaled, senders, .. } = &forward;
    let broadcasts = forward.broadcasts();
    let found = match trees {
        None => plan(&broadcasts, stop),
        Some(most) => plan_with_trees(&broadcasts, most, stop),
    };
    let (plan, is_stopped) = match found {
        Err(BroadcastError::Interrupted) => (simple_plan(&broadcasts)?, true),
        found => (found?, false),
    };
    let in_ns = |time: Ratio| scaled.ns_per_byte(time).ok_or(ThroughputError::TooFine);
    let (limit, time) = (in_ns(plan.limit.time)?, in_ns(plan.time)?);
    let bottleneck = if limit.is_zero() {
        None
    } else {
        let is_inside = |router| plan.limit.cut.binary_search(&router).is_ok();
        let messages = senders.iter().filter(|&&sender| is_inside(sender)).count() as u64;
        // A reduction was turned round, so what leaves the cut enters it in the network.
        let is_left = |router: RouterId| is_inside(router.0) != problem.is_backward();
        let routers = problem.network().routers().filter(|&router| is_left(router));
        Some(Bottleneck::new(problem.network(), routers.collect(), messages)?)
    };
    Ok(Reached { limit, bottleneck, time, plan, is_stopped })
}

impl Bottleneck {
    /// The cut around routers, ascending, that a number of messages must leave.
    pub fn new(
        network: &Network,
        routers: Vec<RouterId>,
        messages: u64,
    ) -> Result<Self, ThroughputError> {
        let is_inside = |router| routers.binary_search(&router).is_ok();
        let bandwidths = network.bandwidths().map_err(ScaleError::from)?;
        let (mut channels, mut bandwidth) = (Vec::new(), Fraction::ZERO);
        for (number, (ends, own)) in network.channels().iter().zip(bandwidths).enumerate() {
            if is_inside(ends.tail) && !is_inside(ends.head) {
                channels.push(ChannelId(number as u32));
                bandwidth = bandwidth.checked_add(own).ok_or(ThroughputError::TooFine)?;
            }
        }
        Ok(Self { routers, messages, channels, bandwidth })
    }

    /// Nanoseconds per byte that the messages need to leave; `None` if no channel leaves.
    pub fn ns_per_byte(&self) -> Option<Fraction> {
        Fraction::from(self.messages).checked_div(self.bandwidth)
    }
}
