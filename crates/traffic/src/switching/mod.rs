//! Switching: how a message holds links on its way. One file each. All run on one clock: at every
//! instant first everything that ends or arrives is taken in, then free links are given out.

mod adaptive_circuit;
mod adaptive_hops;
mod circuit;
mod circuit_by_chains;
mod circuit_by_masks;
mod circuit_records;
mod circuit_walks;
mod cut_through;
mod cut_through_in_order;
mod flow;
mod message;
mod message_in_order;
mod state;
mod wormhole;

pub use state::State;

use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::routing::{Adaptive, LinkOrder, Reach, Routes};
use pavane_model::Network;

/// Where messages go first among those that wait.
pub trait Priority {
    /// The order of a message at one of its hops, numbered through all paths; the least goes first.
    fn order(&self, hop: u32, length: u64, left: u32, birth: u64) -> u64;

    /// Whether the time of arrival counts; it is not looked up otherwise.
    fn has_age(&self) -> bool {
        false
    }
}

impl Priority for Policy {
    #[inline]
    fn order(&self, _hop: u32, length: u64, left: u32, birth: u64) -> u64 {
        Policy::order(*self, length, left, birth)
    }

    #[inline]
    fn has_age(&self) -> bool {
        Policy::has_age(*self)
    }
}

/// What wants to know which message held which channel when.
pub trait Record {
    /// A message held a channel.
    fn hold(&mut self, message: u32, channel: u32, start: u64, end: u64);
}

/// Nobody wants to know.
impl Record for () {
    #[inline]
    fn hold(&mut self, _message: u32, _channel: u32, _start: u64, _end: u64) {}
}

/// A mission with fixed paths, ready to run.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a, P> {
    /// The messages.
    pub mission: &'a Mission,
    /// What carries one message at a time.
    pub links: &'a Links,
    /// The paths.
    pub routes: &'a Routes,
    /// How links follow each other, if the paths are those of a table. Without it the run takes longer,
    /// and comes to the same.
    pub order: Option<&'a LinkOrder>,
    /// Who goes first.
    pub priority: P,
}

impl<P: Priority> Case<'_, P> {
    /// When a message arrived, if that counts.
    #[inline]
    fn birth(&self, message: u32) -> u64 {
        match self.priority.has_age() {
            true => self.mission.messages()[message as usize].arrival,
            false => 0,
        }
    }
}

/// A mission with adaptive routing, ready to run.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveCase<'a, P> {
    /// The network.
    pub network: &'a Network,
    /// The messages.
    pub mission: &'a Mission,
    /// What carries one message at a time.
    pub links: &'a Links,
    /// The routing.
    pub adaptive: &'a Adaptive,
    /// Who goes first.
    pub priority: P,
}

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// When the last message was there, in ticks.
    pub end: u64,
    /// Holds of a link that were begun.
    pub events: u64,
}

/// How a message holds links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// Link by link, whole at every router.
    Message,
    /// All links of the path at once.
    Circuit,
    /// On to the next link at once where that is free, else whole at the router.
    CutThrough,
    /// Link by link, holding those behind while the next is busy; so many messages may hold one link,
    /// each on a virtual channel of it, and one at a time is carried.
    Wormhole(u32),
}

impl Switching {
    /// Every switching with its short name.
    pub const ALL: &[(&str, Self)] =
        &[("ms", Self::Message), ("cs", Self::Circuit), ("vct", Self::CutThrough)];

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "ms",
            Self::Circuit => "cs",
            Self::CutThrough => "vct",
            Self::Wormhole(_) => "wormhole",
        }
    }

    /// Whether an optimum is defined: not under wormhole, where a run may deadlock.
    pub fn has_optimum(self) -> bool {
        !matches!(self, Self::Wormhole(_))
    }

    /// Runs a mission with fixed paths.
    pub fn run<P: Priority, R: Record>(
        self,
        case: &Case<'_, P>,
        state: &mut State,
        record: &mut R,
    ) -> Run {
        let order = case.order.filter(|_| !case.mission.has_waits());
        let forward = order.and_then(|order| order.forward.as_deref());
        let chains = case.order.and_then(|order| order.chains.as_ref());
        match (self, forward, chains) {
            (Self::Message, Some(order), _) => message_in_order::run(case, order, state, record),
            (Self::Message, None, _) => message::run(case, state, record),
            (Self::CutThrough, Some(order), _) => {
                cut_through_in_order::run(case, order, state, record)
            }
            (Self::CutThrough, None, _) => cut_through::run(case, state, record),
            (Self::Circuit, ..) if case.order.is_some() && circuit_by_masks::takes(case) => {
                circuit_by_masks::run(case, state, record)
            }
            (Self::Circuit, _, Some(chains)) => circuit_by_chains::run(case, chains, state, record),
            (Self::Circuit, _, None) => circuit::run(case, state, record),
            (Self::Wormhole(lanes), _, _) => wormhole::run(case, lanes, state, record),
        }
    }

    /// Runs a mission with adaptive routing; none for wormhole, whose header cannot turn back.
    pub fn run_adaptive<P: Priority, R: Record>(
        self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        record: &mut R,
    ) -> Option<Run> {
        match (self, case.adaptive.reach) {
            (Self::Message, _) => Some(adaptive_hops::run(case, false, state, record)),
            (Self::CutThrough, Reach::Closer) => {
                Some(adaptive_hops::run(case, true, state, record))
            }
            // Depth first, a message is there at once or stays at its source, under both.
            (Self::CutThrough, Reach::Detours) | (Self::Circuit, _) => {
                Some(adaptive_circuit::run(case, state, record))
            }
            (Self::Wormhole(_), _) => None,
        }
    }
}
