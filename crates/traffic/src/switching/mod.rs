//! Switching methods: how a message holds links on its way. One file each. All share one clock: at every
//! instant all ends and arrivals are processed first, then free links are assigned.

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
mod state;
mod store_and_forward;
mod store_and_forward_in_order;
mod wormhole;

pub use state::State;

use crate::error::TrafficError;
use crate::flits::FlitRules;
use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::routing::{Adaptive, LinkOrder, Reach, Routes};
use pavane_model::Network;

/// Priorities among waiting messages.
pub trait Priority {
    /// The order of a message at a hop, numbered across all paths; the least goes first.
    fn order(&self, hop: u32, length: u64, left: u32, birth: u64) -> u64;

    /// Whether the arrival time matters; otherwise it is not looked up.
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

/// Recorder of holds.
pub trait Record {
    /// Records that a message held a channel.
    fn hold(&mut self, message: u32, channel: u32, start: u64, end: u64);
}

/// No-op recorder.
impl Record for () {
    #[inline]
    fn hold(&mut self, _message: u32, _channel: u32, _start: u64, _end: u64) {}
}

/// A mission with fixed paths, ready to run.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a, P> {
    /// The messages.
    pub mission: &'a Mission,
    /// The resources that carry one message at a time.
    pub links: &'a Links,
    /// The paths.
    pub routes: &'a Routes,
    /// The possible sequences of links, if the paths come from a table. Without it the run takes
    /// longer, with the same result.
    pub order: Option<&'a LinkOrder>,
    /// Priorities of messages.
    pub priority: P,
}

impl<P: Priority> Case<'_, P> {
    /// Arrival time of a message if it matters, otherwise 0.
    #[inline]
    fn birth(&self, message: u32) -> u64 {
        if self.priority.has_age() { self.mission.messages()[message as usize].arrival } else { 0 }
    }
}

/// A mission with adaptive routing, ready to run.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveCase<'a, P> {
    /// The network.
    pub network: &'a Network,
    /// The messages.
    pub mission: &'a Mission,
    /// The resources that carry one message at a time.
    pub links: &'a Links,
    /// The routing.
    pub adaptive: &'a Adaptive,
    /// Priorities of messages.
    pub priority: P,
}

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Delivery time of the last message, in ticks.
    pub end: u64,
    /// Number of holds started.
    pub events: u64,
}

/// How a message holds links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchingMethod {
    /// One link after another; every router stores the whole message.
    StoreAndForward,
    /// All links of the path at once.
    Circuit,
    /// Continues to the next link immediately if it is free; otherwise the router stores the whole
    /// message.
    CutThrough,
    /// One link after another, keeping those behind while the next is busy. Several messages may
    /// hold a link, each on one of its virtual channels; the link carries one at a time. The value
    /// is the number of virtual channels.
    Wormhole(u32),
    /// Wormhole flit by flit, with virtual channels and buffers.
    Flits(FlitRules),
}

impl SwitchingMethod {
    /// All switching methods without virtual channels, with their names.
    pub const ALL: &[(&str, Self)] = &[
        ("store-and-forward", Self::StoreAndForward),
        ("cs", Self::Circuit),
        ("vct", Self::CutThrough),
    ];

    /// The papers' name of store-and-forward: message switching.
    const MESSAGE_SWITCHING: &str = "ms";

    /// The switching method with this name: one of [`Self::ALL`], `sf` or `ms` for store-and-forward, or
    /// `wormhole`. Wormhole gets `lanes` virtual channels per link.
    pub fn find(name: &str, lanes: u32) -> Result<Self, TrafficError> {
        let known = match name.parse() {
            Ok(pavane_model::Switching::StoreAndForward) => Some(Self::StoreAndForward),
            Ok(pavane_model::Switching::Wormhole) => Some(Self::Wormhole(lanes)),
            Err(_) if name == Self::MESSAGE_SWITCHING => Some(Self::StoreAndForward),
            Err(_) => Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, it)| *it),
        };
        known.ok_or_else(|| TrafficError::Unknown {
            what: "switching",
            name: name.to_owned(),
            known: Self::names().join(", "),
        })
    }

    /// The names of all switching methods.
    pub fn names() -> Vec<&'static str> {
        let names = Self::ALL.iter().map(|(name, _)| *name);
        names.chain([Self::Wormhole(1).name()]).collect()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::StoreAndForward => "store-and-forward",
            Self::Circuit => "cs",
            Self::CutThrough => "vct",
            Self::Wormhole(_) | Self::Flits(_) => "wormhole",
        }
    }

    /// Whether messages can wait for each other in a cycle, depending on the routing.
    pub fn can_deadlock(self) -> bool {
        matches!(self, Self::Wormhole(_) | Self::Flits(_))
    }

    /// Whether an optimum is defined. It is not under wormhole switching, where a run may deadlock.
    pub fn has_optimum(self) -> bool {
        !self.can_deadlock()
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
            (Self::StoreAndForward, Some(order), _) => {
                store_and_forward_in_order::run(case, order, state, record)
            }
            (Self::StoreAndForward, None, _) => store_and_forward::run(case, state, record),
            (Self::CutThrough, Some(order), _) => {
                cut_through_in_order::run(case, order, state, record)
            }
            (Self::CutThrough, None, _) => cut_through::run(case, state, record),
            (Self::Circuit, ..) if case.order.is_some() && circuit_by_masks::takes(case) => {
                circuit_by_masks::run(case, state, record)
            }
            (Self::Circuit, _, Some(chains)) => circuit_by_chains::run(case, chains, state, record),
            (Self::Circuit, _, None) => circuit::run(case, state, record),
            // The simulator of a network runs flits itself.
            (Self::Wormhole(lanes) | Self::Flits(FlitRules { lanes, .. }), _, _) => {
                wormhole::run(case, lanes, state, record)
            }
        }
    }

    /// Runs a mission with adaptive routing; `None` under wormhole, because a header cannot turn
    /// back.
    pub fn run_adaptive<P: Priority, R: Record>(
        self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        record: &mut R,
    ) -> Option<Run> {
        match (self, case.adaptive.reach) {
            (Self::StoreAndForward, _) => Some(adaptive_hops::run(case, false, state, record)),
            (Self::CutThrough, Reach::Closer) => {
                Some(adaptive_hops::run(case, true, state, record))
            }
            // Under depth-first routing, both find a whole free path or leave the message at its
            // source.
            (Self::CutThrough, Reach::Detours) | (Self::Circuit, _) => {
                Some(adaptive_circuit::run(case, state, record))
            }
            (Self::Wormhole(_) | Self::Flits(_), _) => None,
        }
    }
}
