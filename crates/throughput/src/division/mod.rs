//! How the phases of an all-reduce divide the channels: the smallest time for which every channel can
//! carry the loads of all phases, the loads, and weighted cuts that prove the time.
//!
//! The linear program, for time T, bandwidths b and loads x of each phase, read as a broadcast:
//!
//! - minimise T
//! - the loads of a channel in all phases are at most T·b
//! - a router set that misses a receiver is left by at least as many messages as start in it
//! - a switch that does not copy is left by no more than enters it
//!
//! Loads that fulfil the last two conditions can be packed into trees (splitting off, and Edmonds'
//! branchings). There are too many router sets to list. The program is solved with some of them, maximum
//! flows find sets whose condition is violated, and these are added until there are none. The solution
//! of the dual program is the proof: weights of cuts and of switches.
//!
//! The simplex method works in floating point. The time, the loads and the weights are then computed
//! exactly from its last basis.

mod exact;
mod program;
mod simplex;

use crate::graph::Ratio;
use crate::integer::gcd;
use crate::trees::{Broadcasts, TreePlan, plan_within};
use program::Program;

/// Loads of all phases, and the proof that no others take less time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// The load of each channel in each phase, for messages of size 1. None if the search ended early.
    pub loads: Option<Vec<Vec<Ratio>>>,
    /// Cuts with weights. Together with the switches they prove a limit, in most cases that of the
    /// loads.
    pub cuts: Vec<WeightedCut>,
    /// Switches with weights.
    pub switches: Vec<WeightedSwitch>,
}

/// A cut of one phase, read as a broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedCut {
    /// The phase.
    pub phase: usize,
    /// The weight.
    pub weight: u64,
    /// Whether each router is in the set that messages must leave.
    pub inside: Vec<bool>,
}

/// A switch in one phase, read as a broadcast. Channels into it cost the weight more, channels from it
/// the weight less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedSwitch {
    /// The phase.
    pub phase: usize,
    /// The weight.
    pub weight: u64,
    /// The switch.
    pub router: u32,
}

/// What is demanded of relays: routers that may copy but do not receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relays {
    /// Nothing. This proves limits; the loads may be impossible.
    Free,
    /// They receive all messages. The loads are possible, and there may be better ones.
    Receive,
    /// They do not copy. The loads are possible, and there may be better ones.
    Forward,
}

/// The best division of the channels between phases. None if the program is too large.
pub fn divide(phases: &[Broadcasts], relays: Relays, stop: &dyn Fn() -> bool) -> Option<Division> {
    let mut program = Program::new(phases, relays)?;
    let is_solved = program.solve(stop);
    let (cuts, switches) = program.weights(stop);
    let loads = if is_solved { program.loads(stop) } else { None };
    Some(Division { loads, cuts, switches })
}

/// Whether some router may copy but does not receive, so that `Relays` matters.
pub fn has_relays(phase: &Broadcasts) -> bool {
    program::relays(phase).next().is_some()
}

/// Trees for each phase whose loads are at most those given. None if there are none or none were found.
pub fn pack_all(
    phases: &[Broadcasts],
    loads: &[Vec<Ratio>],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<TreePlan>> {
    let packed = phases.iter().zip(loads).map(|(phase, loads)| {
        let trees = loads.iter().try_fold(1u128, |common, load| {
            let denominator = *load.denom();
            (common / gcd(common, denominator)).checked_mul(denominator)
        });
        plan_within(phase, loads, trees.filter(|&trees| trees <= MOST_TREES)?, stop)
    });
    packed.collect()
}

/// The largest number of trees of one sender; files store it in 64 bits.
const MOST_TREES: u128 = 1 << 62;
